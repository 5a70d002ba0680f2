//! What an adoption says, and what it leaves as it was.

use std::fs;

use serde_json::{Value, json};

use crate::races::{git, repository};
use crate::world::{World, of_type, script};

fn entries_of_race(world: &World) -> Vec<Value> {
    let session = fs::read_to_string(world.session_of_race()).unwrap();
    session.lines().map(crate::books::unchained).collect()
}

#[test]
fn an_adoption_leaves_the_session_its_model() {
    let world = repository();
    world.raced();
    // A script answered the race. Nothing names it here, so that another model would answer.
    let adopted = world.race(&["adopt", "1"]);
    assert_eq!(adopted.code, 0, "{adopted:?}");
    assert_eq!(world.file("one.txt"), "1st line\nsecond line\n");
    let entries = entries_of_race(&world);
    assert_eq!(of_type(&entries, "session_started")[0]["model"], "script");
    assert!(of_type(&entries, "model_changed").is_empty(), "{entries:?}");
}

/// There is no key for a model of the configuration.
#[test]
fn an_adoption_needs_no_model_within_reach() {
    let world = repository();
    world.raced();
    let world = world.configured("model = \"anthropic/claude-sonnet-4-5\"\nfallback = [\"openai/x\"]\n");
    let adopted = world.race(&["adopt", "1"]);
    assert_eq!(adopted.code, 0, "{adopted:?}");
    assert_eq!(world.file("one.txt"), "1st line\nsecond line\n");
    assert!(of_type(&entries_of_race(&world), "model_changed").is_empty());
}

/// Two lanes, one after the other, each of which writes its file.
fn two_lanes(first: &str, second: &str) -> World {
    let world = repository();
    let write = |path: &str, content: &str| {
        let arguments = json!({ "path": path, "content": content });
        json!({ "tool_calls": [{ "name": "write", "arguments": arguments }] })
    };
    let replies = script(json!([write(first, "1st\n"), "Done.", write(second, "2nd\n"), "Done."]));
    let words = ["--mode", "edit", "--lanes", "2", "-c", "agents.max_parallel=1", "--script", &replies];
    let ran = world.race(&[&words[..], &["Write a file with a number"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    world
}

#[test]
fn a_second_adoption_of_the_same_files_names_the_lane_that_is_adopted() {
    let world = two_lanes("one.txt", "one.txt");
    assert_eq!(world.race(&["adopt", "1"]).code, 0);
    let second = world.race(&["adopt", "2"]);
    assert_eq!(second.code, 1, "{second:?}");
    let why = "lane 1 is adopted already, and a file has changed since this lane began: one.txt.";
    assert!(second.err.contains(why) && second.err.contains("/undo"), "{second:?}");
    assert_eq!(world.file("one.txt"), "1st\n", "nothing was changed");
}

#[test]
fn a_second_adoption_of_other_files_says_that_both_are_there() {
    let world = two_lanes("a.txt", "b.txt");
    let first = world.race(&["adopt", "1"]);
    assert!(first.code == 0 && !first.out.contains("adopted, too"), "{first:?}");
    let second = world.race(&["adopt", "2"]);
    assert!(
        second.code == 0 && second.out.contains("lane 1 is adopted, too: no check has seen"),
        "{second:?}"
    );
    assert_eq!((world.file("a.txt"), world.file("b.txt")), ("1st\n".to_owned(), "2nd\n".to_owned()));
}

#[test]
fn the_branches_of_a_race_are_named_when_its_session_is_removed() {
    let world = two_lanes("a.txt", "b.txt");
    let branches = git(&world, &["for-each-ref", "--format=%(refname:short)", "refs/heads/race"]);
    let branches = branches.lines().collect::<Vec<_>>().join(" ");
    let session = world.session_of_race().file_stem().unwrap().to_string_lossy().into_owned();
    let removed = world.sessions_cli(&["remove", &session]);
    let stay = format!("branches of its race stay: {branches}; `git -C ");
    assert!(removed.code == 0 && removed.err.contains(&stay), "{removed:?}");
    assert!(removed.err.contains(&format!(" branch -D {branches}` removes them")), "{removed:?}");
}

/// A race of two lanes, each of which makes a file and deletes another one.
fn that_deletes() -> World {
    let world = repository();
    let command = "printf x > new.txt && rm -f one.txt";
    let call = json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": command } }] });
    let replies = script(json!([call, "Done.", call, "Done."]));
    let words =
        ["--lanes", "2", "--mode", "unrestricted", "-c", "agents.max_parallel=1", "--script", &replies];
    let ran = world.race(&[&words[..], &["Do it with care"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    world
}

#[test]
fn what_a_lane_deletes_may_be_gone_already() {
    let world = that_deletes();
    fs::remove_file(world.work().join("one.txt")).unwrap();
    let adopted = world.race(&["adopt", "1"]);
    assert!(adopted.code == 0 && adopted.out.contains("one.txt (is gone already)"), "{adopted:?}");
    assert_eq!(world.file("new.txt"), "x");
}

#[test]
fn an_adoption_that_was_cut_off_is_named_with_what_takes_it_back() {
    let world = that_deletes();
    assert_eq!(world.race(&["adopt", "1"]).code, 0);
    let session = world.session_of_race();
    // As if the process had been killed before it wrote what came of it.
    let text = fs::read_to_string(&session).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let result = lines.iter().rposition(|line| line.contains("\"type\":\"tool_result\"")).unwrap();
    let begun: String = lines.iter().take(result).map(|line| format!("{line}\n")).collect();
    fs::write(&session, begun).unwrap();
    fs::remove_file(session.with_extension("head")).ok();
    let shown = world.race(&["show"]);
    let said = "the adoption of lane 1 was cut off, so this folder may have a part of its changes: /undo";
    assert!(shown.out.contains(said) && !shown.out.contains("adopt 1 takes"), "{shown:?}");
    let lanes = world.race(&["show", "--json"]).out;
    let first: Value = serde_json::from_str(lanes.lines().next().unwrap()).unwrap();
    assert_eq!((&first["adopted"], &first["adoption_cut_off"]), (&json!(false), &json!(true)), "{first}");
}
