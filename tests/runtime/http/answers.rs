//! What a server answers, in both protocols: text, calls, errors, broken streams, options that it refuses.

use std::sync::Arc;

use countersign::ledger::{Message, Outcome, Stop, Usage};
use countersign::model::{FailureClass, ModelEvent, ModelNews};
use countersign::runtime::{HttpModel, ModelPort, Timeouts};
use countersign::wire::{Endpoint, Protocol, Secret};
use futures_util::StreamExt;
use serde_json::json;

use crate::http::{ALL, KEY, failure, message, model, news};
use crate::model_server::{ModelServer, Part, Reply, gate};
use crate::support::answer::Answer;
use crate::support::history::{call, request, result, said, text, user};

/// A reply, and the class and delay of the failure that it is.
type ErrorCase = (fn() -> Reply, FailureClass, Option<u64>);
/// A part that breaks a stream, and the class and words of the failure that it is.
type BreakCase = (fn() -> Part, FailureClass, &'static str);

#[tokio::test]
async fn an_answer_arrives_streamed_and_whole() {
    for protocol in ALL {
        let parts = || vec![Part::Thinking("Hm.".to_owned()), Part::text("Grüße 👋")];
        let server =
            ModelServer::start_with_key(vec![Reply::Stream(parts()), Reply::Whole(parts())], Some(KEY));
        for base in [server.base_url(), format!("{}/v1/", server.base_url())] {
            let answer = Answer::of(&news(&model(protocol, &base), request(vec![user("Hi")])).await);
            assert_eq!((answer.text.as_str(), answer.thinking.as_str()), ("Grüße 👋", "Hm."));
            assert_eq!((answer.stop, answer.failure), (Some(Stop::End), None));
            assert_eq!(answer.usage, Some(Usage { input: 10, output: 5, ..Usage::default() }));
        }
        assert_eq!((server.left(), server.closed_early()), (0, false));
        assert!(server.requests()[0].header("user-agent").unwrap().starts_with("countersign/"));
    }
}

#[tokio::test]
async fn parallel_calls_and_their_results_are_accepted() {
    for protocol in ALL {
        let calls = vec![
            Part::Thinking("Two files.".to_owned()),
            Part::text("I look."),
            Part::call("same id!", "read", &json!({ "path": "ä.txt" })),
            Part::call("same id!", "read", &json!({})),
            Part::Call { id: "call_3".to_owned(), name: "write".to_owned(), arguments: "{\"path".to_owned() },
        ];
        let server = ModelServer::start(vec![Reply::Stream(calls), Reply::text("Done.")]);
        let model = model(protocol, &server.base_url());
        let answer = message(news(&model, request(vec![user("Go")])).await);
        assert_eq!(answer.stop, Stop::ToolUse);
        let names: Vec<_> = answer.calls().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["read", "read", "write"]);
        assert_eq!(answer.calls().next().unwrap().arguments.text("path"), Some("ä.txt"));
        let results = vec![
            result(1, Outcome::Ok, "one"),
            result(2, Outcome::Failed, "no such file"),
            result(3, Outcome::Invalid, "The arguments are cut off."),
        ];
        let history =
            vec![user("Go"), Message::Assistant(Arc::new(answer)), Message::Results(results), user("Hurry")];
        assert_eq!(message(news(&model, request(history)).await).text(), "Done.");
        assert!(server.requests().iter().all(|r| r.status == 200));
    }
}

#[tokio::test]
async fn unpaired_histories_are_refused_as_a_bug_of_ours() {
    for protocol in ALL {
        let server = ModelServer::start(Vec::new());
        let model = model(protocol, &server.base_url());
        let two = || {
            Message::Assistant(Arc::new(said(vec![
                call(1, "toolu_1", "read", "{}"),
                call(2, "toolu_2", "read", "{}"),
            ])))
        };
        let one_result = || Message::Results(vec![result(1, Outcome::Ok, "one")]);
        for (history, named) in [
            (vec![user("Go"), two(), one_result()], "toolu_2"),
            (vec![user("Go"), two(), user("And?")], "toolu_1"),
            (vec![user("Go"), two()], "toolu_1"),
            (vec![user("Go"), Message::Assistant(Arc::new(said(vec![text("Hm.")]))), one_result()], "c1"),
            (vec![user("Go"), one_result()], "c1"),
        ] {
            let failure = failure(&model, history).await;
            assert_eq!(failure.class, FailureClass::Pairing, "{failure:?}");
            assert!(failure.message.contains(named), "{failure:?}");
        }
    }
}

#[tokio::test]
async fn errors_have_their_class_and_say_when_to_try_again() {
    use FailureClass::{Auth, BadRequest, Overflow, Protocol as Unreadable, Quota, Transient, UnknownModel};
    let cases: [ErrorCase; 11] = [
        (|| Reply::error(401, "authentication_error", "invalid x-api-key"), Auth, None),
        (|| Reply::error(404, "not_found_error", "model: nope"), UnknownModel, None),
        (
            || Reply::error(429, "rate_limit_error", "slow").header("Retry-After", "23"),
            Transient,
            Some(23_000),
        ),
        (|| Reply::error(529, "overloaded_error", "Overloaded"), Transient, None),
        (|| Reply::error(500, "api_error", "Internal"), Transient, None),
        (|| Reply::error(400, "invalid_request_error", "temperature: range: 0..1"), BadRequest, None),
        (|| Reply::error(400, "invalid_request_error", "prompt is too long: 2 > 1"), Overflow, None),
        (|| Reply::error(402, "billing_error", "Pay"), Quota, None),
        (|| Reply::raw(502, "text/html", "<html><title>502 Bad Gateway</title></html>"), Transient, None),
        (|| Reply::raw(200, "text/html", "<!doctype html>\n<title>Sign in</title>"), Unreadable, None),
        (
            || Reply::raw(200, "application/json", "{\"error\":{\"type\":\"overloaded_error\"}}"),
            Transient,
            None,
        ),
    ];
    for protocol in ALL {
        let server = ModelServer::start(cases.iter().map(|(reply, _, _)| reply()).collect());
        let model = model(protocol, &server.base_url());
        for (reply, class, told) in &cases {
            let failure = failure(&model, vec![user("Hi")]).await;
            assert_eq!(
                (failure.class, failure.retry_after_ms),
                (*class, *told),
                "{failure:?} for {:?}",
                reply()
            );
            assert!(!failure.message.is_empty() && !failure.next_step().is_empty());
        }
    }
}

#[tokio::test]
async fn broken_streams_fail_after_what_they_said() {
    let cases: [BreakCase; 4] = [
        (
            || Part::Error("overloaded_error".to_owned(), "Overloaded".to_owned()),
            FailureClass::Transient,
            "Overloaded",
        ),
        (|| Part::Cut, FailureClass::Transient, "broke"),
        (|| Part::End, FailureClass::Transient, "ended before"),
        (|| Part::Bytes("data: {\"broken\n\n".to_owned()), FailureClass::Transient, "cannot be read"),
    ];
    for protocol in ALL {
        for (part, class, words) in &cases {
            let server = ModelServer::start(vec![Reply::Stream(vec![Part::text("Hel"), part()])]);
            let answer =
                Answer::of(&news(&model(protocol, &server.base_url()), request(vec![user("Hi")])).await);
            let failure = answer.failure.unwrap();
            assert_eq!((answer.text.as_str(), failure.class), ("Hel", *class), "{failure:?}");
            assert!(failure.message.contains(words), "{failure:?}");
        }
    }
}

#[tokio::test]
async fn a_gate_holds_an_answer_until_it_is_opened() {
    let (wait, opener) = gate();
    let server = ModelServer::start(vec![Reply::Stream(vec![Part::text("Hel"), wait, Part::text("lo")])]);
    let mut stream = model(Protocol::Anthropic, &server.base_url()).stream(request(vec![user("Hi")]));
    while !matches!(stream.next().await, Some(ModelNews::Event(ModelEvent::Text(_)))) {}
    opener.open();
    let rest: Vec<_> = stream.collect().await;
    assert_eq!(Answer::of(&rest).text, "lo");
    assert_eq!(rest.last(), Some(&ModelNews::Finished));
}

#[tokio::test]
async fn the_key_is_never_in_a_failure() {
    for protocol in ALL {
        let server = ModelServer::start(vec![Reply::error(401, "", &format!("Incorrect API key: {KEY}"))]);
        let failure = failure(&model(protocol, &server.base_url()), vec![user("Hi")]).await;
        assert_eq!(failure.class, FailureClass::Auth);
        assert!(failure.message.contains("[key]") && failure.next.contains("THE_KEY"), "{failure:?}");
        assert!(!format!("{failure:?}").contains(KEY));
    }
    let broken = Endpoint::new("http://127.0.0.1:9", Some(Secret::new("sk-two\nlines-of-it")));
    let failure =
        failure(&HttpModel::new(Protocol::Anthropic, broken, Timeouts::default()), vec![user("Hi")]).await;
    assert_eq!(failure.class, FailureClass::Auth);
    assert!(!format!("{failure:?}").contains("lines-of-it"), "{failure:?}");
}

#[tokio::test]
async fn an_option_that_the_server_refuses_is_left_out_and_remembered() {
    let replies = vec![
        Reply::error(400, "invalid_request_error", "Unknown parameter: 'stream_options'."),
        Reply::text("one"),
        Reply::text("two"),
        Reply::error(400, "invalid_request_error", "Still no."),
    ];
    let server = ModelServer::start(replies);
    let model = model(Protocol::OpenAiChat, &server.base_url());
    for words in ["one", "two"] {
        assert_eq!(Answer::of(&news(&model, request(vec![user("Hi")])).await).text, words);
    }
    assert_eq!(failure(&model, vec![user("Hi")]).await.class, FailureClass::BadRequest);
    let asked: Vec<_> = server.requests().iter().map(|r| r.body.get("stream_options").is_some()).collect();
    assert_eq!(asked, [true, false, false, false], "one refusal, one answer each, nothing tried again");
}

#[tokio::test]
async fn a_model_that_seals_no_reasoning_is_not_asked_for_it_again() {
    let refusal = "Encrypted content is not supported with this model.";
    let replies = vec![
        Reply::error(400, "invalid_request_error", refusal),
        Reply::text("one"),
        Reply::text("two"),
        Reply::error(400, "invalid_encrypted_content", "The encrypted content could not be verified."),
    ];
    let server = ModelServer::start(replies);
    let model = model(Protocol::OpenAiResponses, &server.base_url());
    for words in ["one", "two"] {
        assert_eq!(Answer::of(&news(&model, request(vec![user("Hi")])).await).text, words);
    }
    assert_eq!(failure(&model, vec![user("Hi")]).await.class, FailureClass::ReplayRefused);
    let asked: Vec<_> = server.requests().iter().map(|r| r.body.get("include").is_some()).collect();
    assert_eq!(asked, [true, false, false, false]);
}
