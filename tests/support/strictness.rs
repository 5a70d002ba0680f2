//! Proof that the model server is strict: what our encoders never write is refused too.

use countersign::runtime::{HttpModel, ModelPort, Timeouts};
use countersign::wire::{Endpoint, Protocol};
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::model_server::ModelServer;
use crate::support::history::{request, user};

#[tokio::test]
async fn the_server_refuses_what_the_providers_refuse() {
    let anthropic = |messages: Value| ("/v1/messages", json!({ "max_tokens": 1, "messages": messages }));
    let chat = |messages: Value| ("/v1/chat/completions", json!({ "messages": messages }));
    let used = |id: &str| json!({ "type": "tool_use", "id": id, "name": "read", "input": {} });
    let answered = json!({ "type": "tool_result", "tool_use_id": "a", "content": "" });
    let words = json!({ "type": "text", "text": "x" });
    let turns = |blocks: Value| json!([{ "role": "user", "content": "x" }, { "role": "assistant", "content": [used("a")] }, { "role": "user", "content": blocks }]);
    let called = |id: &str, arguments: &str| {
        let function = json!({ "name": "read", "arguments": arguments });
        json!([{ "role": "user", "content": "x" }, { "role": "assistant", "tool_calls": [{ "id": id, "function": function }] }])
    };
    refused(&[
        (anthropic(json!([])), "at least one message"),
        (anthropic(json!([{ "role": "assistant", "content": "x" }])), "first message must use"),
        (
            anthropic(json!([{ "role": "user", "content": "x" }, { "role": "user", "content": "y" }])),
            "must alternate",
        ),
        (anthropic(json!([{ "role": "user", "content": "" }])), "must be non-empty"),
        (anthropic(json!([{ "role": "user", "content": [] }])), "non-empty content"),
        (anthropic(json!([{ "role": "user", "content": " " }])), "non-whitespace"),
        (anthropic(turns(json!([words, answered]))), "without `tool_result` blocks immediately after: a"),
        (anthropic(turns(json!([answered, answered]))), "must have a single result"),
        (
            anthropic(
                json!([{ "role": "user", "content": "x" }, { "role": "assistant", "content": [used("a.b")] }]),
            ),
            "tool_use.id",
        ),
        (
            anthropic(json!([{ "role": "user", "content": "x" }, { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "x", "signature": "forged" }] }])),
            "Invalid `signature`",
        ),
        (anthropic(shown("image/bmp", "Qk0=")), "none of the supported image types"),
        (anthropic(shown("image/png", "R0lG")), "does not appear to be one"),
        (anthropic(shown("image/png", "no base64")), "invalid base64"),
        (anthropic(turns(json!([shows("image/png", "R0lG", false)]))), "does not appear to be one"),
        (anthropic(turns(json!([shows("image/gif", "R0lGODlh", true)]))), "all content must be type"),
        (chat(linked("https://elsewhere.example/a.png")), "not a data URL"),
        (chat(linked("data:image/png;base64,R0lG")), "does not appear to be one"),
        (chat(json!([{ "role": "user", "content": [] }])), "empty array"),
        (chat(json!([{ "role": "user", "content": "" }])), "empty string"),
        (chat(json!([{ "role": "assistant", "content": "x" }])), "must be from the user"),
        (chat(called("a", "{")), "function.arguments"),
        (chat(called("a b", "{}")), ".id'"),
        (chat(called("a", "{}")), "did not have response messages: a"),
    ])
    .await;
}

#[tokio::test]
async fn the_server_refuses_what_the_provider_would_have_to_guess() {
    let said = |blocks: Value| {
        let words = |text: &str| json!({ "role": "user", "content": text });
        let messages = json!([words("x"), { "role": "assistant", "content": blocks }, words("y")]);
        ("/v1/messages", json!({ "max_tokens": 1, "messages": messages }))
    };
    let words = json!({ "type": "text", "text": "x" });
    let search = json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} });
    let found = json!({ "type": "web_search_tool_result", "tool_use_id": "s", "content": [] });
    let prefill = json!([{ "role": "user", "content": "x" }, { "role": "assistant", "content": "y" }]);
    refused(&[
        (("/v1/messages", json!({ "max_tokens": 1, "messages": prefill })), "must end with a user message"),
        (said(json!([search])), "without a corresponding `web_search_tool_result`"),
        (said(json!([found])), "unexpected `tool_use_id` found in `web_search_tool_result`"),
        (said(json!([words, { "type": "redacted_thinking" }])), "cannot be `thinking`"),
    ])
    .await;
}

#[tokio::test]
async fn the_server_refuses_what_responses_refuses() {
    let responses =
        |input: Value| ("/v1/responses", json!({ "max_output_tokens": 16, "store": false, "input": input }));
    let hi = json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "x" }] });
    let made =
        |id: &str| json!({ "type": "function_call", "call_id": id, "name": "read", "arguments": "{}" });
    let gave = |id: &str| json!({ "type": "function_call_output", "call_id": id, "output": "" });
    let gave_parts =
        |parts: Value| json!({ "type": "function_call_output", "call_id": "a", "output": parts });
    let thought = |sealed: &str| json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": sealed });
    refused(&[
        (responses(json!([])), "required parameter: 'input'"),
        (responses(json!([hi, made("a")])), "No tool output found for function call a"),
        (responses(json!([hi, made("a"), hi, gave("a")])), "No tool output found for function call a"),
        (responses(json!([hi, gave("a")])), "No tool call found for function call output with call_id a"),
        (responses(json!([hi, made("a"), gave("a"), gave("a")])), "No tool call found"),
        (responses(json!([hi, made("a b"), gave("a b")])), "call_id'"),
        (responses(json!([hi, made("a"), gave_parts(json!([]))])), "empty array"),
        (
            responses(json!([hi, made("a"), gave_parts(json!([{ "type": "text", "text": "x" }]))])),
            "'input_text'",
        ),
        (
            responses(json!([
                hi,
                made("a"),
                gave_parts(json!([{ "type": "input_image", "image_url": "data:image/png;base64,R0lG" }]))
            ])),
            "does not appear to be one",
        ),
        (responses(json!([hi, made("a"), gave("a"), made("a"), gave("a")])), "Duplicate call_id"),
        (responses(json!([hi, thought("sealed-1505"), hi])), "without its required following item"),
        (responses(json!([hi, thought("sealed-1505")])), "without its required following item"),
        (responses(json!([hi, thought("forged"), made("a"), gave("a")])), "could not be verified"),
        (responses(json!([hi, { "type": "function_call", "id": "fc_1" }])), "not found"),
        (responses(json!([hi, { "type": "message", "role": "user", "content": [] }])), "empty array"),
        (
            responses(json!([{ "type": "message", "role": "assistant", "content": [] }])),
            "begins with the user",
        ),
    ])
    .await;
}

/// Sends each body to its path; all must be refused, in these words.
async fn refused(cases: &[((&str, Value), &str)]) {
    let server = ModelServer::start(Vec::new());
    // Building a model installs the TLS provider that any client of this process needs.
    let silent =
        HttpModel::new(Protocol::Anthropic, Endpoint::new("http://127.0.0.1:9", None), Timeouts::default());
    assert!(silent.stream(request(vec![user("Hi")])).next().await.is_some());
    let client = reqwest::Client::builder().no_proxy().tls_certs_only([]).build().unwrap();
    for ((path, body), words) in cases {
        let call = client.post(server.base_url() + *path).header("anthropic-version", "1");
        let answer = call.body(body.to_string()).send().await.unwrap();
        assert_eq!(answer.status(), 400, "{body}");
        let said = answer.text().await.unwrap();
        assert!(said.contains(*words), "{said} for {body}");
    }
}

/// The result of call `a` with one image, for Anthropic.
fn shows(kind: &str, data: &str, fails: bool) -> Value {
    let source = json!({ "type": "base64", "media_type": kind, "data": data });
    let content = json!([{ "type": "image", "source": source }]);
    json!({ "type": "tool_result", "tool_use_id": "a", "content": content, "is_error": fails })
}

/// A history of one image, for Anthropic.
fn shown(kind: &str, data: &str) -> Value {
    let source = json!({ "type": "base64", "media_type": kind, "data": data });
    json!([{ "role": "user", "content": [{ "type": "image", "source": source }] }])
}

/// A history of one image, for Chat Completions.
fn linked(url: &str) -> Value {
    json!([{ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": url } }] }])
}
