//! Servers whose window is smaller than it is taken to be: the session goes on, process after process.

use serde_json::Value;

use crate::model_server::{ModelServer, Reply};
use crate::servers::{ALL, KEY, Speech};
use crate::world::World;

/// A question of about so many tokens that can be told from the others.
fn question(number: usize, tokens: usize) -> String {
    format!("Question {number}: {}", "what does this line say of it? ".repeat(tokens * 4 / 31))
}

fn texts(count: usize) -> Vec<Reply> {
    (0..count).map(|_| Reply::text(&"An answer of some length, as they are. ".repeat(20))).collect()
}

fn refused(server: &ModelServer) -> usize {
    server.requests().iter().filter(|request| request.status == 400).count()
}

/// Forty long questions to a model that nobody knows, each in a process of its own that resumes the session.
fn forty_questions(speech: Speech, window: u64) {
    let server = ModelServer::start_with_key(texts(600), Some(KEY)).with_window(window);
    let world = World::new().with(speech.url, &server.base_url()).with(speech.key, KEY);
    let model = speech.model;
    let tokens = usize::try_from(window / 16).unwrap();
    for number in 0..40 {
        let asked = question(number, tokens);
        let mut words = vec!["-m", model];
        words.extend((number > 0).then_some("--last"));
        words.push(&asked);
        let ran = world.json(&words);
        let said = (ran.code, ran.reason());
        assert_eq!(said, (0, "completed".to_owned()), "{model} {window} question {number}: {}", ran.err);
        let last = server.requests().pop().unwrap();
        assert_eq!(last.status, 200);
        let sent = last.body.to_string();
        assert!(sent.contains(&format!("Question {number}:")), "the question is sent: {sent}");
    }
    let events = world.session_text();
    let compactions = events.matches("\"type\":\"compaction\"").count();
    assert!(compactions >= 2, "{compactions} compactions");
    assert_eq!(
        events.matches("\"reason\":\"reactive_compact_retry\"").count().min(1),
        events.matches("\"trigger\":\"reactive\"").count()
    );
    // A new process has not seen how this server counts: after a compaction it may ask for too much output once.
    assert!(refused(&server) <= 20, "{} refusals", refused(&server));
}

#[test]
fn forty_long_questions_in_messages() {
    for window in [8_192, 30_000, 60_000] {
        forty_questions(ALL[0], window);
    }
}

#[test]
fn forty_long_questions_in_chat() {
    for window in [8_192, 30_000, 60_000] {
        forty_questions(ALL[1], window);
    }
}

#[test]
fn forty_long_questions_in_responses() {
    for window in [8_192, 30_000, 60_000] {
        forty_questions(ALL[2], window);
    }
}

/// The limit that is assumed for the output alone would fill such a window.
#[test]
fn a_small_window_answers_the_first_question() {
    for speech in ALL {
        let server = ModelServer::start_with_key(texts(1), Some(KEY)).with_window(8_192);
        let world = World::new().with(speech.url, &server.base_url()).with(speech.key, KEY);
        let model = speech.model;
        let ran = world.json(&["-m", model, "hello"]);
        assert_eq!((ran.code, ran.reason().as_str()), (0, "completed"), "{speech:?}: {}", ran.err);
        assert!(refused(&server) <= 1);
        let asked = |body: &Value| {
            ["max_tokens", "max_output_tokens"].iter().find_map(|name| body[*name].as_u64()).unwrap()
        };
        let bodies: Vec<u64> = server.requests().iter().map(|request| asked(&request.body)).collect();
        assert!(bodies.last() >= Some(&512), "{bodies:?}");
    }
}
