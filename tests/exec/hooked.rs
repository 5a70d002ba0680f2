//! Stop hooks, a tool's timeout and parallel execution as the configuration sets them, and what the log says of a run.

use std::fs;
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::world::{World, script, text};

/// The names of what was written, with what tells them apart.
fn told(entries: &[Value]) -> Vec<String> {
    let word = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
    let kinds = entries.iter().filter_map(|entry| match word(entry, "type").as_str() {
        "transition" | "turn_ended" => Some(word(entry, "reason")),
        "injected" if word(entry, "by") == "hook" => Some(word(entry, "text")),
        "agent_response" => Some(word(entry, "text")),
        _ => None,
    });
    kinds.collect()
}

#[test]
fn a_stop_hook_sends_the_model_on_once() {
    let world = World::new().configured(
        "[[hooks.stop]]\ncommand = 'test -e told || { touch told; echo The tests fail. >&2; exit 2; }'\n",
    );
    let ran = world.json(&["--script", r#"["Done.", "Fixed."]"#, "go"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let wanted = ["submitted", "Done.", "The tests fail.", "stop_hook_blocking", "Fixed.", "completed"];
    assert_eq!(told(&world.entries()), wanted);
}

#[test]
fn a_stop_hook_that_blocks_comes_before_one_that_prevents() {
    let world = World::new().configured(
        "[[hooks.stop]]\ncommand = 'echo The tests fail. >&2; exit 2'\n\
         [[hooks.stop]]\ncommand = '''echo '{\"continue\": false, \"reason\": \"Enough.\"}' '''\n",
    );
    let ran = world.json(&["--script", r#"["Done.", "Fixed."]"#, "go"]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    let wanted =
        ["submitted", "Done.", "The tests fail.", "stop_hook_blocking", "Fixed.", "stop_hook_prevented"];
    assert_eq!(told(&world.entries()), wanted);
}

#[test]
fn a_call_does_not_pass_a_hook_that_cannot_be_started() {
    let world =
        World::new().configured("[[hooks.pre_tool]]\nmatcher = 'write'\ncommand = './no-such-hook'\n");
    let call = json!({ "name": "write", "arguments": { "path": "new.txt", "content": "x" } });
    let ran = world.json(&["--mode", "unrestricted", "--script", &script(json!([call, "Denied."])), "go"]);
    assert_eq!((ran.code, ran.outcomes()), (4, vec!["denied".to_owned()]), "{}", ran.err);
    let said = text(&ran.one("tool_result"), "content");
    assert!(said.contains("the hook `./no-such-hook` could not be started"), "{said}");
    assert!(!world.work().join("new.txt").exists());
}

#[test]
fn a_call_does_not_pass_a_hook_that_does_not_answer_or_is_killed() {
    for (command, happened) in [
        ("sleep 600", "did not answer within 1.0 s and was stopped"),
        ("kill -9 $$", "was killed by a signal"),
    ] {
        let world = World::new().configured(&format!(
            "[[hooks.pre_tool]]\nmatcher = 'write'\ncommand = '{command}'\ntimeout_seconds = 1\n"
        ));
        let call = json!({ "name": "write", "arguments": { "path": "new.txt", "content": "x" } });
        let ran =
            world.json(&["--mode", "unrestricted", "--script", &script(json!([call, "Denied."])), "go"]);
        assert_eq!((ran.code, ran.outcomes()), (4, vec!["denied".to_owned()]), "{}", ran.err);
        let said = text(&ran.one("tool_result"), "content");
        assert!(said.contains(&format!("the hook `{command}` {happened}")), "{said}");
        assert!(!world.work().join("new.txt").exists());
    }
}

#[test]
fn a_message_that_a_hook_refuses_is_told_with_the_reason_and_with_advice_that_fits() {
    for (command, why) in [
        ("echo no secrets please >&2; exit 2", "a hook refused the message: no secrets please\n"),
        ("./no-such-hook", "a hook refused the message: the hook `./no-such-hook` could not be started: "),
    ] {
        let world = World::new().configured(&format!("[[hooks.user_prompt]]\ncommand = '{command}'\n"));
        let ran = world.exec(&["--script", r#"["a"]"#, "hello"]);
        assert_eq!((ran.code, ran.out.as_str()), (4, ""), "{}", ran.err);
        assert!(ran.err.contains(why), "{}", ran.err);
        let end = "stopped: policy_denied; next: Change the message, or the hook.\n";
        assert!(ran.err.ends_with(end), "no mode and no rule lets it through: {}", ran.err);
    }
}

#[test]
fn without_parallel_execution_a_call_begins_when_the_one_before_it_is_over() {
    let both = json!({ "tool_calls": [
        { "name": "read", "arguments": { "path": "one.txt" } },
        { "name": "read", "arguments": { "path": "two.txt" } },
    ]});
    let order = |parallel: &str| -> Vec<String> {
        let world = World::new().configured(&format!("[loop]\nparallel_tool_execution = {parallel}\n"));
        world.json(&["--script", &script(json!([both.clone(), "Both."])), "go"]);
        let entries = world.entries();
        let kinds = entries.iter().map(|entry| text(entry, "type"));
        kinds.filter(|kind| ["approval", "tool_result"].contains(&kind.as_str())).collect()
    };
    assert_eq!(order("false"), ["approval", "tool_result", "approval", "tool_result"]);
    // Then the second may begin before the first is over; whether it does is up to the machine.
    let mut any = order("true");
    any.sort();
    assert_eq!(any, ["approval", "approval", "tool_result", "tool_result"]);
}

#[test]
fn the_configured_timeout_ends_a_tool_and_retrieval_is_tried_again() {
    // It takes connections and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let world = World::new().configured(&format!(
        "[loop]\ntool_timeout_seconds = 1\n[tools.fetch]\nallow_hosts = ['{address}']\n"
    ));
    let call = json!({ "name": "fetch", "arguments": { "url": format!("http://{address}/") } });
    let replies = script(json!([call, "Silent."]));
    let ran = world.json(&["--mode", "unrestricted", "--script", &replies, "go"]);
    assert_eq!(ran.outcomes(), ["timed_out"]);
    assert!(text(&ran.one("tool_result"), "content").contains("timed out after 1"), "{}", ran.out);
    let notes: Vec<String> = ran.all("note").iter().map(|note| text(note, "text")).collect();
    assert_eq!(notes.iter().filter(|note| note.contains("tried again")).count(), 1, "{notes:?}");
}

#[test]
fn the_log_tells_how_a_run_went_and_no_word_of_it() {
    let world = World::new().configured("[[hooks.stop]]\ncommand = 'true'\n");
    let call = json!({ "text": "ANSWERWORD", "tool_calls": [
        { "name": "read", "arguments": { "path": "one.txt" } }] });
    let replies = script(json!([call, "ANSWERWORD too."]));
    assert_eq!(world.exec(&["--script", &replies, "PROMPTWORD"]).code, 0);
    let session = text(&world.entries()[0], "session");
    let logs = fs::read_dir(world.place().join("state/countersign/logs")).unwrap();
    let log: String = logs.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    let turn = format!("session{{id=\"{session}\"}}:turn{{number=1}}");
    for wanted in [
        format!("{turn}: countersign::runtime::spans: model is called"),
        format!("{turn}:model_call{{answer="),
        format!("{turn}:tool_call{{call=c1 tool=\"read\"}}"),
        format!("{turn}: countersign::runtime::spans: result"),
        format!("session{{id=\"{session}\"}}:turn{{number=2}}:hook{{at=\"stop\"}}"),
        "reason=\"completed\" turns=2 calls=1".to_owned(),
    ] {
        assert!(log.contains(&wanted), "{wanted} in {log}");
    }
    for word in ["PROMPTWORD", "ANSWERWORD", "one.txt", "first line"] {
        assert!(!log.contains(word), "{word} in {log}");
    }
}
