//! Scripted model replies: what `--script` and `DEBUG_MOCK_RESPONSES` hold.
//!
//! A script is a JSON array with one element for each model call, in order. An element is
//!
//! - a **string**: plain text, streamed as it is; or, when the whole string is JSON of the form
//!   `{"tool_calls": [{"id", "name", "arguments"}]}` or of a single call `{"name", "arguments"}`: tool calls in
//!   native mode, the text itself in string mode;
//! - an **object** with any of these keys:
//!   - `text`: what the model says;
//!   - `thinking`: what it thinks before that;
//!   - `tool_calls`: a list of calls `{"name", "arguments", "id"?}`. `input` is another name of `arguments`; a
//!     string there is sent as raw argument text, which need not be JSON. A single call may also stand in the
//!     element itself: `{"name", "arguments", "id"?}`;
//!   - `delay_ms`: wait before the first piece;
//!   - `chunk`: characters of one piece (without it each part is one piece);
//!   - `pause_ms`: wait between pieces;
//!   - `error`: the call fails after what the other keys say. A message, or an object with `class` (`transient`
//!     `overflow` `auth` `unknown_model` `quota` `bad_request` `pairing` `protocol`) or `status` (an HTTP
//!     status), `message`, `retry_after_ms`;
//!   - `status`: an HTTP status; 400 and above fail as a server's answer of that status would;
//!   - `cut`: after so many characters of thinking, text and arguments the stream breaks off, without its end;
//!     `true`: after all of them;
//!   - `stop_reason`: `end` `tool_use` `length` `refusal` `pause` `context_overflow` or any other word (the
//!     providers' `end_turn` `stop` `tool_calls` `max_tokens` are understood); without it `tool_use` after
//!     calls, else `end`;
//!   - `usage`: `{input, output, cache_read, cache_write, reasoning, cost_usd}`; without it an estimate.

use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::ledger::{MicroDollars, Stop, Usage};
use crate::model::{FailureClass, ModelFailure};

/// One scripted answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// Visible text.
    pub text: String,
    /// Reasoning before it.
    pub thinking: String,
    /// Calls after it.
    pub calls: Vec<ScriptedCall>,
    /// What string mode sends instead of `text` and `calls`: the element as it was written.
    pub verbatim: Option<String>,
    /// Wait before the first piece, in milliseconds.
    pub delay_ms: u64,
    /// Wait between pieces, in milliseconds.
    pub pause_ms: u64,
    /// Characters of one piece; `None`: each part is one piece.
    pub chunk: Option<usize>,
    /// How the call fails in the end, if it does.
    pub failure: Option<ModelFailure>,
    /// After how many characters the stream breaks off.
    pub cut: Option<usize>,
    /// Why the model stopped.
    pub stop: Option<Stop>,
    /// What is counted.
    pub usage: Option<Usage>,
}

/// A scripted call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedCall {
    /// The provider's id; may be empty.
    pub wire_id: String,
    /// Name of the tool.
    pub name: String,
    /// Argument text, as it is streamed.
    pub arguments: String,
}

/// A script that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ScriptError {
    /// The whole is no JSON array.
    #[error("the script is not a JSON array of replies ({0}); write [\"first reply\", \"second reply\"]")]
    NotAnArray(String),
    /// One element is wrong.
    #[error("element {element} of the script: {what}")]
    Element {
        /// Which, from 1.
        element: usize,
        /// What is wrong and what would be right.
        what: String,
    },
}

/// Reads a script.
///
/// # Errors
/// [`ScriptError`] names the element, counted from 1, and the key.
pub fn parse(text: &str) -> Result<Vec<Reply>, ScriptError> {
    let value: Value =
        serde_json::from_str(text.trim()).map_err(|fault| ScriptError::NotAnArray(fault.to_string()))?;
    let Value::Array(elements) = value else {
        return Err(ScriptError::NotAnArray("it is another JSON value".to_owned()));
    };
    let numbered = elements.into_iter().enumerate();
    numbered
        .map(|(at, value)| element(value).map_err(|what| ScriptError::Element { element: at + 1, what }))
        .collect()
}

fn element(value: Value) -> Result<Reply, String> {
    match value {
        Value::String(text) => spoken(text),
        Value::Object(members) => described(&members),
        other => Err(format!("{other} is neither a string nor an object")),
    }
}

/// A string: calls if the whole of it is JSON that makes some.
fn spoken(text: String) -> Result<Reply, String> {
    let calls = match serde_json::from_str(&text) {
        Ok(Value::Object(members)) if members.contains_key("tool_calls") || is_call(&members) => {
            calls_of(&members)?
        }
        _ => Vec::new(),
    };
    if calls.is_empty() {
        return Ok(Reply { text, ..Reply::default() });
    }
    Ok(Reply { calls, verbatim: Some(text), ..Reply::default() })
}

const KEYS: [&str; 11] = [
    "text",
    "thinking",
    "tool_calls",
    "delay_ms",
    "chunk",
    "pause_ms",
    "error",
    "status",
    "cut",
    "stop_reason",
    "usage",
];
const CALL_KEYS: [&str; 4] = ["name", "arguments", "input", "id"];

fn described(members: &Map<String, Value>) -> Result<Reply, String> {
    let single = is_call(members);
    if let Some(key) = members.keys().find(|k| !(KEYS.contains(&k.as_str()) || single && is_call_key(k))) {
        return Err(format!("unknown key `{key}`; the keys are {}", KEYS.join(", ")));
    }
    let chunk = number(members, "chunk")?.map(|chars| usize::try_from(chars).unwrap_or(usize::MAX));
    if chunk == Some(0) {
        return Err("`chunk` is 0; a piece has at least one character".to_owned());
    }
    let mut reply = Reply {
        text: text(members, "text")?,
        thinking: text(members, "thinking")?,
        calls: calls_of(members)?,
        verbatim: None,
        delay_ms: number(members, "delay_ms")?.unwrap_or(0),
        pause_ms: number(members, "pause_ms")?.unwrap_or(0),
        chunk,
        failure: failure(members)?,
        cut: cut(members)?,
        stop: stop(members)?,
        usage: members.get("usage").map(usage).transpose()?,
    };
    if !reply.calls.is_empty() {
        reply.verbatim = Some(in_string_mode(&reply));
    }
    Ok(reply)
}

/// The same calls as a model without native tools writes them.
fn in_string_mode(reply: &Reply) -> String {
    let calls: Vec<Value> = reply
        .calls
        .iter()
        .map(|call| {
            let arguments = serde_json::from_str(&call.arguments);
            json!({
                "id": call.wire_id,
                "name": call.name,
                "arguments": arguments.unwrap_or_else(|_| Value::String(call.arguments.clone())),
            })
        })
        .collect();
    let calls = json!({ "tool_calls": calls });
    if reply.text.is_empty() { calls.to_string() } else { format!("{}\n{calls}", reply.text) }
}

fn is_call(members: &Map<String, Value>) -> bool {
    members.contains_key("name") && members.keys().any(|key| key == "arguments" || key == "input")
}

fn is_call_key(key: &str) -> bool {
    CALL_KEYS.contains(&key)
}

fn calls_of(members: &Map<String, Value>) -> Result<Vec<ScriptedCall>, String> {
    let mut calls = Vec::new();
    match members.get("tool_calls") {
        None => {}
        Some(Value::Array(values)) => {
            for (at, value) in values.iter().enumerate() {
                let Value::Object(members) = value else {
                    return Err(format!("`tool_calls`, call {}: {value} is not an object", at + 1));
                };
                calls.push(call(members).map_err(|what| format!("`tool_calls`, call {}: {what}", at + 1))?);
            }
        }
        Some(other) => return Err(format!("`tool_calls` is {other}, not a list of calls")),
    }
    if is_call(members) {
        calls.push(call(members)?);
    }
    Ok(calls)
}

fn call(members: &Map<String, Value>) -> Result<ScriptedCall, String> {
    let Some(Value::String(name)) = members.get("name") else {
        return Err("`name` is missing or is not text".to_owned());
    };
    let arguments = match members.get("arguments").or_else(|| members.get("input")) {
        None => "{}".to_owned(),
        Some(Value::String(raw)) => raw.clone(),
        Some(value) => value.to_string(),
    };
    Ok(ScriptedCall { wire_id: text(members, "id")?, name: name.clone(), arguments })
}

fn text(members: &Map<String, Value>, key: &str) -> Result<String, String> {
    match members.get(key) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(other) => Err(format!("`{key}` is {other}, not text")),
    }
}

fn number(members: &Map<String, Value>, key: &str) -> Result<Option<u64>, String> {
    match members.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(number) => Ok(Some(number)),
            None => Err(format!("`{key}` is {value}, not a whole number")),
        },
    }
}

fn cut(members: &Map<String, Value>) -> Result<Option<usize>, String> {
    match members.get("cut") {
        Some(Value::Bool(true)) => Ok(Some(usize::MAX)),
        Some(Value::Bool(false)) => Ok(None),
        _ => Ok(number(members, "cut")?.map(|chars| usize::try_from(chars).unwrap_or(usize::MAX))),
    }
}

fn stop(members: &Map<String, Value>) -> Result<Option<Stop>, String> {
    let word = text(members, "stop_reason")?;
    Ok(match word.as_str() {
        "" => None,
        "end_turn" | "stop" => Some(Stop::End),
        "tool_calls" => Some(Stop::ToolUse),
        "max_tokens" => Some(Stop::Length),
        other => Some(Stop::parse(other)),
    })
}

fn usage(value: &Value) -> Result<Usage, String> {
    let Value::Object(members) = value else { return Err(format!("`usage` is {value}, not an object")) };
    const NAMES: [&str; 6] = ["input", "output", "cache_read", "cache_write", "reasoning", "cost_usd"];
    if let Some(key) = members.keys().find(|key| !NAMES.contains(&key.as_str())) {
        return Err(format!("unknown key `usage.{key}`; the keys are {}", NAMES.join(", ")));
    }
    let count = |key: &str| Ok::<u64, String>(number(members, key)?.unwrap_or(0));
    let cost = match members.get("cost_usd") {
        None | Some(Value::Null) => None,
        Some(value) => {
            let dollars = value.as_f64().filter(|dollars| *dollars >= 0.0);
            let dollars = dollars.ok_or_else(|| format!("`usage.cost_usd` is {value}, not an amount"))?;
            Some(MicroDollars((dollars * 1e6).round() as u64))
        }
    };
    Ok(Usage {
        input: count("input")?,
        output: count("output")?,
        cache_read: count("cache_read")?,
        cache_write: count("cache_write")?,
        reasoning: count("reasoning")?,
        cost,
        estimated: false,
    })
}

fn failure(members: &Map<String, Value>) -> Result<Option<ModelFailure>, String> {
    let outer = number(members, "status")?;
    let none = Map::new();
    let (given, inner) = match members.get("error") {
        None | Some(Value::Null) => (false, &none),
        Some(Value::String(message)) => {
            let class = outer.map_or(FailureClass::Transient, of_status);
            return Ok(Some(ModelFailure::new(class, message.clone())));
        }
        Some(Value::Object(inner)) => (true, inner),
        Some(other) => return Err(format!("`error` is {other}, neither a message nor an object")),
    };
    if let Some(key) =
        inner.keys().find(|k| !["class", "status", "message", "retry_after_ms"].contains(&k.as_str()))
    {
        return Err(format!(
            "unknown key `error.{key}`; the keys are class, status, message, retry_after_ms"
        ));
    }
    let status = number(inner, "status")?.or(outer);
    if !given && status.is_none_or(|status| status < 400) {
        return Ok(None);
    }
    let class = match text(inner, "class")?.as_str() {
        "" => status.map_or(FailureClass::Transient, of_status),
        name => of_name(name)?,
    };
    let message = match (text(inner, "message")?, status) {
        (message, _) if !message.is_empty() => message,
        (_, Some(status)) => format!("the scripted server answered with status {status}"),
        (_, None) => "a scripted failure".to_owned(),
    };
    let retry_after_ms = number(inner, "retry_after_ms")?;
    Ok(Some(ModelFailure { retry_after_ms, ..ModelFailure::new(class, message) }))
}

fn of_status(status: u64) -> FailureClass {
    match status {
        401 | 403 => FailureClass::Auth,
        402 => FailureClass::Quota,
        404 => FailureClass::UnknownModel,
        408 | 409 | 425 | 429 | 500.. => FailureClass::Transient,
        _ => FailureClass::BadRequest,
    }
}

fn of_name(name: &str) -> Result<FailureClass, String> {
    Ok(match name {
        "transient" => FailureClass::Transient,
        "overflow" => FailureClass::Overflow,
        "auth" => FailureClass::Auth,
        "unknown_model" => FailureClass::UnknownModel,
        "quota" => FailureClass::Quota,
        "bad_request" => FailureClass::BadRequest,
        "pairing" => FailureClass::Pairing,
        "protocol" => FailureClass::Protocol,
        other => {
            return Err(format!(
                "`error.class` is `{other}`; the classes are transient, overflow, auth, unknown_model, quota, \
                 bad_request, pairing, protocol"
            ));
        }
    })
}
