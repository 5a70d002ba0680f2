//! Which rule wins.

use countersign::ledger::Arguments;
use countersign::policy::{
    Mode, Origin, Policy, Rule, RuleKind, Tier, Verdict, effect_of_call, effects_of_call,
};
use countersign::tool::{Preparation, SideEffect, ToolKind, ToolSpec};
use serde_json::json;

use super::lines::look;
use super::support::{call, policy, rule, shell_tool};

pub(crate) fn from(kind: RuleKind, text: &str, tier: Tier) -> Rule {
    rule(kind, text).from(Origin::of(tier))
}

fn verdict(rules: Vec<Rule>, line: &str) -> Verdict {
    let policy = Policy { mode: Mode::Ask, rules, has_sandbox: true, ..Policy::default() };
    policy.decide(&shell_tool(), &call(line), &look(line)).verdict
}

pub(crate) fn edit_tool() -> ToolSpec {
    ToolSpec {
        name: "edit".into(),
        effect: SideEffect::Writes,
        kind: ToolKind::Plain,
        paths: vec!["path".into()],
        ..shell_tool()
    }
}

pub(crate) fn at(path: &str, leads_to: &str, outside: bool) -> (Arguments, Preparation) {
    let outside = if outside { vec![leads_to.to_owned()] } else { vec![] };
    let found = Preparation { leads_to: vec![leads_to.into()], outside, ..Preparation::default() };
    (Arguments::from_value(json!({ "path": path })), found)
}

#[test]
fn deny_wins_then_ask_wherever_they_come_from() {
    use RuleKind::{Allow, Ask, Deny, Sandbox};
    let tiers = [Tier::BuiltIn, Tier::Session, Tier::Project, Tier::Trusted, Tier::User, Tier::Flag];
    for strict in tiers {
        for loose in tiers {
            for permits in [Allow, Sandbox] {
                let pair =
                    |kind| vec![from(permits, "shell(make x)", loose), from(kind, "shell(make *)", strict)];
                assert!(matches!(verdict(pair(Deny), "make x"), Verdict::Deny(_)));
                assert!(matches!(verdict(pair(Ask), "make x"), Verdict::Ask(_)));
            }
        }
    }
}

#[test]
fn of_several_parts_that_need_a_word_the_worst_is_named() {
    let asked = |rules: Vec<Rule>, line: &str| {
        let Verdict::Ask(why) = verdict(rules, line) else { panic!("{line} is not asked about") };
        why
    };
    for (line, named) in [
        ("ls x; cat /etc/hostname; rm -rf ../other", "`rm -rf ../other`"),
        ("rm -rf ../other; cat /etc/hostname; ls x", "`rm -rf ../other`"),
        ("ls x && make && curl https://x && rm y", "`curl https://x`"),
        ("ls x; make one; make two", "`make one`"),
    ] {
        let why = asked(vec![from(RuleKind::Allow, "shell(ls *)", Tier::User)], line);
        assert!(why.contains(named), "{line}: {why}");
        // Without any rule there is nothing to be said of one part that does not hold for the others.
        assert_eq!(asked(Vec::new(), line), "no rule covers it");
    }
}

#[test]
fn the_sandbox_wins_over_allow_but_for_a_closer_word_of_the_user() {
    use RuleKind::{Allow, Sandbox};
    let both = |allow: Tier, text: &str, sandbox: Tier| {
        verdict(vec![from(Allow, text, allow), from(Sandbox, "shell(make *)", sandbox)], "make x")
    };
    let is_confined = |verdict| matches!(verdict, Verdict::Sandbox(_));
    assert!(is_confined(both(Tier::User, "shell(make *)", Tier::User)));
    assert!(is_confined(both(Tier::User, "shell(make *)", Tier::Session)));
    assert!(!is_confined(both(Tier::User, "shell(make x)", Tier::User)));
    assert!(!is_confined(both(Tier::Flag, "shell(make x)", Tier::User)));
    assert!(!is_confined(both(Tier::User, "shell(make x)", Tier::Session)));
    assert!(is_confined(both(Tier::Session, "shell(make x)", Tier::User)));
}

#[test]
fn a_project_can_only_tighten() {
    for kind in [RuleKind::Allow, RuleKind::Sandbox] {
        let found = verdict(vec![from(kind, "shell(make *)", Tier::Project)], "make x");
        assert!(matches!(found, Verdict::Ask(_)), "{found:?}");
    }
    let found = verdict(vec![from(RuleKind::Deny, "shell(make *)", Tier::Project)], "make x");
    assert!(matches!(found, Verdict::Deny(_)), "{found:?}");
}

#[test]
fn a_trusted_project_permits_what_nobody_denies() {
    let allow = from(RuleKind::Allow, "shell(make *)", Tier::Trusted);
    assert!(matches!(verdict(vec![allow.clone()], "make x"), Verdict::Allow(_)));
    for strict in [Tier::Session, Tier::Project, Tier::User] {
        let found = verdict(vec![allow.clone(), from(RuleKind::Deny, "shell(make x)", strict)], "make x");
        assert!(matches!(found, Verdict::Deny(_)), "{found:?}");
        let found = verdict(vec![allow.clone(), from(RuleKind::Ask, "shell(make *)", strict)], "make x");
        assert!(matches!(found, Verdict::Ask(_)), "{found:?}");
    }
}

#[test]
fn the_verdict_names_the_rule_that_decided() {
    let policy = policy(Mode::Ask, &[(RuleKind::Allow, "shell(make *)"), (RuleKind::Deny, "shell(rm *)")]);
    for (line, rule) in
        [("make x", Some("shell(make *)")), ("make x; rm y", Some("shell(rm *)")), ("ls", None)]
    {
        let decided = policy.decide(&shell_tool(), &call(line), &look(line));
        assert_eq!(decided.rule.map(|rule| rule.to_string()).as_deref(), rule, "{line}");
    }
}

#[test]
fn what_is_granted_for_the_session_is_the_exact_action() {
    let tool = shell_tool();
    let mut policy = policy(Mode::Ask, &[(RuleKind::Deny, "shell(rm *)")]);
    policy.granted.insert(countersign::policy::fingerprint("shell", &call("touch x")));
    policy.granted.insert(countersign::policy::fingerprint("shell", &call("rm x")));
    let verdict = |line: &str| policy.decide(&tool, &call(line), &look(line)).verdict;
    assert!(matches!(verdict("touch x"), Verdict::Allow(_)));
    assert!(matches!(verdict("touch x "), Verdict::Ask(_)));
    assert!(matches!(verdict("rm x"), Verdict::Deny(_)));
}

#[test]
fn what_is_granted_for_the_session_does_not_run_in_plan_mode() {
    let mut policy = policy(Mode::Plan, &[(RuleKind::Allow, "shell(make *)")]);
    for granted in ["touch x", "make x"] {
        let action = countersign::policy::fingerprint("shell", &call(granted));
        policy.granted.insert(action.clone());
        policy.granted_in_sandbox.insert(action);
        let verdict = policy.decide(&shell_tool(), &call(granted), &look(granted)).verdict;
        assert!(matches!(verdict, Verdict::Deny(_)), "{granted}: {verdict:?}");
    }
    let (arguments, found) = at("a", "a", false);
    policy.granted.insert(countersign::policy::fingerprint("edit", &arguments));
    let verdict = policy.decide(&edit_tool(), &arguments, &found).verdict;
    assert!(matches!(verdict, Verdict::Deny(_)), "{verdict:?}");
}

#[test]
fn of_several_rules_that_permit_the_closest_word_of_the_user_counts_first() {
    use RuleKind::{Allow, Sandbox};
    let rules = vec![
        from(Sandbox, "shell(make *)", Tier::User),
        from(Sandbox, "shell(make test *)", Tier::Trusted),
        from(Allow, "shell(make test x)", Tier::Trusted),
    ];
    let found = verdict(rules, "make test x");
    assert!(matches!(found, Verdict::Sandbox(_)), "{found:?}");
    let rules = vec![
        from(Allow, "shell(make test x)", Tier::Session),
        from(Allow, "shell(make *)", Tier::User),
        from(Sandbox, "shell(make t*)", Tier::Trusted),
    ];
    let found = verdict(rules, "make test x");
    assert!(matches!(found, Verdict::Sandbox(_)), "{found:?}");
}

#[test]
fn what_is_granted_for_the_session_leads_where_it_led() {
    let mut policy = policy(Mode::Ask, &[]);
    let tool = edit_tool();
    let (arguments, inside) = at("link/x", "real/x", false);
    policy.granted.insert(countersign::policy::grant(&tool, &arguments, &inside));
    let verdict = |leads_to: &str, outside| {
        let (arguments, found) = at("link/x", leads_to, outside);
        policy.decide(&tool, &arguments, &found).verdict
    };
    assert!(matches!(verdict("real/x", false), Verdict::Allow(_)));
    assert!(matches!(verdict("/home/me/.ssh/x", true), Verdict::Ask(_)));
    assert!(matches!(verdict("link/x", false), Verdict::Ask(_)), "a folder in its place is another one");
    // What leads where it is written is the action alone, also when it is read from the books.
    let (arguments, found) = at("a/x", "a/x", false);
    let plain = countersign::policy::fingerprint(&tool.name, &arguments);
    assert_eq!(countersign::policy::grant(&tool, &arguments, &found), plain);
}

#[test]
fn files_that_make_programs_run_are_not_edited_without_a_question() {
    let policy = policy(Mode::Edit, &[]);
    for (path, asks) in [
        ("src/a.rs", false),
        (".git/config", true),
        ("sub/.GIT/hooks/x", true),
        (".mcp.json", true),
        ("sub/.envrc", true),
        (".vscode/tasks.json", true),
        (".gitignore", false),
    ] {
        let (arguments, found) = at(path, path, false);
        let verdict = policy.decide(&edit_tool(), &arguments, &found).verdict;
        assert_eq!(matches!(verdict, Verdict::Ask(_)), asks, "{path}: {verdict:?}");
    }
}

#[test]
fn a_redirection_obeys_the_rules_for_paths() {
    let policy = policy(
        Mode::Edit,
        &[
            (RuleKind::Allow, "shell(echo *)"),
            (RuleKind::Deny, "write(secret/*)"),
            (RuleKind::Allow, "write(/outside/ok)"),
        ],
    );
    for (line, allowed) in
        [("echo a > b", true), ("echo a > secret/b", false), ("echo a > /ok", true), ("echo a > /no", false)]
    {
        let verdict = policy.decide(&shell_tool(), &call(line), &look(line)).verdict;
        assert_eq!(matches!(verdict, Verdict::Allow(_)), allowed, "{line}: {verdict:?}");
    }
}

#[test]
fn a_rule_about_files_speaks_of_lines_that_name_them() {
    use RuleKind::{Allow, Ask, Deny};
    let rules = [
        (Allow, "shell(cargo test *)"),
        (Ask, "read(*.env)"),
        (Deny, "read(keys/*)"),
        (Deny, "write(keys/*)"),
        (Deny, "read(/outside/link)"),
        (Ask, "*(vault/*)"),
        (Deny, "edit(*)"),
    ];
    for mode in [Mode::Ask, Mode::Edit, Mode::Auto, Mode::Unrestricted] {
        let policy = policy(mode, &rules);
        // A mode without questions heeds what denies, and no rule that asks.
        let asks = if mode == Mode::Unrestricted { "allow" } else { "ask" };
        for (line, expected) in [
            ("cat .env", asks),
            ("cat ./prod.env | head", asks),
            ("timeout 5 grep -n x .env", asks),
            ("cargo test x < .env", asks),
            ("cat vault/a", asks),
            ("cat < vault/a", asks),
            ("awk 1 .env", asks),
            ("cat keys/a", "deny"),
            ("cat link", "deny"),
            ("cargo test x < keys/a", "deny"),
            ("echo a > keys/a", "deny"),
            ("cp keys/a b", "ask"),
            ("dd if=./keys/a of=b", "ask"),
            ("cargo test keys/a", "ask"),
        ] {
            let found = policy.decide(&shell_tool(), &call(line), &look(line)).verdict;
            let word = match found {
                Verdict::Allow(_) => "allow",
                Verdict::Ask(_) => "ask",
                Verdict::Deny(_) => "deny",
                Verdict::Sandbox(_) => "sandbox",
            };
            assert_eq!(word, expected, "{mode} {line}: {found:?}");
        }
        let of_no_such_file = policy.decide(&shell_tool(), &call("cargo test x"), &look("")).verdict;
        assert!(matches!(of_no_such_file, Verdict::Allow(_)), "{of_no_such_file:?}");
    }
}

#[test]
fn no_rule_for_another_part_lets_git_look_outside_of_the_sandbox() {
    let rules = [(RuleKind::Allow, "shell(echo *)"), (RuleKind::Sandbox, "shell(python3 *)")];
    let line = "echo a; git status";
    let decide = |policy: &Policy, line: &str| policy.decide(&shell_tool(), &call(line), &look(line)).verdict;
    for mode in [Mode::Ask, Mode::Edit, Mode::Auto] {
        assert!(matches!(decide(&policy(mode, &rules), line), Verdict::Sandbox(_)), "{mode}");
        let paid = Policy { looking_is_free: false, ..policy(mode, &rules) };
        assert!(!matches!(decide(&paid, line), Verdict::Allow(_)), "{mode}");
        let bare = Policy { has_sandbox: false, ..policy(mode, &rules) };
        assert!(matches!(decide(&bare, line), Verdict::Ask(_)), "{mode}");
    }
    let paid = Policy { looking_is_free: false, ..policy(Mode::Ask, &rules) };
    assert!(matches!(decide(&paid, "echo a; ls"), Verdict::Allow(_)));
    assert!(matches!(decide(&paid, "python3 x; git status"), Verdict::Sandbox(_)));
    let own_word = policy(Mode::Ask, &[rules[0], (RuleKind::Allow, "shell(git status)")]);
    assert!(matches!(decide(&own_word, line), Verdict::Allow(_)));
}

#[test]
fn options_before_a_subcommand_hide_it_from_no_rule_that_denies() {
    let denied = ["shell(git push *)", "shell(terraform destroy *)", "shell(cargo publish *)", "shell(rm *)"];
    let rules: Vec<(RuleKind, &str)> = denied.iter().map(|text| (RuleKind::Deny, *text)).collect();
    let policy = policy(Mode::Unrestricted, &rules);
    for (line, is_denied) in [
        ("git -C . push", true),
        ("git --no-pager -c a=b push origin", true),
        ("terraform -chdir=x destroy", true),
        ("cargo +nightly --config x publish", true),
        ("git -C . log push", false),
        ("git log -n 1 push", false),
        ("choom -n 0 -- rm x", true),
        ("/lib64/ld-linux-x86-64.so.2 /bin/rm x", true),
    ] {
        let found = policy.decide(&shell_tool(), &call(line), &look(line)).verdict;
        assert_eq!(matches!(found, Verdict::Deny(_)), is_denied, "{line}: {found:?}");
    }
}

#[test]
fn a_call_does_what_its_line_does() {
    assert_eq!(effect_of_call(&shell_tool(), &call("ls | wc -l")), SideEffect::Reads);
    assert_eq!(effect_of_call(&shell_tool(), &call("ls | nobody-knows")), SideEffect::Sends);
    let order = [
        SideEffect::Reads,
        SideEffect::Writes,
        SideEffect::Runs,
        SideEffect::Deletes,
        SideEffect::ChangesPermissions,
        SideEffect::Sends,
    ];
    let lines = ["ls", "touch x", "make", "rm x", "chmod +x x", "curl x"];
    for (at, (line, effect)) in lines.iter().zip(order).enumerate() {
        assert_eq!(effect_of_call(&shell_tool(), &call(line)), effect, "{line}");
        let worst = effect_of_call(&shell_tool(), &call(&lines[..=at].join("; ")));
        assert_eq!(worst, effect, "up to {line}");
    }
    assert_eq!(effect_of_call(&edit_tool(), &call("rm x")), SideEffect::Writes);
}

#[test]
fn all_that_a_line_does_is_named_and_the_worst_first() {
    use SideEffect::{ChangesPermissions, Deletes, Reads, Runs, Sends, Writes};
    for (line, effects) in [
        ("rm -rf target && git push --force", vec![Sends, Deletes]),
        ("git push; rm x; rm y", vec![Sends, Deletes]),
        ("ls | wc -l", vec![Reads]),
        ("ls > x", vec![Writes]),
        ("make && chmod +x y && touch z", vec![ChangesPermissions, Runs, Writes]),
        ("timeout 5 rm x", vec![Deletes]),
        ("rm x; echo '", vec![Sends, Deletes]),
    ] {
        assert_eq!(effects_of_call(&shell_tool(), &call(line)), effects, "{line}");
        assert_eq!(
            effects_of_call(&shell_tool(), &call(line)).first(),
            Some(&effect_of_call(&shell_tool(), &call(line))),
            "{line}"
        );
    }
    assert_eq!(effects_of_call(&edit_tool(), &call("rm x")), [Writes]);
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*|[ -~\n\t]{0,80}|[$(){}`'\"\\\\;&|<>#\n a]{0,60}") {
        let verdict = verdict(vec![rule(RuleKind::Deny, "shell(rm *)"), rule(RuleKind::Allow, "shell(echo *)")], &text);
        let reading = countersign::policy::shell::read(&text);
        let asks = matches!(verdict, Verdict::Ask(_) | Verdict::Deny(_));
        proptest::prop_assert!(reading.unreadable.is_none() || asks, "{verdict:?}");
    }
}

#[test]
fn what_nests_without_end_or_goes_on_without_end_is_not_read() {
    for line in [
        "(".repeat(9_000),
        "$(".repeat(8_000),
        "{ ".repeat(8_000),
        "env ".repeat(4_000),
        "a;".repeat(9_000),
        "eval ".repeat(3_000) + "echo a",
    ] {
        assert!(countersign::policy::shell::read(&line).unreadable.is_some(), "{}", line.len());
    }
    let most = "true;".repeat(3_000);
    assert_eq!(countersign::policy::shell::read(&most).commands.len(), 3_000);
}
