//! A session that goes on with another model, and with the first again, against a strict server: nothing of one model's
//! reasoning reaches another, and nothing is refused.

use serde_json::{Value, json};

use crate::model_server::{ModelServer, Part, Reply};
use crate::servers::{ANTHROPIC, KEY, OPENAI, RESPONSES, accepted};
use crate::world::World;

/// What each model thinks, says and does when it is asked.
fn turn(id: &str, thought: &str) -> [Reply; 2] {
    let call = Part::call(id, "read", &json!({ "path": "one.txt" }));
    [
        Reply::Stream(vec![Part::Thinking(thought.to_owned()), Part::text("I look."), call]),
        Reply::Stream(vec![Part::Thinking(format!("{thought} Done.")), Part::text("Looked.")]),
    ]
}

fn world(server: &ModelServer) -> World {
    let world = World::new().with(ANTHROPIC.key, KEY).with(OPENAI.key, KEY);
    world.with(ANTHROPIC.url, &server.base_url()).with(OPENAI.url, &server.base_url())
}

fn changes(world: &World) -> Vec<Value> {
    let entries = world.entries();
    let changed = entries.iter().filter(|entry| entry["type"] == "model_changed");
    changed.map(|entry| json!([entry["previous"], entry["model"]])).collect()
}

#[test]
fn a_session_goes_on_with_each_protocol_and_back() {
    let route = [ANTHROPIC, RESPONSES, OPENAI, ANTHROPIC, OPENAI, RESPONSES];
    let turns = route
        .iter()
        .enumerate()
        .flat_map(|(at, speech)| turn(&format!("call_{at}"), &format!("Thought {at} of {}.", speech.model)));
    let server = ModelServer::start_with_key(turns.collect(), Some(KEY));
    let world = world(&server);
    for (at, speech) in route.iter().enumerate() {
        let last: &[&str] = if at == 0 { &[] } else { &["--last"] };
        let ran = world.json(&[last, &["-m", speech.model, "look"]].concat());
        assert_eq!((ran.code, ran.reason().as_str()), (0, "completed"), "{at} {speech:?}: {}", ran.err);
    }
    let sent = accepted(&server);
    for (at, body) in sent.iter().enumerate() {
        let speech = route[at / 2];
        let text = body.to_string();
        for (earlier, other) in route.iter().enumerate().take(at / 2) {
            let thought = format!("Thought {earlier} of {}.", other.model);
            assert!(other.model == speech.model || !text.contains(&thought), "{speech:?} reads: {thought}");
        }
    }
    assert!(
        sent[6].to_string().contains("Thought 0 of anthropic/tested. Done."),
        "its own reasoning goes back"
    );
    let names: Vec<Value> = route.windows(2).map(|pair| json!([pair[0].model, pair[1].model])).collect();
    assert_eq!(changes(&world), names);
}

#[test]
fn a_session_keeps_the_model_that_it_was_left_with() {
    let [first, second] = turn("call_1", "Hm.");
    let server = ModelServer::start_with_key(vec![Reply::text("Begun."), first, second], Some(KEY));
    let world = world(&server);
    assert_eq!(world.json(&["-m", ANTHROPIC.model, "hi"]).code, 0);
    let switched = world.json(&["--last", "-m", RESPONSES.model, "look"]);
    assert_eq!(switched.code, 0);
    let changed = switched.one("model_changed");
    assert_eq!((&changed["model"], &changed["previous"]), (&json!(RESPONSES.model), &json!(ANTHROPIC.model)));
    accepted(&server);

    // No model is named, and the file names the first: what was chosen in the session stands above it.
    let server = ModelServer::start_with_key(vec![Reply::text("Gone on.")], Some(KEY));
    let world = world
        .with(ANTHROPIC.url, &server.base_url())
        .with(OPENAI.url, &server.base_url())
        .configured("model = \"anthropic/tested\"\n");
    assert_eq!(world.json(&["--last", "and on"]).code, 0);
    assert_eq!(server.requests()[0].path, "/v1/responses");
    assert_eq!(changes(&world).len(), 1, "nothing was changed");
}
