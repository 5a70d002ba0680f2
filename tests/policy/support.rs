//! A shell call, and rules.

use countersign::ledger::Arguments;
use countersign::policy::{Mode, Policy, Rule, RuleKind};
use countersign::tool::{SideEffect, ToolKind, ToolSpec};
use serde_json::json;

pub(crate) fn shell_tool() -> ToolSpec {
    ToolSpec {
        name: "shell".into(),
        description: String::new(),
        schema: json!({}),
        effect: SideEffect::Runs,
        paths: vec![],
        timeout_ms: None,
        kind: ToolKind::Shell,
        retrieves: false,
    }
}

pub(crate) fn call(line: &str) -> Arguments {
    Arguments::from_value(json!({ "command": line }))
}

pub(crate) fn rule(kind: RuleKind, text: &str) -> Rule {
    Rule::parse(kind, text).unwrap()
}

pub(crate) fn policy(mode: Mode, rules: &[(RuleKind, &str)]) -> Policy {
    Policy {
        mode,
        rules: rules.iter().map(|(kind, text)| rule(*kind, text)).collect(),
        has_sandbox: true,
        looking_is_free: true,
        ..Policy::default()
    }
}
