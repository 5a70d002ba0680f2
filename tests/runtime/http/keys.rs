//! What a server says back of the address and the headers that it was asked with: none of it reaches the books.

use countersign::model::{FailureClass, ModelFailure};
use countersign::runtime::{HttpModel, Timeouts};
use countersign::wire::{Endpoint, Protocol, Secret};
use serde_json::json;

use crate::http::bytes::{ByteServer, answer};
use crate::http::{ALL, KEY, failure};
use crate::support::history::user;

const IN_QUERY: &str = "planted-in-the-query-42";
const OF_TEAM: &str = "planted-of-the-team-42";

/// What comes of an answer of a server that has a key in its address and one in a header.
async fn failed(protocol: Protocol, answer: Vec<u8>) -> ModelFailure {
    let server = ByteServer::start(vec![answer]);
    let base = format!("{}/v1?key={IN_QUERY}&version=2024-10-21", server.base_url());
    let mut endpoint = Endpoint::new(base, Some(Secret::new(KEY)));
    endpoint.headers.push(("x-team".to_owned(), Secret::new(format!("Bearer {OF_TEAM}"))));
    let model = HttpModel::new(protocol, endpoint, Timeouts::default());
    let failure = failure(&model, vec![user("Hi")]).await;
    assert!(server.asked()[0].contains(IN_QUERY), "it was sent");
    failure
}

fn refused(message: &str) -> Vec<u8> {
    let body = json!({ "error": { "type": "authentication_error", "message": message } });
    answer("401 Unauthorized", &[("content-type", "application/json")], body.to_string().as_bytes())
}

#[tokio::test]
async fn a_redirect_is_told_without_the_query_that_it_repeats() {
    for protocol in ALL {
        let target = format!("https://127.0.0.1:9/v1/messages?key={IN_QUERY}#there");
        let failure = failed(protocol, answer("307 Temporary Redirect", &[("location", &target)], b"")).await;
        assert_eq!(failure.class, FailureClass::Protocol);
        assert!(failure.message.contains("to https://127.0.0.1:9/v1/messages)"), "{failure:?}");
    }
}

#[tokio::test]
async fn the_query_and_the_words_of_headers_are_struck() {
    for protocol in ALL {
        for said in [
            format!("no route POST /v1/messages?key={IN_QUERY}&version=2024-10-21"),
            format!("no such key: {IN_QUERY}"),
            format!("who is {OF_TEAM}?"),
            format!("who is Bearer {OF_TEAM}?"),
        ] {
            let failure = failed(protocol, refused(&said)).await;
            let told = format!("{failure:?}");
            assert!(told.contains("[key]") && !told.contains("planted"), "{told}");
        }
        let failure = failed(protocol, refused("the version 2024-10-21 takes no Bearer token")).await;
        assert!(failure.message.starts_with("the version 2024-10-21 takes no Bearer token"), "{failure:?}");
    }
}

#[tokio::test]
async fn a_key_at_the_cut_of_a_long_message_leaves_nothing_of_it() {
    for protocol in ALL {
        // The whole of it, and each part that could stay.
        for length in 575..605 {
            let said = format!("{} {KEY}", "x".repeat(length));
            let failure = failed(protocol, refused(&said)).await;
            assert!(!failure.message.contains(&KEY[..4]), "{length}: {failure:?}");
        }
    }
}
