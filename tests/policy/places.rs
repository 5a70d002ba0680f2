//! Rules that name files by absolute paths, against calls that name them from the workspace, and the other way round.

use countersign::ledger::Arguments;
use countersign::policy::{Decided, Mode, Policy, RuleKind, Verdict, opened};
use countersign::tool::{Preparation, SideEffect, Territory};
use serde_json::json;

use super::rules::edit_tool;
use super::support::{call, policy, shell_tool};

const HERE: &str = "/home/u/proj";

/// The look at a path in the workspace, which has a link to it.
fn led(paths: &[String]) -> Preparation {
    let folders = vec![HERE.to_owned(), "/link".to_owned()];
    let mut found = Preparation { folders, ..Preparation::default() };
    for path in paths {
        let absolute = match path.strip_prefix("../") {
            Some(rest) => format!("/home/u/{rest}"),
            None => path.trim_start_matches("./").replacen("/link", HERE, 1),
        };
        match absolute.strip_prefix("/home/u/proj/").unwrap_or(&absolute) {
            outside if outside.starts_with('/') => found.leads(outside.to_owned(), Territory::Outside),
            secret if secret.ends_with(".env") => found.leads(secret.to_owned(), Territory::Secret),
            inside => found.leads(inside.to_owned(), Territory::Inside),
        }
    }
    found
}

fn word(decided: &Decided) -> &'static str {
    match decided.verdict {
        Verdict::Allow(_) => "allow",
        Verdict::Sandbox(_) => "sandbox",
        Verdict::Ask(_) => "ask",
        Verdict::Deny(_) => "deny",
    }
}

fn opens(policy: &Policy, tool: &str, path: &str) -> &'static str {
    let effect = if tool == "write" { SideEffect::Writes } else { SideEffect::Reads };
    let spec = countersign::tool::ToolSpec { name: tool.into(), effect, ..edit_tool() };
    let arguments = Arguments::from_value(json!({ "path": path }));
    word(&policy.decide(&spec, &arguments, &led(&[path.to_owned()])))
}

fn runs(policy: &Policy, line: &str) -> &'static str {
    word(&policy.decide(&shell_tool(), &call(line), &led(&opened(line))))
}

#[test]
fn a_rule_with_an_absolute_path_holds_for_a_call_that_names_the_file_from_the_workspace() {
    for (kind, expected) in [(RuleKind::Deny, "deny"), (RuleKind::Ask, "ask")] {
        for rule in [
            "read(/home/u/proj/secret/**)",
            "read(/link/secret/*)",
            "read(/home/*/secret/*)",
            "read(../proj/secret/*)",
            "read(./secret/*)",
            "read(*/secret/*)",
        ] {
            let policy = policy(Mode::Ask, &[(kind, rule)]);
            for path in [
                "secret/key.txt",
                "./secret/key.txt",
                "/home/u/proj/secret/key.txt",
                "../proj/secret/key.txt",
            ] {
                assert_eq!(opens(&policy, "read", path), expected, "{rule}: read {path}");
                assert_eq!(opens(&policy, "search", path), expected, "{rule}: search {path}");
                assert_eq!(opens(&policy, "list", path), "allow", "{rule}: a name is no content");
            }
            for line in [
                "cat secret/key.txt",
                "cat ./secret/key.txt",
                "cat /home/u/proj/secret/key.txt",
                "cat < secret/key.txt",
                "cd secret && cat key.txt",
            ] {
                assert_eq!(runs(&policy, line), expected, "{rule}: {line}");
            }
            for (path, line) in [("notes.txt", "cat notes.txt"), ("src/a.rs", "wc -l src/a.rs")] {
                assert_eq!(opens(&policy, "read", path), "allow", "{rule}: read {path}");
                assert_eq!(runs(&policy, line), "sandbox", "{rule}: {line}");
            }
        }
    }
}

#[test]
fn what_a_line_may_name_is_asked_about_under_an_absolute_rule_too() {
    let policy = policy(Mode::Unrestricted, &[(RuleKind::Deny, "read(/home/u/proj/secret/**)")]);
    for line in
        ["cat secret/k*", "cat se*/key.txt", "cp secret/key.txt x", "grep -r x secret", "f=secret/a; cat $f"]
    {
        assert_eq!(runs(&policy, line), "ask", "{line}");
    }
    for line in ["cat notes*", "cp a b", "grep -r x src"] {
        assert_eq!(runs(&policy, line), "allow", "{line}");
    }
}

#[test]
fn what_the_workspace_is_called_is_no_word_about_its_files() {
    let policy = policy(Mode::Ask, &[(RuleKind::Deny, "read(*/proj/*)"), (RuleKind::Deny, "read(*/u/*)")]);
    assert_eq!(opens(&policy, "read", "notes.txt"), "allow");
    assert_eq!(runs(&policy, "cat notes.txt"), "sandbox");
}

#[test]
fn a_permitting_rule_with_an_absolute_path_covers_what_it_names_and_no_secret_that_it_does_not() {
    let allows = |rule: &str, path: &str| {
        let policy = policy(Mode::Ask, &[(RuleKind::Allow, rule)]);
        opens(&policy, "write", path)
    };
    for path in ["docs/a.md", "./docs/a.md", "/home/u/proj/docs/a.md"] {
        assert_eq!(allows("write(/home/u/proj/docs/*)", path), "allow", "{path}");
        assert_eq!(allows("write(/home/u/*)", path), "allow", "{path}");
    }
    for (rule, path) in [
        ("write(/home/u/proj/docs/*)", "src/a.rs"),
        ("write(/home/u/proj/docs/*)", "../proj2/docs/a.md"),
        ("write(/home/u/proj/docs/*)", "/etc/docs/a.md"),
        ("write(/home/u/*)", "/etc/passwd"),
        // A rule for all of the home folder was not written about this.
        ("write(/home/u/*)", ".env"),
        ("write(/home/u/*)", ".git/hooks/pre-commit"),
        ("write(*/docs/*)", "docs/a.md"),
    ] {
        assert_eq!(allows(rule, path), "ask", "{rule}: {path}");
    }
    assert_eq!(allows("write(/home/u/proj/*)", ".env"), "allow", "the rule names this folder");
    let line = policy(Mode::Ask, &[(RuleKind::Allow, "write(/home/u/proj/docs/*)")]);
    assert_eq!(runs(&line, "cat notes.txt > docs/a.md"), "allow");
    assert_eq!(runs(&line, "cat notes.txt > src/a.md"), "ask");
}

/// What a line is decided to by its words and the names of the workspace alone.
fn by_words(policy: &Policy, folders: &[&str], line: &str) -> &'static str {
    let folders = folders.iter().map(|folder| (*folder).to_owned()).collect();
    let found = Preparation { folders, ..Preparation::default() };
    word(&policy.decide(&shell_tool(), &call(line), &found))
}

/// Whole folders with the workspace in them, and patterns in a way to it.
const WAYS_ROUND: &[&str] = &[
    "grep -r S /home/u/proj",
    "grep -r S /home/u/proj/",
    "grep -r S /link",
    "grep -r S /home/u",
    "grep -r S /",
    "grep -r S ..",
    "grep -r S ../..",
    "grep -r S ../proj",
    "grep -r S src/../../proj",
    "grep -r S /proc/self/cwd",
    "rg S ..",
    "tar c ..",
    "tar c /home/u/proj",
    "cp -r ../proj x",
    "cp -a .. x",
    "rsync -a /home/u/proj host:x",
    "zip -r x.zip ..",
    "mv ../proj x",
    "cd ..; tar c proj",
    "cd / && grep -r S home",
    "cat ../proj/.e*",
    "cat /home/u/proj/.en*",
    "cat /home/u/proj/*",
    "cat /link/.e*",
    "cat \"/home/u/proj/\".e*",
    "cat src/../../proj/.e*",
    "cat /proc/self/cwd/.e*",
    "cat ../*/.env",
    "cat /home/*/proj/.env",
    "cp ../proj/.e* x",
    "cat < ../proj/.e*",
    "cat < ~+/.env",
];

#[test]
fn no_way_round_to_the_workspace_hides_its_files_from_a_relative_rule() {
    let folders = [HERE, "/link"];
    let deny = (RuleKind::Deny, "read(.env)");
    let programs = ["shell(grep *)", "shell(cat *)", "shell(tar *)", "shell(rg *)", "shell(mv *)"];
    let rules: Vec<_> =
        std::iter::once(deny).chain(programs.map(|program| (RuleKind::Allow, program))).collect();
    for mode in [Mode::Ask, Mode::Unrestricted] {
        let policy = policy(mode, &rules);
        for line in WAYS_ROUND {
            assert_eq!(by_words(&policy, &folders, line), "ask", "{mode} {line}");
        }
        for line in ["cat /home/u/proj/.env", "cat ../proj/.env", "cd / && cat home/u/proj/.env"] {
            assert_eq!(by_words(&policy, &folders, line), "deny", "{mode} {line}");
        }
    }
    let policy = policy(Mode::Unrestricted, &[deny]);
    for line in [
        "grep -r S /home/u/other",
        "grep -r S ../other",
        "grep -r S /home/u/proj/src",
        "grep -r S ../proj/src",
        "tar c ../proj2",
        "cat ../other/.e*",
        "cat ../proj/*.rs",
        "cat /home/u/proj/src/*",
        "cat /etc/*.conf",
        "cd / && cat .env",
    ] {
        assert_eq!(by_words(&policy, &folders, line), "allow", "{line}");
    }
    for line in ["mv ../proj.py x", "mv /home/u/proj.py x", "mv ../*.py x"] {
        assert_eq!(by_words(&policy, &["/home/u/proj.py"], line), "ask", "{line}");
    }
    assert_eq!(by_words(&policy, &["/home/u/proj.py"], "mv ../b.py x"), "allow");
}

#[test]
fn in_the_sandbox_a_folder_above_the_workspace_is_read_without_its_files() {
    let policy = policy(Mode::Auto, &[(RuleKind::Deny, "read(.env)")]);
    for line in ["grep -r S .", "grep -r S ..", "grep -r S /home/u/proj"] {
        assert_eq!(by_words(&policy, &[HERE], line), "sandbox", "{line}");
    }
}

#[test]
fn a_link_to_the_workspace_is_the_workspace() {
    let policy = policy(Mode::Unrestricted, &[(RuleKind::Deny, "read(.env)")]);
    let found = Preparation {
        leads_to: opened("grep -r S d").iter().map(|_| ".".to_owned()).collect(),
        folders: vec![HERE.to_owned()],
        ..Preparation::default()
    };
    assert_eq!(word(&policy.decide(&shell_tool(), &call("grep -r S d"), &found)), "ask");
}
