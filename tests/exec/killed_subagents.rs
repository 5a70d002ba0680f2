//! The process dies while a sub-agent works: what its own ledger proves is what is said of it.

use serde_json::json;

use crate::subagents::{delegate, entries, sessions, shell};
use crate::world::{World, of_type, script, text};

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
}

#[test]
fn killed_before_a_call_of_the_subagent_had_started_nothing_may_be_partial() {
    let world = World::new();
    let replies = script(json!([
        { "tool_calls": [delegate("general", "Look.")] },
        { "text": "I begin with it.", "chunk": 3, "pause_ms": 60_000 },
    ]));
    let mut run = world.begin(&["--json", "--mode", "unrestricted", "--script", &replies, "go"]);
    run.until(|event| event["type"] == "escrow_reserved");
    let began = |world: &World| {
        let (below, _) = sessions(world);
        below.first().is_some_and(|file| !of_type(&entries(file), "transition").is_empty())
    };
    while !began(&world) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    run.kill();
    let ran = world.json(&["--last", "--mode", "unrestricted", "--script", r#"["I see."]"#, "go on"]);
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["failed".to_owned()]), "{}", ran.err);
    let said = text(&ran.one("tool_result"), "content");
    assert!(said.contains("None of its calls had been started") && !said.contains("partial"), "{said}");
    assert!(!ran.err.contains("partial"), "{}", ran.err);
    let checked = world.sessions_cli(&["check", "--last"]);
    assert_eq!(checked.code, 0, "{}", checked.out);
}
