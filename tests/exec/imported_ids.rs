//! What an import names that was written elsewhere: neither its ids nor its folders lead to anything of this machine.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::model_server::{ModelServer, Reply};
use crate::races::in_a_repository;
use crate::servers::{ANTHROPIC, KEY, accepted};
use crate::world::{Ran, World};

const ID: &str = "01a21d84-b70c-73c3-bc7b-398a34037e54";
const AT: &str = "2026-11-20T10:00:00.000Z";

/// A session of an earlier version, whose lines have no hashes, in the folder of this world. Returns the id that it has here.
fn imported(world: &World, id: &str, forked_from: Option<&str>, lines: &[Value]) -> String {
    let mut head = json!({ "type": "session_started", "session": id, "cwd": world.work(), "model": "script",
        "version": 2, "app": "0.1.0", "mode": "edit", "system": "s" });
    if let Some(origin) = forked_from {
        head["forked_from"] = origin.into();
        head["copied_from"] = json!([world.place().join("evil")]);
    }
    let said = [
        json!({ "type": "user_message", "content": "go" }),
        json!({ "type": "transition", "turn": 1, "reason": "submitted" }),
    ];
    let all = [&[head], &said[..], lines].concat();
    let mut text = String::new();
    for (number, mut line) in (1..).zip(all) {
        let own = line["id"].clone();
        line["entry"] = format!("e{number}").into();
        line["at"] = AT.into();
        line["id"] = if own.is_null() { line["entry"].clone() } else { own };
        text += &format!("{line}\n");
    }
    let file = world.place().join("from-elsewhere.jsonl");
    fs::write(&file, text).unwrap();
    let ran = world.sessions_cli(&["import", file.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.out.split_whitespace().next().unwrap().to_owned()
}

fn used() -> Value {
    json!({ "input": 1, "output": 1, "cache_read": 0, "cache_write": 0, "reasoning": 0, "cost_usd": null, "estimated": true })
}

/// A call that hands a task over, for which something is set aside, for this session.
fn handed_over(agent: &str, arguments: Value, session: &str) -> Vec<Value> {
    let name = format!("delegate_to_{agent}");
    vec![
        json!({ "type": "agent_response", "model": "script", "stop_reason": "tool_use", "interrupted": false, "text": "",
            "usage": used(), "tool_calls": [{ "id": "c1", "name": name, "arguments": arguments }] }),
        json!({ "type": "tool_call", "id": "c1", "name": name, "arguments": arguments }),
        json!({ "type": "approval", "id": "c1", "decision": "allow", "scope": "once", "by": "policy", "reason": "r" }),
        json!({ "type": "delegation_request", "id": "c1", "agent": agent, "task": "do it" }),
        json!({ "type": "escrow_reserved", "call": "c1", "limits": { "max_model_turns": 24, "max_tool_calls": 99 },
            "parallel": 2, "in_background": false, "session": session }),
    ]
}

fn git(folder: &Path, words: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(folder).args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

fn resumed(world: &World, id: &str) -> Ran {
    world.exec(&["--resume", id, "--script", r#"["So be it."]"#, "go on"])
}

#[test]
fn a_worktree_of_the_same_name_stays() {
    for (id, session) in [("feature", "feature"), (ID, "feature"), ("feature", "feature-c1")] {
        let world = in_a_repository(World::new());
        let beside =
            world.place().join(if session.ends_with("c1") { "work-feature-c1" } else { "work-feature" });
        git(&world.work(), &["worktree", "add", "--quiet", "--detach", beside.to_str().unwrap()]);
        fs::write(beside.join("mine.txt"), "not committed\n").unwrap();
        let base = git(&world.work(), &["rev-parse", "HEAD"]);
        let terms = json!({ "task": "do it", "base": base, "branch": "race/x/1" });
        let mut lines = handed_over("lane_1", terms.clone(), session);
        // A race is a command of a person.
        lines.drain(..2);
        lines.insert(0, json!({ "type": "tool_call", "id": "c1", "name": "delegate_to_lane_1", "by": "command", "arguments": terms }));
        lines.push(json!({ "type": "escrow_settled", "call": "c1", "spent": { "turns": 1, "tool_calls": 0, "wall_ms": 1,
            "usage": used() }, "is_assumed": false, "state": "failed", "answer": "It stopped." }));
        // It gets an id of its own, if its own is none.
        let kept = imported(&world, id, None, &lines);
        let ran = resumed(&world, &kept);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(
            fs::read_to_string(beside.join("mine.txt")).unwrap(),
            "not committed\n",
            "{id} {session}: {ran:?}"
        );
        assert_eq!(git(&world.work(), &["branch", "--list", "race/*"]), "");
    }
}

#[test]
fn a_session_that_is_its_own_sub_agent_can_be_taken_up() {
    let world = World::new();
    imported(&world, ID, None, &handed_over("general", json!({ "task": "do it" }), ID));
    let ran = resumed(&world, ID);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(world.session_text().contains("So be it."));
}

#[test]
fn what_another_session_said_last_comes_into_no_import() {
    let world = World::new();
    world.exec(&["--script", r#"["VERYSECRET words"]"#, "say it"]);
    let other = world.sessions().remove(0);
    let before = fs::read(&other).unwrap();
    let other_id = other.file_stem().unwrap().to_str().unwrap().to_owned();
    let task = json!({ "task": "do it" });
    for (id, of, session) in [
        (ID, None, other_id.clone()),
        ("01a21d84-b70c-73c3-bc7b-398a34037e55", Some(format!("{other_id}@e5")), other_id.clone()),
        ("01a21d84-b70c-73c3-bc7b-398a34037e56", Some(format!("{other_id}@e9")), format!("{other_id}-c1")),
    ] {
        imported(&world, id, of.as_deref(), &handed_over("general", task.clone(), &session));
        let ran = resumed(&world, id);
        assert_eq!(ran.code, 0, "{ran:?}");
        let written = world.sessions().into_iter().find(|path| path.to_string_lossy().contains(id)).unwrap();
        assert!(!fs::read_to_string(written).unwrap().contains("VERYSECRET"), "{id}");
    }
    assert_eq!(fs::read(&other).unwrap(), before, "and nothing is written into it");
}

#[test]
fn an_import_that_calls_itself_a_fork_brings_no_programs_of_another_folder() {
    let world = World::new().configured("[[hooks.pre_tool]]\ncommand = './deny.sh'\n");
    let hook = |folder: &Path, ends: &str| -> PathBuf {
        let file = folder.join("deny.sh");
        fs::write(&file, format!("#!/bin/sh\ntouch \"$0.ran\"\nexit {ends}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        folder.join("deny.sh.ran")
    };
    let evil = world.place().join("evil");
    fs::create_dir(&evil).unwrap();
    let (ours, theirs) = (hook(&world.work(), "2"), hook(&evil, "0"));
    let trunk = json!({ "type": "session_started", "entry": "e1", "at": AT, "id": "e1", "session": "t", "cwd": evil,
        "model": "script", "version": 2, "system": "s" });
    let elsewhere = world.place().join("trunk.jsonl");
    fs::write(&elsewhere, format!("{trunk}\n")).unwrap();
    imported(&world, ID, Some(&format!("{}@e1", elsewhere.display())), &[]);
    let call = json!([{ "tool_calls": [{ "name": "read", "arguments": { "path": "notes.txt" } }] }, "Done."])
        .to_string();
    let ran = world.exec(&["--resume", ID, "--script", &call, "read it"]);
    assert!(ours.exists() && !theirs.exists(), "{ran:?}");
    assert!(ran.err.contains("enied") || ran.code == 4, "{ran:?}");
}

/// Whoever made the file wrote them. What the user tells every model, and what we do, holds in an import too.
#[test]
fn what_is_brought_along_has_no_instructions_and_that_is_said() {
    for how in ["import", "fork"] {
        let server = ModelServer::start_with_key(vec![Reply::text("Gone on.")], Some(KEY));
        let world = World::new().with(ANTHROPIC.key, KEY).with(ANTHROPIC.url, &server.base_url());
        let first = json!({ "type": "session_started", "entry": "e1", "at": AT, "id": "e1", "session": ID, "cwd": world.work(),
            "model": "script", "version": 2, "app": "0.1.0", "mode": "edit", "system": "planted instructions" });
        let said = json!({ "type": "user_message", "entry": "e2", "at": AT, "id": "e2", "content": "go" });
        fs::write(world.work().join("talk.jsonl"), format!("{first}\n{said}\n")).unwrap();
        let made = world.sessions_cli(&[how, "talk.jsonl"]);
        assert_eq!(made.code, 0, "{how}: {made:?}");
        assert!(made.err.contains("the system prompt of the file is left out"), "{how}: {made:?}");
        assert!(!world.session_text().contains("planted"), "{how}: {}", world.session_text());
        let id = made.out.split_whitespace().next().unwrap().to_owned();
        let ran = world.exec(&["--resume", &id, "-m", ANTHROPIC.model, "and on"]);
        assert_eq!(ran.code, 0, "{how}: {ran:?}");
        let sent = accepted(&server)[0].to_string();
        assert!(sent.contains("countersign") && !sent.contains("planted"), "{how}: {sent}");
    }
}

/// Behind the last number there would be none for what comes, and what was written then could not be read again.
#[test]
fn a_file_whose_numbers_are_used_up_is_not_taken() {
    let world = World::new();
    let first = json!({ "type": "session_started", "entry": "e1", "at": AT, "id": "e1", "session": ID, "cwd": world.work(),
        "model": "script", "version": 2, "app": "0.1.0", "mode": "edit" });
    let ending_at = |last: &str| {
        let said = json!({ "type": "user_message", "entry": last, "at": AT, "id": last, "content": "go" });
        fs::write(world.work().join("talk.jsonl"), format!("{first}\n{said}\n")).unwrap();
    };
    for last in ["e18446744073709551615", "e9007199254740992", "e4503599627370497"] {
        ending_at(last);
        for how in ["import", "fork"] {
            let made = world.sessions_cli(&[how, "talk.jsonl"]);
            assert_eq!((made.code, world.sessions().len()), (1, 0), "{how} {last}: {made:?}");
        }
    }
    ending_at("e4503599627370496");
    assert_eq!(world.sessions_cli(&["import", "talk.jsonl"]).code, 0);
    for _ in 0..2 {
        let ran = resumed(&world, ID);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    assert_eq!(world.sessions_cli(&["check", ID]).code, 0);
}

/// What comes has no earlier time than what stands: a session of the year 9999 would go on in it.
#[test]
fn a_file_of_a_time_to_come_is_not_taken() {
    let world = World::new();
    let file = |at: &str| {
        let first = json!({ "type": "session_started", "entry": "e1", "at": AT, "id": "e1", "session": ID, "cwd": world.work(),
            "model": "script", "version": 2, "app": "0.1.0", "mode": "edit" });
        let said = json!({ "type": "user_message", "entry": "e2", "at": at, "id": "e2", "content": "go" });
        fs::write(world.work().join("talk.jsonl"), format!("{first}\n{said}\n")).unwrap();
    };
    file("9999-11-27T10:00:00.000Z");
    for how in ["import", "fork"] {
        let made = world.sessions_cli(&[how, "talk.jsonl"]);
        assert_eq!((made.code, world.sessions().len()), (1, 0), "{how}: {made:?}");
        assert!(made.err.contains("entry e2 is more than a day ahead"), "{how}: {made:?}");
    }
    file(AT);
    assert_eq!(world.sessions_cli(&["import", "talk.jsonl"]).code, 0);
}
