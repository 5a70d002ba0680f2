//! Rules without a pattern: they speak of a tool, whatever it is called with. And the reasons that people read where no rule
//! speaks.

use countersign::policy::{Mode, Policy, RuleKind, Verdict};

use super::lines::look;
use super::rules::{at, edit_tool};
use super::support::{call, policy, shell_tool};

fn decide(policy: &Policy, line: &str) -> Verdict {
    policy.decide(&shell_tool(), &call(line), &look(line)).verdict
}

const MODES: [Mode; 5] = [Mode::Plan, Mode::Ask, Mode::Edit, Mode::Auto, Mode::Unrestricted];

#[test]
fn a_denied_tool_runs_nothing_and_no_other_tool_is_denied_with_it() {
    use RuleKind::{Allow, Deny};
    for mode in MODES {
        for line in ["ls", "make x", "echo $(", "X=1"] {
            for denied in ["shell", "*", "sh*"] {
                let found = decide(&policy(mode, &[(Allow, "shell"), (Deny, denied)]), line);
                assert!(matches!(found, Verdict::Deny(_)), "{mode} {denied} {line}: {found:?}");
            }
            for other in ["read", "write", "edit", "fetch", "shell2"] {
                let with = decide(&policy(mode, &[(Allow, "shell"), (Deny, other)]), line);
                let without = decide(&policy(mode, &[(Allow, "shell")]), line);
                assert_eq!(with, without, "{mode} {other} {line}");
            }
        }
    }
}

#[test]
fn a_tool_that_is_asked_about_is_asked_about_for_every_line() {
    use RuleKind::{Allow, Ask};
    for mode in [Mode::Ask, Mode::Edit, Mode::Auto] {
        for line in ["ls", "make x", "X=1"] {
            let found = decide(&policy(mode, &[(Allow, "shell(make *)"), (Ask, "shell")]), line);
            assert!(matches!(found, Verdict::Ask(_)), "{mode} {line}: {found:?}");
            let other = decide(&policy(mode, &[(Allow, "shell"), (Ask, "write")]), line);
            assert!(matches!(other, Verdict::Allow(_)), "{mode} {line}: {other:?}");
        }
    }
}

#[test]
fn what_a_tool_may_not_do_a_redirection_does_not_do_unasked() {
    use RuleKind::{Allow, Ask, Deny};
    for mode in [Mode::Edit, Mode::Auto] {
        let echo = (Allow, "shell(echo *)");
        for (rule, line) in [
            ((Deny, "write"), "echo a > b"),
            ((Ask, "write"), "echo a >> b"),
            ((Deny, "edit"), "echo a > b"),
            ((Deny, "w*"), "echo a > b"),
            ((Deny, "read"), "echo a < b"),
        ] {
            let policy = Policy { has_sandbox: false, ..policy(mode, &[echo, rule]) };
            let found = decide(&policy, line);
            assert!(matches!(&found, Verdict::Ask(why) if why.contains("forbids it")), "{rule:?}: {found:?}");
        }
        let unasked = decide(&policy(mode, &[echo, (Deny, "read")]), "echo a > b");
        assert!(matches!(unasked, Verdict::Allow(_)), "{unasked:?}");
    }
}

#[test]
fn a_pattern_says_more_than_the_tool_alone() {
    use RuleKind::{Allow, Sandbox};
    for (allow, sandbox, is_confined) in [
        ("shell(*)", "shell", false),
        ("shell", "shell(*)", true),
        ("shell(make *)", "shell(*)", false),
        ("shell", "shell", true),
        ("shell", "*", false),
    ] {
        let found = decide(&policy(Mode::Ask, &[(Allow, allow), (Sandbox, sandbox)]), "make x");
        assert_eq!(matches!(found, Verdict::Sandbox(_)), is_confined, "{allow} {sandbox}: {found:?}");
    }
}

#[test]
fn each_mode_says_what_it_lets_happen() {
    let said = MODES.map(Mode::allows);
    for (at, words) in said.iter().enumerate() {
        assert!(words.contains(' ') && !said[..at].contains(words), "{words}");
    }
    assert!(Mode::Plan.allows().contains("everything else is refused"));
    assert!(Mode::Unrestricted.allows().contains("deny rules still apply"));
}

#[test]
fn the_reason_says_what_the_decision_rests_on() {
    use RuleKind::{Allow, Sandbox};
    let rules = [(Allow, "shell(echo *)"), (Sandbox, "shell(python3 *)")];
    let reason = |mode: Mode, line: &str| match decide(&policy(mode, &rules), line) {
        Verdict::Allow(why) | Verdict::Sandbox(why) | Verdict::Ask(why) | Verdict::Deny(why) => why,
    };
    for (mode, line, why) in [
        (Mode::Ask, "ls", "reads in the workspace"),
        (Mode::Ask, "git status", "reads in the workspace"),
        (Mode::Edit, "> b", "edits in the workspace"),
        (Mode::Edit, "git status > b", "settings can start programs"),
        (Mode::Edit, "echo a > ../b", "outside"),
        (Mode::Ask, "cat < ../b", "outside"),
        (Mode::Ask, "echo a > b", "the shell writes b, and no rule covers that"),
        (Mode::Ask, "touch b", "no rule covers it"),
        (Mode::Auto, "touch b", "auto mode"),
        (Mode::Plan, "touch b", "plan mode only reads"),
        (Mode::Unrestricted, "touch b", "unrestricted mode"),
    ] {
        let found = reason(mode, line);
        assert!(found.contains(why), "{mode} {line}: {found}");
    }
    let edit = |path: &str| {
        let (arguments, found) = at(path, path, false);
        policy(Mode::Edit, &[]).decide(&edit_tool(), &arguments, &found).verdict
    };
    assert!(matches!(edit("src/a.rs"), Verdict::Allow(why) if why == "edit mode"));
    let Verdict::Ask(guarded) = edit(".git/config") else { panic!("it is asked about") };
    assert!(!guarded.contains("no rule"), "{guarded}");
}

#[test]
fn only_a_call_that_no_rule_covers_is_the_usual_case() {
    let usual = |mode: Mode, rules: &[(RuleKind, &str)], line: &str| {
        policy(mode, rules).decide(&shell_tool(), &call(line), &look(line)).is_usual
    };
    assert!(usual(Mode::Ask, &[], "touch b") && usual(Mode::Edit, &[], "cargo test"));
    for (mode, rules, line) in [
        (Mode::Ask, &[(RuleKind::Ask, "shell(touch *)")][..], "touch b"),
        (Mode::Ask, &[], "echo a > b"),
        (Mode::Edit, &[], "git status > b"),
        (Mode::Unrestricted, &[], "touch b"),
        (Mode::Plan, &[], "touch b"),
    ] {
        assert!(!usual(mode, rules, line), "{mode} {line}");
    }
    let edit = |mode: Mode, path: &str, outside: bool| {
        let (arguments, found) = at(path, path, outside);
        policy(mode, &[]).decide(&edit_tool(), &arguments, &found).is_usual
    };
    assert!(edit(Mode::Ask, "src/a.rs", false));
    assert!(!edit(Mode::Ask, "/etc/hosts", true) && !edit(Mode::Edit, ".git/config", false));
}
