//! The recorded streams beside the repository: where they are, and what their expected results mean in our words.

use std::io::Write;
use std::path::{Path, PathBuf};

use countersign::ledger::{Arguments, Stop};
use countersign::model::FailureClass;
use serde_json::{Value, json};

use super::answer::Answer;
use super::hosted;

/// The folder of recordings. A clone without them passes on the golden streams; continuous integration must have them.
pub fn folder() -> Option<PathBuf> {
    // The crate that the test belongs to may be the core, below the root.
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).unwrap();
    let beside = || root.join("../shared/fixtures/streams");
    let folder = std::env::var_os("COUNTERSIGN_FIXTURES").map_or_else(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "no recorded streams in {}", folder.display());
    // Past the harness, which shows nothing of a test that passes.
    let missing = format!(
        "recorded streams not found at {}; set COUNTERSIGN_FIXTURES; running the golden streams alone\n",
        folder.display()
    );
    std::io::stderr().write_all(missing.as_bytes()).unwrap();
    None
}

/// Compares an answer with what the recording's own notes expect.
pub fn compare(answer: &Answer, expected: &Value, file: &str) {
    assert_eq!(answer.text, expected_text(expected), "text of {file}");
    assert_eq!(answer.thinking, expected["thinking"].as_str().unwrap_or_default(), "thinking of {file}");
    compare_calls(answer, expected, file);
    compare_replays(answer, expected, file);
    hosted::compare(answer, expected, file);
    compare_usage(answer, expected, file);
    compare_end(answer, expected, file);
}

/// A refusal is text; a refusal without words has the provider's explanation.
fn expected_text(expected: &Value) -> String {
    let said = expected["text"].as_str().unwrap_or_default();
    let refusal = expected["refusal"].as_str().unwrap_or_default();
    let explained = expected["stop_details"]["explanation"].as_str().filter(|_| said.is_empty());
    format!("{said}{refusal}{}", explained.unwrap_or_default())
}

fn compare_calls(answer: &Answer, expected: &Value, file: &str) {
    let wanted = expected["tool_calls"].as_array().expect("tool_calls");
    assert_eq!(answer.calls.len(), wanted.len(), "calls of {file}");
    for (call, wanted) in answer.calls.iter().zip(wanted) {
        assert_eq!(call.wire_id, wanted["id"].as_str().unwrap_or_default(), "{file}");
        assert_eq!(call.name, wanted["name"].as_str().expect("name"), "{file}");
        assert_eq!(call.arguments, wanted["arguments_raw"].as_str().expect("raw"), "{file}");
        match Arguments::parse(&call.arguments) {
            Arguments::Object(members) => assert_eq!(Value::Object(members), wanted["arguments"], "{file}"),
            // Text of a free-text tool is none of ours to run, whatever its tool would say to it.
            Arguments::Unusable(_) if wanted["custom"] == json!(true) => {}
            Arguments::Unusable(_) => assert_eq!(wanted["arguments_valid"], json!(false), "{file}"),
        }
        assert!(call.done || expected["complete"] == json!(false), "call {} of {file} is done", call.name);
    }
}

/// Reasoning to be replayed comes in the order of the answer.
fn compare_replays(answer: &Answer, expected: &Value, file: &str) {
    let kind = |block: &Value| block["type"].as_str().unwrap_or_default().to_owned();
    let blocks = answer.replays.iter().flat_map(|replay| match replay["reasoning_details"].as_array() {
        Some(details) => details.clone(),
        None => vec![replay.clone()],
    });
    let reasoning: Vec<_> = blocks.filter(|b| b.get("type").is_some()).collect();
    // A broken answer is never replayed, so what was open when it broke need not have been handed out.
    let wanted = expected["reasoning_blocks"].as_array().expect("reasoning_blocks");
    if expected["complete"] == json!(true) {
        assert_eq!(reasoning.len(), wanted.len(), "reasoning of {file}");
    }
    for (block, wanted) in reasoning.iter().zip(wanted) {
        for (name, value) in wanted.as_object().expect("an object").iter().filter(|(name, _)| *name != "kind")
        {
            let own = if name == "text" && kind(block) == "thinking" { "thinking" } else { name };
            assert_eq!(&texts_alone(&block[own]), value, "{name} of the reasoning of {file}");
        }
    }
}

/// The notes write parts of a reasoning item as their texts.
fn texts_alone(value: &Value) -> Value {
    let parts = value.as_array().filter(|parts| parts.iter().all(|part| part["text"].is_string()));
    parts.map_or_else(|| value.clone(), |parts| parts.iter().map(|part| part["text"].clone()).collect())
}

fn compare_usage(answer: &Answer, expected: &Value, file: &str) {
    let wanted = &expected["usage"];
    let Some(usage) = answer.usage else {
        return assert!(wanted.is_null(), "usage of {file}");
    };
    let count = |name: &str| wanted[name].as_u64().unwrap_or_default();
    // This vendor counts reasoning beside the output; ours holds both.
    let apart = if file.contains("openai-chat/xai-") { count("reasoning") } else { 0 };
    assert_eq!(usage.input, count("prompt_total"), "prompt of {file}");
    assert_eq!(usage.cache_read, count("cache_read"), "cache read of {file}");
    assert_eq!(usage.cache_write, count("cache_write"), "cache write of {file}");
    assert_eq!(usage.output, count("output") + apart, "output of {file}");
    assert_eq!(usage.reasoning, count("reasoning"), "reasoning tokens of {file}");
}

fn compare_end(answer: &Answer, expected: &Value, file: &str) {
    let complete = expected["complete"] == json!(true);
    assert_eq!(answer.failure.is_none(), complete, "end of {file}: {:?}", answer.failure);
    let stop = match expected["stop"].as_str().expect("stop") {
        _ if expected["stop_reason"].is_null() && !complete => None,
        "end" => Some(Stop::End),
        "tool_calls" => Some(Stop::ToolUse),
        "length" => Some(Stop::Length),
        "refusal" => Some(Stop::Refusal),
        "pause" => Some(Stop::Pause),
        "context_overflow" => Some(Stop::ContextOverflow),
        "none" | "error" => None,
        other => panic!("{file} expects {other}, which this test does not know"),
    };
    assert_eq!(answer.stop, stop, "stop of {file}");
    let Some(failure) = &answer.failure else { return };
    let error = &expected["error"];
    let class = match (error["code"].as_u64(), error["code"].as_str()) {
        (Some(400), _) => FailureClass::BadRequest,
        (_, Some("tool_use_failed")) => FailureClass::OutputRejected,
        (_, Some("context_length_exceeded")) => FailureClass::Overflow,
        (_, Some("insufficient_quota")) => FailureClass::Quota,
        _ => FailureClass::Transient,
    };
    assert_eq!(failure.class, class, "class of {file}: {failure:?}");
    assert!(failure.message.contains(error["message"].as_str().unwrap_or_default()), "{file}: {failure:?}");
}
