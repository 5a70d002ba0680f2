//! Servers that speak Chat Completions each a little differently: what each is known for, and what it wants back.

use std::sync::Arc;

use crate::support::answer::Answer;
use crate::support::history::{call, request, result, said, text, user};
use crate::support::read_all_ways;
use countersign::ledger::{
    AssistantMessage, Block, Image, Message, ModelRef, Outcome, Stop, Thinking, Usage,
};
use countersign::model::{FailureClass, Request};
use countersign::wire::{Endpoint, Protocol, Quirks, http_failure, string_mode::refuses_tools};
use serde_json::{Value, json};

/// What a stream of these chunks says, however it is cut. A chunk that is no JSON stands as it is.
fn heard(chunks: &[&str]) -> Answer {
    let line = |chunk: &&str| {
        if chunk.starts_with([':', 'e']) { format!("{chunk}\n") } else { format!("data: {chunk}\n\n") }
    };
    let stream: String = chunks.iter().map(line).collect();
    Answer::of(&read_all_ways(Protocol::OpenAiChat, stream.as_bytes(), chunks[0]))
}

/// A chunk with this delta, and the rest of its choice.
fn delta(delta: &str, rest: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{delta}{rest}}}]}}"#)
}

fn calls(answer: &Answer) -> Vec<(&str, &str)> {
    answer.calls.iter().map(|c| (c.name.as_str(), c.arguments.as_str())).collect()
}

const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
const CALLS: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#;
const DONE: &str = "[DONE]";

#[test]
fn azure_and_copilot_begin_with_a_chunk_of_nothing() {
    let first = r#"{"choices":[],"id":"","model":"","prompt_filter_results":[{"prompt_index":0}]}"#;
    let answer = heard(&[first, &delta(r#"{"content":"Hi"}"#, ""), STOP, DONE]);
    assert_eq!((answer.text.as_str(), answer.stop), ("Hi", Some(Stop::End)));
}

#[test]
fn groq_sends_whole_arguments_and_its_own_usage_and_says_when_a_call_was_bad() {
    let answer = heard(&[
        &delta(r#"{"reasoning":"Hm.","channel":"analysis"}"#, ""),
        &delta(
            r#"{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"now","arguments":"null"}}]}"#,
            "",
        ),
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"x_groq":{"usage":{"prompt_tokens":9,"completion_tokens":2}}}"#,
        DONE,
    ]);
    assert_eq!((answer.thinking.as_str(), calls(&answer)), ("Hm.", vec![("now", "null")]));
    assert_eq!(answer.usage.unwrap(), Usage { input: 9, output: 2, ..Usage::default() });
    let bad = r#"{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"x","status_code":400}}"#;
    let answer = heard(&["event: error", bad]);
    assert_eq!(
        answer.failure.unwrap().class,
        FailureClass::OutputRejected,
        "the next attempt writes another call"
    );
}

#[test]
fn mistral_sends_everything_in_one_chunk_and_thinks_in_parts() {
    let whole = r#"{"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Both."}]},{"type":"text","text":"Yes."}],"tool_calls":[{"id":"aB3dE6gH9","function":{"name":"read","arguments":"{\"a\":1}"}},{"id":"zB3dE6gH9","function":{"name":"list","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}}"#;
    let answer = heard(&[whole, DONE]);
    assert_eq!((answer.thinking.as_str(), answer.text.as_str()), ("Both.", "Yes."));
    assert_eq!(calls(&answer), [("read", "{\"a\":1}"), ("list", "{}")]);
    assert_eq!((answer.usage.unwrap().output, answer.stop), (7, Some(Stop::ToolUse)));
}

#[test]
fn deepseek_counts_its_cache_in_its_own_words() {
    let usage = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":3,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}}"#;
    let answer = heard(&[
        &delta(r#"{"reasoning_content":"Hm."}"#, ""),
        &delta(r#"{"content":"Hi"}"#, ""),
        usage,
        DONE,
    ]);
    assert_eq!((answer.usage.unwrap().cache_read, answer.thinking.as_str()), (64, "Hm."));
    assert_eq!(answer.replays, [json!({ "reasoning_content": "Hm." })]);
}

#[test]
fn openrouter_keeps_alive_says_reasoning_twice_and_fails_in_mid_stream() {
    let piece = |text: &str, more: &str| {
        delta(
            &format!(
                r#"{{"reasoning":"{text}","reasoning_details":[{{"type":"reasoning.text","index":0,"text":"{text}"{more}}}]}}"#
            ),
            "",
        )
    };
    let answer = heard(&[
        ": OPENROUTER PROCESSING",
        &piece("a", ""),
        &piece("b", r#","signature":"s""#),
        &delta(r#"{"content":"Hi"}"#, ""),
        STOP,
        DONE,
    ]);
    assert_eq!((answer.thinking.as_str(), answer.text.as_str()), ("ab", "Hi"));
    let kept = json!([{ "type": "reasoning.text", "index": 0, "text": "ab", "signature": "s" }]);
    assert_eq!(answer.replays, [json!({ "reasoning_details": kept })]);
    let broken = r#"{"error":{"code":502,"message":"Provider disconnected"},"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}"#;
    let answer = heard(&[&delta(r#"{"content":"Hi"}"#, ""), broken, DONE]);
    assert_eq!(answer.failure.unwrap().class, FailureClass::Transient);
}

#[test]
fn xai_counts_reasoning_beside_the_written_tokens() {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":115,"completion_tokens_details":{"reasoning_tokens":100}}}"#;
    let answer = heard(&[STOP, usage, DONE]);
    assert_eq!(answer.usage.unwrap(), Usage { input: 10, output: 105, reasoning: 100, ..Usage::default() });
}

#[test]
fn ollama_stops_with_calls_and_refuses_tools_in_words() {
    let whole = r#"{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"read","arguments":"{}"}}]}"#;
    let answer = heard(&[
        &delta(whole, ""),
        STOP,
        r#"{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#,
        DONE,
    ]);
    assert_eq!((answer.stop, answer.calls.len()), (Some(Stop::ToolUse), 1));
    let refusal = br#"{"error":{"message":"registry.ollama.ai/library/phi4:14b does not support tools","type":"api_error"}}"#;
    assert!(refuses_tools(&http_failure(400, &[], refusal)));
}

#[test]
fn llama_cpp_tells_what_it_needs_and_while_it_loads() {
    let error = |status: u16, kind: &str, message: &str| {
        let body = json!({ "error": { "code": status, "message": message, "type": kind } }).to_string();
        http_failure(status, &[], body.as_bytes())
    };
    let jinja = error(500, "server_error", "tools param requires --jinja flag");
    assert!(refuses_tools(&jinja) && jinja.next.contains("--jinja"), "{jinja:?}");
    let loading = error(503, "unavailable_error", "Loading model");
    assert_eq!(loading.class, FailureClass::Transient);
    let words = "request (2009 tokens) exceeds the available context size (512 tokens), try increasing it";
    assert_eq!(error(400, "exceed_context_size_error", words).class, FailureClass::Overflow);
    let timings =
        r#"{"choices":[],"usage":{"prompt_tokens":4,"completion_tokens":2},"timings":{"prompt_n":4}}"#;
    assert_eq!(heard(&[STOP, timings, DONE]).usage.unwrap().input, 4);
}

#[test]
fn vllm_and_lm_studio_say_reasoning_under_one_or_two_names() {
    let both = delta(r#"{"reasoning":"Hm.","reasoning_content":"Hm."}"#, "");
    let one = delta(r#"{"reasoning_content":"Hm."}"#, "");
    for chunk in [both, one] {
        assert_eq!(heard(&[&chunk, STOP, DONE]).thinking, "Hm.", "{chunk}");
    }
    let overflow = br#"{"error":"The number of tokens to keep from the initial prompt is greater than the context length."}"#;
    assert_eq!(http_failure(400, &[], overflow).class, FailureClass::Overflow);
}

#[test]
fn zai_kimi_and_others_have_their_own_reasons_and_places() {
    let end = |reason: &str| {
        heard(&[&delta(r#"{"content":"x"}"#, &format!(r#","finish_reason":"{reason}""#)), DONE])
    };
    assert_eq!(end("sensitive").stop, Some(Stop::Refusal));
    assert_eq!(end("model_context_window_exceeded").stop, Some(Stop::ContextOverflow));
    assert_eq!(end("network_error").failure.unwrap().class, FailureClass::Transient);
    let inside = r#","finish_reason":"stop","usage":{"prompt_tokens":3,"completion_tokens":1}"#;
    assert_eq!(heard(&[&delta(r#"{"content":"x"}"#, inside), DONE]).usage.unwrap().input, 3);
}

#[test]
fn perplexity_repeats_the_message_and_some_gateways_give_no_reason() {
    let chunk = |piece: &str, so_far: &str| {
        delta(
            &format!(r#"{{"content":"{piece}"}}"#),
            &format!(r#","message":{{"role":"assistant","content":"{so_far}"}}"#),
        )
    };
    assert_eq!(heard(&[&chunk("a", "a"), &chunk("b", "ab"), STOP]).text, "ab");
    let answer = heard(&[&delta(r#"{"content":"Hi"}"#, ""), DONE]);
    assert_eq!((answer.text.as_str(), answer.stop), ("Hi", Some(Stop::End)));
    let usage = r#","finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1},"x":[{"y":1"#;
    let twice = [
        &delta(r#"{"content":"Hi"}"#, usage),
        r#"{"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":2}}"#,
        DONE,
    ];
    assert_eq!(heard(&twice).usage.unwrap().input, 2, "the last one counts");
}

/// What is sent to `base` for this history.
fn sent(base: &str, quirks: Quirks, messages: Vec<Message>) -> Vec<Value> {
    let endpoint = Endpoint { quirks, ..Endpoint::new(base, None) };
    let request = Request { model: ModelRef::parse("anthropic/model-a"), ..request(messages) };
    let body: Value = serde_json::from_slice(&Protocol::OpenAiChat.encode(&request, &endpoint).body).unwrap();
    body["messages"].as_array().unwrap().iter().filter(|m| m["role"] != "system").cloned().collect()
}

fn history() -> Vec<Message> {
    let turn = said(vec![
        text("I look."),
        call(1, "functions.read:0", "read", "{}"),
        call(2, "aB3dE6gH9", "list", "{}"),
    ]);
    let results = vec![result(1, Outcome::Ok, "one"), result(2, Outcome::Failed, "two")];
    vec![
        user("Go."),
        user("Now."),
        Message::Assistant(Arc::new(turn)),
        Message::Results(results),
        user("And?"),
    ]
}

#[test]
fn mistral_gets_ids_of_nine_letters_and_strict_turns() {
    let strict = Quirks { nine_letter_ids: Some(true), strict_order: Some(true), ..Quirks::default() };
    for (base, quirks) in [("https://api.mistral.ai/v1", Quirks::default()), ("http://127.0.0.1:1", strict)] {
        let messages = sent(base, quirks, history());
        let roles: Vec<&str> = messages.iter().map(|m| m["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["user", "assistant", "tool", "tool", "assistant", "user"], "{base}");
        assert_eq!(messages[0]["content"], "Go.\n\nNow.");
        let ids = [&messages[1]["tool_calls"][0]["id"], &messages[1]["tool_calls"][1]["id"]];
        assert_eq!(ids, ["000000001", "aB3dE6gH9"], "its own id stays, the other is made to fit");
        assert_eq!([&messages[2]["tool_call_id"], &messages[3]["tool_call_id"]], ids);
    }
    let plain = sent("http://127.0.0.1:1", Quirks::default(), history());
    assert_eq!(plain.len(), 6);
    assert_eq!(plain[2]["tool_calls"][0]["id"], "c1", "`.` and `:` are refused by others");
}

#[test]
fn what_results_show_comes_after_all_of_them_and_roles_stay_in_turn() {
    let mut messages = history();
    let Some(Message::Results(results)) = messages.iter_mut().find(|m| matches!(m, Message::Results(_)))
    else {
        panic!("no results")
    };
    let shown = Image {
        name: "a.png".into(),
        media_type: "image/png".into(),
        data: "iVBORw0KGgo=".into(),
        size: None,
    };
    Arc::make_mut(&mut results[0]).images.push(shown);
    let strict = Quirks { strict_order: Some(true), ..Quirks::default() };
    let sent_to = |quirks| sent("http://127.0.0.1:1", quirks, messages.clone());
    let roles =
        |said: &[Value]| said.iter().map(|m| m["role"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    let (plain, strict) = (sent_to(Quirks::default()), sent_to(strict));
    assert_eq!(roles(&plain), ["user", "user", "assistant", "tool", "tool", "user", "user"]);
    assert_eq!(roles(&strict), ["user", "assistant", "tool", "tool", "assistant", "user"]);
    let parts = strict[5]["content"].as_array().unwrap();
    assert_eq!(
        parts[0]["text"],
        format!("[Image of call {} (read)]", plain[3]["tool_call_id"].as_str().unwrap())
    );
    assert_eq!((&parts[1]["type"], &parts[2]["text"]), (&json!("image_url"), &json!("And?")));
}

#[test]
fn what_a_strict_server_refuses_teaches_its_order() {
    let refused = |body: &str| http_failure(400, &[], body.as_bytes());
    let taught = |body: &str| Quirks::default().learn(&refused(body));
    let order = r#"{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","code":"3230"}"#;
    let turns = r#"{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/...","code":400}}"#;
    let strict = Quirks { strict_order: Some(true), ..Quirks::default() };
    assert_eq!((taught(order), taught(turns)), (Some(strict), Some(strict)));
    assert_eq!(strict.learn(&refused(order)), None, "a second refusal teaches nothing new");
    let ids = r#"{"message":"Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call"}"#;
    assert_eq!(taught(ids), Some(Quirks { nine_letter_ids: Some(true), ..Quirks::default() }));
    assert_eq!(taught(r#"{"error":{"message":"temperature is too high"}}"#), None);
}

#[test]
fn deepseek_gets_reasoning_back_with_every_call() {
    let messages = sent("https://api.deepseek.com/v1", Quirks::default(), history());
    assert_eq!(messages[2]["reasoning_content"], "", "even where there was none");
    let elsewhere = sent("https://models.example/v1", Quirks::default(), history());
    assert!(elsewhere[2].get("reasoning_content").is_none());
}

#[test]
fn google_gets_the_signature_of_a_thought_back_with_its_call() {
    let signed = |id: &str| {
        let extra = json!({ "google": { "thought_signature": format!("of {id}") } });
        json!({ "index": 0, "id": id, "type": "function", "extra_content": extra,
                "function": { "name": "read", "arguments": "{}" } })
    };
    let chunk =
        |call: Value| json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] }).to_string();
    let plain = r#"{"index":0,"id":"b","type":"function","function":{"name":"list","arguments":"{}"}}"#;
    let plain: Value = serde_json::from_str(plain).unwrap();
    let answer = heard(&[&chunk(signed("a")), &chunk(plain), &chunk(signed("c")), CALLS, DONE]);
    assert_eq!(answer.calls.len(), 3, "calls in parallel share the index 0");
    let [blob] = answer.replays.as_slice() else { panic!("{:?}", answer.replays) };

    let google = "https://generativelanguage.googleapis.com/v1beta/openai";
    let kept = Block::Thinking(Thinking { text: String::new(), replay: Some(blob.clone()) });
    let turn = |blocks: Vec<Block>, model: &str| -> Vec<Value> {
        let calls = vec![call(1, "a", "read", "{}"), call(2, "b", "list", "{}"), call(3, "c", "read", "{}")];
        let blocks = calls.into_iter().chain(blocks).collect();
        let turn = AssistantMessage { model: ModelRef::parse(model), ..said(blocks) };
        let results = (1..=3).map(|id| result(id, Outcome::Ok, "x")).collect();
        let messages = vec![user("Go."), Message::Assistant(Arc::new(turn)), Message::Results(results)];
        sent(google, Quirks::default(), messages)[1]["tool_calls"].as_array().unwrap().clone()
    };
    let own = turn(vec![kept.clone()], "anthropic/model-a");
    assert_eq!(own[0]["extra_content"]["google"]["thought_signature"], "of a");
    assert!(own[1].get("extra_content").is_none());
    assert_eq!(own[2]["extra_content"]["google"]["thought_signature"], "of c");
    let others = turn(vec![kept], "other/model");
    assert_eq!(others[0]["extra_content"]["google"]["thought_signature"], "skip_thought_signature_validator");
    assert!(others[1].get("extra_content").is_none(), "the first of a step stands for all");
    let error =
        heard(&[r#"[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}]"#]);
    assert_eq!(error.failure.unwrap().class, FailureClass::Auth, "errors come in an array");
}

/// What is heard of these deltas. With `in_full` each says one thing more, which is nothing.
fn heard_of(deltas: &[&str], in_full: bool) -> Answer {
    let chunk = |delta: &&str| {
        let delta = if in_full {
            delta.replacen('{', r#"{"refusal":"","#, 1).replace(",}", "}")
        } else {
            (*delta).to_owned()
        };
        format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}],"usage":null}}"#)
    };
    let chunks: Vec<String> = deltas.iter().map(chunk).collect();
    let data: Vec<&str> = chunks.iter().map(String::as_str).chain([DONE]).collect();
    heard(&data)
}

#[test]
fn what_is_read_quickly_is_what_is_read_in_full() {
    let deltas = [
        r#"{"role":"assistant","content":""}"#,
        r#"{"content":null,"reasoning_content":"Hm, "}"#,
        r#"{"content":"","reasoning":"both","reasoning_content":"well."}"#,
        r#"{"reasoning":"the other name","reasoning_content":""}"#,
        r#"{"content":"f\u00fcr \"one\"\n"}"#,
        r#"{"content":"and","reasoning_content":"again"}"#,
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"write","arguments":""}}]}"#,
        r#"{"content":null,"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]}"#,
        r#"{"tool_calls":[{"index":0,"id":"","function":{"name":"","arguments":"1}"}}]}"#,
        r#"{"content":"between","tool_calls":[{"index":7,"id":null,"function":{"arguments":"lost?"}}]}"#,
        r#"{"tool_calls":null}"#,
        "{}",
    ];
    for at in 0..deltas.len() {
        let (before, from) = deltas.split_at(at);
        for part in [before, from] {
            assert_eq!(format!("{:?}", heard_of(part, false)), format!("{:?}", heard_of(part, true)));
        }
    }
}
