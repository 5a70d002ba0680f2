//! A process that is killed while it writes a file leaves half of it beside its place: whoever goes on with the session removes that, and
//! nothing else.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ring::digest::{Context, SHA256};
use serde_json::json;

use crate::forged::forge;
use crate::subagents::{delegate, shell};
use crate::world::{World, script};

/// The file that a call of a session writes before it is put in its place.
fn beside(world: &World, session: &OsStr, call: &str, name: &str) -> PathBuf {
    let mut hash = Context::new(&SHA256);
    for part in [session.as_bytes(), call.as_bytes(), name.as_bytes()] {
        hash.update(part);
        hash.update(&[0]);
    }
    let digits: String = hash.finish().as_ref().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    world.work().join(format!(".countersign-{digits}"))
}

/// The lines of a session up to the first result of a call, as a kill leaves them in the middle of that call.
fn cut_at_the_first_result(file: &Path) {
    let text = fs::read_to_string(file).unwrap();
    let before = text.lines().take_while(|line| !line.contains("\"type\":\"tool_result\""));
    forge(file, &before.map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn what_a_killed_write_left_is_named_by_a_check_and_removed_by_a_resume() {
    let world = World::new();
    let call = json!({ "name": "write", "arguments": { "path": "new.txt", "content": "all of it\n" } });
    let replies = script(json!([{ "tool_calls": [call] }, "Done."]));
    let ran = world.json(&["--mode", "unrestricted", "--script", &replies, "go"]);
    assert_eq!(ran.outcomes(), ["ok"], "{}", ran.err);
    let file = world.session_file();
    cut_at_the_first_result(&file);
    fs::remove_file(world.work().join("new.txt")).unwrap();
    let session = file.file_stem().unwrap().to_owned();
    let left = beside(&world, &session, "c1", "new.txt");
    let others = [
        beside(&world, &session, "c2", "new.txt"),
        beside(&world, OsStr::new("another session"), "c1", "new.txt"),
        world.work().join(format!(".countersign-{}", "0a".repeat(16))),
    ];
    for file in others.iter().chain([&left]) {
        fs::write(file, "all o").unwrap();
    }
    let checked = world.sessions_cli(&["check", "--last"]);
    assert_eq!(checked.code, 0, "{}", checked.out);
    let named = format!("left behind: {}, half written by c1", left.display());
    assert!(checked.out.contains(&named), "{}", checked.out);
    assert_eq!(checked.out.matches("left behind").count(), 1, "{}", checked.out);
    assert!(left.exists(), "a check changes nothing");
    let ran = world.exec(&["--last", "--script", r#"["I see."]"#, "go on"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.err.contains("was killed while it wrote new.txt; the half-written copy beside it was removed"),
        "{}",
        ran.err
    );
    assert!(!left.exists() && others.iter().all(|file| file.exists()));
    let checked = world.sessions_cli(&["check", "--last"]);
    assert!(!checked.out.contains("left behind"), "{}", checked.out);
}

#[test]
fn what_a_subagent_left_goes_with_the_resume_of_the_session_above() {
    let world = World::new();
    let (command, mut beacon) = world.beacon();
    let write = json!({ "name": "write", "arguments": { "path": "new.txt", "content": "all of it\n" } });
    let replies = script(json!([
        { "tool_calls": [delegate("general", "Write it.")] },
        { "text": "I write.", "tool_calls": [write, shell(&command)] },
    ]));
    let run = world.begin(&["--json", "--mode", "unrestricted", "--script", &replies, "go"]);
    beacon.lit();
    run.kill();
    beacon.put_out();
    let is_below = |file: &PathBuf| file.file_stem().unwrap().len() > 36;
    let own = world.sessions().into_iter().find(is_below).unwrap();
    cut_at_the_first_result(&own);
    let left = beside(&world, own.file_stem().unwrap(), "c1", "new.txt");
    fs::write(&left, "all o").unwrap();
    let ran = world.exec(&["--last", "--mode", "unrestricted", "--script", r#"["I see."]"#, "go on"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!left.exists());
}
