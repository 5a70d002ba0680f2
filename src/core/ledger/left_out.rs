//! What is not there of a copy of a history: content fields, by the entry that lacks them. What depends on
//! one of them cannot be compared; all else can.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Arguments, AssistantMessage, Block, Body, CallId, Entry, ToolResult, ToolUse};

/// A member that holds the calls of a message, and the one that holds what a call is called with.
const CALLS: &str = "tool_calls";
const ARGUMENTS: &str = "arguments";

/// Content fields that are left out of a history.
#[derive(Debug, Clone, Default)]
pub struct LeftOut {
    /// Of the entry at this position, these.
    fields: BTreeMap<usize, Vec<String>>,
    /// Calls whose message does not tell what they are called with.
    untold: BTreeSet<CallId>,
}

impl LeftOut {
    /// Takes in that the entry at this position lacks these.
    pub fn add(&mut self, position: usize, names: Vec<String>) {
        if !names.is_empty() {
            self.fields.entry(position).or_default().extend(names);
        }
    }

    /// Whether the entry at this position lacks this field.
    pub fn lacks(&self, position: usize, name: &str) -> bool {
        self.fields.get(&position).is_some_and(|names| names.iter().any(|found| found == name))
    }

    /// Whether the message that made this call does not tell what it is called with.
    pub fn is_untold(&self, call: CallId) -> bool {
        self.untold.contains(&call)
    }

    /// The history with the calls of messages whose list of calls is left out: each call has lines of its
    /// own, which name it and its tool.
    pub fn completed<'e>(&mut self, entries: &'e [Arc<Entry>]) -> Cow<'e, [Arc<Entry>]> {
        let lacking = |(_, names): &(&usize, &Vec<String>)| names.iter().any(|name| name == CALLS);
        let positions: Vec<usize> =
            self.fields.iter().filter(lacking).map(|(position, _)| *position).collect();
        let mut completed = Cow::Borrowed(entries);
        for position in positions {
            let Some(Body::Assistant(said)) = entries.get(position).map(|entry| &entry.body) else {
                continue;
            };
            let calls = self.calls_after(entries, position);
            if let Some(entry) = completed.to_mut().get_mut(position) {
                let mut blocks = said.blocks.clone();
                blocks.extend(calls.into_values().map(Block::ToolUse));
                let message = AssistantMessage { blocks, ..AssistantMessage::clone(said) };
                *entry = Arc::new(Entry { body: Body::Assistant(Arc::new(message)), ..Entry::clone(entry) });
            }
        }
        completed
    }

    /// The calls of which lines tell between this message and what can only follow once all its calls have
    /// their results.
    fn calls_after(&mut self, entries: &[Arc<Entry>], position: usize) -> BTreeMap<CallId, ToolUse> {
        let mut calls = BTreeMap::new();
        for (at, entry) in entries.iter().enumerate().skip(position.saturating_add(1)) {
            match &entry.body {
                Body::ToolCall(call) if !calls.contains_key(&call.id) => {
                    if self.lacks(at, ARGUMENTS) {
                        self.untold.insert(call.id);
                    }
                    calls.insert(call.id, call.clone());
                }
                Body::ToolResult(result) if !calls.contains_key(&result.call) => {
                    self.untold.insert(result.call);
                    calls.insert(result.call, of_result(result));
                }
                Body::User(_)
                | Body::Injected(_)
                | Body::Assistant(_)
                | Body::Validation(_)
                | Body::Command(_)
                | Body::Compaction(_)
                | Body::TurnEnded(_) => break,
                _ => {}
            }
        }
        calls
    }
}

/// What a result says of its call.
fn of_result(result: &ToolResult) -> ToolUse {
    let (wire_id, name) = (String::new(), result.name.clone());
    ToolUse { id: result.call, wire_id, name, arguments: Arguments::parse("") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{EntryId, Millis, ModelRef, Stop, Usage};

    fn entries(bodies: Vec<Body>) -> Vec<Arc<Entry>> {
        let entry = |(body, id)| Arc::new(Entry { id: EntryId(id), at: Millis(0), body });
        bodies.into_iter().zip(1..).map(entry).collect()
    }

    fn message(id: u64) -> Body {
        Body::Assistant(Arc::new(AssistantMessage {
            id: EntryId(id),
            model: ModelRef::parse("script"),
            blocks: Vec::new(),
            stop: Stop::ToolUse,
            usage: Usage::default(),
            interrupted: false,
        }))
    }

    fn call(id: u64) -> Body {
        let (wire_id, name) = (String::new(), "shell".to_owned());
        Body::ToolCall(ToolUse { id: CallId(id), wire_id, name, arguments: Arguments::parse("{\"a\":1}") })
    }

    #[test]
    fn a_message_has_the_calls_whose_lines_follow_it() {
        let all = entries(vec![message(1), call(2), call(1), message(4), call(3)]);
        let mut left_out = LeftOut::default();
        assert!(matches!(left_out.completed(&all), Cow::Borrowed(_)));
        left_out.add(0, vec![CALLS.to_owned()]);
        left_out.add(1, vec![ARGUMENTS.to_owned()]);
        let completed = left_out.completed(&all);
        let calls = |at: usize| match &completed[at].body {
            Body::Assistant(said) => said.calls().map(|call| call.id.0).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        assert_eq!((calls(0), calls(3)), (vec![1, 2], vec![]));
        assert!(left_out.is_untold(CallId(2)) && !left_out.is_untold(CallId(1)));
        assert!(left_out.lacks(1, ARGUMENTS) && !left_out.lacks(2, ARGUMENTS));
    }
}
