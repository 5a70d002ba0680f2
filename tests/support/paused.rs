//! Turns that the provider pauses, over real HTTP, against a server that refuses what the provider refuses.

use std::sync::Arc;

use countersign::ledger::{Hosted, Message};
use countersign::wire::Protocol;
use serde_json::{Value, json};

use crate::http::{message, model, news};
use crate::model_server::{ModelServer, Part, Reply};
use crate::support::history::{request, user};

/// A block of the provider's own. Its place is far behind those that the server numbers itself.
fn block(place: u64, content: &Value) -> Part {
    let event = |kind: &str, data: Value| format!("event: {kind}\ndata: {data}\n\n");
    let start = json!({ "type": "content_block_start", "index": 100 + place, "content_block": content });
    let stop = json!({ "type": "content_block_stop", "index": 100 + place });
    Part::Bytes(event("content_block_start", start) + &event("content_block_stop", stop))
}

fn search(place: u64, id: &str) -> Part {
    let input = json!({ "query": "news" });
    block(place, &json!({ "type": "server_tool_use", "id": id, "name": "web_search", "input": input }))
}

fn found(place: u64, id: &str) -> Part {
    block(place, &json!({ "type": "web_search_tool_result", "tool_use_id": id, "content": [] }))
}

fn paused() -> Reply {
    let stop = Part::Stop("pause_turn".to_owned());
    let thinks = Part::Thinking("Two searches.".to_owned());
    Reply::Stream(vec![thinks, search(0, "s1"), found(1, "s1"), Part::text("More: "), search(2, "s2"), stop])
}

#[tokio::test]
async fn a_paused_turn_goes_back_as_it_is_and_is_taken() {
    let goes_on = Reply::Stream(vec![found(0, "s2"), Part::text("Nothing new.")]);
    let server = ModelServer::start(vec![paused(), goes_on, Reply::text("Bye.")]);
    let model = model(Protocol::Anthropic, &server.base_url());
    let mut history = vec![user("What is new?")];
    for text in ["More: ", "Nothing new."] {
        let answer = message(news(&model, request(history.clone())).await);
        assert_eq!((answer.text().as_str(), answer.calls().count()), (text, 0));
        history.push(Message::Assistant(Arc::new(answer)));
    }
    history.push(user("Thanks."));
    assert_eq!(message(news(&model, request(history)).await).text(), "Bye.");
    let requests = server.requests();
    assert!(requests.iter().all(|r| r.status == 200), "{requests:?}");
    let said = |at: usize| requests[at].body["messages"][1]["content"].as_array().cloned().unwrap();
    let kinds =
        |at: usize| said(at).iter().map(|b| b["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    let first = ["thinking", "server_tool_use", "web_search_tool_result", "text", "server_tool_use"];
    assert_eq!(kinds(1), first);
    assert_eq!(requests[1].body["messages"].as_array().unwrap().len(), 2, "no word of ours follows");
    // What was sent once is sent again as it was, with what came after it.
    assert_eq!(said(2)[..5], said(1)[..]);
    assert_eq!(kinds(2)[5..], ["web_search_tool_result", "text"]);
}

#[tokio::test]
async fn after_esc_in_a_pause_the_open_search_is_left_out() {
    let server = ModelServer::start(vec![paused(), Reply::text("As you like.")]);
    let model = model(Protocol::Anthropic, &server.base_url());
    let answer = message(news(&model, request(vec![user("What is new?")])).await);
    let hosted: Vec<&Hosted> = answer.hosted().collect();
    assert_eq!(hosted.len(), 3);
    let history = vec![user("What is new?"), Message::Assistant(Arc::new(answer)), user("Never mind.")];
    assert_eq!(message(news(&model, request(history)).await).text(), "As you like.");
}
