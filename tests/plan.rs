//! The to-do list in the view: what the last `plan` call that worked was called with.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    unreachable_pub,
    missing_docs,
    reason = "tests"
)]

#[path = "support/stage.rs"]
mod stage;

use countersign::ledger::Outcome;
use serde_json::json;
use stage::{Stage, view};

#[test]
fn the_plan_is_what_the_last_call_that_worked_set() {
    let mut stage = Stage::new();
    stage.user("Plan it.");
    let set = |stage: &mut Stage, items: serde_json::Value, outcome: Outcome| {
        let call = stage.tool_use("plan", json!({ "items": items }));
        let open = stage.say(None, "", "", vec![call]).pop().unwrap();
        stage.settle(open, outcome, "plan", 1);
        view(&stage.events)
            .plan()
            .iter()
            .map(|item| format!("{} {:?}", item.text, item.status))
            .collect::<Vec<_>>()
    };
    let item = |text: &str, status: &str| json!({ "text": text, "status": status });
    let two = json!([item(" a ", "completed"), item("b", "in_progress")]);
    assert_eq!(set(&mut stage, two, Outcome::Ok), ["a Completed", "b InProgress"]);
    let refused = json!([item("c", "pending")]);
    assert_eq!(set(&mut stage, refused.clone(), Outcome::Failed), ["a Completed", "b InProgress"]);
    assert_eq!(set(&mut stage, refused, Outcome::Ok), ["c Pending"]);
    assert_eq!(set(&mut stage, json!([]), Outcome::Ok), Vec::<String>::new());
}
