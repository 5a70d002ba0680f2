//! A fork that was taken while calls ran: they were begun by the session that it was made from, which may go on.

use std::sync::Arc;

use countersign::agent::Agent;
use countersign::ledger::{Body, Entry, Millis, Outcome, SessionStarted, recover};
use countersign::policy::RuleKind;
use countersign::tool::Preparation;
use serde_json::json;

use crate::asking::{Gate, settings, users};

/// What the model is told of a call that was running where these entries end.
fn told(entries: Vec<Arc<Entry>>) -> (Outcome, String) {
    let recovered = recover(entries, Millis(90_000)).unwrap();
    let agent = Agent::resume(settings(Vec::new()), recovered, Millis(90_000)).0;
    let mut results = agent.ledger().entries().iter().filter_map(|entry| match &entry.body {
        Body::ToolResult(result) => Some((result.outcome.clone(), result.content.to_string())),
        _ => None,
    });
    results.next_back().unwrap()
}

fn forked(entries: &[Arc<Entry>], at: usize) -> Vec<Arc<Entry>> {
    let mut all = entries.to_vec();
    let Body::SessionStarted(started) = &all[0].body else { panic!("no session") };
    let forked_from = Some(format!("s1@{}", all[at].id));
    let body = Body::SessionStarted(SessionStarted { forked_from, ..started.clone() });
    all[0] = Arc::new(Entry { id: all[0].id, at: all[0].at, body });
    all
}

#[test]
fn what_ran_where_a_session_was_forked_did_not_end_with_a_process() {
    let mut gate = Gate::new(settings(vec![users(RuleKind::Allow, "shell(*)")]));
    gate.call("shell", json!({ "command": "make" }), Preparation::default());
    let entries = gate.agent.ledger().entries();
    let (outcome, words) = told(forked(entries, entries.len() - 1));
    assert_eq!(outcome, Outcome::Lost { started: true });
    assert!(
        words.contains("was forked while this call was running") && !words.contains("process"),
        "{words}"
    );
    // What the fork began itself, and any other session.
    for entries in [forked(entries, 1), entries.to_vec()] {
        let (outcome, words) = told(entries);
        assert_eq!(outcome, Outcome::Lost { started: true });
        assert!(words.contains("The process ended while this call was open"), "{words}");
    }
}
