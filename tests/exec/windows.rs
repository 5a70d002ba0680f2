//! Servers whose window is smaller than it is taken to be: the session goes on, process after process.

use std::fs;

use serde_json::{Value, json};

use crate::model_server::{ModelServer, Reply};
use crate::races::in_a_repository;
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

/// A server of one's own, and the window that the configuration states for its model.
fn stated(server: &ModelServer, window: u64) -> World {
    let place = format!("[providers.own]\nbase_url = \"{}\"\n", server.base_url());
    World::new().configured(&format!("{place}[models.\"own/small\"]\nwindow = {window}\n"))
}

#[test]
fn a_window_without_room_for_the_instructions_is_named_before_anything_is_sent() {
    let server = ModelServer::start(texts(1));
    let world = stated(&server, 2_000);
    let ran = world.exec(&["-m", "own/small", "hello"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{}", ran.err);
    for wanted in [
        "note: The context window of own/small (2,000 tokens) is too small",
        "[models.\"own/small\"]",
        "error: ",
    ] {
        assert!(ran.err.contains(wanted), "{wanted}: {}", ran.err);
    }
    assert!(server.requests().is_empty(), "nothing is sent");
    let doctor = world.with("COUNTERSIGN_MODEL", "own/small").program().args(["doctor", "--json"]).output();
    let told = String::from_utf8(doctor.unwrap().stdout).unwrap();
    let is_it = |found: Value| {
        found["status"] == json!("warning") && found["message"].to_string().contains("is too small")
    };
    assert!(told.lines().any(|line| is_it(serde_json::from_str(line).unwrap())), "{told}");
}

#[test]
fn a_message_that_is_longer_than_a_stated_window_is_not_sent() {
    let server = ModelServer::start(texts(2));
    let world = stated(&server, 16_000);
    let ran = world.exec(&["-m", "own/small", &question(1, 20_000)]);
    assert!(ran.code == 1 && ran.err.contains("does not fit into the context window"), "{}", ran.err);
    let ran = world.exec(&["--json", "-m", "own/small", &question(1, 20_000)]);
    let error = ran.one("error");
    assert!(error["message"].to_string().contains("does not fit into the context window"), "{error}");
    assert_eq!((ran.code, error.get("entry")), (1, None), "{}", ran.err);
    assert!(server.requests().is_empty(), "nothing is sent");
    let ran = world.exec(&["-m", "own/small", &question(2, 2_000)]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn a_message_that_is_refused_leaves_the_file_of_the_answer_as_it_was_and_says_so() {
    let server = ModelServer::start(texts(1));
    let world = stated(&server, 16_000);
    fs::write(world.work().join("answer.md"), "before").unwrap();
    let ran = world.exec(&["-m", "own/small", "-o", "answer.md", &question(1, 20_000)]);
    assert!(ran.code == 1 && ran.err.contains("does not fit into the context window"), "{}", ran.err);
    let says = "note: answer.md was not written: the run was refused\n";
    assert_eq!(ran.err.matches(says).count(), 1, "{}", ran.err);
    assert_eq!(world.file("answer.md"), "before");
}

/// The window of a model that nobody knows is a guess, which the server corrects.
#[test]
fn a_message_that_is_longer_than_a_guessed_window_is_sent() {
    for speech in ALL {
        let server = ModelServer::start_with_key(texts(1), Some(KEY));
        let world = World::new().with(speech.url, &server.base_url()).with(speech.key, KEY);
        let ran = world.exec_fed(&["-m", speech.model, "in short"], question(1, 150_000).as_bytes());
        assert!(!ran.err.contains("does not fit"), "{speech:?}: {}", ran.err);
        assert!(!server.requests().is_empty(), "{speech:?}: {}", ran.err);
    }
}

/// A lane that has a check is given its task as a goal; what does not fit is refused there, too.
#[test]
fn a_race_of_a_model_without_room_ends() {
    let server = ModelServer::start(texts(1));
    let world = in_a_repository(stated(&server, 2_000));
    let ran = world.race(&["-m", "own/small", "--check", "true", "--lanes", "2", "x"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!((ran.out + &ran.err).contains("is too small"));
    // A task that is too long for the model of all lanes is refused once, with what to do about it.
    let world = in_a_repository(stated(&server, 16_000));
    let ran = world.race(&["-m", "own/small", "--lanes", "4", &question(1, 20_000)]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{}", ran.err);
    assert_eq!(ran.err.matches("does not fit into the context window").count(), 1, "{}", ran.err);
    assert!(!ran.err.contains("ctrl-c stops all lanes"), "no session is kept: {}", ran.err);
    assert!(ran.err.contains("shorten it") && ran.err.contains("[models.\"own/small\"]"), "{}", ran.err);
    assert!(server.requests().is_empty(), "nothing is sent");
}
