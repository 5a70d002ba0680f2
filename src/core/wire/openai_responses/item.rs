//! One output item while it arrives: what kind it is, what its pieces say, what is kept of it.

use serde_json::Value;

use crate::ledger::halves::join;
use crate::model::ModelEvent;

use super::hosted;

/// An item between its first and its last event.
#[derive(Debug)]
pub(super) enum OpenItem {
    /// Words for the user; whether any came in pieces.
    Message { in_pieces: bool },
    /// Reasoning; the part that its last piece belonged to.
    Reasoning { part: Option<u64> },
    /// A call for us, since its name is known; `arguments` is what came in pieces.
    Call { index: u32, arguments: String },
    /// Something that the server ran itself, or that nobody knows.
    Other,
    /// It is over: what comes late or twice changes nothing.
    Closed,
}

impl OpenItem {
    /// Begins an item. `index` is the number that a call would have. `None`: a call without a name is not there yet.
    pub(super) fn start(item: &Value, index: u32, events: &mut Vec<ModelEvent>) -> Option<Self> {
        Some(match text(item, "type") {
            "message" => Self::Message { in_pieces: false },
            "reasoning" => Self::Reasoning { part: None },
            // Free-text calls come only if such tools were sent: they get the result that bad arguments get.
            "function_call" | "custom_tool_call" => {
                let (wire_id, name) = (text(item, "call_id").to_owned(), text(item, "name").to_owned());
                if name.is_empty() {
                    return None;
                }
                events.push(ModelEvent::CallStarted { index, wire_id, name });
                Self::Call { index, arguments: String::new() }
            }
            _ => Self::Other,
        })
    }

    /// Takes in a piece of text; `part` numbers it within the item. Pieces that do not belong here change nothing.
    pub(super) fn delta(&mut self, kind: TextKind, part: u64, more: &str, events: &mut Vec<ModelEvent>) {
        if more.is_empty() {
            return;
        }
        match (self, kind) {
            (Self::Message { in_pieces }, TextKind::Text | TextKind::Refusal) => {
                *in_pieces = true;
                events.push(ModelEvent::Text(more.to_owned()));
            }
            (Self::Reasoning { part: last }, TextKind::Reasoning) => {
                let is_next = last.is_some_and(|last| last != part);
                *last = Some(part);
                let more = if is_next { format!("\n\n{more}") } else { more.to_owned() };
                events.push(ModelEvent::Thinking(more));
            }
            (Self::Call { index, arguments }, TextKind::Arguments) => {
                arguments.push_str(more);
                events.push(ModelEvent::CallArguments { index: *index, text: more.to_owned() });
            }
            _ => {}
        }
    }

    /// Whether a piece of this kind belongs to it.
    pub(super) fn takes(&self, kind: TextKind) -> bool {
        match self {
            Self::Message { .. } => matches!(kind, TextKind::Text | TextKind::Refusal),
            Self::Reasoning { .. } => kind == TextKind::Reasoning,
            Self::Call { .. } => kind == TextKind::Arguments,
            Self::Other | Self::Closed => false,
        }
    }

    /// The item is whole; `item` says all of it once more, for servers that send no pieces.
    pub(super) fn stop(self, item: &Value, events: &mut Vec<ModelEvent>) {
        match self {
            Self::Message { in_pieces: false } => {
                let said = words(item, &["content"]).concat();
                if !said.is_empty() {
                    events.push(ModelEvent::Text(said));
                }
            }
            Self::Reasoning { part } => {
                let said = words(item, &["summary", "content"]).join("\n\n");
                if part.is_none() && !said.is_empty() {
                    events.push(ModelEvent::Thinking(said));
                }
                events.push(ModelEvent::ThinkingDone { replay: Some(item.clone()) });
            }
            Self::Call { index, arguments } => {
                let whole = match (item.get("arguments"), item.get("input")) {
                    (Some(Value::String(text)), _) | (None, Some(Value::String(text))) => text.clone(),
                    (Some(object @ Value::Object(_)), _) => object.to_string(),
                    _ => String::new(),
                };
                // What was streamed cannot be taken back, so it stands; what is missing of it is added.
                let rest = whole.strip_prefix(join(&arguments).as_ref()).unwrap_or_default();
                if !rest.is_empty() {
                    events.push(ModelEvent::CallArguments { index, text: rest.to_owned() });
                }
                events.push(ModelEvent::CallDone { index });
            }
            Self::Other => events.extend(hosted::read(item).map(ModelEvent::Hosted)),
            Self::Message { in_pieces: true } | Self::Closed => {}
        }
    }
}

/// What a piece of text is a piece of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    Text,
    Refusal,
    Reasoning,
    Arguments,
}

impl TextKind {
    /// By the name of its event; `None` for events that bring no text.
    pub(super) fn of_event(kind: &str) -> Option<Self> {
        match kind {
            "response.output_text.delta" => Some(Self::Text),
            "response.refusal.delta" => Some(Self::Refusal),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                Some(Self::Reasoning)
            }
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                Some(Self::Arguments)
            }
            _ => None,
        }
    }
}

/// Whether a message says that the model refuses.
pub(super) fn is_refusal(item: &Value) -> bool {
    let parts = item.get("content").and_then(Value::as_array);
    parts.into_iter().flatten().any(|part| text(part, "type") == "refusal")
}

/// The texts of the first of these members that has any.
fn words<'a>(item: &'a Value, members: &[&str]) -> Vec<&'a str> {
    let texts = |member: &&str| {
        let parts = item.get(*member).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let texts = parts.iter().filter_map(|p| p.get("text").or_else(|| p.get("refusal"))?.as_str());
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>()
    };
    members.iter().map(texts).find(|texts| !texts.is_empty()).unwrap_or_default()
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}
