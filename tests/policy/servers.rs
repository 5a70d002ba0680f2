//! Rules for the tools of MCP servers: names with `*`, and patterns that would say nothing.

use countersign::ledger::Arguments;
use countersign::policy::{Mode, Rule, RuleKind, Verdict};
use countersign::tool::{Preparation, SideEffect, ToolSpec};
use serde_json::json;

use super::support::policy;

fn decided(mode: Mode, rules: &[(RuleKind, &str)], tool: &str, effect: SideEffect) -> Verdict {
    let tool = ToolSpec { effect, ..ToolSpec::from_elsewhere(tool) };
    // What it is called with looks like what rules are held against elsewhere.
    let arguments = Arguments::from_value(json!({ "command": "rm -rf x", "url": "https://h", "path": "a" }));
    policy(mode, rules).decide(&tool, &arguments, &Preparation::default()).verdict
}

#[test]
fn a_name_with_a_star_speaks_of_all_tools_of_a_server_and_of_no_other() {
    use RuleKind::{Allow, Ask, Deny};
    use SideEffect::Sends;
    let ask = |rules: &[(RuleKind, &str)], tool: &str| decided(Mode::Ask, rules, tool, Sends);
    let github: &[(RuleKind, &str)] = &[(Allow, "mcp__github__*")];
    assert!(matches!(ask(github, "mcp__github__create_issue"), Verdict::Allow(_)));
    for other in ["mcp__github-evil__create_issue", "mcp__gitlab__create_issue", "mcp__githubx__y", "shell"] {
        assert!(matches!(ask(github, other), Verdict::Ask(_)), "{other}");
    }
    let but_one = [(Allow, "mcp__github__*"), (Deny, "mcp__github__delete_*"), (Ask, "mcp__*__merge")];
    assert!(matches!(ask(&but_one, "mcp__github__delete_repository"), Verdict::Deny(_)));
    assert!(matches!(ask(&but_one, "mcp__github__merge"), Verdict::Ask(_)));
    assert!(matches!(ask(&but_one, "mcp__github__create_issue"), Verdict::Allow(_)));
    assert!(matches!(ask(&[(Allow, "mcp__github__create_issue")], "mcp__github__create"), Verdict::Ask(_)));
    assert!(matches!(ask(&[(RuleKind::Sandbox, "mcp__github__*")], "mcp__github__x"), Verdict::Ask(_)));
}

#[test]
fn without_a_rule_only_what_a_person_calls_a_read_needs_no_word() {
    for (mode, sends, reads) in [
        (Mode::Plan, "deny", "allow"),
        (Mode::Ask, "ask", "allow"),
        (Mode::Edit, "ask", "allow"),
        (Mode::Auto, "ask", "allow"),
    ] {
        for (effect, wanted) in [(SideEffect::Sends, sends), (SideEffect::Reads, reads)] {
            let said = match decided(mode, &[], "mcp__x__y", effect) {
                Verdict::Allow(_) => "allow",
                Verdict::Ask(_) => "ask",
                Verdict::Deny(_) => "deny",
                Verdict::Sandbox(_) => "sandbox",
            };
            assert_eq!(said, wanted, "{mode} {effect:?}");
        }
    }
    assert!(matches!(
        decided(Mode::Unrestricted, &[(RuleKind::Deny, "mcp__*")], "mcp__x__y", SideEffect::Reads),
        Verdict::Deny(_)
    ));
}

#[test]
fn a_pattern_that_would_be_held_against_nothing_is_refused_with_what_to_write() {
    for kind in [RuleKind::Allow, RuleKind::Sandbox, RuleKind::Ask, RuleKind::Deny] {
        for bare in ["mcp__github", "mcp__github__"] {
            let bad = Rule::parse(kind, bare).unwrap_err().to_string();
            assert!(bad.contains("names a server and no tool; write mcp__github__* for all"), "{bad}");
        }
        for text in ["mcp__github__delete(main)", "mcp__github__*(*)", "mcp__*(x)"] {
            let bad = Rule::parse(kind, text).unwrap_err().to_string();
            let bare = text.split('(').next().unwrap();
            assert!(bad.starts_with(&format!("`{text}` is not a rule: ")), "{bad}");
            assert!(
                bad.contains(&format!("write {bare} for all its calls")) && bad.contains("mcp__SERVER__*"),
                "{bad}"
            );
        }
        let bad = Rule::parse(kind, "delegate_to_writer(haiku*)").unwrap_err().to_string();
        assert!(bad.contains("write delegate_to_writer for all its tasks"), "{bad}");
        let bad = Rule::parse(kind, "delegate_to_").unwrap_err().to_string();
        assert!(bad.contains("names no agent; write delegate_to_* for all agents"), "{bad}");
        assert!(
            Rule::parse(kind, "delegate_to_*").is_ok() && Rule::parse(kind, "delegate_to_writer").is_ok()
        );
    }
}
