//! The process dies while a sub-agent works: what its own ledger proves is what is said of it.

use serde_json::json;

use crate::model_server::{Part, Reply, gate};
use crate::servers::ANTHROPIC;
use crate::steered::Steered;
use crate::subagents::{delegate, shell};
use crate::world::{World, script, text};

#[test]
fn killed_while_a_subagent_works_nothing_of_it_is_lost_or_done_twice() {
    let world = World::new();
    let (command, mut beacon) = world.beacon();
    let replies = script(json!([
        { "tool_calls": [delegate("general", "Run it.")] },
        { "text": "I run it.", "tool_calls": [shell(&format!("echo ran >> log.txt; {command}"))] },
    ]));
    let run = world.begin(&["--json", "--mode", "unrestricted", "--script", &replies, "go"]);
    beacon.lit();
    run.kill();
    beacon.put_out();
    let ran = world.json(&["--last", "--mode", "unrestricted", "--script", r#"["I see."]"#, "go on"]);
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["lost".to_owned()]), "{}", ran.err);
    let said = text(&ran.one("tool_result"), "content");
    assert!(said.contains("I run it.") && said.contains("nothing of it is done again"), "{said}");
    let settled = ran.one("escrow_settled");
    assert_eq!((&settled["spent"]["turns"], &settled["is_assumed"]), (&json!(1), &json!(false)));
    assert_eq!(world.file("log.txt"), "ran\n");
    let checked = world.sessions_cli(&["check", "--last"]);
    assert_eq!(checked.code, 0, "{}", checked.out);
    has_one_result(&world, "was allowed: effects may be partial");
}

/// The call of the sub-agent has its one result in its own session, too.
fn has_one_result(world: &World, says: &str) {
    let is_below = |file: &std::path::PathBuf| file.file_stem().unwrap().len() > 36;
    let file = world.sessions().into_iter().find(is_below).unwrap();
    let id = file.file_stem().unwrap().to_str().unwrap();
    let checked = world.sessions_cli(&["check", id]);
    assert!(checked.code == 0 && checked.out.contains("1 call with its one result"), "{checked:?}");
    let shown = world.sessions_cli(&["show", id]).out;
    assert!(shown.contains(says) && !shown.contains("no result yet"), "{shown}");
}

#[test]
fn killed_while_a_call_of_the_subagent_waited_nobody_is_asked_about_it_any_more() {
    let world = World::new();
    let replies = script(json!([
        { "tool_calls": [delegate("general", "Make it.")] },
        { "tool_calls": [shell("touch made")] },
    ]));
    let mut run = Steered::start(&world, &["--mode", "ask", "--script", &replies, "go"]);
    run.until("approval_request");
    run.kill();
    let ran = world.json(&["--last", "--script", r#"["I see."]"#, "go on"]);
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["failed".to_owned()]), "{}", ran.err);
    let said = text(&ran.one("tool_result"), "content");
    assert!(said.contains("None of its calls had been started"), "{said}");
    assert!(!world.work().join("made").exists());
    has_one_result(&world, "before this call was allowed; was not started");
}

#[test]
fn killed_before_a_call_of_the_subagent_had_started_nothing_may_be_partial() {
    let (wait, _never) = gate();
    let (server, world) = ANTHROPIC.serve(vec![
        Reply::Stream(vec![Part::call("a", "delegate_to_general", &json!({ "task": "Look." }))]),
        Reply::Stream(vec![Part::text("I begin with it."), wait]),
        Reply::text("I see."),
    ]);
    let run = world.begin(&["--json", "--mode", "unrestricted", "go"]);
    // Its own ledger stands before its request.
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(server.asked(2));
    run.kill();
    let ran = world.json(&["--last", "--mode", "unrestricted", "go on"]);
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["failed".to_owned()]), "{}", ran.err);
    let said = text(&ran.one("tool_result"), "content");
    assert!(said.contains("None of its calls had been started") && !said.contains("partial"), "{said}");
    assert!(!ran.err.contains("partial"), "{}", ran.err);
    assert_eq!(ran.one("escrow_settled")["state"], "failed", "what it did is known");
    let shown = world.sessions_cli(&["show", "--last"]);
    assert!(shown.code == 0 && !shown.out.contains("unknown state"), "{shown:?}");
    let checked = world.sessions_cli(&["check", "--last"]);
    assert_eq!(checked.code, 0, "{}", checked.out);
}

/// A sub-agent that has started another one, whose model answers with this and is never done, and the process dies.
fn killed_two_below(answer: Vec<Part>, requests: usize) -> (String, World) {
    let delegate = |id: &str, agent: &str| {
        Reply::Stream(vec![Part::call(id, &format!("delegate_to_{agent}"), &json!({ "task": "Look." }))])
    };
    let (server, world) = ANTHROPIC.serve(vec![
        delegate("a", "general"),
        delegate("b", "explore"),
        Reply::Stream(answer),
        Reply::text("I see."),
    ]);
    let run = world.begin(&["--json", "--mode", "unrestricted", "go"]);
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(server.asked(requests));
    run.kill();
    let ran = world.json(&["--last", "--mode", "unrestricted", "go on"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let checked = world.sessions_cli(&["check", "--last"]);
    assert_eq!(checked.code, 0, "{}", checked.out);
    (text(&ran.one("tool_result"), "content"), world)
}

#[test]
fn killed_before_the_sub_agent_of_a_sub_agent_had_started_a_call_nothing_may_be_partial() {
    let (wait, _never) = gate();
    let (said, _world) = killed_two_below(vec![Part::text("I begin with it."), wait], 3);
    assert!(said.contains("None of its calls had been started") && !said.contains("partial"), "{said}");
}

/// Not one that never began: how many lines there were stands beside it.
#[test]
fn a_ledger_of_a_sub_agent_that_was_emptied_is_damage_and_is_searched() {
    let world = World::new();
    let written = json!({ "name": "write", "arguments": { "path": "made.txt", "content": "x" } });
    let replies = script(json!([
        { "tool_calls": [delegate("general", "Make it.")] },
        { "tool_calls": [written] },
        "It is made.",
        "Done.",
    ]));
    let ran = world.json(&["--mode", "unrestricted", "--script", &replies, "go"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let is_below = |file: &std::path::PathBuf| file.file_stem().unwrap().len() > 36;
    let file = world.sessions().into_iter().find(is_below).unwrap();
    std::fs::write(&file, "").unwrap();
    let id = file.file_stem().unwrap().to_str().unwrap();
    let checked = world.sessions_cli(&["check", id]);
    assert!(checked.code == 1 && (checked.out + &checked.err).contains("missing"), "{id}");
    let searched = world.program().args(["exposure", "--text", "never-said"]).output().unwrap();
    let searched = String::from_utf8_lossy(&searched.stdout).into_owned();
    assert!(
        searched.contains("2 sessions were searched, of which 1 is not well-formed and may have had it"),
        "{searched}"
    );
    let looked = world.program().args(["doctor", "--json"]).output().unwrap();
    let looked = String::from_utf8_lossy(&looked.stdout).into_owned();
    assert!(looked.contains(&format!("{id}: not well-formed")), "{looked}");
}
