//! What the books must say before keys reach a command.

use countersign::ledger::{Body, CallId};
use serde_json::Value;

use crate::books::Log;

impl Log {
    /// Keys reach a call that runs on a terminal, after the books say that they come.
    pub fn may_be_typed_into(&self, call: CallId, runs: bool) -> Result<(), String> {
        if !runs || self.settled.contains(&call) {
            return Err(format!("{call} is typed into and does not run"));
        }
        if !self.typed_into.contains(&call) {
            return Err(format!("{call} is typed into before the books say so"));
        }
        let made = self.entries.iter().rev().find_map(|entry| match &entry.body {
            Body::ToolCall(made) | Body::CallEdited(made) if made.id == call => Some(made),
            _ => None,
        });
        let has_terminal = made.is_some_and(|made| made.arguments.to_value()["pty"] == Value::Bool(true));
        if has_terminal { Ok(()) } else { Err(format!("{call} is typed into without a terminal")) }
    }
}
