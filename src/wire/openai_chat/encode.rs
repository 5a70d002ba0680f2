//! A request as Chat Completions takes it: one `tool` message a call, errors in words, arguments always JSON.

use serde_json::{Map, Value, json};

use crate::ledger::{
    Arguments, AssistantMessage, Block, Message, ModelRef, Stop, ToolResult, ToolUse, UserMessage,
};
use crate::model::{Request, ToolDescription};
use crate::wire::call::{Endpoint, HttpCall, Secret};
use crate::wire::ids::{WireIds, accepted_name};
use crate::wire::image::data_url;

use super::reasoning;

/// The call that asks for one streamed answer.
pub(crate) fn encode(request: &Request, endpoint: &Endpoint) -> HttpCall {
    let host = endpoint.host();
    let quirks = endpoint.quirks;
    // OpenAI's reasoning models refuse the old name; nearly all other servers know only that.
    let new_name = quirks.max_completion_tokens.unwrap_or(host == "api.openai.com");
    let limit = if new_name { "max_completion_tokens" } else { "max_tokens" };
    let wants_reasoning = quirks.reasoning_content.unwrap_or(host == "api.deepseek.com");
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model.name));
    body.insert(limit.to_owned(), json!(request.max_output.max(1)));
    body.insert("stream".to_owned(), json!(true));
    if !quirks.without_stream_options {
        body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    }
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
    }
    body.insert("messages".to_owned(), Value::Array(messages(request, wants_reasoning)));
    HttpCall {
        url: endpoint.url("chat/completions"),
        headers: headers(endpoint),
        body: Value::Object(body).to_string().into_bytes(),
    }
}

fn headers(endpoint: &Endpoint) -> Vec<(String, Secret)> {
    let mut headers = vec![
        ("content-type".to_owned(), Secret::new("application/json")),
        ("accept".to_owned(), Secret::new("text/event-stream")),
    ];
    if let Some(key) = &endpoint.key {
        headers.push(("authorization".to_owned(), Secret::new(format!("Bearer {}", key.expose()))));
    }
    headers.extend(endpoint.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())));
    headers
}

fn messages(request: &Request, wants_reasoning: bool) -> Vec<Value> {
    let ids = WireIds::of(&request.messages);
    let mut messages = Vec::new();
    if !request.system.trim().is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for message in &request.messages {
        match message {
            Message::User(said) => messages.extend(user(said)),
            Message::Results(results) => messages.extend(results.iter().map(|r| result(r, &ids))),
            Message::Assistant(message) => {
                messages.extend(assistant(message, &request.model, &ids, wants_reasoning));
            }
        }
    }
    messages
}

/// Words alone stay a plain text: not every server knows parts.
fn user(said: &UserMessage) -> Option<Value> {
    let is_silent = said.content.trim().is_empty();
    if said.images.is_empty() {
        return (!is_silent).then(|| json!({ "role": "user", "content": said.content }));
    }
    let shown = said
        .images
        .iter()
        .map(|image| json!({ "type": "image_url", "image_url": { "url": data_url(image) } }));
    let spoken = (!is_silent).then(|| json!({ "type": "text", "text": said.content }));
    Some(json!({ "role": "user", "content": shown.chain(spoken).collect::<Vec<_>>() }))
}

fn assistant(
    message: &AssistantMessage,
    asked: &ModelRef,
    ids: &WireIds,
    wants_reasoning: bool,
) -> Option<Value> {
    let text = spoken(message);
    let calls: Vec<Value> = message.calls().map(|c| call(c, ids)).collect();
    // A refused turn is not shown to the model again, and an empty one says nothing.
    if calls.is_empty() && (text.is_empty() || message.stop == Stop::Refusal) {
        return None;
    }
    let mut members = Map::new();
    members.insert("role".to_owned(), json!("assistant"));
    members.insert("content".to_owned(), if text.is_empty() { Value::Null } else { Value::String(text) });
    if message.model == *asked {
        reasoning::replay(&message.blocks, &mut members);
    }
    if !calls.is_empty() {
        if wants_reasoning {
            members.entry("reasoning_content").or_insert_with(|| json!(""));
        }
        members.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    Some(Value::Object(members))
}

fn spoken(message: &AssistantMessage) -> String {
    let texts =
        message.blocks.iter().filter_map(|b| if let Block::Text(t) = b { Some(t.as_str()) } else { None });
    let texts: Vec<_> = texts.filter(|t| !t.trim().is_empty()).collect();
    texts.join("\n\n")
}

fn call(call: &ToolUse, ids: &WireIds) -> Value {
    // Some servers parse what they get back and fail on anything that is not JSON.
    let arguments = match &call.arguments {
        Arguments::Object(members) => Value::Object(members.clone()).to_string(),
        Arguments::Unusable(_) => "{}".to_owned(),
    };
    json!({
        "id": ids.get(call.id),
        "type": "function",
        "function": { "name": accepted_name(&call.name), "arguments": arguments },
    })
}

/// The protocol has no error flag: the text says it.
fn result(result: &ToolResult, ids: &WireIds) -> Value {
    let mark = if result.outcome.is_error() { "ERROR: " } else { "" };
    let content = format!("{mark}{}", result.content);
    json!({ "role": "tool", "tool_call_id": ids.get(result.call), "content": content })
}

fn tool(tool: &ToolDescription) -> Value {
    let ToolDescription { name, description, schema } = tool;
    json!({
        "type": "function",
        "function": { "name": name, "description": description, "parameters": schema },
    })
}
