//! Calls that differ by little from ones that are decided otherwise.

use countersign::ledger::{Arguments, CallId};
use countersign::policy::{Mode, Past, Policy, RuleKind, Verdict, listing, suggest};
use countersign::tool::{Preparation, SideEffect, ToolKind, ToolSpec};
use serde_json::json;

use super::lines::look;
use super::rules::{at, edit_tool};
use super::support::{call, policy, rule, shell_tool};

fn verdict(rules: &[(RuleKind, &str)], line: &str) -> Verdict {
    Policy { looking_is_free: false, ..policy(Mode::Ask, rules) }
        .decide(&shell_tool(), &call(line), &look(line))
        .verdict
}

#[test]
fn commands_come_into_the_sandbox_where_there_is_one_and_something_asks_for_it() {
    let kinds = [None, Some((RuleKind::Allow, "shell(make *)")), Some((RuleKind::Sandbox, "shell(make *)"))];
    for (mode, is_auto) in [(Mode::Ask, false), (Mode::Edit, false), (Mode::Auto, true)] {
        for (kind, is_by_rule) in kinds.into_iter().zip([false, false, true]) {
            for looking_is_free in [false, true] {
                for has_sandbox in [false, true] {
                    let rules: Vec<(RuleKind, &str)> = kind.into_iter().collect();
                    let policy = Policy { has_sandbox, looking_is_free, ..policy(mode, &rules) };
                    let wanted = has_sandbox && (is_auto || looking_is_free || is_by_rule);
                    assert_eq!(
                        policy.confines(),
                        wanted,
                        "{mode:?} {kind:?} {looking_is_free} {has_sandbox}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_line_that_cannot_be_read_needs_a_rule_for_all_lines() {
    use RuleKind::Allow;
    let line = "make $(";
    for rules in [&[][..], &[(Allow, "read")], &[(Allow, "shell(make *)")], &[(Allow, "shell(*)")]] {
        assert!(matches!(verdict(rules, line), Verdict::Ask(_)), "{rules:?}");
    }
    assert!(matches!(verdict(&[(Allow, "shell")], line), Verdict::Allow(_)));
}

#[test]
fn a_pattern_that_allows_needs_the_name_of_what_runs() {
    use RuleKind::Allow;
    for line in ["$x a", "\"$x\" a", "$(cat x) a", "d* a"] {
        let found = verdict(&[(Allow, "shell(*)")], line);
        assert!(matches!(found, Verdict::Ask(_)), "{line}: {found:?}");
    }
    assert!(matches!(verdict(&[(Allow, "shell(X=*)")], "X=1"), Verdict::Allow(_)), "nothing runs");
    assert!(matches!(verdict(&[(Allow, "shell(X=*)")], "Y=1"), Verdict::Ask(_)));
}

#[test]
fn a_pattern_with_quotes_allows_what_is_written_so_and_nothing_else() {
    use RuleKind::Allow;
    for (pattern, line) in [
        ("git commit -m \"x y\"", "git commit -m \"x y\""),
        ("git commit -m 'x y'", "git commit -m 'x y'"),
        ("make $TARGET", "make $TARGET"),
        ("make x\\ y", "make x\\ y"),
    ] {
        let rule = format!("shell({pattern})");
        assert!(matches!(verdict(&[(Allow, &rule)], line), Verdict::Allow(_)), "{rule}: {line}");
        for other in ["touch x", "git commit -m x", "make x y", "make"] {
            assert!(matches!(verdict(&[(Allow, &rule)], other), Verdict::Ask(_)), "{rule}: {other}");
        }
    }
}

#[test]
fn what_is_set_for_one_command_is_a_part_of_it() {
    use RuleKind::Deny;
    for line in ["X=1 make a", "true; X=1 make a", "env X=1 make a"] {
        let found = verdict(&[(Deny, "shell(X=1 *)")], line);
        assert!(matches!(found, Verdict::Deny(_)), "{line}: {found:?}");
    }
    assert!(matches!(verdict(&[(Deny, "shell(X=1 *)")], "true; X=2 make a"), Verdict::Ask(_)));
}

#[test]
fn what_is_read_into_a_variable_may_be_a_pattern() {
    use RuleKind::Allow;
    let rules = [(Allow, "shell(read)"), (Allow, "shell(read *)")];
    for line in ["read; printf '%s\\n' $REPLY", "read x; printf '%s\\n' $x"] {
        assert!(matches!(verdict(&rules, line), Verdict::Ask(_)), "{line}");
    }
    for line in
        ["read; printf '%s\\n' \"$REPLY\"", "read x; printf '%s\\n' \"$x\"", "read x; printf '%s\\n' $y"]
    {
        assert!(matches!(verdict(&rules, line), Verdict::Allow(_)), "{line}");
    }
}

#[test]
fn a_rule_for_what_raises_rights_is_none_for_what_it_starts() {
    use RuleKind::Allow;
    for wrapper in ["sudo", "doas", "sudo -u root"] {
        let line = format!("{wrapper} touch x");
        let rules = [(Allow, "shell(sudo *)"), (Allow, "shell(doas *)"), (Allow, "shell(touch *)")];
        assert!(matches!(verdict(&rules, &line), Verdict::Allow(_)), "{line}");
        for one in [&rules[..2], &rules[2..]] {
            assert!(matches!(verdict(one, &line), Verdict::Ask(_)), "{line}: {one:?}");
        }
    }
}

#[test]
fn a_file_behind_the_sign_for_descriptors_is_written() {
    // Lines that only look need no word here.
    let policy = policy(Mode::Ask, &[]);
    let asks = |line: &str| {
        matches!(policy.decide(&shell_tool(), &call(line), &look(line)).verdict, Verdict::Ask(_))
    };
    for line in ["echo a >&2", "echo a 2>&1", "echo a 2>&-"] {
        assert!(!asks(line), "{line}");
    }
    for line in ["echo a >&out.txt", "echo a >&../out.txt", "echo a 2>&1 >&out.txt"] {
        assert!(asks(line), "{line}");
    }
}

#[test]
fn options_of_what_runs_another_program_hide_nothing_from_a_denial() {
    for line in ["sudo -u root rm x", "sudo -n rm x", "doas -u root rm x", "sudo --user=root rm x"] {
        let found = verdict(&[(RuleKind::Deny, "shell(rm *)")], line);
        assert!(matches!(found, Verdict::Deny(_)), "{line}: {found:?}");
    }
}

fn fetch() -> ToolSpec {
    ToolSpec { name: "fetch".into(), effect: SideEffect::Sends, kind: ToolKind::Fetch, ..shell_tool() }
}

fn page(url: &str) -> Arguments {
    Arguments::from_value(json!({ "url": url }))
}

#[test]
fn an_address_in_brackets_is_a_host() {
    let policy = policy(Mode::Ask, &[(RuleKind::Deny, "fetch([::1])")]);
    let decide = |url: &str| policy.decide(&fetch(), &page(url), &Preparation::default()).verdict;
    assert!(matches!(decide("http://[::1]/"), Verdict::Deny(_)));
    assert!(matches!(decide("http://[::1]:8080/x"), Verdict::Deny(_)));
    assert!(matches!(decide("https://docs.rs/"), Verdict::Ask(_)));
}

#[test]
fn the_list_says_which_page_a_denial_last_spoke_of() {
    let tool = fetch();
    let found = Preparation::default();
    let pages = ["https://docs.rs/a", "https://docs.rs/b", "https://example.com/"].map(page);
    let past: Vec<Past<'_>> = (1..)
        .zip(&pages)
        .map(|(number, arguments)| Past { call: CallId(number), tool: &tool, arguments, found: &found })
        .collect();
    let rules = ["fetch(docs.rs)", "fetch(docs*)", "fetch(crates.io)"].map(|text| rule(RuleKind::Deny, text));
    let mut last: Vec<(String, Option<CallId>)> =
        listing(&rules, &past).iter().map(|row| (row.text.clone(), row.last)).collect();
    last.sort();
    let told = [("fetch(crates.io)", None), ("fetch(docs*)", Some(2)), ("fetch(docs.rs)", Some(2))];
    assert_eq!(last, told.map(|(text, call)| (text.to_owned(), call.map(CallId))));
}

#[test]
fn always_offers_no_rule_for_what_a_path_does_not_tell() {
    let offered = |tool: &ToolSpec, path: &str| {
        let (arguments, found) = at(path, path, false);
        suggest(tool, &arguments, &found, &[]).map(|suggestion| suggestion.rule.to_string())
    };
    let edit = edit_tool();
    assert_eq!(offered(&edit, "src/a.rs").as_deref(), Some("edit(src/*)"));
    assert_eq!(
        offered(&edit, "/tmp/x/y").as_deref(),
        Some("edit(/tmp/x/y)"),
        "its folder is not the workspace's"
    );
    assert_eq!(offered(&edit, ""), None);
    assert_eq!(offered(&edit, "src/a*.rs"), None, "the rule would speak of other files");
    assert_eq!(offered(&ToolSpec { paths: Vec::new(), ..edit.clone() }, "src/a.rs"), None);
    assert_eq!(offered(&ToolSpec { effect: SideEffect::Runs, ..edit }, "src/a.rs"), None);
}
