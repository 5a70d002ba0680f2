//! Earlier sessions: listed, loaded with all that happened, resumed without, closed and removed.

use std::fs;

use serde_json::{Value, json};

use super::client::{Editor, touches};
use crate::books;
use crate::world::World;

const ASKS: &str = "session/request_permission";

/// A session that was talked in, and left.
fn past(world: &World) -> String {
    let script = json!([{ "text": "I look.", "tool_calls": [{ "name": "read", "arguments": { "path": "one.txt" } }] }, "Seen."]);
    let (mut editor, session) = Editor::with_script(world, "ask", script);
    let prompt = editor.prompt(&session, "look at it");
    editor.result(&prompt);
    editor.leave();
    session
}

fn at(world: &World, session: &str) -> Value {
    json!({ "sessionId": session, "cwd": world.work(), "mcpServers": [] })
}

#[test]
fn a_loaded_session_is_told_whole_before_the_answer_and_goes_on() {
    let world = World::new();
    let session = past(&world);
    let mut editor = Editor::start(&world, &["--script", r#"["Gone on."]"#]);
    let opened = editor.ask("session/load", at(&world, &session));
    assert_eq!(opened["modes"]["currentModeId"], "ask");
    assert_eq!(editor.words("user_message_chunk"), "look at it");
    assert_eq!(editor.words("agent_message_chunk"), "I look.Seen.");
    assert_eq!(editor.updates("tool_call").len(), 1);
    assert_eq!(editor.updates("tool_call_update").pop().unwrap()["status"], "completed");
    let prompt = editor.prompt(&session, "and on");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert!(editor.words("agent_message_chunk").ends_with("Gone on."));
    editor.leave();
    assert_eq!(world.sessions().len(), 1);
}

#[test]
fn a_resumed_session_tells_nothing_of_the_past() {
    let world = World::new();
    let session = past(&world);
    let mut editor = Editor::start(&world, &["--script", r#"["Gone on."]"#]);
    editor.ask("session/resume", at(&world, &session));
    let told: Vec<Value> = editor.seen.iter().filter(|one| one.get("method").is_some()).cloned().collect();
    assert!(told.is_empty(), "{told:?}");
    let prompt = editor.prompt(&session, "and on");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert_eq!(editor.words("agent_message_chunk"), "Gone on.");
    editor.leave();
}

#[test]
fn a_call_that_waited_when_its_session_was_closed_is_asked_about_with_the_next_prompt() {
    let world = World::new();
    let script = json!([touches("a"), "Done.", "Said."]);
    let (mut editor, session) = Editor::with_script(&world, "ask", script.clone());
    let prompt = editor.prompt(&session, "make it");
    let request = editor.asked(ASKS);
    let closed = editor.send("session/close", json!({ "sessionId": session }));
    let answer = editor.result(&prompt);
    let meta = &answer["_meta"];
    assert_eq!((&answer["stopReason"], &meta["countersign/ending"]), (&json!("cancelled"), &json!(null)));
    assert_eq!(meta["countersign/waiting"], json!(["c1"]));
    assert!(meta["countersign/entry"].is_string() && meta["countersign/next"].is_string(), "{answer}");
    editor.result(&closed);
    editor.choose(&request, "once");
    let (code, why) = editor.refused("session/prompt", json!({ "sessionId": session, "prompt": [] }));
    assert!(code == -32602 && why.contains("load it first"), "{why}");
    assert!(!world.work().join("a").exists());
    editor.leave();
    assert_eq!(books::open_calls(&world.session_file()).len(), 1, "it waits on");

    let mut editor = Editor::start(&world, &["--script", r#"["Done.", "Said."]"#]);
    editor.ask("session/load", at(&world, &session));
    assert!(editor.seen.iter().all(|one| one["method"] != ASKS));
    let prompt = editor.prompt(&session, "go on");
    let request = editor.asked(ASKS);
    editor.choose(&request, "once");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert!(world.work().join("a").exists());
    editor.leave();
    assert!(books::open_calls(&world.session_file()).is_empty());
}

#[test]
fn an_answer_from_before_a_session_was_closed_is_none_to_the_question_after_it_was_loaded() {
    let world = World::new();
    let script = json!([touches("a"), "Done.", "Said."]);
    let (mut editor, session) = Editor::with_script(&world, "ask", script);
    let prompt = editor.prompt(&session, "make it");
    let first = editor.asked(ASKS);
    let closed = editor.send("session/close", json!({ "sessionId": session }));
    assert_eq!(editor.stop_reason(&prompt), "cancelled");
    editor.result(&closed);
    editor.ask("session/load", at(&world, &session));
    let prompt = editor.prompt(&session, "go on");
    let second = editor.asked(ASKS);
    // The dialog of the first question is still open in the editor, and somebody says yes in it.
    editor.choose(&first, "once");
    let words = editor.until(|one| one.to_string().contains("[countersign]"));
    assert!(words.to_string().contains("it changed nothing"), "{words}");
    assert!(!world.work().join("a").exists());
    editor.choose(&second, "deny");
    // The script began anew with the session that was loaded: it wishes for the call again.
    let third = editor.asked(ASKS);
    assert!(third["id"] != second["id"] && second["id"] != first["id"]);
    editor.choose(&third, "deny");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert!(!world.work().join("a").exists());
    editor.leave();
}

#[test]
fn sessions_are_listed_by_folder_and_removed_only_if_they_were_listed_or_opened() {
    let world = World::new();
    let session = past(&world);
    let mut editor = Editor::start(&world, &["--script", r#"["Hi."]"#]);
    let (code, why) = editor.refused("session/delete", json!({ "sessionId": session }));
    assert!(code == -32602 && why.contains("neither opened nor listed"), "{why}");
    let elsewhere = editor.ask("session/list", json!({ "cwd": world.place() }));
    assert_eq!(elsewhere["sessions"], json!([]));
    let (_, why) = editor.refused("session/delete", json!({ "sessionId": session }));
    assert!(why.contains("neither opened nor listed"), "{why}");
    let here = editor.ask("session/list", json!({ "cwd": world.work() }));
    let listed = &here["sessions"][0];
    assert_eq!((&listed["sessionId"], &listed["title"]), (&json!(session), &json!("look at it")));
    assert!(listed["updatedAt"].as_str().unwrap().ends_with('Z'), "{listed}");
    assert_eq!(editor.ask("session/list", json!({}))["sessions"].as_array().unwrap().len(), 1);
    // One that is open is closed before it is removed.
    editor.ask("session/load", at(&world, &session));
    editor.ask("session/delete", json!({ "sessionId": session }));
    assert!(world.sessions().is_empty());
    assert_eq!(editor.ask("session/list", json!({}))["sessions"], json!([]));
    let (_, why) = editor.refused("session/load", at(&world, &session));
    assert!(why.contains("there is no session") || why.contains("no session"), "{why}");
    editor.leave();
}

#[test]
fn a_session_of_another_folder_or_in_use_is_refused() {
    let world = World::new();
    let session = past(&world);
    let other = world.place().join("other");
    fs::create_dir(&other).unwrap();
    let mut editor = Editor::start(&world, &["--script", r#"["Hi."]"#]);
    for method in ["session/load", "session/resume"] {
        let (_, why) =
            editor.refused(method, json!({ "sessionId": session, "cwd": other, "mcpServers": [] }));
        assert!(why.contains("belongs to"), "{why}");
        let path = world.session_file();
        for name in [path.to_str().unwrap(), "../x", "", &session[..8]] {
            let (code, why) =
                editor.refused(method, json!({ "sessionId": name, "cwd": world.work(), "mcpServers": [] }));
            assert!(code == -32602 && why.contains("not that of a session"), "{why}");
        }
    }
    editor.ask("session/load", at(&world, &session));
    let mut second = Editor::start(&world, &["--script", r#"["Hi."]"#]);
    let (_, why) = second.refused("session/load", at(&world, &session));
    assert!(why.contains("open in another") || why.contains("in use"), "{why}");
    second.leave();
    // In the same connection it is closed there first.
    editor.ask("session/load", at(&world, &session));
    let prompt = editor.prompt(&session, "hi");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    editor.leave();
}

#[test]
fn a_session_that_is_open_stays_open_if_it_cannot_be_loaded_as_asked() {
    let world = World::new();
    let other = world.place().join("other");
    fs::create_dir(&other).unwrap();
    let script = json!([touches("a"), "Done.", "Still here."]);
    let (mut editor, session) = Editor::with_script(&world, "ask", script);
    let prompt = editor.prompt(&session, "go");
    let request = editor.asked(ASKS);
    let stdio = json!([{ "name": "x", "type": "sse", "url": "http://h" }]);
    for method in ["session/load", "session/resume"] {
        for (cwd, servers, why) in [
            (json!(other), json!([]), "belongs to"),
            (json!("work"), json!([]), "not absolute"),
            (json!(world.place().join("gone")), json!([]), "cannot work in"),
            (json!(world.work()), stdio.clone(), "an MCP server is"),
        ] {
            let place = json!({ "sessionId": session, "cwd": cwd, "mcpServers": servers });
            let (_, said) = editor.refused(method, place);
            assert!(said.contains(why), "{said}");
        }
    }
    editor.choose(&request, "once");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert!(world.work().join("a").exists());
    // Nor is it closed when nothing runs.
    let elsewhere = json!({ "sessionId": session, "cwd": other, "mcpServers": [] });
    editor.refused("session/load", elsewhere);
    let prompt = editor.prompt(&session, "and now?");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    editor.leave();
}
