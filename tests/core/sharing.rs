//! What is held once: a request shares its history with the ledger, and the end of a run its text with the answer.

use std::sync::Arc;

use countersign::agent::{Agent, Effect, Input, Intent, Settings};
use countersign::ledger::{Block, Body, Entry, EntryId, Message, Millis, ModelRef};
use countersign::model::{ModelEvent, ModelNews, ModelSpec, Request};
use countersign::wire::record::{encode, line, read_session};

/// Calls a model for `words`: the name of the call and its request.
fn ask(agent: &mut Agent, words: &str) -> (EntryId, Request) {
    let effects = agent.step(Millis(1), Input::Intent(Intent::Submit(words.into())));
    let call = effects.into_iter().find_map(|effect| match effect {
        Effect::CallModel(message, request) => Some((message, *request)),
        _ => None,
    });
    call.unwrap()
}

fn answer(agent: &mut Agent, message: EntryId, pieces: &[&str]) {
    for piece in pieces {
        let event = ModelNews::Event(ModelEvent::Text((*piece).to_owned()));
        agent.step(Millis(2), Input::Model(message, event));
    }
    agent.step(Millis(3), Input::Model(message, ModelNews::Finished));
}

fn asked_twice() -> (Agent, Request) {
    let mut agent = Agent::new(Settings::new(ModelSpec::unknown(ModelRef::parse("script"))));
    let (message, _) = ask(&mut agent, "How large is it?");
    answer(&mut agent, message, &["As large ", "as it ", "must be."]);
    let (_, request) = ask(&mut agent, "And why?");
    (agent, request)
}

/// Whether the message is the very one of an entry, not one like it.
fn is_shared(message: &Message, entries: &[Arc<Entry>]) -> bool {
    entries.iter().any(|entry| match (&entry.body, message) {
        (Body::User(ours), Message::User(theirs)) => Arc::ptr_eq(ours, theirs),
        (Body::Assistant(ours), Message::Assistant(theirs)) => Arc::ptr_eq(ours, theirs),
        _ => false,
    })
}

/// The answer's only text and the text of the run's end.
fn said_and_ended(entries: &[Arc<Entry>]) -> (Arc<str>, Arc<str>) {
    let said = entries.iter().find_map(|entry| match &entry.body {
        Body::Assistant(message) => Some(message.blocks.clone()),
        _ => None,
    });
    let ended = entries.iter().find_map(|entry| match &entry.body {
        Body::TurnEnded(ended) => Some(Arc::clone(&ended.text)),
        _ => None,
    });
    let Some([Block::Text(said)]) = said.as_deref() else { panic!("{said:?}") };
    (Arc::clone(said), ended.unwrap())
}

#[test]
fn a_request_shares_its_history_with_the_ledger() {
    let (agent, request) = asked_twice();
    assert_eq!(request.messages.len(), 3);
    assert!(request.messages.iter().all(|message| is_shared(message, agent.ledger().entries())));
}

#[test]
fn the_end_of_a_run_shares_its_text_with_the_answer() {
    let (agent, _) = asked_twice();
    let (said, ended) = said_and_ended(agent.ledger().entries());
    assert_eq!(&*ended, "As large as it must be.");
    assert!(Arc::ptr_eq(&said, &ended));
}

#[test]
fn so_it_is_after_a_session_was_read() {
    let (agent, _) = asked_twice();
    let lines: Vec<String> = agent.ledger().entries().iter().map(|entry| line(&encode(entry))).collect();
    let read = read_session(lines.join("\n").as_bytes()).unwrap();
    assert_eq!(read.entries, agent.ledger().entries());
    let (said, ended) = said_and_ended(&read.entries);
    assert!(Arc::ptr_eq(&said, &ended));
}
