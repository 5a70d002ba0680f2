//! Rules one by one.

use super::*;
use crate::tool::{SideEffect, ToolKind};

fn shell(command: &str) -> (ToolSpec, Arguments) {
    let tool = ToolSpec {
        name: "shell".into(),
        description: String::new(),
        schema: serde_json::json!({}),
        effect: SideEffect::Runs,
        paths: vec![],
        timeout_ms: None,
        kind: ToolKind::Shell,
        retrieves: false,
    };
    (tool, Arguments::from_value(serde_json::json!({ "command": command })))
}

fn covers(kind: RuleKind, rule: &str, command: &str) -> bool {
    let (tool, arguments) = shell(command);
    Rule::parse(kind, rule).unwrap().matches(&tool, &arguments, &Preparation::default())
}

#[test]
fn an_allowing_pattern_covers_plain_commands_alone() {
    assert!(covers(RuleKind::Allow, "shell(cargo test *)", "cargo test parser"));
    assert!(!covers(RuleKind::Allow, "shell(cargo test *)", "cargo test"));
    for trick in [
        "cargo test x; rm -rf y",
        "cargo test $(rm x)",
        "cargo test `rm x`",
        "cargo test x\nrm y",
        "cargo test x > y",
    ] {
        assert!(!covers(RuleKind::Allow, "shell(cargo test *)", trick), "{trick}");
    }
}

#[test]
fn a_rule_names_a_tool_that_there_could_be() {
    for bad in ["", " ", "(x)", "sh ell", "shell!(x)", "shell(x", "a/b(x)"] {
        assert!(Rule::parse(RuleKind::Deny, bad).is_err(), "{bad:?}");
    }
    for good in ["shell", "*", "shell(x)", "delegate_to_a-b"] {
        assert!(Rule::parse(RuleKind::Deny, good).is_ok(), "{good:?}");
    }
}

#[test]
fn parts_that_only_look_are_covered_where_they_open_nothing() {
    assert!(covers(RuleKind::Allow, "shell(cargo test *)", "cargo test x | wc -l"));
    assert!(covers(RuleKind::Allow, "shell(cargo test *)", "true; cargo test x"));
    for line in
        ["cargo test x; cat /etc/passwd", "cargo test x | grep -f a", "cargo test x; touch y", "wc -l"]
    {
        assert!(!covers(RuleKind::Allow, "shell(cargo test *)", line), "{line}");
    }
}

#[test]
fn a_denying_pattern_is_tried_on_every_part() {
    for trick in ["rm -rf x", "true; rm -rf x", "true && rm x", "{ rm x; }", "(rm x)", "echo $(rm x)"] {
        assert!(covers(RuleKind::Deny, "shell(rm *)", trick), "{trick}");
    }
    assert!(!covers(RuleKind::Deny, "shell(rm *)", "cargo rm x"));
}

#[test]
fn a_path_is_allowed_by_where_it_leads() {
    let (mut tool, _) = shell("");
    tool.paths = vec!["path".into()];
    let covers = |kind, rule: &str, written: &str, leads_to: &str| {
        let arguments = Arguments::from_value(serde_json::json!({ "path": written }));
        let found = Preparation { leads_to: vec![leads_to.into()], ..Preparation::default() };
        Rule::parse(kind, rule).unwrap().matches(&tool, &arguments, &found)
    };
    assert!(covers(RuleKind::Allow, "*(docs/*)", "./docs/a", "docs/a"));
    assert!(!covers(RuleKind::Allow, "*(docs/*)", "docs/../../out/diary", "/out/diary"));
    assert!(!covers(RuleKind::Allow, "*(docs/*)", "docs/link", "/out/diary"));
    assert!(covers(RuleKind::Allow, "*(/out/*)", "docs/link", "/out/diary"));
    assert!(covers(RuleKind::Deny, "*(.env)", "./.env", ".env"));
    assert!(covers(RuleKind::Deny, "*(docs/*)", "docs/link", "/out/diary"));
    assert!(covers(RuleKind::Deny, "*(./docs/*)", "docs/a", "docs/a"));
    assert!(covers(RuleKind::Allow, "*(./docs/*)", "docs/a", "docs/a"));
}
