//! Files that have the names of sessions which are yet to begin.

use std::fs;

use serde_json::json;

use crate::subagents::delegate;
use crate::world::{World, script, text};

/// It cannot be made, now or later, so nothing waits for it.
#[test]
fn a_sub_agent_whose_name_is_taken_is_not_started() {
    let world = World::new();
    world.json(&["--script", r#"["Good day."]"#, "hello"]);
    let session = text(&world.entries()[0], "session");
    let taken = world.session_file().with_file_name(format!("{session}-c1.jsonl"));
    fs::copy(world.session_file(), &taken).unwrap();
    let before = fs::read(&taken).unwrap();
    let replies = script(json!([{ "tool_calls": [delegate("explore", "Look.")] }, "I do it myself."]));
    let ran = world.json(&["--last", "--script", &replies, "go on"]);
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["failed".to_owned()]), "{}", ran.err);
    let why = text(&ran.one("tool_result"), "content");
    let said =
        format!("not started: session {session}-c1 exists already and does not belong to this sub-agent");
    assert!(why.contains(&said), "{why}");
    assert_eq!(fs::read(&taken).unwrap(), before);
    let checked = world.sessions_cli(&["check", "--last"]);
    assert_eq!(checked.code, 0, "{}", checked.out);
}
