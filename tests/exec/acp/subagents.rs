//! Calls of sub-agents: the editor is asked about them under the name of who makes them, and its answer decides in their sessions.

use std::fs;

use serde_json::{Value, json};

use super::client::{Editor, calls, touches};
use crate::books;
use crate::world::{World, of_type, text};

const ASKS: &str = "session/request_permission";

fn delegates() -> Value {
    calls("delegate_to_general", json!({ "task": "Make it." }))
}

/// The entries of the sub-agent's own session.
fn below(world: &World) -> Vec<Value> {
    let is_it = |path: &std::path::PathBuf| path.to_string_lossy().ends_with("-c1.jsonl");
    let file = world.sessions().into_iter().find(is_it).unwrap();
    fs::read_to_string(file).unwrap().lines().map(books::unchained).collect()
}

fn remarks(editor: &Editor) -> String {
    editor.words("agent_message_chunk")
}

#[test]
fn the_editor_is_asked_under_the_name_of_the_subagent() {
    let world = World::new();
    let write = calls("write", json!({ "path": "new.txt", "content": "a\nb" }));
    let (mut editor, session) =
        Editor::with_script(&world, "ask", json!([delegates(), write, "Made.", "Done."]));
    let prompt = editor.prompt(&session, "go");
    let request = editor.asked(ASKS);
    let call = &request["params"]["toolCall"];
    assert_eq!(request["params"]["sessionId"], json!(session));
    assert_eq!((&call["toolCallId"], &call["title"]), (&json!("c1/c1"), &json!("general: write new.txt")));
    let whose = json!({ "name": "general", "call": "c1", "session": format!("{session}-c1") });
    assert_eq!(call["_meta"]["countersign/subagent"], whose);
    assert_eq!(
        (&call["content"][0]["type"], &call["content"][0]["newText"]),
        (&json!("diff"), &json!("a\nb"))
    );
    assert!(call["_meta"]["countersign/approval"]["digest"].is_string(), "{call}");
    // Nothing that would hold for longer is offered: it would be the sub-agent's own, and not what the editor's session has.
    let options: Vec<&str> =
        request["params"]["options"].as_array().unwrap().iter().map(|one| text_of(one, "optionId")).collect();
    assert_eq!(options, ["once", "deny"]);
    // A client may know calls only by their updates.
    let begun = editor.updates("tool_call");
    assert!(begun.iter().any(|one| one["toolCallId"] == "c1/c1"), "{begun:?}");
    assert!(!world.work().join("new.txt").exists());
    editor.choose(&request, "once");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert_eq!(world.file("new.txt"), "a\nb");
    let approval = of_type(&below(&world), "approval").remove(0);
    assert_eq!((&approval["decision"], &approval["by"]), (&json!("allow"), &json!("user")));
    let updates: Vec<Value> = editor.updates("tool_call_update");
    let of_call: Vec<&Value> = updates.iter().filter(|one| one["toolCallId"] == "c1/c1").collect();
    let receipt = of_call.iter().find_map(|one| one["_meta"].get("countersign/receipt")).unwrap();
    assert_eq!((&receipt["by"], &receipt["digest"]), (&json!("user"), &approval["digest"]));
    assert!(of_call.iter().any(|one| one["status"] == "completed"), "{of_call:?}");
    assert_eq!(editor.leave().code, 0);
}

fn text_of<'v>(value: &'v Value, member: &str) -> &'v str {
    value[member].as_str().unwrap()
}

#[test]
fn what_is_denied_or_answered_with_nothing_known_does_not_run() {
    for (option, by) in [("deny", "user"), ("rule", "nobody"), ("session", "nobody")] {
        let world = World::new();
        let (mut editor, session) =
            Editor::with_script(&world, "ask", json!([delegates(), touches("made"), "Not made.", "Done."]));
        let prompt = editor.prompt(&session, "go");
        let request = editor.asked(ASKS);
        editor.choose(&request, option);
        assert_eq!(editor.stop_reason(&prompt), "end_turn");
        let approval = of_type(&below(&world), "approval").remove(0);
        assert_eq!((&approval["decision"], &approval["by"]), (&json!("deny"), &json!(by)), "{option}");
        assert!(!world.work().join("made").exists());
        assert_eq!(editor.leave().code, 0);
    }
}

#[test]
fn a_second_answer_and_one_to_another_request_change_nothing() {
    let world = World::new();
    let script = json!([delegates(), touches("one"), touches("two"), "Made.", "Done."]);
    let (mut editor, session) = Editor::with_script(&world, "ask", script);
    let prompt = editor.prompt(&session, "go");
    let request = editor.asked(ASKS);
    let id = text_of(&request, "id").to_owned();
    let named = id.strip_prefix(&format!("{session}/c1/")).unwrap().to_owned();
    for other in
        [format!("{session}/{named}"), format!("{session}/c2/{named}"), format!("{session}/c1/c1/{named}")]
    {
        editor.choose(&json!({ "id": other }), "once");
    }
    editor.until(|_| true);
    editor.choose(&request, "deny");
    editor.choose(&request, "once");
    let second = editor.asked(ASKS);
    assert_ne!(second["id"], request["id"]);
    assert!(!world.work().join("one").exists());
    editor.choose(&second, "once");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert!(!world.work().join("one").exists() && world.work().join("two").exists());
    let said = remarks(&editor);
    assert!(said.contains("it changed nothing") || said.contains("changed nothing"), "{said}");
    let decisions = of_type(&below(&world), "approval");
    let of: Vec<&str> = decisions.iter().map(|one| text_of(one, "decision")).collect();
    assert_eq!(of, ["deny", "allow"]);
    assert_eq!(editor.leave().code, 0);
}

#[test]
fn a_cancel_settles_the_subagent_and_a_later_answer_is_none() {
    let world = World::new();
    let (mut editor, session) =
        Editor::with_script(&world, "ask", json!([delegates(), touches("made"), "Gone on."]));
    let prompt = editor.prompt(&session, "go");
    let request = editor.asked(ASKS);
    editor.tell("session/cancel", json!({ "sessionId": session }));
    editor.choose(&request, "once");
    assert_eq!(editor.stop_reason(&prompt), "cancelled");
    let own = below(&world);
    assert_eq!(text(&of_type(&own, "turn_ended")[0], "reason"), "aborted_streaming");
    assert!(!world.work().join("made").exists());
    let updates = editor.updates("tool_call_update");
    let ended = updates.iter().filter(|one| one["toolCallId"] == "c1/c1" && one["status"] == "failed");
    assert_eq!(ended.count(), 1, "{updates:?}");
    let prompt = editor.prompt(&session, "go on");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    // An editor that cancels the request itself takes the turn back, too.
    let (mut editor, session) =
        Editor::with_script(&world, "ask", json!([delegates(), touches("made"), "Gone on."]));
    let prompt = editor.prompt(&session, "go");
    let request = editor.asked(ASKS);
    editor.answer(&request, json!({ "outcome": { "outcome": "cancelled" } }));
    assert_eq!(editor.stop_reason(&prompt), "cancelled");
    assert!(!world.work().join("made").exists());
}

#[test]
fn an_editor_that_vanishes_leaves_a_subagent_that_is_settled() {
    let world = World::new();
    let (mut editor, session) =
        Editor::with_script(&world, "ask", json!([delegates(), touches("made"), "Gone on."]));
    editor.prompt(&session, "go");
    editor.asked(ASKS);
    editor.leave();
    assert!(
        books::open_calls(
            world.sessions().iter().find(|path| path.to_string_lossy().ends_with("-c1.jsonl")).unwrap()
        )
        .is_empty()
    );
    assert!(of_type(&below(&world), "approval").is_empty() && !world.work().join("made").exists());
    for id in [session.clone(), format!("{session}-c1")] {
        let checked = world.sessions_cli(&["check", &id]);
        assert_eq!(checked.code, 0, "{}", checked.out);
    }
}
