//! Reasoning under its many names, and what of it must be sent back.

use serde_json::{Map, Value, json};

use crate::ledger::Block;
use crate::model::ModelEvent;

use super::details::Details;

/// The reasoning that is being written.
#[derive(Debug, Default)]
pub(super) struct Reasoning {
    open: bool,
    /// All that was said, under whatever name.
    said: String,
    /// What came as `reasoning_content`: one vendor demands it back.
    content: String,
    /// What came as `reasoning_details`: gateways take it back as it was.
    details: Details,
    /// Bytes of details so far, about: no event tells them before the end.
    held: u64,
}

impl Reasoning {
    /// Takes in what a delta says of reasoning.
    pub(super) fn delta(&mut self, delta: &Value, events: &mut Vec<ModelEvent>) {
        let text = |name: &str| delta.get(name).and_then(Value::as_str).filter(|t| !t.is_empty());
        let pieces = delta.get("reasoning_details").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        // Servers that use two of the names say the same in both.
        if let Some(content) = text("reasoning_content") {
            self.content.push_str(content);
            self.say(content, events);
        } else if let Some(content) = text("reasoning") {
            self.say(content, events);
        } else {
            for piece in pieces {
                let shown = piece.get("text").or_else(|| piece.get("summary")).and_then(Value::as_str);
                self.say(shown.unwrap_or_default(), events);
            }
        }
        for piece in pieces {
            self.held = self.held.saturating_add(self.details.merge(piece));
        }
    }

    /// Takes in a piece under either name, where there are no details.
    pub(super) fn piece(
        &mut self,
        content: Option<String>,
        other: Option<String>,
        events: &mut Vec<ModelEvent>,
    ) {
        let said = |text: &String| !text.is_empty();
        if let Some(content) = content.filter(said) {
            self.content.push_str(&content);
            self.say(&content, events);
        } else if let Some(other) = other.filter(said) {
            self.say(&other, events);
        }
    }

    /// Reasoning that came in another way (parts of a content array).
    pub(super) fn say(&mut self, text: &str, events: &mut Vec<ModelEvent>) {
        if !text.is_empty() {
            self.open = true;
            self.said.push_str(text);
            events.push(ModelEvent::Thinking(text.to_owned()));
        }
    }

    /// Bytes of details so far, about.
    pub(super) fn held(&self) -> u64 {
        self.held
    }

    /// All that was said so far.
    pub(super) fn said(&self) -> &str {
        &self.said
    }

    /// Something else begins, or the answer ends: the block is whole.
    pub(super) fn close(&mut self, events: &mut Vec<ModelEvent>) {
        let replay = self.take_replay();
        if std::mem::take(&mut self.open) || replay.is_some() {
            events.push(ModelEvent::ThinkingDone { replay });
        }
    }

    fn take_replay(&mut self) -> Option<Value> {
        let details = std::mem::take(&mut self.details);
        let content = std::mem::take(&mut self.content);
        if !details.is_empty() {
            Some(json!({ "reasoning_details": details.into_value() }))
        } else if !content.is_empty() {
            Some(json!({ "reasoning_content": content }))
        } else {
            None
        }
    }
}

/// Puts the reasoning of an earlier message of the same model back where it was.
pub(super) fn replay(blocks: &[Block], message: &mut Map<String, Value>) {
    let blobs =
        blocks.iter().filter_map(|b| if let Block::Thinking(t) = b { t.replay.as_ref() } else { None });
    let mut content = String::new();
    let mut details = Details::default();
    for blob in blobs {
        content.push_str(blob.get("reasoning_content").and_then(Value::as_str).unwrap_or_default());
        let pieces = blob.get("reasoning_details").and_then(Value::as_array);
        for piece in pieces.into_iter().flatten() {
            details.merge(piece);
        }
    }
    if !content.is_empty() {
        message.insert("reasoning_content".to_owned(), Value::String(content));
    }
    if !details.is_empty() {
        message.insert("reasoning_details".to_owned(), details.into_value());
    }
}
