//! Reasoning under its many names, and what of it must be sent back.

use serde_json::{Map, Value, json};

use crate::ledger::Block;
use crate::model::{ModelEvent, weight};

/// The reasoning that is being written.
#[derive(Debug, Default)]
pub(super) struct Reasoning {
    open: bool,
    /// All that was said, under whatever name.
    said: String,
    /// What came as `reasoning_content`: one vendor demands it back.
    content: String,
    /// What came as `reasoning_details`: gateways take it back as it was.
    details: Vec<Value>,
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
            self.held = self.held.saturating_add(merge(&mut self.details, piece));
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
            Some(json!({ "reasoning_details": details }))
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
    let mut details = Vec::new();
    for blob in blobs {
        content.push_str(blob.get("reasoning_content").and_then(Value::as_str).unwrap_or_default());
        let pieces = blob.get("reasoning_details").and_then(Value::as_array);
        for piece in pieces.into_iter().flatten() {
            merge(&mut details, piece);
        }
    }
    if !content.is_empty() {
        message.insert("reasoning_content".to_owned(), Value::String(content));
    }
    if !details.is_empty() {
        message.insert("reasoning_details".to_owned(), Value::Array(details));
    }
}

/// Adds a piece to the block of the same number, type and id: words grow, everything else is replaced.
/// Gives the bytes by which all grew, about.
fn merge(blocks: &mut Vec<Value>, piece: &Value) -> u64 {
    let Some(members) = piece.as_object() else { return 0 };
    let same = |block: &Value| {
        let id = |v: &Value| v.get("id").and_then(Value::as_str).map(str::to_owned);
        let ids = (id(block), id(piece));
        block.get("index") == piece.get("index")
            && block.get("type") == piece.get("type")
            && (ids.0.is_none() || ids.1.is_none() || ids.0 == ids.1)
    };
    let Some(block) = blocks.iter_mut().rev().find(|b| same(b)).and_then(Value::as_object_mut) else {
        blocks.push(piece.clone());
        return PER_MEMBER.saturating_add(weight(piece));
    };
    let mut grown: u64 = 0;
    for (name, value) in members {
        match (name.as_str(), block.get_mut(name), value) {
            ("text" | "summary" | "data", Some(Value::String(text)), Value::String(more)) => {
                text.push_str(more);
                grown = grown.saturating_add(more.len() as u64);
            }
            (_, Some(old), new) if !is_blank(new) => {
                grown = grown.saturating_add(weight(new).saturating_sub(weight(old)));
                *old = new.clone();
            }
            (_, Some(_), _) => {}
            (_, None, new) => {
                block.insert(name.clone(), new.clone());
                let named = PER_MEMBER.saturating_add(name.len() as u64);
                grown = grown.saturating_add(named).saturating_add(weight(new));
            }
        }
    }
    grown
}

/// What a member, or a block, takes beside what is in it.
const PER_MEMBER: u64 = 64;

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}
