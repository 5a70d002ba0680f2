//! `gemini/NAME` through the endpoint that is like Chat Completions: what the vendor signs goes back as it came.

use serde_json::{Value, json};

use crate::model_server::{ModelServer, Part, Reply};
use crate::servers::{KEY, accepted};
use crate::world::World;

/// A call as this vendor sends it: whole, number 0 like its sibling, and with a signature on the first.
fn call(id: &str, path: &str, signature: Option<&str>) -> Part {
    let mut call = json!({
        "index": 0, "id": id, "type": "function",
        "function": { "name": "read", "arguments": json!({ "path": path }).to_string() },
    });
    if let Some(signature) = signature {
        call["extra_content"] = json!({ "google": { "thought_signature": signature } });
    }
    let chunk =
        json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] }, "finish_reason": null }] });
    Part::Bytes(format!("data: {chunk}\n\n"))
}

fn signatures(request: &Value) -> Vec<Vec<Value>> {
    let messages = request["messages"].as_array().unwrap().iter();
    let calls = messages.filter_map(|message| message["tool_calls"].as_array());
    calls.map(|calls| calls.iter().map(|call| call["extra_content"].clone()).collect()).collect()
}

#[test]
fn a_thought_signature_goes_back_with_its_call_and_after_a_resume_too() {
    let replies = vec![
        Reply::Stream(vec![
            call("one", "one.txt", Some("c2lnbmVk")),
            call("two", "two.txt", None),
            Part::Stop("stop".to_owned()),
        ]),
        Reply::text("Both read."),
        Reply::text("As I said."),
    ];
    let server = ModelServer::start_with_key(replies, Some(KEY));
    let world = World::new()
        .configured(&format!("[providers.gemini]\nbase_url = \"{}/v1\"\n", server.base_url()))
        .with("GEMINI_API_KEY", KEY)
        .with("COUNTERSIGN_MODEL", "gemini/tested");
    let ran = world.json(&["read both"]);
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["ok".to_owned(), "ok".to_owned()]), "{}", ran.err);
    assert_eq!(world.exec(&["--last", "again"]).out, "As I said.\n");

    let sent = accepted(&server);
    let signed = vec![json!({ "google": { "thought_signature": "c2lnbmVk" } }), Value::Null];
    assert_eq!(signatures(&sent[0]), Vec::<Vec<Value>>::new());
    assert_eq!(signatures(&sent[1]).concat(), signed);
    assert_eq!(signatures(&sent[2]), [signed], "read back from the session file");
    assert!(server.requests().iter().all(|request| request.path == "/v1/chat/completions"));
}
