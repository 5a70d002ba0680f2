//! The seed of a session's requests: it is in the ledger before the first request, and every request comes of the ledger alone.

use std::sync::Arc;

use countersign::agent::{Agent, Effect, Input, Intent, Settings};
use countersign::ledger::{Body, Change, Entry, Millis, ModelRef, recover};
use countersign::model::{Abilities, ModelEvent, ModelNews, ModelSpec, Request};
use countersign::recorded::{NothingOutside, Player, Tape};
use countersign::wire::record::{decode, encode};
use countersign::wire::{Endpoint, Protocol};
use serde_json::{Value, json};

/// A session that is seeded, or not.
fn settings(seed: Option<u64>) -> Settings {
    Settings { model_seed: seed, ..Settings::new(ModelSpec::unknown(ModelRef::parse("first"))) }
}

/// Has a message said and answered. Returns the request.
fn ask(agent: &mut Agent, at: u64) -> Request {
    let wanted = agent.step(Millis(at), Input::Intent(Intent::Submit("go".into())));
    let call = wanted.into_iter().find_map(|effect| match effect {
        Effect::CallModel(message, request) => Some((message, *request)),
        _ => None,
    });
    let (message, request) = call.unwrap();
    for news in [ModelNews::Event(ModelEvent::Text("Done.".into())), ModelNews::Finished] {
        agent.step(Millis(at + 1), Input::Model(message, news));
    }
    request
}

/// The entries as a session file keeps them.
fn kept(agent: &Agent) -> Vec<Arc<Entry>> {
    agent.ledger().entries().iter().map(|entry| Arc::new(decode(&encode(entry)).unwrap())).collect()
}

fn body(protocol: Protocol, request: &Request) -> Vec<u8> {
    protocol.encode(request, &Endpoint::new("http://x", None)).body
}

#[test]
fn a_seed_is_written_before_the_first_request_and_stays_over_a_resume() {
    let mut agent = Agent::new(settings(Some(7)));
    assert_eq!(ask(&mut agent, 1).seed, Some(7));
    let entries = kept(&agent);
    let is_seed = |entry: &Arc<Entry>| entry.body == Body::Change(Change::Seed { seed: 7 });
    let seed = entries.iter().position(is_seed).unwrap();
    let asked = entries.iter().position(|entry| matches!(entry.body, Body::Transition { .. })).unwrap();
    assert!(seed < asked);
    // Another process knows nothing of it but what is written.
    let recovered = recover(entries, Millis(50)).unwrap();
    let (mut resumed, _) = Agent::resume(settings(None), recovered, Millis(50));
    assert_eq!(ask(&mut resumed, 60).seed, Some(7));
    assert_eq!(resumed.ledger().entries().iter().filter(|entry| is_seed(entry)).count(), 1);
    // A model whose protocol has no field is not asked with one.
    let mut spec = ModelSpec::unknown(ModelRef::parse("first"));
    spec.abilities = Abilities { seed: Some(false), ..Abilities::default() };
    assert_eq!(ask(&mut Agent::new(Settings { model: spec, ..settings(Some(7)) }), 1).seed, None);
}

#[test]
fn a_session_with_a_seed_is_played_again_with_the_same_bytes() {
    for seed in [None, Some(0), Some(u64::from(u32::MAX) + 7)] {
        let mut agent = Agent::new(settings(seed));
        let asked: Vec<_> = [1, 10].map(|at| body(Protocol::OpenAiChat, &ask(&mut agent, at))).into();
        let tape = Tape::of(&kept(&agent)).unwrap();
        let played = Player::new(settings(None), tape, &mut NothingOutside).play();
        let again = played.requests.iter().map(|one| body(Protocol::OpenAiChat, &one.request));
        assert_eq!(again.collect::<Vec<_>>(), asked, "{seed:?}");
        let sent: Value = serde_json::from_slice(&asked[1]).unwrap();
        assert_eq!(sent.get("seed"), seed.map(|seed| json!(seed)).as_ref());
    }
}

#[test]
fn a_seed_has_the_name_that_the_server_knows_or_none() {
    let request = ask(&mut Agent::new(settings(Some(7))), 1);
    let sent = |protocol: Protocol, url: &str| -> Value {
        serde_json::from_slice(&protocol.encode(&request, &Endpoint::new(url, None)).body).unwrap()
    };
    let mistral = sent(Protocol::OpenAiChat, "https://api.mistral.ai/v1");
    assert_eq!((&mistral["random_seed"], mistral.get("seed")), (&json!(7), None));
    for protocol in [Protocol::Anthropic, Protocol::OpenAiResponses] {
        assert!(!protocol.takes_seed() && sent(protocol, "http://x").get("seed").is_none());
    }
}
