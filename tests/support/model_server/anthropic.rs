//! Anthropic Messages: its rules in its own words, its events, its whole message.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::answer_schema;
use super::anthropic_hosted;
use super::connection::{check_tool, is_word};
use super::picture;
use super::reply::{Frame, Part, halves};

/// The first thing that the provider would refuse.
pub(crate) fn check(body: &Value) -> Result<(), String> {
    if body["max_tokens"].as_u64().unwrap_or_default() == 0 {
        return Err("max_tokens: Field required".to_owned());
    }
    answer_schema::anthropic(body)?;
    let ours = |tool: &&Value| tool.get("type").is_none();
    for (at, tool) in body["tools"].as_array().into_iter().flatten().filter(ours).enumerate() {
        check_tool(at, &tool["name"], &tool["input_schema"])?;
    }
    for block in body["system"].as_array().into_iter().flatten() {
        check_text(block, "system")?;
    }
    let breakpoints = body.to_string().matches("\"cache_control\":{").count();
    if breakpoints > 4 {
        return Err(format!(
            "A maximum of 4 blocks with cache_control may be provided. Found {breakpoints}."
        ));
    }
    let messages = body["messages"].as_array().filter(|m| !m.is_empty());
    let messages = messages.ok_or("messages: at least one message is required")?;
    check_roles(messages)?;
    let mut seen = BTreeSet::new();
    for (at, message) in messages.iter().enumerate() {
        let blocks = blocks(message);
        if blocks.is_empty() {
            return Err(format!("messages.{at}: all messages must have non-empty content"));
        }
        for (place, block) in blocks.iter().enumerate() {
            if block["type"] == "image" && message["role"] != "user" {
                return Err(format!(
                    "messages.{at}.content.{place}: images are only allowed in user messages"
                ));
            }
            check_block(block, &format!("messages.{at}.content.{place}"), &mut seen)?;
        }
        let before = at.checked_sub(1).map_or_else(Vec::new, |before| self::blocks(&messages[before]));
        check_pairs(at, message, &before, &blocks)?;
    }
    anthropic_hosted::check(messages)?;
    let last = messages.len() - 1;
    check_answered(last, &ids(&blocks(&messages[last]), "tool_use", "id"), &[])
}

fn check_roles(messages: &[Value]) -> Result<(), String> {
    if messages[0]["role"] != "user" {
        return Err("messages: first message must use the \"user\" role".to_owned());
    }
    match messages.windows(2).find(|pair| pair[0]["role"] == pair[1]["role"]) {
        Some(pair) => Err(format!(
            "messages: roles must alternate between \"user\" and \"assistant\", but found multiple {} roles in a row",
            pair[0]["role"]
        )),
        None => Ok(()),
    }
}

/// Words, or blocks of words and images; an error has words alone.
fn check_result(result: &Value, place: &str) -> Result<(), String> {
    if result["content"].is_string() {
        return Ok(());
    }
    let blocks = result["content"].as_array();
    let blocks =
        blocks.ok_or_else(|| format!("{place}.tool_result.content: Input should be a valid list"))?;
    for (at, block) in blocks.iter().enumerate() {
        if !matches!(block["type"].as_str(), Some("text" | "image")) {
            return Err(format!("{place}.tool_result.content.{at}: Input tag does not match"));
        }
        if result["is_error"] == true && block["type"] != "text" {
            return Err(format!(
                "{place}.tool_result: all content must be type \"text\" if `is_error` is true"
            ));
        }
        check_block(block, &format!("{place}.tool_result.content.{at}"), &mut BTreeSet::new())?;
    }
    Ok(())
}

fn check_block(block: &Value, place: &str, seen: &mut BTreeSet<String>) -> Result<(), String> {
    match block["type"].as_str().unwrap_or_default() {
        "text" => check_text(block, "messages"),
        "image" => {
            let source = &block["source"];
            let member = |name: &str| source[name].as_str().unwrap_or_default();
            if member("type") != "base64" {
                return Err(format!("{place}.image.source.type: Input should be 'base64' or 'url'"));
            }
            picture::check(member("media_type"), member("data"), &format!("{place}.image.source"))
        }
        "tool_use" => {
            let id = block["id"].as_str().unwrap_or_default();
            if !is_word(id) {
                return Err(format!("{place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"));
            }
            if !is_word(block["name"].as_str().unwrap_or_default()) {
                return Err(format!(
                    "{place}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
                ));
            }
            if !block["input"].is_object() {
                return Err(format!("{place}.tool_use.input: Input should be a valid dictionary"));
            }
            if !seen.insert(id.to_owned()) {
                return Err("messages: `tool_use` ids must be unique".to_owned());
            }
            Ok(())
        }
        "thinking" if block.get("cache_control").is_some() => {
            Err(format!("{place}.thinking.cache_control: Extra inputs are not permitted"))
        }
        "thinking" if block["signature"] != json!(sign(block["thinking"].as_str().unwrap_or_default())) => {
            Err(format!("{place}: Invalid `signature` in `thinking` block"))
        }
        "tool_result" => check_result(block, place),
        "thinking" | "redacted_thinking" => Ok(()),
        kind if anthropic_hosted::is_known(kind) => Ok(()),
        kind => Err(format!(
            "{place}: Input tag '{kind}' found using 'type' does not match any of the expected tags"
        )),
    }
}

fn check_text(block: &Value, place: &str) -> Result<(), String> {
    match block["text"].as_str().unwrap_or_default() {
        "" => Err(format!("{place}: text content blocks must be non-empty")),
        text if text.trim().is_empty() => {
            Err(format!("{place}: text content blocks must contain non-whitespace text"))
        }
        _ => Ok(()),
    }
}

/// Every call of the message before has one result here, before anything else; and no other result is here.
fn check_pairs(at: usize, message: &Value, before: &[Value], blocks: &[Value]) -> Result<(), String> {
    if message["role"] != "user" {
        return Ok(());
    }
    let calls = ids(before, "tool_use", "id");
    let first = blocks.iter().take_while(|block| block["type"] == "tool_result").cloned().collect::<Vec<_>>();
    check_answered(at.saturating_sub(1), &calls, &ids(&first, "tool_result", "tool_use_id"))?;
    let mut answered = BTreeSet::new();
    for (place, block) in blocks.iter().enumerate().filter(|(_, block)| block["type"] == "tool_result") {
        let id = block["tool_use_id"].as_str().unwrap_or_default();
        if !calls.iter().any(|call| call == id) {
            return Err(format!(
                "messages.{at}.content.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each \
                 `tool_result` block must have a corresponding `tool_use` block in the previous message."
            ));
        }
        if !answered.insert(id.to_owned()) {
            return Err(format!(
                "messages.{at}.content.{place}: each `tool_use` must have a single result. Found multiple \
                 `tool_result` blocks with id: {id}"
            ));
        }
    }
    Ok(())
}

fn check_answered(at: usize, calls: &[String], results: &[String]) -> Result<(), String> {
    let open: Vec<_> = calls.iter().filter(|call| !results.contains(call)).cloned().collect();
    if open.is_empty() {
        return Ok(());
    }
    Err(format!(
        "messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` \
         block must have a corresponding `tool_result` block in the next message.",
        open.join(", ")
    ))
}

pub(super) fn blocks(message: &Value) -> Vec<Value> {
    match &message["content"] {
        Value::String(text) => vec![json!({ "type": "text", "text": text })],
        content => content.as_array().cloned().unwrap_or_default(),
    }
}

fn ids(blocks: &[Value], kind: &str, member: &str) -> Vec<String> {
    let blocks = blocks.iter().filter(|block| block["type"] == kind);
    blocks.map(|block| block[member].as_str().unwrap_or_default().to_owned()).collect()
}

/// The signature that this server gives to a text: so it knows its own thinking again.
fn sign(thinking: &str) -> String {
    let sum = thinking.bytes().fold(5381_u64, |sum, byte| sum.wrapping_mul(33) ^ u64::from(byte));
    format!("signed-{sum:x}")
}

/// The events of an answer.
pub(crate) fn stream(parts: Vec<Part>) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut index = 0;
    let (mut stop, mut output) = ("end_turn".to_owned(), 5);
    let input = parts.iter().find_map(|p| if let Part::Usage(input, _) = p { Some(*input) } else { None });
    let usage = json!({ "input_tokens": input.unwrap_or(10), "output_tokens": 1 });
    let message =
        json!({ "id": "msg_1", "type": "message", "role": "assistant", "content": [], "usage": usage });
    frames.push(event("message_start", json!({ "message": message })));
    frames.push(event("ping", json!({})));
    for part in parts {
        match part {
            Part::Text(text) => {
                let deltas = vec![json!({ "type": "text_delta", "text": text })];
                frames.extend(block(&mut index, json!({ "type": "text", "text": "" }), deltas));
            }
            Part::Thinking(text) => {
                let start = json!({ "type": "thinking", "thinking": "", "signature": "" });
                let words = json!({ "type": "thinking_delta", "thinking": text });
                let signature = json!({ "type": "signature_delta", "signature": sign(&text) });
                frames.extend(block(&mut index, start, vec![words, signature]));
            }
            Part::Call { id, name, arguments } => {
                stop = "tool_use".to_owned();
                let start = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
                let pieces =
                    halves(&arguments).map(|p| json!({ "type": "input_json_delta", "partial_json": p }));
                frames.extend(block(&mut index, start, pieces.to_vec()));
            }
            Part::Usage(_, tokens) => output = tokens,
            Part::Stop(reason) => stop = reason,
            Part::Wait(gate) => frames.push(Frame::Wait(gate)),
            Part::Bytes(bytes) => frames.push(Frame::Bytes(bytes)),
            Part::Error(kind, message) => {
                frames.push(event("error", json!({ "error": { "type": kind, "message": message } })));
                return frames;
            }
            Part::Cut => {
                frames.push(Frame::Cut);
                return frames;
            }
            Part::End => return frames,
        }
    }
    let delta = json!({ "delta": { "stop_reason": stop }, "usage": { "output_tokens": output } });
    frames.extend([event("message_delta", delta), event("message_stop", json!({}))]);
    frames
}

fn block(index: &mut u64, start: Value, deltas: Vec<Value>) -> Vec<Frame> {
    let at = *index;
    *index += 1;
    let mut frames = vec![event("content_block_start", json!({ "index": at, "content_block": start }))];
    frames
        .extend(deltas.into_iter().map(|d| event("content_block_delta", json!({ "index": at, "delta": d }))));
    frames.push(event("content_block_stop", json!({ "index": at })));
    frames
}

fn event(kind: &str, mut data: Value) -> Frame {
    data["type"] = json!(kind);
    Frame::Bytes(format!("event: {kind}\ndata: {data}\n\n"))
}

/// The answer as one object.
pub(crate) fn whole(parts: Vec<Part>) -> Value {
    let called = parts.iter().any(|p| matches!(p, Part::Call { .. }));
    let content = parts.into_iter().filter_map(|part| match part {
        Part::Text(text) => Some(json!({ "type": "text", "text": text })),
        Part::Thinking(text) => {
            Some(json!({ "type": "thinking", "signature": sign(&text), "thinking": text }))
        }
        Part::Call { id, name, arguments } => {
            let input: Value = serde_json::from_str(&arguments).unwrap_or_default();
            Some(json!({ "type": "tool_use", "id": id, "name": name, "input": input }))
        }
        _ => None,
    });
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "content": content.collect::<Vec<_>>(),
        "stop_reason": if called { "tool_use" } else { "end_turn" },
        "usage": { "input_tokens": 10, "output_tokens": 5 },
    })
}
