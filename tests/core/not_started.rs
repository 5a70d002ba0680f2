//! Calls that are over before they were started: that is told at once, not only when the calls before them are.

use countersign::agent::{Effect, Input, Live};
use countersign::ledger::{CallId, Outcome};
use countersign::tool::Preparation;
use serde_json::json;

use crate::asking::{Gate, settings};

fn told(gate: &Gate) -> Vec<(CallId, Outcome)> {
    let ends = |effect: &Effect| match effect {
        Effect::Emit(Live::ToolFinished { call, outcome }) => Some((*call, outcome.clone())),
        _ => None,
    };
    gate.wanted.iter().filter_map(ends).collect()
}

#[test]
fn a_call_that_cannot_be_run_is_told_of_while_another_waits() {
    let mut gate = Gate::new(settings(Vec::new()));
    let command = |words| ("shell", json!({ "command": words }));
    gate.make(&[command("make"), ("shell", json!({ "command": 5 })), ("nothing", json!({})), command("ls")]);
    assert_eq!(told(&gate), [(CallId(2), Outcome::Invalid), (CallId(3), Outcome::UnknownTool)]);
    // So is one whose fault is found when it is looked at.
    let invalid = Some("no such folder".to_owned());
    let found = Preparation { invalid, ..Preparation::default() };
    gate.step(Input::Prepared(CallId(4), found));
    assert_eq!(told(&gate), [(CallId(4), Outcome::Invalid)]);
}
