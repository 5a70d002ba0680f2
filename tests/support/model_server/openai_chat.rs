//! Chat Completions: its rules in its own words, its chunks, its whole completion.

use serde_json::{Value, json};

use super::answer_schema;
use super::connection::{check_tool, is_word};
use super::picture;
use super::reply::{Frame, Part, halves};

/// The first thing that the provider would refuse.
pub(crate) fn check(body: &Value) -> Result<(), String> {
    if body.get("max_tokens").is_some() && body.get("max_completion_tokens").is_some() {
        return Err(
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.".to_owned()
        );
    }
    answer_schema::chat(body)?;
    for (at, tool) in body["tools"].as_array().into_iter().flatten().enumerate() {
        check_tool(at, &tool["function"]["name"], &tool["function"]["parameters"])?;
    }
    let messages = body["messages"].as_array().filter(|m| !m.is_empty());
    let messages =
        messages.ok_or("Invalid 'messages': empty array. Expected an array with minimum length 1.")?;
    let spoken = messages.iter().find(|m| m["role"] != "system").ok_or("messages: nobody has spoken")?;
    if spoken["role"] == "assistant" {
        return Err("messages: the first message after the system prompt must be from the user".to_owned());
    }
    for (at, message) in messages.iter().enumerate() {
        check_message(at, message)?;
    }
    check_pairs(messages)
}

fn check_message(at: usize, message: &Value) -> Result<(), String> {
    let content = message["content"].as_str();
    let calls = message["tool_calls"].as_array();
    match message["role"].as_str().unwrap_or_default() {
        "user" if message["content"].is_array() => check_parts(at, &message["content"]),
        "system" | "user" if content.is_none_or(|text| text.trim().is_empty()) => {
            Err(format!("Invalid 'messages[{at}].content': empty string."))
        }
        "tool" if content.is_none() => {
            Err(format!("Invalid value for 'content': expected a string, got null. (messages[{at}])"))
        }
        "assistant" if content.is_none() && calls.is_none() => {
            Err(format!("Invalid value for 'content': expected a string, got null. (messages[{at}])"))
        }
        "assistant" if calls.is_some_and(Vec::is_empty) => Err(format!(
            "Invalid 'messages[{at}].tool_calls': empty array. Expected an array with minimum length 1."
        )),
        "assistant" => {
            calls.into_iter().flatten().enumerate().try_for_each(|(n, call)| check_call(at, n, call))
        }
        "system" | "user" | "tool" => Ok(()),
        role => Err(format!(
            "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user' and 'tool'."
        )),
    }
}

/// Words and images of a user's message.
fn check_parts(at: usize, parts: &Value) -> Result<(), String> {
    let parts = parts.as_array().filter(|parts| !parts.is_empty());
    let parts = parts.ok_or_else(|| format!("Invalid 'messages[{at}].content': empty array."))?;
    parts.iter().enumerate().try_for_each(|(n, part)| {
        let place = format!("messages[{at}].content[{n}]");
        match part["type"].as_str().unwrap_or_default() {
            "text" if part["text"].as_str().is_some_and(|text| !text.is_empty()) => Ok(()),
            "image_url" => {
                let url = part["image_url"]["url"].as_str().unwrap_or_default();
                let data = url.strip_prefix("data:").and_then(|data| data.split_once(";base64,"));
                let (kind, data) =
                    data.ok_or_else(|| format!("Invalid '{place}.image_url': not a data URL"))?;
                picture::check(kind, data, &place)
            }
            kind => Err(format!(
                "Invalid value: '{kind}'. Supported values are: 'text' and 'image_url'. ({place})"
            )),
        }
    })
}

fn check_call(at: usize, n: usize, call: &Value) -> Result<(), String> {
    let place = format!("messages[{at}].tool_calls[{n}]");
    let id = call["id"].as_str().unwrap_or_default();
    if !is_word(id) || id.len() > 64 {
        return Err(format!("Invalid '{place}.id': string does not match pattern or is too long: '{id}'"));
    }
    if !is_word(call["function"]["name"].as_str().unwrap_or_default()) {
        return Err(format!(
            "Invalid '{place}.function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'."
        ));
    }
    let arguments = call["function"]["arguments"].as_str().and_then(|text| serde_json::from_str(text).ok());
    if !arguments.is_some_and(|value: Value| value.is_object()) {
        return Err(format!("Invalid '{place}.function.arguments': expected the JSON text of an object."));
    }
    Ok(())
}

/// Results stand right after their message, one for each call.
fn check_pairs(messages: &[Value]) -> Result<(), String> {
    let mut open: Vec<String> = Vec::new();
    let mut ever: Vec<String> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let found = open.iter().position(|call| call == id).ok_or_else(|| {
                format!(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with \
                     'tool_calls'. (messages[{at}], {id})"
                )
            })?;
            open.remove(found);
            continue;
        }
        all_answered(&open)?;
        let calls = message["tool_calls"].as_array();
        open = calls.into_iter().flatten().filter_map(|c| c["id"].as_str().map(str::to_owned)).collect();
        for id in &open {
            if ever.contains(id) {
                return Err(format!("Duplicate value for 'tool_call_id' of '{id}'"));
            }
            ever.push(id.clone());
        }
    }
    all_answered(&open)
}

fn all_answered(open: &[String]) -> Result<(), String> {
    if open.is_empty() {
        return Ok(());
    }
    Err(format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. \
         The following tool_call_ids did not have response messages: {}",
        open.join(", ")
    ))
}

/// The chunks of an answer.
pub(crate) fn stream(parts: Vec<Part>) -> Vec<Frame> {
    let mut frames = vec![delta(json!({ "role": "assistant", "content": "" }))];
    let mut calls = 0;
    let (mut stop, mut usage) = (None, (10, 5));
    for part in parts {
        match part {
            Part::Text(text) => frames.push(delta(json!({ "content": text }))),
            Part::Thinking(text) => frames.push(delta(json!({ "reasoning_content": text }))),
            Part::Call { id, name, arguments } => {
                let function = json!({ "name": name, "arguments": "" });
                let start = json!({ "index": calls, "id": id, "type": "function", "function": function });
                frames.push(delta(json!({ "tool_calls": [start] })));
                for piece in halves(&arguments) {
                    let more = json!({ "index": calls, "function": { "arguments": piece } });
                    frames.push(delta(json!({ "tool_calls": [more] })));
                }
                calls += 1;
            }
            Part::Usage(input, output) => usage = (input, output),
            Part::Stop(reason) => stop = Some(reason),
            Part::Wait(gate) => frames.push(Frame::Wait(gate)),
            Part::Bytes(bytes) => frames.push(Frame::Bytes(bytes)),
            Part::Error(kind, message) => {
                frames.push(data(&json!({ "choices": [], "error": { "type": kind, "message": message } })));
                return frames;
            }
            Part::Cut => {
                frames.push(Frame::Cut);
                return frames;
            }
            Part::End => return frames,
        }
    }
    let usual = if calls > 0 { "tool_calls" } else { "stop" };
    let reason = stop.unwrap_or_else(|| usual.to_owned());
    frames.push(data(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })));
    frames.push(data(&json!({ "choices": [], "usage": counted(usage) })));
    frames.push(Frame::Bytes("data: [DONE]\n\n".to_owned()));
    frames
}

fn counted((input, output): (u64, u64)) -> Value {
    json!({ "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output })
}

fn delta(delta: Value) -> Frame {
    data(&json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] }))
}

fn data(chunk: &Value) -> Frame {
    Frame::Bytes(format!("data: {chunk}\n\n"))
}

/// The answer as one object.
pub(crate) fn whole(parts: Vec<Part>) -> Value {
    let mut message = json!({ "role": "assistant", "content": null });
    let mut calls = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) => message["content"] = json!(text),
            Part::Thinking(text) => message["reasoning_content"] = json!(text),
            Part::Call { id, name, arguments } => {
                let function = json!({ "name": name, "arguments": arguments });
                calls.push(json!({ "id": id, "type": "function", "function": function }));
            }
            _ => {}
        }
    }
    let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    let choice = json!({ "index": 0, "message": message, "finish_reason": reason });
    json!({ "id": "chatcmpl-1", "choices": [choice], "usage": counted((10, 5)) })
}
