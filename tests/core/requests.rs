//! What a request says beside its history: about reasoning, by what is known of the model, and whose conversation it is.

use std::sync::Arc;

use crate::support::{history, read_all_ways};
use countersign::ledger::{Arguments, CallId, EntryId, Message, ModelRef, Outcome, Usage};
use countersign::model::{Draft, Effort, ModelNews, Request};
use countersign::wire::{Endpoint, Protocol, Secret, http_failure};
use serde_json::{Value, json};

const PROTOCOLS: [Protocol; 3] = [Protocol::Anthropic, Protocol::OpenAiChat, Protocol::OpenAiResponses];

/// The body for a request of the first case, changed like this.
fn body_of(protocol: Protocol, endpoint: &Endpoint, change: impl FnOnce(&mut Request)) -> Value {
    let (_, mut request) = history::cases().into_iter().next().unwrap();
    change(&mut request);
    serde_json::from_slice(&protocol.encode(&request, endpoint).body).unwrap()
}

#[test]
fn what_thinks_by_itself_is_asked_to_and_to_show_it_and_others_are_not() {
    let server = Endpoint::new("http://x", None);
    let thinking = |server: &Endpoint, adaptive, reasons, effort| {
        let body = body_of(Protocol::Anthropic, server, |request| {
            request.adaptive_thinking = adaptive;
            request.reasons = reasons;
            request.effort = effort;
        });
        (body["thinking"].clone(), body["output_config"].clone())
    };
    let shown = json!({ "type": "adaptive", "display": "summarized" });
    assert_eq!(thinking(&server, true, Some(true), None), (shown.clone(), Value::Null));
    assert_eq!(thinking(&server, true, Some(true), Some(Effort::None)).0, json!({ "type": "disabled" }));
    // Older models think for a price that nobody chose; of an unknown one nobody knows whether it takes the word.
    for (adaptive, reasons) in [(false, Some(true)), (true, None), (false, None), (true, Some(false))] {
        assert_eq!(thinking(&server, adaptive, reasons, None), (Value::Null, Value::Null), "{reasons:?}");
    }
    let high = json!({ "effort": "high" });
    assert_eq!(thinking(&server, true, None, Some(Effort::High)), (shown, high.clone()));
    assert_eq!(thinking(&server, true, Some(false), Some(Effort::High)), (Value::Null, Value::Null));
    // What a server refuses is left out.
    let quirk = |words: &str| {
        let body = json!({ "type": "error", "error": { "type": "invalid_request_error", "message": words } });
        let refusal = http_failure(400, &[], body.to_string().as_bytes());
        let quirks = server.quirks.learn(&refusal).unwrap();
        assert_eq!(quirks.learn(&refusal), None, "it is learned once");
        Endpoint { quirks, ..server.clone() }
    };
    let blind = quirk("thinking.adaptive.display: Extra inputs are not permitted");
    let plain = json!({ "type": "adaptive" });
    assert_eq!(thinking(&blind, true, Some(true), None).0, plain);
    assert_eq!(thinking(&blind, true, Some(true), Some(Effort::High)), (plain, high));
    let older =
        quirk("thinking: Input tag 'adaptive' found using 'type' does not match any of the expected tags");
    assert_eq!(thinking(&older, true, Some(true), None).0, Value::Null);
}

#[test]
fn the_key_stands_in_the_header_that_the_server_reads() {
    let (_, request) = history::cases().into_iter().next().unwrap();
    let sent = |protocol: Protocol, bearer: bool| -> Vec<(String, String)> {
        let mut server = Endpoint::new("http://x", Some(Secret::new("sk-1")));
        server.quirks.bearer = bearer;
        let mut headers = protocol.encode(&request, &server).headers;
        headers.retain(|(name, _)| name == "x-api-key" || name == "authorization");
        headers.into_iter().map(|(name, value)| (name, value.expose().to_owned())).collect()
    };
    let alone = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
    assert_eq!(sent(Protocol::Anthropic, false), alone("x-api-key", "sk-1"));
    assert_eq!(sent(Protocol::Anthropic, true), alone("authorization", "Bearer sk-1"));
    for protocol in [Protocol::OpenAiChat, Protocol::OpenAiResponses] {
        assert_eq!(sent(protocol, false), alone("authorization", "Bearer sk-1"), "{protocol:?}");
    }
}

#[test]
fn nothing_is_said_about_reasoning_to_a_model_that_does_not_reason() {
    for protocol in PROTOCOLS {
        for host in ["http://x", "https://api.deepseek.com"] {
            let sent = |reasons| {
                body_of(protocol, &Endpoint::new(host, None), |request| {
                    request.reasons = reasons;
                    request.effort = Some(Effort::High);
                    request.adaptive_thinking = true;
                    // Nothing to replay: what a model has said as reasoning goes back to it.
                    request.messages = vec![
                        history::user("Read."),
                        Message::Assistant(Arc::new(history::said(vec![history::call(
                            1, "a", "read", "{}",
                        )]))),
                        Message::Results(vec![history::result(1, Outcome::Ok, "text")]),
                    ];
                })
                .to_string()
            };
            let words = ["reasoning", "thinking", "effort"];
            let said = |body: &str| words.iter().any(|word| body.contains(word));
            assert!(!said(&sent(Some(false))), "{protocol:?} {host}: {}", sent(Some(false)));
            assert!(said(&sent(Some(true))) && said(&sent(None)), "{protocol:?} {host}");
        }
    }
}

#[test]
fn responses_sums_reasoning_up_by_default_and_names_the_conversation() {
    let server = Endpoint::new("http://x", None);
    let sent = |server: &Endpoint, reasons, effort, key: &str| {
        let body = body_of(Protocol::OpenAiResponses, server, |request| {
            request.reasons = reasons;
            request.effort = effort;
            key.clone_into(&mut request.cache_key);
        });
        (body["reasoning"].clone(), body["include"].clone(), body["prompt_cache_key"].clone())
    };
    let sealed = json!(["reasoning.encrypted_content"]);
    let wanted = |reasoning, include| (reasoning, include, json!("session-1"));
    let auto = json!({ "summary": "auto" });
    assert_eq!(sent(&server, Some(true), None, "session-1"), wanted(auto, sealed.clone()));
    assert_eq!(sent(&server, None, None, "session-1"), wanted(Value::Null, sealed.clone()), "nobody knows");
    assert_eq!(sent(&server, Some(false), Some(Effort::Low), "session-1"), wanted(Value::Null, Value::Null));
    let none = json!({ "effort": "none" });
    assert_eq!(sent(&server, Some(true), Some(Effort::None), "session-1"), wanted(none, sealed));
    for unfit in ["", &"x".repeat(65)] {
        assert_eq!(sent(&server, None, None, unfit).2, Value::Null);
    }
    for (words, what) in [
        ("Unknown parameter: 'prompt_cache_key'.", 2),
        ("Your organization must be verified to generate reasoning summaries.", 0),
    ] {
        let body = json!({ "error": { "type": "invalid_request_error", "message": words } });
        let refusal = http_failure(400, &[], body.to_string().as_bytes());
        let quirks = server.quirks.learn(&refusal).unwrap();
        let (reasoning, _, key) = sent(&Endpoint { quirks, ..server.clone() }, Some(true), None, "session-1");
        assert_eq!([reasoning.is_null(), key.is_null()], [what == 0, what == 2], "{words}");
    }
}

/// What the draft of an answer makes of its one call.
fn called(protocol: Protocol, stream: &str) -> Arguments {
    let mut draft = Draft::default();
    for news in read_all_ways(protocol, stream.as_bytes(), stream) {
        if let ModelNews::Event(event) = news {
            draft.push(event);
        }
    }
    let message = draft.complete(EntryId(1), ModelRef::parse("m"), Usage::default(), || CallId(1));
    message.calls().next().unwrap().arguments.clone()
}

#[test]
fn arguments_that_a_server_encoded_twice_are_the_object_that_is_meant() {
    let object = json!({ "path": "a \"b\" \u{1f44b}\n" });
    let twice = Value::from(object.to_string()).to_string();
    let line = |name: &str, data: Value| format!("event: {name}\ndata: {data}\n\n");
    let stream = |protocol: Protocol, arguments: &str| {
        match protocol {
        Protocol::Anthropic => [
            json!({ "type": "message_start", "message": { "id": "m", "usage": {} } }),
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "tool_use", "id": "a", "name": "read", "input": {} } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": arguments } }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "message_stop" }),
        ]
        .map(|data| line(data["type"].as_str().unwrap(), data.clone()))
        .concat(),
        Protocol::OpenAiChat => {
            let function = json!({ "name": "read", "arguments": arguments });
            let call = json!([{ "index": 0, "id": "a", "function": function }]);
            let chunk = json!({ "choices": [{ "delta": { "tool_calls": call }, "finish_reason": "tool_calls" }] });
            format!("data: {chunk}\n\n")
        }
        Protocol::OpenAiResponses => {
            let item = json!({ "type": "function_call", "call_id": "a", "name": "read", "arguments": arguments });
            let data = json!({ "type": "response.output_item.done", "output_index": 0, "item": item });
            let end = json!({ "type": "response.completed", "response": { "status": "completed" } });
            line("response.output_item.done", data) + &line("response.completed", end)
        }
    }
    };
    for protocol in PROTOCOLS {
        for text in [&object.to_string(), &twice, &format!(" {twice}\n")] {
            assert_eq!(called(protocol, &stream(protocol, text)).to_value(), object, "{protocol:?} {text}");
        }
        // What holds no object, or hides it deeper, is refused as it came.
        let thrice = Value::from(twice.clone()).to_string();
        for text in ["\"a\"", "\"[1]\"", "\"{\\\"path\\\":\"", "[{}]", &thrice] {
            let arguments = called(protocol, &stream(protocol, text));
            assert_eq!(arguments, Arguments::Unusable(text.to_owned()), "{protocol:?}");
        }
    }
}
