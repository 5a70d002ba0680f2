//! Members of a record that say again what others say, for those who read only them.

use serde_json::Value;

use crate::ledger::{Body, Change, Entry};

use super::fields::Fields;
use super::message;

/// The first member that says something else than what it follows from; one that is not there says nothing.
pub(super) fn another(record: &Value, entry: &Entry) -> Option<&'static str> {
    let is = |name: &str, value: &Value| record.get(name).is_none_or(|said| said == value);
    let text = |name: &str, value: &str| record.get(name).is_none_or(|said| said == value);
    let id = match entry.body.call() {
        Some(call) => call.to_string(),
        None => entry.id.to_string(),
    };
    if !text("id", &id) {
        return Some("id");
    }
    match &entry.body {
        Body::ToolResult(result) => {
            (!is("is_error", &result.outcome.is_error().into())).then_some("is_error")
        }
        Body::TurnEnded(ended) => {
            let completed = ended.reason.completed();
            if !text("status", if completed { "completed" } else { "stopped" }) {
                return Some("status");
            }
            if !is("completed", &completed.into()) {
                return Some("completed");
            }
            let cost = Fields::of("turn_ended", record).and_then(|fields| message::read_dollars(&fields));
            let is_same = record.get("cost_usd").is_none() || cost == Ok(ended.usage.cost);
            (!is_same).then_some("cost_usd")
        }
        // A seal signs the line before it.
        Body::Change(Change::Sealed { head, .. }) => (!text("prev", head)).then_some("head"),
        _ => None,
    }
}
