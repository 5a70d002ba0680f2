//! Histories to encode: reasoning, parallel calls, errors, odd ids, other models.

use std::sync::Arc;

use countersign::ledger::{
    Arguments, AssistantMessage, Block, CallId, Decider, EntryId, Facts, Image, Message, ModelRef, Outcome,
    Stop, Thinking, ToolResult, ToolUse, Usage, UserMessage,
};
use countersign::model::{Effort, Request, ToolDescription};
use serde_json::{Value, json};

use super::hosted::{self, block};

/// Named requests. All go to `anthropic/model-a`.
pub fn cases() -> Vec<(&'static str, Request)> {
    vec![
        ("tools", request(with_tools())),
        ("odd-ids", request(odd_ids())),
        ("other-model", request(other_model())),
        ("interrupted", request(interrupted())),
        ("reasoning-items", request(reasoning_items())),
        ("hosted", request(hosted::history())),
        ("images", request(with_images())),
        ("result-images", request(with_result_images())),
        (
            "reasons",
            Request {
                adaptive_thinking: true,
                reasons: Some(true),
                cache_key: "0190-of-the-session".to_owned(),
                answer_schema: None,
                withheld: Default::default(),
                ..request(vec![user("Hi")])
            },
        ),
        (
            "does-not-reason",
            Request { reasons: Some(false), effort: Some(Effort::High), ..request(with_tools()) },
        ),
        ("bare", Request { system: " ".to_owned(), tools: Vec::new(), ..request(vec![user("Hi")]) }),
    ]
}

/// A request with two tools.
pub fn request(messages: Vec<Message>) -> Request {
    let tool = |name: &str| {
        ToolDescription::new(
            name.to_owned(),
            format!("The tool {name}."),
            json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
        )
    };
    Request {
        model: ModelRef::parse("anthropic/model-a"),
        system: "Be brief.".to_owned(),
        messages,
        tools: vec![tool("read"), tool("write")],
        max_output: 4096,
        effort: None,
        seed: None,
        adaptive_thinking: false,
        reasons: None,
        cache_key: String::new(),
        answer_schema: None,
        withheld: Default::default(),
    }
}

pub fn user(text: &str) -> Message {
    Message::User(Arc::new(text.into()))
}

/// Words and images, images alone, and images among what is said while it runs: one message for Anthropic.
fn with_images() -> Vec<Message> {
    let shown =
        |content: &str, images| Message::User(Arc::new(UserMessage { images, ..UserMessage::text(content) }));
    vec![
        shown(
            "Compare @a.png and @b.jpg.",
            vec![image("a.png", "image/png", "iVBORw=="), image("b.jpg", "image/jpeg", "/9j/")],
        ),
        Message::Assistant(Arc::new(said(vec![call(1, "toolu_a", "read", "{}")]))),
        Message::Results(vec![result(1, Outcome::Ok, "text")]),
        shown("And @c.gif", vec![image("c.gif", "image/gif", "R0lG")]),
        Message::Assistant(Arc::new(said(vec![text("Seen.")]))),
        shown(" ", vec![image("d.webp", "image/webp", "UklG")]),
    ]
}

fn image(name: &str, media_type: &str, data: &str) -> Image {
    let (name, media_type) = (name.to_owned(), media_type.to_owned());
    Image { name, media_type, data: data.into(), size: Some((3, 5)) }
}

/// Calls that show images, beside one that does not, one that says nothing and one that has failed; and a user who speaks
/// right behind them.
fn with_result_images() -> Vec<Message> {
    let shows = |call: u64, outcome: Outcome, content: &str, images: Vec<Image>| {
        Arc::new(ToolResult { images, ..ToolResult::clone(&result(call, outcome, content)) })
    };
    let (png, gif) = (image("a.png", "image/png", "iVBORw0KGgo="), image("b.gif", "image/gif", "R0lGODlh"));
    let calls = (1..5).map(|n| call(n, &format!("toolu_{n}"), "read", "{}")).collect();
    vec![
        user("Look."),
        Message::Assistant(Arc::new(said(calls))),
        Message::Results(vec![
            shows(1, Outcome::Ok, "`a.png` is an image.", vec![png.clone(), gif.clone()]),
            shows(2, Outcome::Ok, "text", vec![]),
            shows(3, Outcome::Ok, " ", vec![gif]),
            shows(4, Outcome::Failed, "broken", vec![]),
        ]),
        user("And compare."),
        Message::Assistant(Arc::new(said(vec![call(5, "toolu_5", "read", "{}")]))),
        Message::Results(vec![shows(5, Outcome::Ok, "again", vec![png])]),
    ]
}

pub fn call(id: u64, wire_id: &str, name: &str, arguments: &str) -> Block {
    let (wire_id, name) = (wire_id.to_owned(), name.to_owned());
    Block::ToolUse(ToolUse { id: CallId(id), wire_id, name, arguments: Arguments::parse(arguments) })
}

pub fn text(text: &str) -> Block {
    Block::Text(text.into())
}

fn thinking(text: &str, replay: Value) -> Block {
    Block::Thinking(Thinking { text: text.to_owned(), replay: Some(replay) })
}

pub fn said(blocks: Vec<Block>) -> AssistantMessage {
    AssistantMessage {
        id: EntryId(1),
        model: ModelRef::parse("anthropic/model-a"),
        blocks,
        stop: Stop::End,
        usage: Usage::default(),
        interrupted: false,
    }
}

pub fn result(call: u64, outcome: Outcome, content: &str) -> Arc<ToolResult> {
    Arc::new(ToolResult {
        call: CallId(call),
        name: "read".to_owned(),
        outcome,
        content: content.to_owned(),
        duration_ms: 0,
        written: None,
        cut_chars: 0,
        facts: Facts::default(),
        images: Vec::new(),
    })
}

fn with_tools() -> Vec<Message> {
    let signed = json!({ "type": "thinking", "thinking": "Both files.", "signature": "c2ln" });
    let sealed = json!({ "type": "redacted_thinking", "data": "b3BhcXVl" });
    let first = vec![
        thinking("Both files.", signed),
        thinking("", sealed),
        text("I read both."),
        text(" \n"),
        call(1, "toolu_a", "read", r#"{"path":"z","mode":1}"#),
        call(2, "toolu_b", "read", r#"{"path":"#),
    ];
    vec![
        user("Compare the files."),
        Message::Assistant(Arc::new(said(first))),
        Message::Results(vec![
            result(1, Outcome::Ok, ""),
            result(2, Outcome::Invalid, "The arguments are cut off: {\"path\":"),
        ]),
        user("  "),
        user("And hurry."),
        user("Please."),
        Message::Assistant(Arc::new(said(vec![call(3, "toolu_c", "write", "null")]))),
        Message::Results(vec![result(3, Outcome::Denied(Decider::User), "Denied by the user.")]),
        Message::Assistant(Arc::new(said(vec![text("Then I stop here.")]))),
        user("Thanks."),
    ]
}

/// Empty, repeated, too long, with characters that some providers refuse; and one that looks like ours.
fn odd_ids() -> Vec<Message> {
    let long = "x".repeat(65);
    let ids = ["", "0", "0", "functions.add:0", &long, "c1", "ok-1"];
    let calls: Vec<_> = (1..).zip(ids).map(|(n, id)| call(n, id, "read", "{}")).collect();
    let results = (1..8).map(|n| result(n, Outcome::Ok, &format!("result {n}"))).collect();
    let again = vec![call(8, "0", "no such.tool", "{}"), call(9, "", "", "[]")];
    vec![
        user("Go."),
        Message::Assistant(Arc::new(said(calls))),
        Message::Results(results),
        Message::Assistant(Arc::new(said(again))),
        Message::Results(vec![
            result(8, Outcome::UnknownTool, "There is no such tool."),
            result(9, Outcome::Invalid, "Not an object."),
        ]),
    ]
}

/// Reasoning of other models and protocols; reasoning alone; reasoning that goes back.
fn other_model() -> Vec<Message> {
    let foreign = AssistantMessage {
        model: ModelRef::parse("openai-chat/model-b"),
        ..said(vec![thinking("Hm.", json!({ "reasoning_content": "Hm." })), text("Hello.")])
    };
    let other = AssistantMessage {
        model: ModelRef::parse("anthropic/model-b"),
        ..said(vec![thinking("No.", json!({ "type": "thinking", "thinking": "No.", "signature": "x" }))])
    };
    let other_words =
        AssistantMessage { blocks: [other.blocks.clone(), vec![text("Fine.")]].concat(), ..other.clone() };
    let own = vec![
        thinking(
            "A",
            json!({ "reasoning_details": [{ "type": "reasoning.text", "index": 0, "text": "A" }] }),
        ),
        thinking(
            "",
            json!({ "reasoning_details": [{ "type": "reasoning.text", "index": 0, "signature": "s" }] }),
        ),
        thinking("B", json!({ "reasoning_content": "B" })),
        call(1, "call_1", "read", "{}"),
    ];
    vec![
        user("Hi."),
        Message::Assistant(Arc::new(foreign)),
        user("And you?"),
        Message::Assistant(Arc::new(other)),
        user("Hm?"),
        Message::Assistant(Arc::new(other_words)),
        user("Read then."),
        Message::Assistant(Arc::new(said(own))),
        Message::Results(vec![result(1, Outcome::Ok, "text")]),
    ]
}

/// What Esc left, and a turn that the provider paused.
fn interrupted() -> Vec<Message> {
    let ran = |id: &str| block("server_tool_use", id, json!({ "name": "web_search", "input": {} }));
    let partial = AssistantMessage {
        stop: Stop::Interrupted,
        interrupted: true,
        ..said(vec![ran("srv_1"), text("I was about to")])
    };
    let paused = AssistantMessage { stop: Stop::Pause, ..said(vec![ran("srv_2")]) };
    vec![
        user("Search."),
        Message::Assistant(Arc::new(partial)),
        user("Go on."),
        Message::Assistant(Arc::new(paused)),
    ]
}

/// Reasoning items of Responses: before a call, before text, in a row; without a follower, unsealed, in the open.
fn reasoning_items() -> Vec<Message> {
    let item = |id: &str, sealed: &str| {
        let summary = json!([{ "type": "summary_text", "text": "Hm." }]);
        json!({ "type": "reasoning", "id": id, "summary": summary, "encrypted_content": sealed })
    };
    let open = json!({ "type": "reasoning", "id": "rs_5", "summary": [], "content": [{ "type": "reasoning_text", "text": "Open." }] });
    let first = vec![
        thinking("Hm.", item("rs_1", "seal-1")),
        thinking("Hm.", item("rs_2", "seal-2")),
        text("I look."),
        thinking("Hm.", item("rs_3", "seal-3")),
        call(1, "call_1", "read", r#"{"path":"a"}"#),
        call(2, "call_2", "read", "{}"),
        thinking("Hm.", item("rs_trailing", "seal-0")),
    ];
    let second =
        vec![thinking("", item("rs_unsealed", "")), text("It is"), thinking("Open.", open), text("so.")];
    let alone = vec![thinking("Hm.", item("rs_alone", "seal-4"))];
    let other = AssistantMessage {
        model: ModelRef::parse("anthropic/model-b"),
        ..said(vec![thinking("Hm.", item("rs_other", "seal-5")), text("Yes.")])
    };
    vec![
        user("Look."),
        Message::Assistant(Arc::new(said(first))),
        Message::Results(vec![result(1, Outcome::Ok, "a"), result(2, Outcome::Failed, "no such file")]),
        Message::Assistant(Arc::new(said(second))),
        user("Sure?"),
        Message::Assistant(Arc::new(said(alone))),
        user("Hm?"),
        Message::Assistant(Arc::new(other)),
        user("Then not."),
    ]
}
