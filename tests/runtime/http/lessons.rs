//! What refusals teach: a server may differ in more than one way, and each way is learned once a process.

use countersign::model::FailureClass;
use countersign::wire::Protocol;

use crate::http::{failure, model, news};
use crate::model_server::{ModelServer, Reply};
use crate::support::answer::Answer;
use crate::support::history::{request, user};

fn refusal(words: &str) -> Reply {
    Reply::error(400, "invalid_request_error", words)
}

/// Refusals that teach something different each.
const LESSONS: [&str; 4] = [
    "Unknown parameter: 'stream_options'.",
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "Conversation roles must alternate user/assistant.",
    "Tool call id was x but must be a-z, A-Z, 0-9, with a length of 9.",
];

#[tokio::test]
async fn a_server_that_refuses_two_options_is_asked_without_both() {
    let replies = vec![refusal(LESSONS[0]), refusal(LESSONS[1]), Reply::text("one"), Reply::text("two")];
    let server = ModelServer::start(replies);
    let model = model(Protocol::OpenAiChat, &server.base_url());
    for words in ["one", "two"] {
        assert_eq!(Answer::of(&news(&model, request(vec![user("Hi")])).await).text, words);
    }
    let sent = |name: &str| -> Vec<bool> {
        server.requests().iter().map(|request| request.body.get(name).is_some()).collect()
    };
    assert_eq!(sent("stream_options"), [true, false, false, false]);
    assert_eq!(sent("max_tokens"), [true, true, false, false]);
    assert_eq!(sent("max_completion_tokens"), [false, false, true, true], "both are remembered");
}

#[tokio::test]
async fn a_server_that_is_never_content_is_asked_four_times_and_no_more() {
    let server = ModelServer::start(LESSONS.map(refusal).into());
    let model = model(Protocol::OpenAiChat, &server.base_url());
    let failure = failure(&model, vec![user("Hi")]).await;
    assert!(
        failure.class == FailureClass::BadRequest && failure.message.contains("length of 9"),
        "{failure:?}"
    );
    assert_eq!(server.requests().len(), 4, "three lessons");
}

#[tokio::test]
async fn the_same_refusal_again_teaches_nothing() {
    let server = ModelServer::start(vec![refusal(LESSONS[0]), refusal(LESSONS[0])]);
    let model = model(Protocol::OpenAiChat, &server.base_url());
    assert_eq!(failure(&model, vec![user("Hi")]).await.class, FailureClass::BadRequest);
    assert_eq!(server.requests().len(), 2);
}
