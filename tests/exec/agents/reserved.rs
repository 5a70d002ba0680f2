//! A part of the limits that is set aside for each task of an agent: before it is sent, and charged whatever becomes of it.

use rustix::process::Signal;
use serde_json::{Value, json};

use super::run;
use crate::a2a::agent::Agent;
use crate::a2a::way::Way;
use crate::books;
use crate::world::{World, of_type, script, text};

fn agent() -> Agent {
    Agent::of(Way::NEWEST, None, None)
}

/// A world that sets three turns aside for each task of the agent `writer`.
fn world(agent: &Agent) -> World {
    World::new().configured(&format!(
        "allow = ['delegate_to_writer']\n[agents.writer]\nurl = '{}'\nheaders.X-Key = '{}'\nreserve = {{ max_model_turns = 3 }}\n",
        agent.site.url(),
        crate::a2a::agent::KEY
    ))
}

fn task(words: &str) -> Value {
    json!({ "tool_calls": [{ "name": "delegate_to_writer", "arguments": { "task": words } }] })
}

#[test]
fn what_a_task_reserves_is_charged_and_a_task_for_which_too_little_is_left_is_not_sent() {
    let agent = agent();
    let world = world(&agent);
    let replies = script(json!([task("echo a"), task("echo b"), task("echo c"), "Done."]));
    let ran = world.json(&["--max-turns", "11", "--script", &replies, "go"]);
    assert_eq!(
        (ran.code, ran.outcomes()),
        (0, ["ok", "ok", "failed"].map(str::to_owned).into()),
        "{}",
        ran.err
    );
    let (reserved, settled) = (ran.all("escrow_reserved"), ran.all("escrow_settled"));
    assert_eq!((reserved.len(), settled.len()), (2, 2));
    assert!(reserved[0]["limits"] == json!({ "max_model_turns": 3 }) && reserved[0].get("session").is_none());
    let charged = (&settled[0]["spent"]["turns"], &settled[0]["is_assumed"], &settled[0]["state"]);
    assert_eq!(charged, (&json!(3), &json!(true), &json!("completed")));
    let refused = text(&ran.all("tool_result")[2], "content");
    assert!(refused.contains("3 of the budget max_model_turns") && refused.contains("not sent"), "{refused}");
    assert_eq!(ran.all("delegation_request").len(), 2);
    books::check_run(&ran, &world.session_text());
    assert_eq!(world.sessions_cli(&["check", "--last"]).code, 0);
}

#[test]
fn what_was_set_aside_for_a_task_is_charged_when_the_process_died() {
    let agent = agent();
    let world = world(&agent);
    let replies = script(json!([task("slow epic")]));
    let mut begun = world.begin(&["--json", "--script", &replies, "go"]);
    begun.until(|event| event["type"] == "note");
    begun.kill();
    let ran = world.json(&["--last", "--script", r#"["As it is."]"#, "go on"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let entries = world.entries();
    let settled = of_type(&entries, "escrow_settled");
    assert_eq!(
        (settled.len(), &settled[0]["spent"]["turns"], &settled[0]["is_assumed"]),
        (1, &json!(3), &json!(true))
    );
    assert_eq!(world.sessions_cli(&["check", "--last"]).code, 0);
}

#[test]
fn what_was_set_aside_for_a_task_is_settled_before_a_signal_ends_the_process() {
    for signal in [Signal::INT, Signal::TERM] {
        let agent = agent();
        let world = world(&agent);
        let replies = script(json!([task("slow epic")]));
        let mut run = world.begin(&["--json", "--script", &replies, "go"]);
        run.until(|event| event["type"] == "note");
        run.signal(signal);
        let ran = run.finish();
        assert_eq!(ran.code, 130, "{}", ran.err);
        books::check_run(&ran, &world.session_text());
        let settled = of_type(&world.entries(), "escrow_settled");
        let charged = (settled.len(), &settled[0]["spent"]["turns"], &settled[0]["state"]);
        assert_eq!(charged, (1, &json!(3), &json!("unknown")), "{signal:?}");
        let again = world.exec(&["--last", "--script", r#"["As it is."]"#, "go on"]);
        assert_eq!(again.code, 0, "{}", again.err);
        assert_eq!(of_type(&world.entries(), "escrow_settled").len(), 1);
        assert_eq!(world.sessions_cli(&["check", "--last"]).code, 0);
    }
}

#[test]
fn a_reservation_is_shown_and_a_wrong_one_is_refused_in_words() {
    let world = World::new();
    let of = |what: &str| format!("agents.a.{what}");
    let shown = run(
        &world,
        &["-c", "agents.a.url=https://h.example/", "-c", &of("reserve.max_total_cost=0.1"), "agents", "list"],
    );
    assert!(shown.out.contains("sets aside for each task: max_total_cost 0.1"), "{shown:?}");
    let whole =
        ["-c", "agents.a.url=https://h.example/", "-c", &of("reserve.max_model_turns=5"), "agents", "list"];
    let shown = run(&world, &whole);
    assert!(shown.out.contains("sets aside for each task: max_model_turns 5"), "{shown:?}");
    for (key, why) in [
        ("reserve.max_wall_time_seconds=3", "cannot be set aside"),
        ("reserve.tokens=3", "max_output_tokens"),
        ("reserve.max_output_tokens=0", "agents.a.reserve.max_output_tokens"),
        ("reserve.max_total_cost=0", "must be more than zero"),
        ("reserve.max_total_cost=much", "agents.a.reserve.max_total_cost"),
    ] {
        let ran = run(&world, &["-c", "agents.a.url=https://h.example/", "-c", &of(key), "agents", "list"]);
        assert!(ran.code == 2 && ran.err.contains(why), "{key}: {ran:?}");
    }
    let words = [
        "-c",
        "agents.a.instructions=Do it",
        "-c",
        "agents.a.description=x",
        "-c",
        &of("reserve.max_total_cost=1"),
    ];
    let ran = run(&world, &[&words[..], &["agents", "list"]].concat());
    assert!(ran.code == 2 && ran.err.contains("`reserve` is for an agent with `url`"), "{ran:?}");
}
