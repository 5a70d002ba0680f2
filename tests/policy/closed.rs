//! Places of the workspace that are closed although they lie in it: secrets, and what other programs run or obey.

use countersign::ledger::Arguments;
use countersign::policy::{Mode, Policy, RuleKind, Tier, Verdict};
use countersign::tool::{Preparation, SideEffect, ToolKind, ToolSpec};
use serde_json::json;

use super::lines::look;
use super::rules::{at, edit_tool, from};
use super::support::{call, shell_tool};

/// What lies in the workspace and counts as outside: by each tool, in each mode, with rules and without.
#[test]
fn what_is_closed_in_the_workspace_is_as_outside_of_it() {
    use countersign::tool::Territory::{Inside, Outside, Protected, Secret};
    let read = ToolSpec {
        name: "read".into(),
        effect: SideEffect::Reads,
        kind: ToolKind::Plain,
        paths: vec!["path".into()],
        ..shell_tool()
    };
    let modes = [Mode::Ask, Mode::Edit, Mode::Auto];
    for (territory, path, read_asks, write_asks) in [
        (Inside, "src/a", false, false),
        (Protected, "bin/a", false, true),
        (Secret, ".env", true, true),
        (Outside, "/a", true, true),
    ] {
        let arguments = Arguments::from_value(json!({ "path": path }));
        let mut found = Preparation::default();
        found.leads(path.to_owned(), territory);
        let asks = |policy: &Policy, tool: &ToolSpec| {
            matches!(policy.decide(tool, &arguments, &found).verdict, Verdict::Ask(_))
        };
        for mode in modes {
            let policy = Policy { mode, ..Policy::default() };
            assert_eq!(asks(&policy, &read), read_asks, "{mode} {path}");
            assert_eq!(asks(&policy, &edit_tool()), write_asks || mode == Mode::Ask, "{mode} {path}");
            // A rule for the whole tool is no word about it; one that names it is.
            for (rule, counts) in [("read", false), ("edit", false), ("read(*)", true), ("edit(*)", true)] {
                let rules = vec![from(RuleKind::Allow, rule, Tier::User)];
                let policy = Policy { mode, rules, ..Policy::default() };
                let (tool, closed) =
                    if rule.starts_with("read") { (&read, read_asks) } else { (&edit_tool(), write_asks) };
                assert_eq!(asks(&policy, tool), closed && !counts, "{mode} {path} {rule}");
            }
        }
        // The same path in a line.
        for (line, closed) in [(format!("cat {path}"), read_asks), (format!("echo x > {path}"), write_asks)] {
            let mut found = Preparation::default();
            found.leads(path.to_owned(), territory);
            let policy =
                Policy { mode: Mode::Edit, looking_is_free: true, has_sandbox: true, ..Policy::default() };
            let verdict = policy.decide(&shell_tool(), &call(&line), &found).verdict;
            assert_eq!(matches!(verdict, Verdict::Ask(_)), closed, "{line}: {verdict:?}");
        }
    }
}

#[test]
fn guarded_files_are_asked_about() {
    for mode in [Mode::Edit, Mode::Auto] {
        let policy = Policy { mode, ..Policy::default() };
        for (path, is_asked) in [
            ("sub/HEAD", true),
            ("sub/config", true),
            ("sub/hooks/post-checkout", true),
            (".codex/config.toml", true),
            ("deep/.Nvim.lua", true),
            ("opencode.json", true),
            (".jj/repo/config.toml", true),
            ("MISE.toml", true),
            ("Makefile", false),
            ("package.json", false),
            ("src/hooks/use.ts", false),
        ] {
            let (arguments, found) = at(path, path, false);
            let verdict = policy.decide(&edit_tool(), &arguments, &found).verdict;
            assert_eq!(matches!(verdict, Verdict::Ask(_)), is_asked, "{mode} {path}: {verdict:?}");
            let line = format!("echo x > {path}");
            let verdict = policy.decide(&shell_tool(), &call(&line), &look(&line)).verdict;
            assert!(matches!(verdict, Verdict::Ask(_)) || !is_asked, "{mode} {line}: {verdict:?}");
        }
    }
}
