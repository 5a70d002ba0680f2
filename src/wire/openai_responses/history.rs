//! A history as input items: reasoning right before what it led to, and only where the server can open it.

use serde_json::{Value, json};

use crate::ledger::Message;
use crate::ledger::{Arguments, AssistantMessage, Block, ModelRef, Stop, Thinking, ToolResult, ToolUse};
use crate::model::Request;
use crate::wire::ids::{IdForm, WireIds, accepted_name};

/// The input of a request. Items carry no ids of the server's, but for reasoning, which goes back as it came.
pub(super) fn items(request: &Request) -> Vec<Value> {
    let ids = WireIds::of(&request.messages, IdForm::Words);
    let mut items = Vec::new();
    for message in &request.messages {
        match message {
            Message::User(text) => items.extend(spoken("user", "input_text", text)),
            Message::Results(results) => items.extend(results.iter().map(|r| output(r, &ids))),
            Message::Assistant(message) => items.extend(assistant(message, &request.model, &ids)),
        }
    }
    items
}

fn assistant(message: &AssistantMessage, asked: &ModelRef, ids: &WireIds) -> Vec<Value> {
    // A refused turn is not shown to the model again.
    if message.calls().next().is_none() && message.stop == Stop::Refusal {
        return Vec::new();
    }
    let same_model = message.model == *asked;
    let mut items = Vec::new();
    // From the end: reasoning without the item that it led to is refused, so it goes with that item.
    for block in message.blocks.iter().rev() {
        let item = match block {
            Block::Text(text) => spoken("assistant", "output_text", text),
            Block::ToolUse(use_) => Some(call(use_, ids)),
            Block::Thinking(thinking) if same_model && !items.is_empty() => sealed(thinking),
            Block::Thinking(_) => None,
        };
        items.extend(item);
    }
    items.reverse();
    items
}

/// The reasoning item, if it holds what the server needs: it keeps none of its own.
fn sealed(thinking: &Thinking) -> Option<Value> {
    let item = thinking.replay.as_ref()?;
    let has = |member: &str| match item.get(member) {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(parts)) => !parts.is_empty(),
        _ => false,
    };
    let is_reasoning = item.get("type").and_then(Value::as_str) == Some("reasoning");
    (is_reasoning && (has("encrypted_content") || has("content"))).then(|| item.clone())
}

fn spoken(role: &str, kind: &str, text: &str) -> Option<Value> {
    let said = !text.trim().is_empty();
    said.then(|| json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] }))
}

fn call(call: &ToolUse, ids: &WireIds) -> Value {
    let arguments = match &call.arguments {
        Arguments::Object(members) => Value::Object(members.clone()).to_string(),
        Arguments::Unusable(_) => "{}".to_owned(),
    };
    let (id, name) = (ids.get(call.id), accepted_name(&call.name));
    json!({ "type": "function_call", "call_id": id, "name": name, "arguments": arguments })
}

/// The protocol has no error flag: the text says it.
fn output(result: &ToolResult, ids: &WireIds) -> Value {
    let mark = if result.outcome.is_error() { "ERROR: " } else { "" };
    let text = format!("{mark}{}", result.content);
    json!({ "type": "function_call_output", "call_id": ids.get(result.call), "output": text })
}
