//! What the books must say before keys reach a command, and what becomes of a line that is refused.

use countersign::agent::{Effect, Input, Intent, Live};
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

/// As a person who typed a line for it has it done.
pub fn typed_line(intent: Intent) -> Input {
    Input::Intent(intent.typed("/the line".to_owned(), 0))
}

/// The line that was typed for an input.
pub fn line_of(input: &Input) -> Option<String> {
    if let Input::Intent(intent) = input { intent.line().map(str::to_owned) } else { None }
}

/// A line whose wish is refused comes back once, before the reason; one whose wish is heard does not.
pub fn comes_back_if_refused(line: &str, effects: &[Effect]) -> Result<(), String> {
    let told: Vec<&Live> = effects
        .iter()
        .filter_map(|effect| if let Effect::Emit(live) = effect { Some(live) } else { None })
        .collect();
    let refused = told.iter().position(|live| matches!(live, Live::Refused(_)));
    let is_back = |live: &&Live| matches!(live, Live::ReturnedLine(back) if back.content == line);
    let back = told.iter().position(is_back);
    match (refused, back) {
        (None, None) => Ok(()),
        (Some(refused), Some(back))
            if back < refused && told.iter().copied().filter(is_back).count() == 1 =>
        {
            Ok(())
        }
        _ => Err(format!("refused at {refused:?}, and the line came back at {back:?}")),
    }
}
