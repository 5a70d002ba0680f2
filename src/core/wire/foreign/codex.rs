//! Session files of Codex, `rollout-*.jsonl`: `{timestamp, type, payload}` a line. Files of its first versions have the
//! payloads alone.

use serde_json::{Value, json};

use crate::ledger::Arguments;

use super::super::bulk::Bulk;
use super::super::record::read_moment;
use super::lines::{text, value_of};
use super::reading::{ForeignReading, Known, keep_first};

/// How messages begin that Codex writes in the user's place.
const ITS_OWN: [&str; 4] =
    ["<environment_context>", "<user_instructions>", "<permissions instructions>", "<turn_aborted>"];

/// Whether a line is one of Codex.
pub(super) fn is_one(value: &Value) -> bool {
    let wrapped = ["session_meta", "response_item", "event_msg", "turn_context", "compacted"];
    match text(value, "type") {
        Some(kind) if value.get("payload").is_some() => wrapped.contains(&kind),
        Some(kind) => kind == "message" && value.get("role").is_some() && value.get("content").is_some(),
        None => {
            text(value, "id").is_some()
                && text(value, "timestamp").is_some()
                && value.get("instructions").is_some()
        }
    }
}

/// The kind of a line, and what it says.
fn opened(value: &Value) -> (&str, &Value) {
    match value.get("payload") {
        Some(payload) => (text(value, "type").unwrap_or_default(), payload),
        None if value.get("type").is_some() => ("response_item", value),
        None => ("session_meta", value),
    }
}

/// Takes notice of a line.
pub(super) fn survey(known: &mut Known, value: &Value) {
    let (kind, payload) = opened(value);
    if known.began.is_none() {
        known.began = value.get("timestamp").and_then(read_moment);
    }
    match kind {
        "session_meta" => {
            keep_first(&mut known.session, payload.get("id"));
            keep_first(&mut known.cwd, payload.get("cwd"));
        }
        "turn_context" => {
            keep_first(&mut known.cwd, payload.get("cwd"));
            keep_first(&mut known.model, payload.get("model"));
        }
        _ => {}
    }
}

/// Takes a line in.
pub(super) fn read(import: &mut ForeignReading, value: &Value) {
    let (kind, payload) = opened(value);
    import.maker.at(value.get("timestamp").and_then(read_moment));
    let is_taken = match kind {
        "response_item" => item(import, payload),
        "compacted" => {
            import.maker.summary(text(payload, "message").unwrap_or_default());
            true
        }
        "turn_context" => {
            import.model = text(payload, "model").map(str::to_owned).or(import.model.take());
            true
        }
        // What it is was read before.
        "session_meta" => true,
        // The events repeat for a screen what the items say.
        "event_msg" => true,
        _ => false,
    };
    import.counts.skipped += usize::from(!is_taken);
}

fn item(import: &mut ForeignReading, item: &Value) -> bool {
    let model = import.model.clone();
    let model = model.as_deref();
    let call = text(item, "call_id").or_else(|| text(item, "id")).unwrap_or_default();
    let name = text(item, "name").unwrap_or_default();
    match text(item, "type") {
        Some("message") => message(import, item, model),
        // Its encrypted part is for the provider that it came from.
        Some("reasoning") => {
            import.maker.thinking(None, model, &parts(item.get("summary"), "\n\n"));
            true
        }
        Some("function_call") => {
            let arguments = arguments(text(item, "arguments").unwrap_or_default());
            import.call(None, model, (call, name), arguments);
            true
        }
        Some("custom_tool_call") => {
            let input = text(item, "input").unwrap_or_default();
            let arguments = Arguments::from_value(json!({ "input": input }));
            import.call(None, model, (call, name), arguments);
            true
        }
        Some("local_shell_call") => {
            let action = item.get("action").cloned().unwrap_or_default();
            import.call(None, model, (call, "local_shell"), Arguments::from_value(action));
            true
        }
        Some("function_call_output" | "custom_tool_call_output") => {
            let (content, failed) = output(item.get("output"));
            import.result(call, content, failed);
            true
        }
        _ => false,
    }
}

fn message(import: &mut ForeignReading, item: &Value, model: Option<&str>) -> bool {
    let words = parts(item.get("content"), "\n\n");
    match text(item, "role") {
        Some("user") if !ITS_OWN.iter().any(|own| words.trim_start().starts_with(own)) => {
            import.maker.user(words);
            true
        }
        Some("assistant") => {
            import.maker.text(None, model, &words);
            true
        }
        _ => false,
    }
}

/// Arguments come as a text.
fn arguments(text: &str) -> Arguments {
    if Bulk::fits(text.as_bytes()) { Arguments::parse(text) } else { Arguments::Unusable(text.to_owned()) }
}

/// What a result says, and whether it says that the call failed. Tools that ran a command answer with a JSON text.
fn output(output: Option<&Value>) -> (String, bool) {
    match output {
        Some(Value::String(text)) => match value_of(text.as_bytes()) {
            Some(Value::Object(members)) => match members.get("output").and_then(Value::as_str) {
                Some(inner) => {
                    let code = members.get("metadata").and_then(|facts| facts.get("exit_code"));
                    (inner.to_owned(), code.and_then(Value::as_i64).is_some_and(|code| code != 0))
                }
                None => (text.clone(), false),
            },
            _ => (text.clone(), false),
        },
        Some(Value::Object(members)) => {
            let failed = members.get("success") == Some(&Value::Bool(false));
            let content = members.get("content").or_else(|| members.get("body"));
            (parts(content, "\n"), failed)
        }
        content => (parts(content, "\n"), false),
    }
}

/// The text of a list of parts, or a text.
fn parts(content: Option<&Value>, between: &str) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let words = parts.iter().filter_map(|part| match text(part, "type") {
                Some("input_image") => Some("(an image, which was not imported)"),
                _ => text(part, "text"),
            });
            words.collect::<Vec<_>>().join(between)
        }
        _ => String::new(),
    }
}
