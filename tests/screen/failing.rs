//! A failure that ends a run: told once, with one piece of advice, and in sight on the lowest screen.

use countersign::agent::Live;
use countersign::ledger::{Ending, Note, Remark};
use countersign::model::{FailureClass, ModelFailure};

use crate::linear_harness::LinearHarness;
use crate::screen_harness::{ScreenHarness, snapshot};
use crate::session_builder::SessionBuilder;

const WHY: &str = "invalid x-api-key: the key was not accepted by the server";

/// A run whose model was overloaded, and then refused the key.
fn failed() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("hello");
    for (class, message) in [(FailureClass::Transient, "overloaded"), (FailureClass::Auth, WHY)] {
        let about = builder.ledger.reserve();
        let failure = ModelFailure::new(class, message).recorded();
        let text = format!("The model call failed: {message}");
        builder.remark(Remark::Note(Note::of_failed_call(about, failure, text)));
    }
    let message = format!("{WHY} (1 retry)");
    builder.remark(Remark::Error { message, next: "Set the provider's key and try again.".into() });
    builder.end(Ending::ModelError);
    builder
}

#[test]
fn it_is_told_once_with_what_to_do() {
    for (width, height) in [(40, 10), (80, 24), (120, 40)] {
        let frame = ScreenHarness::new(failed()).frame(width, height);
        let words = frame.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words.matches("invalid x-api-key").count(), 1, "{frame}");
        for said in ["the server (1 retry)", "Set the provider's key and try again.", "■ stopped · 1 turn"]
        {
            assert!(words.contains(said), "{said}: {frame}");
        }
        assert!(!words.contains("Fix the cause") && !words.contains("model error"), "{frame}");
        // What was retried is another cause.
        assert!(words.contains("The model call failed: overloaded") || height < 24, "{frame}");
        if width <= 80 {
            snapshot(&format!("failed_{width}x{height}"), &frame);
        }
    }
}

#[test]
fn retries_that_failed_alike_are_told_once() {
    let mut builder = SessionBuilder::new();
    builder.user("hello");
    for _ in 0..3 {
        let about = builder.ledger.reserve();
        let failure = ModelFailure::new(FailureClass::Transient, "overloaded").recorded();
        builder.remark(Remark::Note(Note::of_failed_call(
            about,
            failure,
            "The model call failed: overloaded",
        )));
    }
    let next = "Send the message again later.".into();
    builder.remark(Remark::Error { message: "overloaded (2 retries)".into(), next });
    builder.end(Ending::ModelError);
    let frame = ScreenHarness::new(builder).frame(80, 24);
    assert_eq!(frame.matches("overloaded").count(), 1, "{frame}");
}

#[test]
fn an_end_without_a_failure_before_it_says_why_and_what_to_do() {
    let mut builder = SessionBuilder::new();
    builder.user("hello");
    builder.end(Ending::ModelError);
    let frame = ScreenHarness::new(builder).frame(80, 24);
    assert!(frame.contains("stopped · model error") && frame.contains("Fix the cause"), "{frame}");
}

#[test]
fn in_lines_a_failure_that_is_tried_again_is_said_once() {
    let mut builder = SessionBuilder::new();
    builder.user("hello");
    let about = builder.ledger.reserve();
    let failure = ModelFailure::new(FailureClass::Transient, "overloaded").recorded();
    builder.remark(Remark::Note(Note::of_failed_call(about, failure, "The model call failed: overloaded")));
    let retrying = |reason: &str| {
        let reason = reason.into();
        Live::Retrying { attempt: 1, most: 4, wait_ms: 4_000, reason, brief: None }
    };
    builder.live(retrying("overloaded"));
    builder.live(retrying("another cause"));
    let said = LinearHarness::new(builder).said;
    assert_eq!(said.matches("overloaded").count(), 1, "{said}");
    assert!(said.contains("\nmodel call: retry 1 of 4 in 4.0 s\n"), "{said}");
    assert!(said.contains("\nmodel call failed: another cause; retry 1 of 4 in 4.0 s\n"), "{said}");
}
