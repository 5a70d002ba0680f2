//! `blame`: which call wrote a line, who allowed it, and where the record ends.

use std::fs;

use serde_json::{Value, json};

use crate::steered::{Steered, answer};
use crate::world::{Ran, World, all_files, script};

impl World {
    fn blame(&self, words: &[&str]) -> Ran {
        let output = self.program().arg("blame").args(words).output().unwrap();
        Ran::of(output.status, output.stdout, output.stderr)
    }

    fn origin(&self, line: &str) -> String {
        let ran = self.blame(&[line, "--json"]);
        let object: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{line}: {ran:?}"));
        object["origin"].as_str().unwrap().to_owned()
    }

    /// The files that are kept for an undo.
    fn kept(&self) -> Vec<std::path::PathBuf> {
        let mut kept = all_files(&self.place().join("state"));
        kept.retain(|path| path.parent().unwrap().extension().is_some_and(|end| end == "files"));
        kept
    }
}

fn write(path: &str, content: &str) -> Value {
    json!({ "tool_calls": [{ "name": "write", "arguments": { "path": path, "content": content } }],
        "usage": { "input": 5, "output": 5, "cost_usd": 0.25 } })
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    let edits = json!([{ "old_text": old, "new_text": new }]);
    json!({ "tool_calls": [{ "name": "edit", "arguments": { "path": path, "edits": edits } }] })
}

fn run(world: &World, replies: Value, message: &str) {
    let ran = world.json(&["--mode", "unrestricted", "--script", &script(replies), message]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

/// The line of an undo that takes this change back.
pub(crate) fn undo_of(change: &str) -> String {
    let mut undo: Value = serde_json::from_str(change).unwrap();
    (undo["before"], undo["after"]) = (undo["after"].clone(), undo["before"].clone());
    undo["call"] = Value::Null;
    format!("{undo}\n")
}

/// A file that two sessions wrote.
fn written() -> World {
    let world = World::new();
    run(&world, json!([write("made.txt", "one\ntwo\nthree\n"), "Done."]), "make the file, please");
    run(
        &world,
        json!([{ "tool_calls": [{ "name": "read", "arguments": { "path": "made.txt" } }] }, edit("made.txt", "two", "zwei\ndrei"), "Done."]),
        "in German",
    );
    world
}

#[test]
fn each_line_names_the_call_that_wrote_it() {
    let world = written();
    let first = world.blame(&["made.txt:1"]);
    assert_eq!(first.code, 0, "{first:?}");
    for part in [
        "line 1: one\n",
        "write made.txt",
        "allowed by unrestricted mode",
        "asked for in e3: make the file, please",
        "by script in e5: $0.25",
    ] {
        assert!(first.out.contains(part), "{part}: {}", first.out);
    }
    let second = world.blame(&["made.txt:3", "--diff"]);
    assert!(second.out.contains("edit made.txt") && second.out.contains("in German"), "{}", second.out);
    assert!(
        second.out.contains("nobody was shown a diff; what it changed:")
            && second.out.contains("    +zwei\n"),
        "{}",
        second.out
    );
    assert!(second.out.contains("price unknown"), "{}", second.out);
    let all = world.blame(&["made.txt"]);
    let tools: Vec<&str> =
        all.out.lines().map(|line| if line.contains(" write ") { "write" } else { "edit" }).collect();
    assert_eq!((all.code, tools), (0, vec!["write", "edit", "edit", "write"]), "{}", all.out);
    let json: Vec<Value> = world
        .blame(&["made.txt", "--json"])
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((json.len(), &json[0]["cost_usd"], &json[1]["text"]), (4, &json!(0.25), &json!("zwei")));
    assert_eq!(json[0]["decision"]["by"], "policy");
    assert_ne!(json[0]["session"], json[1]["session"]);
}

#[test]
fn a_change_that_was_not_recorded_is_said_and_followed_through() {
    let world = written();
    fs::write(world.work().join("made.txt"), "zero\none\nzwei\nDREI\nthree\n").unwrap();
    let by_hand = world.blame(&["made.txt:1"]);
    assert!(by_hand.code == 1 && by_hand.out.contains("by something that was not recorded"), "{by_hand:?}");
    assert_eq!(
        (world.origin("made.txt:4"), world.origin("made.txt:2"), world.origin("made.txt:3")),
        ("unrecorded".into(), "call".into(), "call".into())
    );
    // A session goes on from there.
    run(
        &world,
        json!([{ "tool_calls": [{ "name": "read", "arguments": { "path": "made.txt" } }] }, edit("made.txt", "three", "3"), "Done."]),
        "digits",
    );
    let origins: Vec<String> = (1..6).map(|line| world.origin(&format!("made.txt:{line}"))).collect();
    assert_eq!(origins, ["unrecorded", "call", "call", "unrecorded", "call"]);
    assert!(world.blame(&["made.txt:5"]).out.contains("digits"));
}

#[test]
fn what_no_session_wrote_and_what_is_not_there_is_said() {
    let world = written();
    run(
        &world,
        json!([{ "tool_calls": [{ "name": "read", "arguments": { "path": "one.txt" } }] }, edit("one.txt", "second", "2nd"), "Done."]),
        "go",
    );
    let before = world.blame(&["one.txt:1"]);
    assert!(
        before.code == 1 && before.out.contains("it was there before the first recorded change"),
        "{before:?}"
    );
    let never = world.blame(&["two.txt"]);
    assert!(never.code == 1 && never.out.ends_with("no session has changed this file\n"), "{never:?}");
    for (words, why) in [
        ("one.txt:3", "there is no line 3"),
        ("one.txt:0", "is not the number of a line"),
        ("gone.txt:1", "cannot read"),
        (".", "cannot be read"),
    ] {
        let ran = world.blame(&[words]);
        assert!(ran.code == 2 && ran.out.is_empty() && ran.err.contains(why), "{words}: {ran:?}");
    }
    fs::write(world.work().join("binary"), [0xff, 0xfe, 0x00]).unwrap();
    let binary = world.blame(&["binary:1"]);
    assert!(binary.code == 2 && binary.err.contains("is not text"), "{binary:?}");
}

#[test]
fn a_person_who_allowed_it_and_the_diff_that_they_saw_are_named() {
    let world = World::new();
    let script = script(json!([write("made.txt", "one\n"), "Done."]));
    let mut run = Steered::start(&world, &["--mode", "ask", "--script", &script, "make it"]);
    let request = run.until("approval_request");
    run.say(&answer(&request, "allow"));
    run.until("turn_ended");
    assert_eq!(run.end().code, 0);
    let ran = world.blame(&["made.txt:1", "--diff"]);
    assert!(
        ran.out.contains("allowed by a person\n")
            && ran.out.contains("the diff that was shown:\n    --- /dev/null"),
        "{}",
        ran.out
    );
}

#[test]
fn forged_and_damaged_records_are_not_believed() {
    let world = written();
    // A record that names a file which no call of the session was about.
    let changes: Vec<_> = world.kept().into_iter().filter(|path| path.ends_with("changes")).collect();
    let forged = fs::read_to_string(&changes[0]).unwrap().replace("made.txt", "two.txt");
    fs::write(&changes[0], forged).unwrap();
    let ran = world.blame(&["two.txt:1"]);
    assert!(ran.code == 1 && ran.out.contains("no session has changed this file"), "{ran:?}");
    fs::write(&changes[1], "no record\n").unwrap();
    let ran = world.blame(&["made.txt:1"]);
    assert!(ran.code == 1 && ran.err.contains("is damaged"), "{ran:?}");
}

#[test]
fn where_a_content_is_gone_the_record_ends() {
    let world = written();
    let blobs: Vec<_> = world.kept().into_iter().filter(|path| !path.ends_with("changes")).collect();
    assert_eq!(blobs.len(), 1, "what the second session found: {blobs:?}");
    // What the first call made can be worked out again; what the second one found is the same.
    fs::remove_file(&blobs[0]).unwrap();
    let ran = world.blame(&["made.txt:1"]);
    assert!(ran.code == 1 && ran.out.contains("not known: of the file before"), "{ran:?}");
}

/// A fork repeats what its session changed, also what was taken back.
#[test]
fn a_fork_changes_nothing_of_who_wrote_a_line() {
    let world = World::new();
    let replies = json!([write("made.txt", "one\ntwo\n"), "Done."]);
    run(&world, replies, "make the file");
    let replies = json!([{ "tool_calls": [{ "name": "read", "arguments": { "path": "made.txt" } }] }, edit("made.txt", "two", "2"), "Done."]);
    let ran = world.json(&["--last", "--mode", "unrestricted", "--script", &script(replies), "digits"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    fs::write(world.work().join("made.txt"), "one\ntwo\n").unwrap();
    let record = world.session_file().with_extension("files").join("changes");
    let changes = fs::read_to_string(&record).unwrap();
    fs::write(&record, changes.clone() + &undo_of(changes.lines().last().unwrap())).unwrap();
    let before = world.blame(&["made.txt:2"]);
    assert!(before.code == 0 && before.out.contains("write made.txt"), "{before:?}");
    assert_eq!(world.sessions_cli(&["fork", "--last"]).code, 0);
    let after = world.blame(&["made.txt:2"]);
    assert_eq!((after.code, after.out), (0, before.out), "{}", after.err);
}
