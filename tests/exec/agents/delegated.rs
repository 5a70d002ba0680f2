//! Tasks handed to an agent by the real binary: what the agent is sent, what the books say, and how a task is taken back.

use std::time::{Duration, Instant};

use countersign::tool::DELEGATE_TO;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::a2a::agent::{Agent, KEY};
use crate::a2a::way::Way;
use crate::books;
use crate::world::{Ran, World, parse, script, text};

/// A world that knows the agent `writer`.
fn world(agent: &Agent) -> World {
    World::new().configured(&format!(
        "allow = ['{DELEGATE_TO}writer']\n[agents.writer]\nurl = '{}'\nheaders.X-Key = '{KEY}'\n",
        agent.site.url()
    ))
}

fn agent(way: Way) -> Agent {
    Agent::of(way, None, None)
}

fn handed(arguments: Value) -> Value {
    json!({ "id": "a", "name": format!("{DELEGATE_TO}writer"), "arguments": arguments })
}

/// The messages that the agent was sent.
fn messages(agent: &Agent) -> Vec<Value> {
    let asked = agent.site.asked();
    let sent = asked.iter().filter(|one| one.body["params"].get("message").is_some());
    sent.map(|one| one.body["params"]["message"].clone()).collect()
}

fn short(world: &World) -> Vec<Value> {
    let shown = world.sessions_cli(&["show", "--events", "--last"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    parse(&shown.out)
}

fn kinds(ran: &Ran, names: &[&str]) -> Vec<String> {
    let kinds = ran.events().iter().map(|event| text(event, "type")).collect::<Vec<_>>();
    kinds.into_iter().filter(|kind| names.contains(&kind.as_str())).collect()
}

/// Waits until something is so.
fn becomes_true(what: &str, is_so: impl Fn() -> bool) {
    let patience = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < patience, "waited in vain for {what}");
        std::thread::yield_now();
    }
}

#[test]
fn a_task_is_sent_under_the_key_of_its_action_and_the_books_tell_all_of_it() {
    for way in Way::ALL {
        let agent = agent(way);
        let world = world(&agent);
        let replies = script(
            json!([{ "tool_calls": [handed(json!({ "task": "echo Old pond." }))] }, "It is written."]),
        );
        let ran = world.json(&[
            "-c",
            "log=trace,hyper_util=trace,reqwest=trace",
            "--script",
            &replies,
            "Have it written.",
        ]);
        assert_eq!((ran.code, ran.reason().as_str()), (0, "completed"), "{way:?}: {}", ran.err);
        let about = [
            "tool_call",
            "approval",
            "delegation_request",
            "progress",
            "note",
            "delegation_response",
            "tool_result",
        ];
        assert_eq!(kinds(&ran, &about), about, "{way:?}");
        let progress = ran.one("progress");
        assert_eq!((&progress["action"], &progress["target"]), (&json!("delegate"), &json!("writer")));
        let request = ran.one("delegation_request");
        assert_eq!((&request["agent"], &request["task"]), (&json!("writer"), &json!("echo Old pond.")));
        let response = ran.one("delegation_response");
        for (member, value) in [
            ("id", json!("c1")),
            ("agent", json!("writer")),
            ("content", json!("Old pond.")),
            ("is_error", json!(false)),
            ("task_id", json!("t-1")),
            ("state", json!("completed")),
        ] {
            assert_eq!(response[member], value, "{way:?} {member}");
        }
        // The approval, the receipt and the message of the protocol have one name for the action.
        let key = text(&ran.one("approval"), "key");
        assert_eq!(key, format!("{}-c1", text(&world.entries()[0], "session")));
        let sent = messages(&agent);
        assert_eq!((sent.len(), &sent[0]["messageId"]), (1, &json!(key)), "{way:?}");
        assert_eq!(
            short(&world),
            [
                json!({ "type": "user_message", "content": "Have it written." }),
                json!({ "type": "delegation_request", "id": "c1", "agent": "writer", "task": "echo Old pond." }),
                json!({ "type": "delegation_response", "id": "c1", "agent": "writer", "content": "Old pond.",
                    "is_error": false, "task_id": "t-1", "state": "completed" }),
                json!({ "type": "agent_response", "text": "It is written." }),
            ]
        );
        world.keeps_nothing_of(KEY);
    }
}

#[test]
fn a_task_that_asks_back_goes_on_under_another_key() {
    let agent = agent(Way::NEWEST);
    let world = world(&agent);
    let replies = script(json!([
        { "tool_calls": [handed(json!({ "task": "ask Which colour?" }))] },
        { "tool_calls": [handed(json!({ "task": "echo blue", "task_id": "t-1" }))] },
        "Done.",
    ]));
    let ran = world.json(&["--script", &replies, "go"]);
    assert_eq!(ran.outcomes(), ["ok", "ok"], "{}", ran.out);
    let states: Vec<String> = ran.all("delegation_response").iter().map(|one| text(one, "state")).collect();
    assert_eq!(states, ["input-required", "completed"]);
    let sent = messages(&agent);
    assert_eq!((&sent[0].get("taskId"), &sent[1]["taskId"]), (&None, &json!("t-1")));
    assert_ne!(sent[0]["messageId"], sent[1]["messageId"]);
}

#[test]
fn what_is_denied_is_sent_to_nobody() {
    let agent = agent(Way::NEWEST);
    let world = world(&agent);
    let replies = script(json!([{ "tool_calls": [handed(json!({ "task": "echo x" }))] }, "No."]));
    let ran = world.json(&["--deny", "delegate_to_*", "--script", &replies, "go"]);
    assert_eq!(ran.outcomes(), ["denied"]);
    assert!(ran.all("delegation_request").is_empty() && messages(&agent).is_empty());
    let told = &short(&world)[2];
    assert_eq!((&told["type"], &told["state"]), (&json!("delegation_response"), &Value::Null));
}

#[test]
fn an_interrupted_task_is_taken_back_before_the_program_ends() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        for way in Way::ALL {
            let agent = agent(way);
            let world = world(&agent);
            let replies =
                script(json!([{ "tool_calls": [handed(json!({ "task": "slow epic" }))] }, "Never."]));
            let mut run = world.begin(&["--json", "--script", &replies, "go"]);
            run.until(|event| event["type"] == "note");
            run.signal(signal);
            let ran = run.finish();
            assert_eq!((ran.code, ran.reason().as_str()), (130, "aborted_tools"), "{way:?} {}", ran.err);
            books::check_run(&ran, &world.session_text());
            assert_eq!(agent.state("t-1"), "canceled", "{signal:?} {way:?}");
            let response = ran.one("delegation_response");
            assert_eq!((&response["task_id"], &response["state"]), (&json!("t-1"), &json!("unknown")));
            assert_eq!(ran.outcomes(), ["aborted"]);
        }
    }
}

#[test]
fn a_process_that_dies_knows_the_task_when_it_goes_on_and_sends_it_to_nobody_again() {
    let agent = agent(Way::NEWEST);
    let world = world(&agent);
    let replies = script(json!([{ "tool_calls": [handed(json!({ "task": "slow epic" }))] }, "Never."]));
    let mut run = world.begin(&["--json", "--script", &replies, "go"]);
    run.until(|event| event["type"] == "note");
    run.kill();
    becomes_true("the message", || messages(&agent).len() == 1);

    let again = script(json!([{ "tool_calls": [handed(json!({ "task": "slow epic" }))] }, "As it is."]));
    let ran = world.json(&["--last", "--deny", "delegate_to_writer", "--script", &again, "go on"]);
    assert_eq!(ran.outcomes(), ["lost", "denied"], "{}", ran.out);
    let response = ran.one("delegation_response");
    assert_eq!((&response["task_id"], &response["state"]), (&json!("t-1"), &json!("unknown")));
    assert_eq!(messages(&agent).len(), 1, "no task is sent twice");
}

#[test]
fn an_agent_that_does_not_answer_is_told_to_the_model_and_the_others_work() {
    let agent = agent(Way::NEWEST);
    let world = world(&agent);
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let replies = script(json!([{ "tool_calls": [handed(json!({ "task": "echo x" }))] }, "Done."]));
    let nobody = format!("agents.gone.url=http://{gone}");
    let ran = world.json(&["-c", &nobody, "--script", &replies, "go"]);
    assert_eq!(ran.outcomes(), ["ok"]);
    let told = ran.all("injected").into_iter().find(|one| one["by"] == "discovery").unwrap();
    assert!(text(&told, "text").starts_with("The agent `gone` could not be reached: "), "{told}");
}
