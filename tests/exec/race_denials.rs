//! What lanes of a race were denied, where nobody is here to see it go by: it is named, and the exit code says so.

use serde_json::json;

use crate::races::in_a_repository;
use crate::world::{World, script};

/// Two lanes, one after the other, so that each gets its part of the script.
const WORDS: [&str; 5] = ["--lanes", "2", "-c", "agents.max_parallel=1", "Make one.txt say 1st"];

#[test]
fn what_a_lane_was_denied_is_named_and_it_has_not_done_its_task() {
    let world = in_a_repository(World::new());
    let arguments = json!({ "path": "one.txt", "content": "1st line\n" });
    let write = json!({ "tool_calls": [{ "name": "write", "arguments": arguments }] });
    let replies = script(json!([write, "Done.", write, "Done."]));
    let ran = world.race(&[&["--mode", "ask", "--script", &replies], &WORDS[..]].concat());
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.out.contains("completed") && ran.out.contains("1 denied"), "{ran:?}");
    let begins = ran.err.find("note: session ").zip(ran.err.find("lane 1: starts"));
    assert!(begins.is_some_and(|(note, lane)| note < lane), "{ran:?}");
    let denied: Vec<&str> = ran.err.lines().filter(|line| line.contains("denied by ")).collect();
    assert_eq!(denied.len(), 2, "{ran:?}");
    for (line, lane) in denied.iter().zip(["lane 1: write one.txt (", "lane 2: write one.txt ("]) {
        assert!(line.contains(lane), "{line}");
    }
}

#[test]
fn a_check_that_may_not_run_is_named() {
    let world = in_a_repository(World::new());
    let replies = script(json!(["Done.", "Done."]));
    let words = ["--mode", "edit", "--check", "grep -q 1st one.txt", "--script", &replies];
    let ran = world.race(&[&words[..], &WORDS].concat());
    assert_eq!(ran.code, 4, "{ran:?}");
    let said = "the check `grep -q 1st one.txt` was not allowed: ";
    let why = "no user is available to approve it";
    let named = |lane: &str| {
        let is_it = |line: &&str| line.contains("denied by ") && line.contains(lane);
        ran.err.lines().find(is_it).is_some_and(|line| line.contains(said) && line.contains(why))
    };
    assert!(named("lane 1: ") && named("lane 2: "), "{ran:?}");
    for lane in ["lane 1 (", "lane 2 ("] {
        let is_it = |line: &str| line.starts_with(lane) && line.contains(said) && line.contains(why);
        assert!(ran.out.lines().any(is_it), "{ran:?}");
    }
    for line in world.race(&["show", "--json"]).out.lines() {
        let lane: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(lane["check_refused"].as_str().is_some_and(|said| said.contains(why)), "{lane}");
    }
    // Nobody can go on in the session of a lane.
    let sessions = world.sessions().into_iter().map(|file| std::fs::read_to_string(file).unwrap());
    let handed: Vec<String> = sessions.filter(|text| text.contains("\"handoff\"")).collect();
    assert_eq!(handed.len(), 2, "{handed:?}");
    assert!(handed.iter().all(|text| !text.contains("/goal resume")), "{handed:?}");
}
