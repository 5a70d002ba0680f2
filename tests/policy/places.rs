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
