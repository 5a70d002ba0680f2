//! Cancel is Esc: on the paths A, B and C, and before the run has begun. A strict model server takes the next prompt.

use serde_json::{Value, json};

use super::client::Editor;
use crate::books;
use crate::model_server::{ModelServer, Part, Reply, gate};
use crate::servers::{ANTHROPIC, accepted};
use crate::world::World;

fn serve(first: Vec<Part>) -> (ModelServer, World) {
    ANTHROPIC.serve(vec![Reply::Stream(first), Reply::text("Gone on.")])
}

/// Cancels when an update is there, then prompts again.
fn cancelled(
    world: &World,
    server: &ModelServer,
    mode: &str,
    is_time: impl Fn(&Value) -> bool,
) -> (Editor, Value) {
    let mut editor = Editor::start(world, &["--mode", mode]);
    let session = editor.new_session(world);
    let prompt = editor.prompt(&session, "hi");
    editor.until(is_time);
    editor.tell("session/cancel", json!({ "sessionId": session }));
    let answer = editor.result(&prompt);
    assert_eq!(answer["stopReason"], "cancelled", "{answer}");
    assert!(books::open_calls(&world.session_file()).is_empty());
    let prompt = editor.prompt(&session, "go on");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    accepted(server);
    (editor, answer)
}

fn outcomes(world: &World) -> Vec<String> {
    let results = world.entries().into_iter().filter(|entry| entry["type"] == "tool_result");
    results.map(|result| result["outcome"].as_str().unwrap().to_owned()).collect()
}

fn is_update(message: &Value, kind: &str) -> bool {
    message["params"]["update"]["sessionUpdate"] == kind
}

#[test]
fn path_a_in_the_middle_of_an_answer() {
    let (wait, _never) = gate();
    let (server, world) = serve(vec![Part::text("Partly said"), wait]);
    let (editor, answer) = cancelled(&world, &server, "ask", |one| is_update(one, "agent_message_chunk"));
    assert_eq!(answer["_meta"]["countersign/ending"], "aborted_streaming");
    assert!(server.requests()[1].body.to_string().contains("Partly said"));
    assert_eq!(editor.leave().code, 0);
}

#[test]
fn path_b_while_calls_wait_for_a_decision() {
    let command = |file: &str| json!({ "command": format!("touch {file}") });
    let (server, world) =
        serve(vec![Part::call("a", "shell", &command("a")), Part::call("b", "shell", &command("b"))]);
    let is_time = |one: &Value| one["method"] == "session/request_permission";
    let (mut editor, answer) = cancelled(&world, &server, "ask", is_time);
    assert_eq!(answer["_meta"]["countersign/ending"], "aborted_streaming", "nothing was begun");
    assert_eq!(outcomes(&world), ["aborted", "aborted"]);
    assert!(!world.work().join("a").exists());
    // The editor answers its open request after that: it changes nothing, and nobody is told.
    let request =
        editor.seen.iter().find(|one| one["method"] == "session/request_permission").unwrap().clone();
    editor.answer(&request, json!({ "outcome": { "outcome": "cancelled" } }));
    assert!(!editor.words("agent_message_chunk").contains("[countersign]"));
    assert_eq!(editor.leave().code, 0);
}

#[test]
fn path_c_while_a_command_runs() {
    let command = json!({ "command": "echo begun; exec sleep 400", "timeout_seconds": 500 });
    let (server, world) = serve(vec![Part::call("a", "shell", &command)]);
    let is_time = |one: &Value| is_update(one, "tool_call_update") && one.to_string().contains("begun");
    let (editor, _) = cancelled(&world, &server, "unrestricted", is_time);
    assert_eq!(outcomes(&world), ["aborted"]);
    let result = world.entries().into_iter().find(|entry| entry["type"] == "tool_result").unwrap();
    assert_eq!(result["abort"]["path"], "C");
    let failed = editor.updates("tool_call_update");
    assert!(failed.iter().any(|one| one["status"] == "failed"), "{failed:?}");
    assert_eq!(editor.leave().code, 0);
}

#[test]
fn a_cancel_that_comes_with_its_prompt_is_not_lost() {
    for method in ["session/cancel", "$/cancel_request"] {
        let (wait, _never) = gate();
        let (server, world) = serve(vec![Part::text("Partly said"), wait]);
        let mut editor = Editor::start(&world, &[]);
        let session = editor.new_session(&world);
        let prompt = editor.prompt(&session, "hi");
        editor.tell(method, json!({ "sessionId": session, "requestId": prompt }));
        assert_eq!(editor.stop_reason(&prompt), "cancelled");
        // Without a prompt it means nothing.
        editor.tell(method, json!({ "sessionId": session, "requestId": prompt }));
        assert_eq!(editor.leave().code, 0);
        drop(server);
    }
}

#[test]
fn a_permission_that_the_editor_answers_with_cancelled_takes_the_turn_back() {
    let (server, world) = serve(vec![Part::call("a", "shell", &json!({ "command": "touch a" }))]);
    let mut editor = Editor::start(&world, &["--mode", "ask"]);
    let session = editor.new_session(&world);
    let prompt = editor.prompt(&session, "hi");
    let request = editor.asked("session/request_permission");
    editor.answer(&request, json!({ "outcome": { "outcome": "cancelled" } }));
    assert_eq!(editor.stop_reason(&prompt), "cancelled");
    assert_eq!((outcomes(&world), server.left()), (vec!["aborted".to_owned()], 1));
    editor.leave();
}

#[test]
fn a_yes_that_comes_with_or_after_a_cancel_runs_nothing_and_one_before_it_counts_once() {
    let (_server, world) = serve(vec![Part::call("a", "shell", &json!({ "command": "touch a" }))]);
    let mut editor = Editor::start(&world, &["--mode", "ask"]);
    let session = editor.new_session(&world);
    let prompt = editor.prompt(&session, "hi");
    let request = editor.asked("session/request_permission");
    editor.tell("session/cancel", json!({ "sessionId": session }));
    editor.choose(&request, "once");
    assert_eq!(editor.stop_reason(&prompt), "cancelled");
    editor.choose(&request, "once");
    editor.until(|one| one.to_string().contains("it changed nothing"));
    assert!(!world.work().join("a").exists());
    assert_eq!(outcomes(&world), ["aborted"]);
    // The other way round the call may have run: then it has a decision before it, and one result.
    let (_server, world) = serve(vec![Part::call("a", "shell", &json!({ "command": "touch a" }))]);
    let mut editor = Editor::start(&world, &["--mode", "ask"]);
    let session = editor.new_session(&world);
    let prompt = editor.prompt(&session, "hi");
    let request = editor.asked("session/request_permission");
    editor.choose(&request, "once");
    editor.tell("session/cancel", json!({ "sessionId": session }));
    assert_eq!(editor.stop_reason(&prompt), "cancelled");
    editor.leave();
    let ran = world.work().join("a").exists();
    let allowed = world.entries().iter().any(|one| one["type"] == "approval" && one["decision"] == "allow");
    assert!(outcomes(&world).len() == 1 && (allowed || !ran), "{:?}", world.entries());
    let id = world.session_file().file_stem().unwrap().to_str().unwrap().to_owned();
    assert_eq!(world.sessions_cli(&["check", &id]).code, 0);
}

#[test]
fn an_editor_that_vanishes_while_it_is_asked_for_something_leaves_a_sound_session() {
    let calls = [
        ("read", json!({ "path": "one.txt" }), "fs/read_text_file"),
        ("ask", json!({ "question": "Which?" }), "elicitation/create"),
        ("shell", json!({ "command": "touch a" }), "session/request_permission"),
    ];
    for (name, arguments, method) in calls {
        let (_server, world) = serve(vec![Part::call("a", name, &arguments)]);
        let abilities =
            json!({ "fs": { "readTextFile": true, "writeTextFile": true }, "elicitation": { "form": {} } });
        let mut editor = Editor::able(&world, &["--mode", "ask"], abilities);
        let session = editor.new_session(&world);
        editor.prompt(&session, "hi");
        editor.asked(method);
        let ran = editor.leave();
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{method}");
        assert_eq!(outcomes(&world), ["aborted"], "{method}");
        assert!(
            world.entries().iter().all(|one| one["type"] != "approval" || one["by"] == "policy"),
            "{method}"
        );
        let id = world.session_file().file_stem().unwrap().to_str().unwrap().to_owned();
        assert_eq!(world.sessions_cli(&["check", &id]).code, 0, "{method}");
    }
}

/// An editor whose session runs a command that does not end.
fn running() -> (ModelServer, World, Editor) {
    let command = json!({ "command": "echo begun; exec sleep 400", "timeout_seconds": 500 });
    let (server, world) = serve(vec![Part::call("a", "shell", &command)]);
    let mut editor = Editor::start(&world, &["--mode", "unrestricted"]);
    let session = editor.new_session(&world);
    editor.prompt(&session, "hi");
    editor.until(|one| is_update(one, "tool_call_update") && one.to_string().contains("begun"));
    (server, world, editor)
}

#[test]
fn an_editor_that_vanishes_ends_like_esc() {
    let (_server, world, editor) = running();
    let ran = editor.leave();
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(outcomes(&world), ["aborted"]);
    assert_eq!(world.entries().pop().unwrap()["reason"], "aborted_tools");
    let (_server, world) = serve(vec![Part::call("a", "shell", &json!({ "command": "touch a" }))]);
    let mut editor = Editor::start(&world, &["--mode", "ask"]);
    let session = editor.new_session(&world);
    editor.prompt(&session, "hi");
    editor.asked("session/request_permission");
    assert_eq!(editor.leave().code, 0);
    assert_eq!((outcomes(&world), world.work().join("a").exists()), (vec!["aborted".to_owned()], false));
}

#[test]
fn an_editor_that_reads_no_more_has_vanished_although_it_can_still_write() {
    let (_server, world, editor) = running();
    let ran = editor.read_no_more();
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(outcomes(&world), ["aborted"]);
    assert_eq!(world.entries().pop().unwrap()["reason"], "aborted_tools");
    let id = world.session_file().file_stem().unwrap().to_str().unwrap().to_owned();
    assert_eq!(world.sessions_cli(&["check", &id]).code, 0);
}
