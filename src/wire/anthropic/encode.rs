//! A request as Anthropic Messages takes it: results first, no empty text, thinking replayed as it came.

use serde_json::{Map, Value, json};

use crate::ledger::{Arguments, AssistantMessage, Block, Message, ModelRef, Stop, ToolResult};
use crate::model::{Request, ToolDescription};
use crate::wire::call::{Endpoint, HttpCall, Secret};
use crate::wire::ids::{IdForm, WireIds, accepted_name};

use super::effort;

/// The version that compatible servers know too. The newer one changes nothing that is sent or read here.
const VERSION: &str = "2023-06-01";

/// The call that asks for one streamed answer.
pub(crate) fn encode(request: &Request, endpoint: &Endpoint) -> HttpCall {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model.name));
    body.insert("max_tokens".to_owned(), json!(request.max_output.max(1)));
    body.insert("stream".to_owned(), json!(true));
    effort::set(request, &mut body);
    if !request.system.trim().is_empty() {
        body.insert("system".to_owned(), json!([cached(text_block(&request.system))]));
    }
    if !request.tools.is_empty() {
        let last = request.tools.len() - 1;
        let tools = request.tools.iter().enumerate();
        let tools: Vec<_> = tools.map(|(at, t)| if at == last { cached(tool(t)) } else { tool(t) }).collect();
        body.insert("tools".to_owned(), Value::Array(tools));
    }
    body.insert("messages".to_owned(), Value::Array(messages(request)));
    HttpCall {
        url: endpoint.url("messages"),
        headers: headers(endpoint),
        body: Value::Object(body).to_string().into_bytes(),
    }
}

fn headers(endpoint: &Endpoint) -> Vec<(String, Secret)> {
    let mut headers = vec![
        ("content-type".to_owned(), Secret::new("application/json")),
        ("accept".to_owned(), Secret::new("text/event-stream")),
        ("anthropic-version".to_owned(), Secret::new(VERSION)),
    ];
    if let Some(key) = &endpoint.key {
        headers.push(if endpoint.quirks.bearer {
            ("authorization".to_owned(), Secret::new(format!("Bearer {}", key.expose())))
        } else {
            ("x-api-key".to_owned(), key.clone())
        });
    }
    headers.extend(endpoint.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())));
    headers
}

/// The history as turns that alternate: messages of one side in a row are one message.
fn messages(request: &Request) -> Vec<Value> {
    let ids = WireIds::of(&request.messages, IdForm::Words);
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in &request.messages {
        let (role, blocks) = match message {
            Message::User(text) => ("user", spoken(text)),
            Message::Results(results) => ("user", results.iter().map(|r| result_block(r, &ids)).collect()),
            Message::Assistant(message) => ("assistant", assistant_blocks(message, &request.model, &ids)),
        };
        match turns.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, content)) if *last == role => content.extend(blocks),
            Some(_) | None => turns.push((role, blocks)),
        }
    }
    if let Some((_, content)) = turns.iter_mut().rev().find(|(role, _)| *role == "user")
        && let Some(last) = content.pop()
    {
        content.push(cached(last));
    }
    turns.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

fn assistant_blocks(message: &AssistantMessage, asked: &ModelRef, ids: &WireIds) -> Vec<Value> {
    let calls = message.calls().count();
    // A refused turn is not shown to the model again, and reasoning alone is no turn: a message cannot end in it.
    if calls == 0
        && (message.stop == Stop::Refusal || message.text().trim().is_empty())
        && !is_paused(message)
    {
        return Vec::new();
    }
    let same_model = message.model == *asked;
    let blocks = message.blocks.iter().filter_map(|block| match block {
        Block::Text(text) => spoken(text).pop(),
        Block::Thinking(thinking) if same_model => {
            thinking.replay.clone().filter(|block| is_replayed(block, message.interrupted))
        }
        Block::Thinking(_) => None,
        Block::ToolUse(call) => {
            let input = match &call.arguments {
                Arguments::Object(members) => Value::Object(members.clone()),
                Arguments::Unusable(_) => json!({}),
            };
            let (id, name) = (ids.get(call.id), accepted_name(&call.name));
            Some(json!({ "type": "tool_use", "id": id, "name": name, "input": input }))
        }
    });
    blocks.collect()
}

/// A paused turn goes back as it is, whatever it holds.
fn is_paused(message: &AssistantMessage) -> bool {
    message.stop == Stop::Pause
}

/// Blocks of another protocol stay out; of an interrupted message also what the server ran itself, whose
/// second half may be missing.
fn is_replayed(block: &Value, interrupted: bool) -> bool {
    match block.get("type").and_then(Value::as_str) {
        Some("thinking" | "redacted_thinking") => true,
        // An item of another protocol, if the provider's was changed.
        Some("reasoning") => false,
        Some(_) => !interrupted,
        None => false,
    }
}

fn result_block(result: &ToolResult, ids: &WireIds) -> Value {
    let mut block = json!({
        "type": "tool_result",
        "tool_use_id": ids.get(result.call),
        "content": result.content,
    });
    if result.outcome.is_error()
        && let Some(members) = block.as_object_mut()
    {
        members.insert("is_error".to_owned(), json!(true));
    }
    block
}

/// Text without a word in it is refused, so it is not sent.
fn spoken(text: &str) -> Vec<Value> {
    if text.trim().is_empty() { Vec::new() } else { vec![text_block(text)] }
}

fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn tool(tool: &ToolDescription) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema })
}

/// A cache breakpoint: what comes before and with this block is kept for the next request.
fn cached(mut block: Value) -> Value {
    if let Some(members) = block.as_object_mut() {
        members.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }));
    }
    block
}
