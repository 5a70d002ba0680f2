//! One content block while it arrives: what kind it is, what its pieces say, what is kept of it.

use serde_json::{Value, json};

use crate::model::ModelEvent;

use super::hosted;

/// A block between its start and its stop.
#[derive(Debug)]
pub(super) enum OpenBlock {
    /// The provider's own object; kept for its citations.
    Text(Value),
    /// The provider's own object; its text and signature grow with the pieces.
    Thinking(Value),
    /// A call for us. `input` is what the start brought along; pieces replace it.
    Call {
        index: u32,
        input: Value,
        in_pieces: bool,
    },
    /// Sealed reasoning.
    Sealed(Value),
    /// Something the provider ran or made itself, or a block that nobody knows: kept as it came, never dispatched.
    Hosted {
        block: Value,
        input: String,
    },
    Nothing,
}

impl OpenBlock {
    /// Begins a block. `index` is the number that a call would have.
    pub(super) fn start(block: &Value, index: u32, events: &mut Vec<ModelEvent>) -> Self {
        let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        match text("type").as_str() {
            "text" => {
                push_text(events, text("text"));
                Self::Text(block.clone())
            }
            "thinking" => {
                push_thinking(events, text("thinking"));
                Self::Thinking(block.clone())
            }
            "redacted_thinking" => Self::Sealed(block.clone()),
            "tool_use" => {
                events.push(ModelEvent::CallStarted { index, wire_id: text("id"), name: text("name") });
                let input = block.get("input").cloned().unwrap_or_default();
                Self::Call { index, input, in_pieces: false }
            }
            "" => Self::Nothing,
            _ => Self::Hosted { block: block.clone(), input: String::new() },
        }
    }

    /// Takes in a piece. Kinds of pieces that nobody knows change nothing.
    pub(super) fn delta(&mut self, delta: &Value, events: &mut Vec<ModelEvent>) {
        let text = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
        match (self, text("type")) {
            (Self::Text(block), "text_delta") => {
                append(block, "text", text("text"));
                push_text(events, text("text").to_owned());
            }
            (Self::Text(block), "citations_delta") => cite(block, delta),
            (Self::Thinking(block), "thinking_delta") => {
                append(block, "thinking", text("thinking"));
                push_thinking(events, text("thinking").to_owned());
            }
            (Self::Thinking(block), "signature_delta") => append(block, "signature", text("signature")),
            (Self::Call { index, in_pieces, .. }, "input_json_delta") => {
                let piece = text("partial_json");
                if !piece.is_empty() {
                    *in_pieces = true;
                    events.push(ModelEvent::CallArguments { index: *index, text: piece.to_owned() });
                }
            }
            (Self::Hosted { input, .. }, "input_json_delta") => input.push_str(text("partial_json")),
            (Self::Hosted { block, .. }, "compaction_delta") => append(block, "content", text("content")),
            _ => {}
        }
    }

    /// The block is whole.
    pub(super) fn stop(self, events: &mut Vec<ModelEvent>) {
        match self {
            Self::Nothing => {}
            Self::Text(block) => events.extend(hosted::citations(block).map(ModelEvent::Hosted)),
            Self::Thinking(block) => events.push(ModelEvent::ThinkingDone { replay: Some(block) }),
            Self::Call { index, input, in_pieces } => {
                if !in_pieces && input.as_object().is_some_and(|members| !members.is_empty()) {
                    events.push(ModelEvent::CallArguments { index, text: input.to_string() });
                }
                events.push(ModelEvent::CallDone { index });
            }
            Self::Sealed(block) => events.push(ModelEvent::ThinkingDone { replay: Some(block) }),
            Self::Hosted { mut block, input } => {
                if let Ok(input) = serde_json::from_str::<Value>(&input)
                    && let Some(members) = block.as_object_mut()
                {
                    members.insert("input".to_owned(), input);
                }
                events.push(ModelEvent::Hosted(hosted::read(block)));
            }
        }
    }
}

fn append(block: &mut Value, member: &str, more: &str) {
    let Some(members) = block.as_object_mut() else { return };
    match members.get_mut(member) {
        Some(Value::String(text)) => text.push_str(more),
        Some(_) | None => {
            members.insert(member.to_owned(), json!(more));
        }
    }
}

fn push_text(events: &mut Vec<ModelEvent>, text: String) {
    if !text.is_empty() {
        events.push(ModelEvent::Text(text));
    }
}

fn push_thinking(events: &mut Vec<ModelEvent>, text: String) {
    if !text.is_empty() {
        events.push(ModelEvent::Thinking(text));
    }
}

/// Words of the answer and where they come from.
fn cite(block: &mut Value, delta: &Value) {
    let Some(members) = block.as_object_mut() else { return };
    let Some(source) = delta.get("citation").cloned() else { return };
    match members.get_mut("citations").and_then(Value::as_array_mut) {
        Some(sources) => sources.push(source),
        None => {
            members.insert("citations".to_owned(), json!([source]));
        }
    }
}
