//! Scripted replies: what a script may hold, and what the scripted model makes of it.

use std::sync::Arc;
use std::time::Duration;

use countersign::ledger::{Message, ModelRef, Stop, Usage};
use countersign::model::{FailureClass, ModelEvent, ModelFailure, ModelNews, Request, ToolCalls};
use countersign::runtime::{ModelPort, ScriptedModel};
use countersign::wire::script::parse;
use futures_util::StreamExt;

fn request() -> Request {
    Request {
        model: ModelRef::parse("script"),
        system: "12345678".into(),
        messages: vec![Message::User(Arc::new("1234".into()))],
        tools: vec![],
        max_output: 100,
        effort: None,
        seed: None,
        adaptive_thinking: false,
        reasons: None,
        cache_key: String::new(),
        answer_schema: None,
        withheld: Default::default(),
    }
}

async fn play(script: &str, tools: ToolCalls) -> Vec<ModelNews> {
    let replies = parse(script).unwrap_or_else(|e| panic!("{e}"));
    ScriptedModel::new(replies, tools).stream(request()).collect().await
}

fn text(news: &[ModelNews]) -> String {
    let texts = news
        .iter()
        .filter_map(|n| if let ModelNews::Event(ModelEvent::Text(t)) = n { Some(t.as_str()) } else { None });
    texts.collect()
}

fn arguments(news: &[ModelNews]) -> Vec<(String, String)> {
    let mut calls: Vec<(String, String)> = Vec::new();
    for news in news {
        match news {
            ModelNews::Event(ModelEvent::CallStarted { name, .. }) => {
                calls.push((name.clone(), String::new()))
            }
            ModelNews::Event(ModelEvent::CallArguments { index, text }) => {
                calls[*index as usize].1.push_str(text)
            }
            _ => {}
        }
    }
    calls
}

fn failure(news: &[ModelNews]) -> &ModelFailure {
    match news.last() {
        Some(ModelNews::Failed(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

const SEED: &str = r#"["{\"tool_calls\": [{\"id\": \"call_1\", \"name\": \"echo\", \"arguments\": {\"text\": \"hello\"}}]}", "No more actions.", "The echo returned: hello"]"#;

#[tokio::test]
async fn the_script_of_the_seed_plays_in_order_and_then_says_that_it_is_over() {
    let model = ScriptedModel::new(parse(SEED).unwrap(), ToolCalls::Native);
    let first: Vec<ModelNews> = model.stream(request()).collect().await;
    assert_eq!(arguments(&first), [("echo".to_owned(), r#"{"text":"hello"}"#.to_owned())]);
    let started = ModelEvent::CallStarted { index: 0, wire_id: "call_1".into(), name: "echo".into() };
    assert!(text(&first).is_empty() && first.contains(&ModelNews::Event(started)));
    assert!(first.contains(&ModelNews::Event(ModelEvent::Stop(Stop::ToolUse))));
    assert_eq!(first.last(), Some(&ModelNews::Finished));
    let second: Vec<ModelNews> = model.stream(request()).collect().await;
    let usage = Usage { input: 3, output: 4, estimated: true, ..Usage::default() };
    assert_eq!(
        second,
        [
            ModelNews::Event(ModelEvent::Text("No more actions.".into())),
            ModelNews::Event(ModelEvent::Usage(usage)),
            ModelNews::Event(ModelEvent::Stop(Stop::End)),
            ModelNews::Finished
        ]
    );
    drop(model.stream(request()));
    let over: Vec<ModelNews> = model.stream(request()).collect().await;
    assert_eq!(over.len(), 1);
    assert_eq!(
        (failure(&over).class, failure(&over).message.as_str()),
        (FailureClass::Exhausted, "the script has no more replies")
    );
    assert!(failure(&over).next_step().contains("add a reply"));
}

#[tokio::test]
async fn string_mode_sends_calls_as_the_text_they_were_written_in() {
    let news = play(SEED, ToolCalls::InText).await;
    assert_eq!(
        text(&news),
        r#"{"tool_calls": [{"id": "call_1", "name": "echo", "arguments": {"text": "hello"}}]}"#
    );
    assert!(arguments(&news).is_empty() && news.contains(&ModelNews::Event(ModelEvent::Stop(Stop::End))));
    let news =
        play(r#"[{"text":"Look:","tool_calls":[{"name":"ls","input":{"a":1}}]}]"#, ToolCalls::InText).await;
    assert_eq!(
        text(&news),
        "Look:\n{\"tool_calls\":[{\"id\":\"\",\"name\":\"ls\",\"arguments\":{\"a\":1}}]}"
    );
}

#[tokio::test]
async fn calls_are_written_in_several_ways() {
    for script in [
        r#"["{\"name\":\"ls\",\"arguments\":{\"a\":1}}"]"#,
        r#"[{"name":"ls","input":{"a":1}}]"#,
        r#"[{"tool_calls":[{"name":"ls","arguments":"{\"a\":1}"}]}]"#,
    ] {
        let news = play(script, ToolCalls::Native).await;
        assert_eq!(arguments(&news), [("ls".to_owned(), r#"{"a":1}"#.to_owned())], "{script}");
    }
    let broken = play(r#"[{"tool_calls":[{"name":"ls","arguments":"{\"a\":"}]}]"#, ToolCalls::Native).await;
    assert_eq!(arguments(&broken)[0].1, "{\"a\":");
    for said in
        ["```tool_call\n{\"tool\": \"x\", \"arguments\": {}}\n```", "{\"tool_calls\": []}", "{\"a\": 1}", "{"]
    {
        let script = serde_json::json!([said]).to_string();
        let news = play(&script, ToolCalls::Native).await;
        assert_eq!((text(&news).as_str(), arguments(&news).len()), (said, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn delays_and_pieces_are_kept() {
    let script = r#"[{"thinking":"hm","text":"héllo wörld","chunk":4,"delay_ms":60000,"pause_ms":1000,"stop_reason":"max_tokens"}]"#;
    let begin = tokio::time::Instant::now();
    let news = play(script, ToolCalls::Native).await;
    assert_eq!(begin.elapsed(), Duration::from_secs(63));
    let event = |e: ModelEvent| ModelNews::Event(e);
    assert_eq!(
        news[..5],
        [
            event(ModelEvent::Thinking("hm".into())),
            event(ModelEvent::ThinkingDone { replay: None }),
            event(ModelEvent::Text("héll".into())),
            event(ModelEvent::Text("o wö".into())),
            event(ModelEvent::Text("rld".into())),
        ]
    );
    assert!(news.contains(&event(ModelEvent::Stop(Stop::Length))));
}

#[tokio::test]
async fn failures_cuts_and_usage() {
    let news =
        play(r#"[{"status":429,"error":{"message":"slow down","retry_after_ms":700}}]"#, ToolCalls::Native)
            .await;
    let expected =
        ModelFailure { retry_after_ms: Some(700), ..ModelFailure::new(FailureClass::Transient, "slow down") };
    assert_eq!(news, [ModelNews::Failed(expected)]);
    for (script, class) in [
        (r#"[{"status":401}]"#, FailureClass::Auth),
        (r#"[{"status":400}]"#, FailureClass::BadRequest),
        (r#"[{"status":503}]"#, FailureClass::Transient),
        (r#"[{"error":{"class":"overflow"}}]"#, FailureClass::Overflow),
        (r#"[{"error":{"status":404}}]"#, FailureClass::UnknownModel),
        (r#"[{"error":"out of luck"}]"#, FailureClass::Transient),
    ] {
        assert_eq!(failure(&play(script, ToolCalls::Native).await).class, class, "{script}");
    }
    let half = play(r#"[{"text":"half of it","error":"broken"}]"#, ToolCalls::Native).await;
    assert_eq!((text(&half).as_str(), failure(&half).message.as_str()), ("half of it", "broken"));
    let cut = play(r#"[{"text":"héllo wörld","chunk":4,"cut":6}]"#, ToolCalls::Native).await;
    assert_eq!((text(&cut).as_str(), failure(&cut).class), ("héllo ", FailureClass::Transient));
    let cut =
        play(r#"[{"text":"a","tool_calls":[{"name":"ls","arguments":{}}],"cut":2}]"#, ToolCalls::Native)
            .await;
    assert_eq!(arguments(&cut)[0].1, "{");
    assert_eq!(
        failure(&play(r#"[{"text":"all","cut":true}]"#, ToolCalls::Native).await).class,
        FailureClass::Transient
    );
    let counted = play(r#"[{"usage":{"input":9,"output":2,"cost_usd":0.5}}]"#, ToolCalls::Native).await;
    let Some(ModelNews::Event(ModelEvent::Usage(usage))) = counted.first() else { panic!("{counted:?}") };
    assert_eq!((usage.input, usage.output, usage.cost.unwrap().0, usage.estimated), (9, 2, 500_000, false));
}

#[test]
fn mistakes_are_named_by_element_and_key() {
    for (script, words) in [
        ("hello", "the script is not a JSON array of replies"),
        ("{}", "the script is not a JSON array of replies"),
        ("[\"a\", 7]", "element 2 of the script: 7 is neither a string nor an object"),
        (r#"["a",{"txt":"b"}]"#, "element 2 of the script: unknown key `txt`; the keys are text,"),
        (r#"[{"text":1}]"#, "element 1 of the script: `text` is 1, not text"),
        (r#"[{"delay_ms":"1"}]"#, "`delay_ms` is \"1\", not a whole number"),
        (r#"[{"chunk":0}]"#, "`chunk` is 0"),
        (r#"[{"tool_calls":{}}]"#, "`tool_calls` is {}, not a list"),
        (
            r#"["{\"tool_calls\":[{\"arguments\":{}}]}"]"#,
            "element 1 of the script: `tool_calls`, call 1: `name` is missing",
        ),
        (r#"[{"error":{"class":"odd"}}]"#, "`error.class` is `odd`; the classes are transient,"),
        (r#"[{"error":{"klass":"auth"}}]"#, "unknown key `error.klass`"),
        (r#"[{"usage":{"in":1}}]"#, "unknown key `usage.in`"),
    ] {
        let fault = parse(script).unwrap_err().to_string();
        assert!(fault.contains(words), "{script}: {fault}");
    }
}
