//! The mock exports of the seeds, to the letter: what the shell hands over when they are pasted into it.

use std::sync::Arc;

use countersign::ledger::{Message, ModelRef};
use countersign::model::{ModelNews, Request, ToolCalls};
use countersign::runtime::{ModelPort, ScriptedModel, StringModel};
use countersign::wire::script;
use futures_util::StreamExt;

use crate::string_mode::{Answer, call};

async fn play(export: &str) -> Vec<Answer> {
    let replies = script::parse(export).unwrap();
    let turns = replies.len();
    let model = StringModel::new(Box::new(ScriptedModel::new(replies, ToolCalls::InText)));
    let mut answers = Vec::new();
    for _ in 0..turns {
        let request = Request {
            model: ModelRef::parse("script"),
            system: String::new(),
            messages: vec![Message::User(Arc::new("Go.".into()))],
            tools: Vec::new(),
            max_output: 100,
            effort: None,
            seed: None,
            adaptive_thinking: false,
            reasons: None,
            cache_key: String::new(),
            answer_schema: None,
            withheld: Default::default(),
        };
        let news: Vec<ModelNews> = model.stream(request).collect().await;
        assert_eq!(news.last(), Some(&ModelNews::Finished));
        let events =
            news.into_iter().filter_map(|n| if let ModelNews::Event(e) = n { Some(e) } else { None });
        answers.push(Answer::of(events));
    }
    answers
}

fn with_id(id: &str, name: &str, arguments: &str) -> Answer {
    Answer { calls: vec![(id.to_owned(), name.to_owned(), arguments.to_owned())], ..Answer::default() }
}

#[tokio::test]
async fn the_exports_of_seed_2() {
    let tool = r#"["{\"tool_calls\": [{\"id\": \"call_1\", \"name\": \"echo\", \"arguments\": {\"text\": \"hello\"}}]}", "No more actions.", "The echo returned: hello"]"#;
    assert_eq!(
        play(tool).await,
        [
            with_id("call_1", "echo", r#"{"text":"hello"}"#),
            Answer::text("No more actions."),
            Answer::text("The echo returned: hello"),
        ]
    );
    let delegation = r#"["{\"tool_calls\": [{\"id\": \"call_1\", \"name\": \"delegate_to_researcher\", \"arguments\": {\"task\": \"Find quantum info\"}}]}", "No more actions.", "Based on the research, quantum computing uses qubits."]"#;
    assert_eq!(
        play(delegation).await[0],
        with_id("call_1", "delegate_to_researcher", r#"{"task":"Find quantum info"}"#)
    );
    let simple = r#"["Hello! How can I help you?"]"#;
    assert_eq!(play(simple).await, [Answer::text("Hello! How can I help you?")]);
    let kubernetes = r#"["{\"tool_calls\": [{\"id\": \"call_1\", \"name\": \"delegate_to_worker\", \"arguments\": {\"task\": \"process data\"}}]}", "No more actions.", "Done."]"#;
    assert_eq!(
        play(kubernetes).await[0],
        with_id("call_1", "delegate_to_worker", r#"{"task":"process data"}"#)
    );
}

#[tokio::test]
async fn the_exports_of_seed_5() {
    let tool = r#"["I will use the echo tool.\n\n```tool_call\n{\"tool\": \"echo\", \"arguments\": {\"text\": \"hello\"}}\n```", "The echo returned: hello"]"#;
    assert_eq!(
        play(tool).await,
        [
            Answer {
                text: "I will use the echo tool.".to_owned(),
                calls: vec![call("echo", r#"{"text":"hello"}"#)],
                ..Answer::default()
            },
            Answer::text("The echo returned: hello"),
        ]
    );
    let delegation = r#"["I will delegate to the researcher.\n\n```delegate\n{\"agent\": \"researcher\", \"task\": \"Find quantum computing info\"}\n```", "Based on the research, quantum computing uses qubits."]"#;
    assert_eq!(
        play(delegation).await[0],
        Answer {
            text: "I will delegate to the researcher.".to_owned(),
            calls: vec![call("delegate_to_researcher", r#"{"task":"Find quantum computing info"}"#)],
            ..Answer::default()
        }
    );
    let kubernetes = r#"["```delegate\n{\"agent\": \"worker\", \"task\": \"process data\"}\n```", "Done."]"#;
    assert_eq!(
        play(kubernetes).await,
        [
            Answer {
                calls: vec![call("delegate_to_worker", r#"{"task":"process data"}"#)],
                ..Answer::default()
            },
            Answer::text("Done."),
        ]
    );
}

#[test]
fn the_unified_format_and_the_examples_of_the_seeds() {
    let calls = |text: &str| crate::string_mode::read(text).calls;
    assert_eq!(
        calls(r#"{"tool_calls": [{"name": "calculator", "arguments": {"expression": "2 + 2"}}]}"#),
        [call("calculator", r#"{"expression":"2 + 2"}"#)]
    );
    assert_eq!(
        calls(
            r#"{"tool_calls": [{"name": "search", "arguments": {"q": "test"}}, {"name": "echo", "arguments": {"msg": "hi"}}]}"#
        ),
        [call("search", r#"{"q":"test"}"#), call("echo", r#"{"msg":"hi"}"#)]
    );
    let answer = crate::string_mode::read(
        "I'll use the calculator tool to compute this.\n\n```tool_call\n{\"tool\": \"calculate\", \"arguments\": {\"expression\": \"2 + 2\"}}\n```\n",
    );
    assert_eq!(answer.text, "I'll use the calculator tool to compute this.");
    assert_eq!(answer.calls, [call("calculate", r#"{"expression":"2 + 2"}"#)]);
}
