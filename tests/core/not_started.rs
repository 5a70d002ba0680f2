//! Calls that are over before they were started, or are allowed and wait for their turn: that is told at once, not only when the calls
//! before them are over.

use countersign::agent::{Effect, Event, Input, Intent, Live};
use countersign::ledger::{CallId, Outcome};
use countersign::policy::{Mode, RuleKind};
use countersign::tool::Preparation;
use countersign::view::PanelState;
use serde_json::json;

use crate::asking::{Gate, settings, users};
use crate::session_builder::view;

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

#[test]
fn a_call_that_rules_allow_and_that_waits_for_its_turn_is_told_of() {
    let mut gate = Gate::new(settings(vec![users(RuleKind::Allow, "shell(make *)")]));
    let command = |words| ("shell", json!({ "command": words }));
    gate.make(&[command("make a"), command("make b"), command("rm -r build")]);
    let allowed = |gate: &Gate| -> Vec<CallId> {
        let tells = |effect: &Effect| match effect {
            Effect::Emit(Live::Allowed { call }) => Some(*call),
            _ => None,
        };
        gate.wanted.iter().filter_map(tells).collect()
    };
    gate.step(Input::Prepared(CallId(2), Preparation::default()));
    assert_eq!(allowed(&gate), [CallId(2)]);
    // One that starts at once is no news, nor is one that a person has to decide about.
    gate.step(Input::Prepared(CallId(1), Preparation::default()));
    assert!(allowed(&gate).is_empty() && gate.wanted.iter().any(|it| matches!(it, Effect::RunTool(_))));
    gate.step(Input::Prepared(CallId(3), Preparation::default()));
    assert!(allowed(&gate).is_empty());
}

#[test]
fn a_call_that_was_queued_and_is_decided_about_again_is_shown_as_it_stands_then() {
    let appended = |gate: &Gate, before: usize| -> Vec<Event> {
        gate.agent.ledger().entries().iter().skip(before).cloned().map(Event::Appended).collect()
    };
    for (mode, stands) in [(Mode::Ask, PanelState::Waiting), (Mode::Plan, PanelState::Refused)] {
        let mut settings = settings(Vec::new());
        settings.policy.mode = Mode::Unrestricted;
        let mut gate = Gate::new(settings);
        let command = |words| ("shell", json!({ "command": words }));
        gate.make(&[command("make a"), command("make b")]);
        gate.step(Input::Prepared(CallId(2), Preparation::default()));
        let mut events = appended(&gate, 0);
        let before = events.len();
        events.extend(gate.wanted.iter().filter_map(|effect| match effect {
            Effect::Emit(live) => Some(Event::Live(live.clone())),
            _ => None,
        }));
        let state = |events: &[Event]| view(events).panel(CallId(2)).unwrap().state.clone();
        assert_eq!(state(&events), PanelState::Queued);
        // No look comes between: the entry of the same step says what came of it.
        gate.step(Input::Intent(Intent::SetMode(mode)));
        events.extend(appended(&gate, before));
        assert_eq!(state(&events), stands, "{mode}");
    }
}
