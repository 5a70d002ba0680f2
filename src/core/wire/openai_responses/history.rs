//! A history as input items: reasoning right before what it led to, and only where the server can open it.

use serde_json::{Value, json};

use crate::ledger::{
    Arguments, AssistantMessage, Block, Image, Message, ModelRef, Thinking, ToolResult, ToolUse, UserMessage,
};
use crate::model::Request;
use crate::wire::body::JsonBody;
use crate::wire::ids::{IdForm, WireIds, accepted_name};
use crate::wire::image::data_url;

use super::hosted;

/// Writes the input of a request. Items carry no ids of the server's, but for reasoning, which goes back as it came.
pub(super) fn write(request: &Request, body: &mut JsonBody) {
    let ids = WireIds::of(&request.messages, IdForm::Words);
    for message in &request.messages {
        match message {
            Message::User(said) => user(said).iter().for_each(|item| body.push(item)),
            Message::Results(results) => results.iter().for_each(|r| body.push(&output(r, &ids))),
            Message::Assistant(message) => {
                assistant(message, &request.model, &ids).iter().for_each(|item| body.push(item));
            }
        }
    }
}

/// What the user showed, then what they said.
fn user(said: &UserMessage) -> Option<Value> {
    let is_silent = said.content.trim().is_empty();
    let spoken = (!is_silent).then(|| json!({ "type": "input_text", "text": said.content }));
    let content: Vec<Value> = shown(&said.images).chain(spoken).collect();
    (!content.is_empty()).then(|| json!({ "type": "message", "role": "user", "content": content }))
}

fn shown(images: &[Image]) -> impl Iterator<Item = Value> {
    images.iter().map(|image| json!({ "type": "input_image", "image_url": data_url(image) }))
}

fn assistant(message: &AssistantMessage, asked: &ModelRef, ids: &WireIds) -> Vec<Value> {
    let same_model = message.model == *asked;
    let mut items = Vec::new();
    // From the end: reasoning without the item that it led to is refused, so it goes with that item.
    for block in message.blocks.iter().rev() {
        let item = match block {
            Block::Text(text) => spoken(text),
            Block::ToolUse(use_) => Some(call(use_, ids)),
            Block::Thinking(thinking) if same_model && !items.is_empty() => sealed(thinking),
            Block::Hosted(ran) if same_model => hosted::replayed(ran),
            Block::Thinking(_) | Block::Hosted(_) => None,
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

fn spoken(text: &str) -> Option<Value> {
    let said = !text.trim().is_empty();
    let content = json!([{ "type": "output_text", "text": text }]);
    said.then(|| json!({ "type": "message", "role": "assistant", "content": content }))
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
    let output = if result.images.is_empty() {
        json!(text)
    } else {
        let spoken = (!text.trim().is_empty()).then(|| json!({ "type": "input_text", "text": text }));
        spoken.into_iter().chain(shown(&result.images)).collect()
    };
    json!({ "type": "function_call_output", "call_id": ids.get(result.call), "output": output })
}
