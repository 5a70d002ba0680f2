//! What this provider runs itself: how its blocks read, and which of them go back to it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::ledger::{CODE_EXECUTION, Hosted, Message, ModelRef, WEB_FETCH, WEB_SEARCH};

/// What the provider can run itself, and the version that is asked for when none is named.
pub(in crate::wire) const HOSTED_TOOLS: &[(&str, &str)] = &[
    (WEB_SEARCH, "web_search_20250305"),
    (WEB_FETCH, "web_fetch_20250910"),
    (CODE_EXECUTION, "code_execution_20250825"),
];

/// A hosted tool as the request names it: by its own name, or with a version.
pub(super) fn tool(name: &str) -> Value {
    let known = HOSTED_TOOLS.iter().find(|(known, _)| name.starts_with(known));
    let (short, kind) =
        known.map_or((name, name), |(short, kind)| (*short, if *short == name { *kind } else { name }));
    json!({ "type": kind, "name": short })
}

/// One block of the provider's, whole.
pub(super) fn read(block: Value) -> Hosted {
    let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let kind = text("type");
    let (name, id) = match kind.strip_suffix("_tool_result") {
        Some(tool) => (tool.to_owned(), text("tool_use_id")),
        None => (text("name"), text("id")),
    };
    Hosted { kind, name, id, value: block }
}

/// A text block that says where its words come from; `None` without citations.
pub(super) fn citations(block: Value) -> Option<Hosted> {
    let sources = block.get("citations").and_then(Value::as_array)?;
    let kept = Hosted {
        kind: Hosted::CITATIONS.to_owned(),
        name: String::new(),
        id: String::new(),
        value: Value::Null,
    };
    (!sources.is_empty()).then_some(Hosted { value: block, ..kept })
}

/// Replaces the words at the end of `content` by the block that they came in.
pub(super) fn restore_citations(content: &mut Vec<Value>, cited: &Hosted) {
    let words = cited.value.get("text").and_then(Value::as_str).unwrap_or_default();
    let Some(text) = content.last().and_then(|b| b.get("text")).and_then(Value::as_str) else { return };
    let Some(before) = text.strip_suffix(words).map(str::to_owned) else { return };
    content.pop();
    if !before.trim().is_empty() {
        content.push(json!({ "type": "text", "text": before }));
    }
    content.push(cited.value.clone());
}

/// Which of the provider's own calls and results may go back: a call that has its result, and the other way round.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    called: BTreeSet<String>,
    answered: BTreeSet<String>,
    /// Calls that the provider itself still has in hand.
    pending: BTreeSet<String>,
}

impl Pairs {
    /// Reads the messages of the model that is asked.
    pub(super) fn of(messages: &[Message], asked: &ModelRef) -> Self {
        let mut pairs = Self::default();
        let last_of_ours = messages.iter().rposition(|m| !matches!(m, Message::Assistant(_)));
        for (at, message) in messages.iter().enumerate() {
            let Message::Assistant(message) = message else { continue };
            if message.model != *asked {
                continue;
            }
            // It goes on with them when its paused turn comes back, or when it has the results that it waits for.
            let goes_on = last_of_ours.is_none_or(|last| at > last) || message.calls().next().is_some();
            for block in message.hosted() {
                if block.is_result() {
                    pairs.answered.insert(block.id.clone());
                } else if block.is_call() {
                    pairs.called.insert(block.id.clone());
                    if goes_on && !message.interrupted {
                        pairs.pending.insert(block.id.clone());
                    }
                }
            }
        }
        pairs
    }

    /// Whether the block is one of this protocol's, and not half of a pair. What nobody knows is kept and not
    /// replayed: pieces of it were not understood.
    pub(super) fn allow(&self, block: &Hosted) -> bool {
        if block.is_call() {
            return self.answered.contains(&block.id) || self.pending.contains(&block.id);
        }
        (block.is_result() && self.called.contains(&block.id)) || block.kind == "compaction"
    }
}
