//! What the provider ran itself, and the order of all blocks, held to what a recording's own notes expect.

use std::sync::Arc;

use countersign::ledger::{
    AssistantMessage, Block, EntryId, Hosted, Message, ModelRef, Outcome, Stop, Usage,
};
use countersign::model::{Draft, ModelEvent, ModelNews};
use serde_json::{Value, json};

use super::answer::Answer;
use super::history::{call, result, said, text, user};

/// Compares what a complete answer holds of the provider's own. Broken answers are never replayed.
pub fn compare(answer: &Answer, expected: &Value, file: &str) {
    if expected["complete"] != json!(true) {
        return;
    }
    let wanted = expected["server_tools"].as_array().expect("server_tools");
    // Citations belong to their text; they are no block of their own.
    let ran: Vec<_> = answer.hosted.iter().filter(|block| block.kind != "citations").collect();
    assert_eq!(ran.len(), wanted.len(), "what the provider ran in {file}: {ran:?}");
    for (block, wanted) in ran.into_iter().zip(wanted) {
        compare_one(block, wanted, file);
    }
}

fn compare_one(block: &Hosted, wanted: &Value, file: &str) {
    assert_eq!(block.kind, wanted["type"], "{file}");
    assert_eq!(block.value["type"], wanted["type"], "the block itself of {file}");
    let id = wanted["id"].as_str().or(wanted["tool_use_id"].as_str()).unwrap_or_default();
    assert_eq!(block.id, id, "{file}");
    for (name, value) in [("name", &block.value["name"]), ("arguments", &block.value["input"])] {
        let wanted = &wanted[name];
        assert!(wanted.is_null() || wanted == value, "{name} of {} in {file}: {value}", block.kind);
    }
    assert_eq!(block.is_result(), wanted.get("tool_use_id").is_some_and(Value::is_string), "{file}");
}

/// The events among the news.
pub fn events(news: Vec<ModelNews>) -> Vec<ModelEvent> {
    news.into_iter()
        .filter_map(|n| if let ModelNews::Event(event) = n { Some(event) } else { None })
        .collect()
}

/// The order of blocks, as the notes write it: what the draft keeps is what came, but for text that says nothing.
pub fn compare_order(events: Vec<ModelEvent>, expected: &Value, file: &str) {
    if expected["complete"] != json!(true) {
        return;
    }
    let mut draft = Draft::default();
    events.into_iter().for_each(|event| draft.push(event));
    let mut calls = (1..).map(countersign::ledger::CallId);
    let mint = || calls.next().expect("a call's id");
    let message = draft.complete(EntryId(1), ModelRef::parse("p/m"), Usage::default(), mint);
    let kept: Vec<_> = message.blocks.iter().filter_map(kind).map(|kind| renamed(&kind)).collect();
    let wanted = expected["blocks"].as_array().expect("blocks").iter();
    let mut wanted: Vec<_> = wanted.map(|kind| renamed(kind.as_str().expect("a kind"))).collect();
    // Texts in a row are one text to us; one without words is none, and a refusal's reason is a text.
    wanted.dedup_by(|later, earlier| later == "text" && earlier == "text");
    let said = |kinds: &[String]| kinds.iter().filter(|kind| *kind != "text").cloned().collect::<Vec<_>>();
    assert_eq!(said(&kept), said(&wanted), "order of {file}");
    if expected["stop"] != json!("refusal") && !expected["text"].as_str().unwrap_or_default().is_empty() {
        let mut kept = kept;
        kept.dedup_by(|later, earlier| later == "text" && earlier == "text");
        assert_eq!(kept, wanted, "place of the text in {file}");
    }
}

/// One name for what two protocols call by two.
fn renamed(kind: &str) -> String {
    match kind {
        "message" => "text",
        "reasoning" => "thinking",
        "function_call" | "custom_tool_call" => "tool_use",
        other => other,
    }
    .to_owned()
}

fn kind(block: &Block) -> Option<String> {
    Some(match block {
        Block::Text(_) => "text".to_owned(),
        Block::Thinking(thinking) => {
            let replay = thinking.replay.as_ref()?;
            replay["type"].as_str().unwrap_or("thinking").to_owned()
        }
        Block::ToolUse(_) => "tool_use".to_owned(),
        Block::Hosted(block) if block.kind == "citations" => return None,
        Block::Hosted(block) => block.kind.clone(),
    })
}

/// A block that the provider made itself.
pub fn block(kind: &str, id: &str, mut value: Value) -> Block {
    value["type"] = json!(kind);
    value[if kind.ends_with("_tool_result") { "tool_use_id" } else { "id" }] = json!(id);
    Block::Hosted(Hosted { kind: kind.to_owned(), name: "web_search".to_owned(), id: id.to_owned(), value })
}

/// A search with its result and citations, one without; two whose halves are missing; one of another model; a block
/// that nobody knows; and a turn that waits for our own result and for the provider's.
pub fn history() -> Vec<Message> {
    let query = |words: &str| json!({ "name": "web_search", "input": { "query": words } });
    let found = || json!({ "content": [{ "type": "web_search_result", "url": "https://a.example" }] });
    let cited =
        json!({ "text": "It rains.", "citations": [{ "url": "https://a.example", "encrypted_index": "x" }] });
    let cited = match block("text", "", cited) {
        Block::Hosted(block) => Block::Hosted(Hosted { kind: "citations".to_owned(), ..block }),
        other => other,
    };
    let whole = vec![
        block("server_tool_use", "srv_1", query("weather")),
        block("web_search_tool_result", "srv_1", found()),
        text("So: It rains."),
        cited,
        text(" Take a coat."),
        block("hologram", "", json!({ "light": 1 })),
        block("compaction", "", json!({ "content": "What was said." })),
    ];
    let halves = vec![
        block("web_search_tool_result", "srv_lost", found()),
        text("And tomorrow?"),
        block("server_tool_use", "srv_2", query("tomorrow")),
    ];
    let other = AssistantMessage { model: ModelRef::parse("anthropic/model-b"), ..said(whole.clone()) };
    let waits = vec![block("server_tool_use", "srv_3", query("here")), call(1, "toolu_a", "read", "{}")];
    vec![
        user("Weather?"),
        Message::Assistant(Arc::new(said(whole))),
        user("More."),
        Message::Assistant(Arc::new(AssistantMessage { stop: Stop::Length, ..said(halves) })),
        user("Go on."),
        Message::Assistant(Arc::new(other)),
        user("Read the file too."),
        Message::Assistant(Arc::new(said(waits))),
        Message::Results(vec![result(1, Outcome::Ok, "text")]),
    ]
}
