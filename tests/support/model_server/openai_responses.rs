//! Responses: its rules in its own words, its events, its whole response. It seals reasoning, and knows its own seal.

use serde_json::{Value, json};

use super::answer_schema;
use super::connection::{check_tool, is_word};
use super::picture;
use super::reply::{Frame, Part, halves};

/// The first thing that the provider would refuse.
pub(crate) fn check(body: &Value) -> Result<(), String> {
    for other in ["max_tokens", "max_completion_tokens", "messages", "system", "stream_options"] {
        if body.get(other).is_some() {
            return Err(format!("Unsupported parameter: '{other}'."));
        }
    }
    if body["max_output_tokens"].as_u64().is_none_or(|most| most < 16) {
        return Err(
            "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.".to_owned()
        );
    }
    if body["store"] != json!(false) {
        return Err("This organization retains nothing: 'store' must be false.".to_owned());
    }
    answer_schema::responses(body)?;
    for (at, tool) in body["tools"].as_array().into_iter().flatten().enumerate() {
        if tool["type"] != "function" || tool["strict"] != json!(false) {
            return Err(format!(
                "Invalid schema for function 'tools[{at}]': 'additionalProperties' is required."
            ));
        }
        check_tool(at, &tool["name"], &tool["parameters"])?;
    }
    let items = body["input"].as_array().filter(|items| !items.is_empty());
    let items = items.ok_or("Missing required parameter: 'input'.")?;
    if items[0]["role"] != "user" {
        return Err("input[0]: a conversation begins with the user".to_owned());
    }
    for (at, item) in items.iter().enumerate() {
        check_item(at, item)?;
    }
    check_reasoning(items)?;
    check_pairs(items)
}

fn check_item(at: usize, item: &Value) -> Result<(), String> {
    if item["type"] != "reasoning" && item.get("id").is_some() {
        let id = &item["id"];
        return Err(format!(
            "Item with id {id} not found. Items are not persisted when `store` is set to false. Try again with \
             `store` set to true, or remove this item from your input."
        ));
    }
    match item["type"].as_str().unwrap_or_default() {
        "message" => check_message(at, item),
        "function_call" => check_call(at, item),
        "function_call_output" if item["output"].is_string() => Ok(()),
        "function_call_output" if item["output"].is_array() => {
            check_parts(&format!("input[{at}].output"), &item["output"], "input_text")
        }
        "function_call_output" => Err(format!("Missing required parameter: 'input[{at}].output'.")),
        "reasoning" => Ok(()),
        kind => Err(format!(
            "Invalid value: '{kind}'. Supported values are: 'message', 'reasoning', … (input[{at}])"
        )),
    }
}

fn check_message(at: usize, item: &Value) -> Result<(), String> {
    let kind = match item["role"].as_str().unwrap_or_default() {
        "user" => "input_text",
        "assistant" => "output_text",
        role => return Err(format!("Invalid value: '{role}' (input[{at}].role)")),
    };
    check_parts(&format!("input[{at}].content"), &item["content"], kind)
}

/// Words of one kind; where they are of the input, images too.
fn check_parts(place: &str, parts: &Value, kind: &str) -> Result<(), String> {
    let parts = parts.as_array().filter(|parts| !parts.is_empty());
    for part in parts.ok_or_else(|| format!("Invalid '{place}': empty array."))? {
        if kind == "input_text" && part["type"] == "input_image" {
            let url = part["image_url"].as_str().and_then(|url| url.strip_prefix("data:"));
            let (kind, data) = url.and_then(|url| url.split_once(";base64,")).unwrap_or_default();
            picture::check(kind, data, place)?;
            continue;
        }
        if part["type"] != kind {
            let wrong = &part["type"];
            return Err(format!("Invalid value: {wrong}. Supported values are: '{kind}'. ({place})"));
        }
        if part["text"].as_str().is_none_or(|text| text.trim().is_empty()) {
            return Err(format!("Invalid '{place}': empty string."));
        }
    }
    Ok(())
}

fn check_call(at: usize, item: &Value) -> Result<(), String> {
    let id = item["call_id"].as_str().unwrap_or_default();
    if !is_word(id) || id.len() > 64 {
        return Err(format!("Invalid 'input[{at}].call_id': string is empty or too long: '{id}'"));
    }
    if !is_word(item["name"].as_str().unwrap_or_default()) {
        return Err(format!("Invalid 'input[{at}].name': string does not match pattern '^[a-zA-Z0-9_-]+$'."));
    }
    let arguments = item["arguments"].as_str().and_then(|text| serde_json::from_str(text).ok());
    if !arguments.is_some_and(|value: Value| value.is_object()) {
        return Err(format!("Invalid 'input[{at}].arguments': expected the JSON text of an object."));
    }
    Ok(())
}

/// Reasoning stands before what it led to, sealed here and not changed since.
fn check_reasoning(items: &[Value]) -> Result<(), String> {
    for (at, item) in items.iter().enumerate().filter(|(_, item)| item["type"] == "reasoning") {
        let id = item["id"].as_str().unwrap_or_default();
        if item["encrypted_content"] != json!(seal(item["summary"][0]["text"].as_str().unwrap_or_default())) {
            return Err(format!("The encrypted content for item {id} could not be verified."));
        }
        let next = items.get(at + 1);
        let is_follower = next.is_some_and(|next| {
            matches!(next["type"].as_str(), Some("reasoning" | "function_call"))
                || next["role"] == "assistant"
        });
        if !is_follower {
            return Err(format!(
                "Item '{id}' of type 'reasoning' was provided without its required following item."
            ));
        }
    }
    Ok(())
}

/// Every call has one output after it, every output one call before it.
fn check_pairs(items: &[Value]) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut ever: Vec<&str> = Vec::new();
    for item in items {
        let id = item["call_id"].as_str().unwrap_or_default();
        match item["type"].as_str() {
            Some("function_call") if ever.contains(&id) => return Err(format!("Duplicate call_id '{id}'.")),
            Some("function_call") => {
                open.push(id);
                ever.push(id);
            }
            Some("function_call_output") => {
                let found = open.iter().position(|call| *call == id);
                let found = found.ok_or_else(|| {
                    format!("No tool call found for function call output with call_id {id}.")
                })?;
                open.remove(found);
            }
            // Some servers of this protocol want them together, so nobody speaks before all outputs are there.
            _ if item["role"] == "user" && !open.is_empty() => break,
            _ => {}
        }
    }
    open.first().map_or(Ok(()), |id| Err(format!("No tool output found for function call {id}.")))
}

/// What this server makes of a text that nobody else may read.
fn seal(text: &str) -> String {
    let sum = text.bytes().fold(5381_u64, |sum, byte| sum.wrapping_mul(33) ^ u64::from(byte));
    format!("sealed-{sum:x}")
}

/// The events of an answer.
pub(crate) fn stream(parts: Vec<Part>) -> Vec<Frame> {
    let mut frames = vec![event("response.created", json!({ "response": { "status": "in_progress" } }))];
    let mut items = Vec::new();
    let (mut reason, mut usage) = (None, (10, 5));
    for part in parts {
        let at = items.len();
        match part {
            Part::Usage(input, output) => usage = (input, output),
            Part::Stop(stop) => reason = Some(stop),
            Part::Wait(gate) => frames.push(Frame::Wait(gate)),
            Part::Bytes(bytes) => frames.push(Frame::Bytes(bytes)),
            Part::Error(kind, message) => {
                let error = json!({ "code": kind, "message": message });
                let failed = json!({ "response": { "status": "failed", "error": error, "output": [] } });
                frames.push(event("error", json!({ "code": kind, "message": message })));
                frames.push(event("response.failed", failed));
                return frames;
            }
            Part::Cut => {
                frames.push(Frame::Cut);
                return frames;
            }
            Part::End => return frames,
            said => {
                let Some((start, whole, delta, pieces)) = item(at, said) else { continue };
                let place = |mut data: Value| {
                    data["output_index"] = json!(at);
                    data
                };
                frames.push(event("response.output_item.added", place(json!({ "item": start }))));
                for piece in pieces {
                    frames.push(event(delta, place(json!({ "delta": piece }))));
                }
                frames.push(event("response.output_item.done", place(json!({ "item": whole }))));
                items.push(whole);
            }
        }
    }
    let response = response(items, usage, reason);
    let status = response["status"].as_str().unwrap_or_default();
    frames.push(event(&format!("response.{status}"), json!({ "response": response })));
    frames
}

/// An item as it begins and as it is in the end, the name of its deltas, and those.
fn item(at: usize, part: Part) -> Option<(Value, Value, &'static str, Vec<String>)> {
    match part {
        Part::Text(text) => {
            let item = |content: Value| json!({ "type": "message", "id": format!("msg_{at}"), "role": "assistant", "content": content });
            let whole = item(json!([{ "type": "output_text", "text": text, "annotations": [] }]));
            Some((item(json!([])), whole, "response.output_text.delta", vec![text]))
        }
        Part::Thinking(text) => {
            let item = |summary: Value, sealed: String| json!({ "type": "reasoning", "id": format!("rs_{at}"), "summary": summary, "encrypted_content": sealed });
            let whole = item(json!([{ "type": "summary_text", "text": text }]), seal(&text));
            Some((
                item(json!([]), "half".to_owned()),
                whole,
                "response.reasoning_summary_text.delta",
                vec![text],
            ))
        }
        Part::Call { id, name, arguments } => {
            let item = |arguments: &str| json!({ "type": "function_call", "id": format!("fc_{at}"), "call_id": id, "name": name, "arguments": arguments });
            let pieces = halves(&arguments).map(str::to_owned).to_vec();
            Some((item(""), item(&arguments), "response.function_call_arguments.delta", pieces))
        }
        _ => None,
    }
}

fn response(items: Vec<Value>, (input, output): (u64, u64), reason: Option<String>) -> Value {
    let status = if reason.is_some() { "incomplete" } else { "completed" };
    json!({
        "id": "resp_1", "object": "response", "status": status, "output": items, "error": null,
        "incomplete_details": reason.map(|reason| json!({ "reason": reason })),
        "usage": { "input_tokens": input, "output_tokens": output, "total_tokens": input + output },
    })
}

fn event(kind: &str, mut data: Value) -> Frame {
    data["type"] = json!(kind);
    Frame::Bytes(format!("event: {kind}\ndata: {data}\n\n"))
}

/// The answer as one object.
pub(crate) fn whole(parts: Vec<Part>) -> Value {
    let items = parts.into_iter().enumerate().filter_map(|(at, part)| Some(item(at, part)?.1));
    response(items.collect(), (10, 5), None)
}
