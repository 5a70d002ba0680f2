//! Calls of sub-agents: the editor is asked about them under the name of who makes them, and its answer decides in their sessions.

use std::fs;

use serde_json::{Value, json};

use super::client::{Editor, calls, touches};
use crate::books;
use crate::model_server::{ModelServer, Opener, Part, Reply, gate};
use crate::servers::{ANTHROPIC, OPENAI};
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
    assert_eq!((&call["toolCallId"], &call["title"]), (&json!("c1/c1"), &json!("general c1: write new.txt")));
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
fn a_call_of_a_subagent_says_that_the_session_was_closed() {
    let world = World::new();
    let (mut editor, session) =
        Editor::with_script(&world, "ask", json!([delegates(), touches("made"), "Gone on."]));
    let prompt = editor.prompt(&session, "go");
    editor.asked(ASKS);
    let closed = editor.send("session/close", json!({ "sessionId": session }));
    let answer = editor.result(&prompt);
    assert_eq!(answer["_meta"]["countersign/ending"], "aborted_tools", "{answer}");
    editor.result(&closed);
    editor.leave();
    let result = of_type(&below(&world), "tool_result").remove(0);
    assert_eq!(text(&result, "content"), "Stopped, because the session above it ended; was not started");
    assert_eq!(result["abort"]["by"], "session_end");
    let is_own = |path: &std::path::PathBuf| !path.to_string_lossy().ends_with("-c1.jsonl");
    let own = world.sessions().into_iter().find(is_own).unwrap();
    let own: Vec<Value> = fs::read_to_string(own).unwrap().lines().map(books::unchained).collect();
    let said = text(&of_type(&own, "tool_result")[0], "content");
    assert!(said.contains("because the session that it worked for ended"), "{said}");
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

/// An editor whose session has started a sub-agent in the background, with a model of its own; that one asks to write `made`. The
/// session's answer waits at the gate. After it, the session has these.
fn in_background(later: &[&str]) -> (World, [ModelServer; 2], Editor, String, Value, Opener) {
    let (wait, opener) = gate();
    let task = json!({ "task": "Make it.", "background": true });
    let mut replies =
        vec![Reply::call("a", "delegate_to_maker", &task), Reply::Stream(vec![wait, Part::text("I go on.")])];
    replies.extend(later.iter().map(|text| Reply::text(text)));
    let (server, world) = ANTHROPIC.serve(replies);
    let writes = Reply::call("b", "shell", &json!({ "command": "touch made" }));
    let (other, _) = OPENAI.serve(vec![writes, Reply::text("It is made.")]);
    let world = world.with(OPENAI.key, crate::servers::KEY).with(OPENAI.url, &other.base_url());
    let folder = world.place().join("config/countersign/agents");
    fs::create_dir_all(&folder).unwrap();
    let file = format!("---\ndescription: Makes it\nmodel: {}\n---\nMake it.\n", OPENAI.model);
    fs::write(folder.join("maker.md"), file).unwrap();
    let mut editor = Editor::start(&world, &["--mode", "ask"]);
    let session = editor.new_session(&world);
    let prompt = editor.prompt(&session, "go");
    (world, [server, other], editor, session, prompt, opener)
}

/// Waits until the sub-agent is over.
fn reported(editor: &mut Editor) {
    editor.until(|said| {
        let update = &said["params"]["update"];
        update["toolCallId"] == "c1" && update.to_string().contains("It is made.")
    });
}

#[test]
fn a_decision_that_comes_after_the_end_of_the_prompt_counts() {
    let (world, _servers, mut editor, _session, prompt, gate) = in_background(&[]);
    let request = editor.asked(ASKS);
    gate.open();
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert!(!world.work().join("made").exists());
    editor.choose(&request, "once");
    reported(&mut editor);
    assert!(world.work().join("made").exists());
    let approval = of_type(&below(&world), "approval").remove(0);
    assert_eq!((&approval["decision"], &approval["by"]), (&json!("allow"), &json!("user")));
    // A second answer is none, and names the call as the editor knows it.
    assert!(!remarks(&editor).contains("changed nothing"), "{}", remarks(&editor));
    assert_eq!(editor.leave().code, 0);
}

#[test]
fn a_request_that_is_open_is_not_made_twice_and_one_that_was_taken_back_is_made_again() {
    let (world, _servers, mut editor, session, prompt, gate) = in_background(&["Again.", "Once more."]);
    let request = editor.asked(ASKS);
    gate.open();
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    let prompt = editor.prompt(&session, "go on");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    let asked = |editor: &Editor| editor.seen.iter().filter(|one| one["method"] == ASKS).count();
    assert_eq!(asked(&editor), 1, "the editor has it");
    // The editor takes it back with the end of a prompt: nobody has decided, so the next prompt asks again, by another name.
    editor.answer(&request, json!({ "outcome": { "outcome": "cancelled" } }));
    let prompt = editor.prompt(&session, "go on");
    let again = editor.asked(ASKS);
    assert_ne!(again["id"], request["id"]);
    assert_eq!(again["params"]["toolCall"], request["params"]["toolCall"]);
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert!(of_type(&below(&world), "approval").is_empty() && !world.work().join("made").exists());
    editor.choose(&request, "once");
    editor.until(|one| one.to_string().contains("it changed nothing"));
    editor.choose(&again, "deny");
    reported(&mut editor);
    let approval = of_type(&below(&world), "approval").remove(0);
    assert_eq!((&approval["decision"], &approval["by"]), (&json!("deny"), &json!("user")));
    assert!(!world.work().join("made").exists());
    assert_eq!(editor.leave().code, 0);
}

#[test]
fn a_cancel_takes_back_what_the_editor_was_asked_for_the_background_and_stops_only_its_own_run() {
    let (world, _servers, mut editor, session, prompt, _gate) = in_background(&["Again."]);
    let request = editor.asked(ASKS);
    editor.tell("session/cancel", json!({ "sessionId": session }));
    editor.answer(&request, json!({ "outcome": { "outcome": "cancelled" } }));
    assert_eq!(editor.stop_reason(&prompt), "cancelled");
    let prompt = editor.prompt(&session, "go on");
    let again = editor.asked(ASKS);
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    editor.choose(&again, "once");
    reported(&mut editor);
    assert!(world.work().join("made").exists());
    assert_eq!(editor.leave().code, 0);
}

#[test]
fn an_editor_that_vanishes_after_the_prompt_leaves_nothing_decided() {
    let (world, _servers, mut editor, session, prompt, gate) = in_background(&[]);
    editor.asked(ASKS);
    gate.open();
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert_eq!(editor.leave().code, 0);
    assert!(of_type(&below(&world), "approval").is_empty() && !world.work().join("made").exists());
    for id in [session.clone(), format!("{session}-c1")] {
        let checked = world.sessions_cli(&["check", &id]);
        assert_eq!(checked.code, 0, "{}", checked.out);
    }
}

#[test]
fn the_editor_is_told_in_which_worktree_a_call_acts() {
    let world = World::new();
    let folder = world.place().join("config/countersign/agents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("maker.md"), "---\ndescription: Makes it\nisolation: worktree\n---\nMake it.\n")
        .unwrap();
    fs::remove_dir_all(world.work().join(".git")).unwrap();
    for words in [
        &["init", "-q"][..],
        &["add", "."],
        &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ] {
        let ran = std::process::Command::new("git").current_dir(world.work()).args(words).output().unwrap();
        assert!(ran.status.success(), "{words:?}: {ran:?}");
    }
    let script =
        json!([calls("delegate_to_maker", json!({ "task": "Make it." })), touches("made"), "Made.", "Done."]);
    let (mut editor, session) = Editor::with_script(&world, "ask", script);
    let prompt = editor.prompt(&session, "go");
    let request = editor.asked(ASKS);
    let call = &request["params"]["toolCall"];
    let worktree = text_of(&call["_meta"]["countersign/subagent"], "worktree");
    assert!(worktree.ends_with(&format!("-{session}-c1")), "{worktree}");
    assert!(call["content"].to_string().contains(&format!("In the worktree `{worktree}`")), "{call}");
    assert_eq!(call["title"], "maker c1: shell $ touch made");
    editor.choose(&request, "deny");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert_eq!(editor.leave().code, 0);
}

#[test]
fn notices_name_a_call_as_the_editor_knows_it() {
    let world = World::new();
    let script = json!([delegates(), touches("one"), touches("two"), "Made.", "Done."]);
    let (mut editor, session) = Editor::with_script(&world, "ask", script);
    let prompt = editor.prompt(&session, "go");
    let request = editor.asked(ASKS);
    editor.choose(&request, "unknown");
    let second = editor.asked(ASKS);
    editor.choose(&second, "once");
    editor.choose(&second, "once");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    let said = remarks(&editor);
    assert!(said.contains("nobody decided about call c1/c1"), "{said}");
    assert!(!said.contains("call c2 ") && !said.contains("call c1 "), "{said}");
    assert_eq!(editor.leave().code, 0);
}
