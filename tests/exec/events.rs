//! The event stream of scripted runs, and the file it is kept in. The rules of every stream are in `books`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::world::{World, script, text};

/// A run with a bit of everything: parallel reads, a command, a denial, wrong arguments, an unknown tool.
fn busy() -> String {
    script(json!([
        { "thinking": "Let me look.", "text": "I look at both files.", "chunk": 5, "tool_calls": [
            { "id": "a", "name": "read", "arguments": { "path": "one.txt" } },
            { "id": "b", "name": "read", "arguments": { "path": "two.txt" } },
        ] },
        { "tool_calls": [
            { "id": "c", "name": "shell", "arguments": { "command": "echo one; echo two" } },
            { "id": "d", "name": "shell", "arguments": { "command": "rm one.txt" } },
            { "id": "e", "name": "read", "arguments": { "file": "one.txt" } },
            { "id": "f", "name": "dance", "arguments": {} },
            { "id": "g", "name": "read", "arguments": "{\"path\": " },
        ] },
        { "text": "All done.", "usage": { "input": 700, "output": 11, "cache_read": 600, "cost_usd": 0.0125 } },
    ]))
}

#[test]
fn a_busy_run() {
    let world = World::new();
    let ran = world.json(&[
        "--allow",
        "shell(echo *)",
        "--allow",
        "shell",
        "--deny",
        "shell(rm *)",
        "--script",
        &busy(),
        "look",
    ]);
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (4, "denied by policy: shell $ rm one.txt (rule shell(rm *) denies it)\n"),
        "{}",
        ran.out
    );
    assert_eq!(ran.outcomes(), ["ok", "ok", "ok", "denied", "invalid", "unknown_tool", "invalid"]);

    let started = ran.one("session_started");
    assert_eq!(started, ran.events()[0]);
    assert_eq!(
        (text(&started, "cwd"), text(&started, "model")),
        (world.work().display().to_string(), "script".into())
    );
    assert_eq!(text(&started, "session"), world.session_file().file_stem().unwrap().to_str().unwrap());
    assert!(started["version"].is_u64());
    assert_eq!(ran.one("user_message")["content"], "look");
    let transitions: Vec<_> =
        ran.all("transition").iter().map(|t| (t["turn"].clone(), text(t, "reason"))).collect();
    assert_eq!(
        transitions,
        [(json!(1), "submitted".to_owned()), (json!(2), "next_turn".into()), (json!(3), "next_turn".into())]
    );
    let deltas = ran.all("text_delta");
    assert!(deltas.len() > 1, "a text in pieces");

    let said = &ran.all("agent_response")[0];
    assert_eq!(
        (text(said, "thinking").as_str(), text(said, "stop_reason").as_str()),
        ("Let me look.", "tool_use")
    );
    assert_eq!((&said["model"], &said["interrupted"]), (&json!("script"), &json!(false)));
    let progress: Vec<_> = ran
        .all("progress")
        .iter()
        .map(|p| (p["step"].clone(), text(p, "action"), text(p, "target")))
        .collect();
    let step = |number: u64, target: &str| (json!(number), "tool_call".to_owned(), target.to_owned());
    assert_eq!(progress, [step(1, "read"), step(1, "read"), step(2, "shell")]);
}

#[test]
fn each_call_is_logged_and_what_runs_is_announced_before_its_result() {
    let world = World::new();
    let ran = world.json(&["--allow", "shell(echo *)", "--deny", "shell(rm *)", "--script", &busy(), "look"]);
    let calls = ran.all("tool_call");
    let names: Vec<String> = calls.iter().map(|call| text(call, "name")).collect();
    assert_eq!(names, ["read", "read", "shell", "shell", "read", "dance", "read"]);
    assert_eq!(calls[2]["arguments"], json!({ "command": "echo one; echo two" }));
    let kept = fs::read_to_string(world.session_file()).unwrap();
    let kept: Vec<Value> = kept.lines().map(crate::books::unchained).collect();
    let events = ran.events();
    let of = |kind: &'static str| events.iter().enumerate().filter(move |(_, event)| event["type"] == kind);
    let place =
        |kind: &'static str, id: &Value| of(kind).find(|(_, event)| event["id"] == *id).map(|(at, _)| at);
    let mut begun = of("progress");
    for call in &calls {
        let id = &call["id"];
        assert!(kept.contains(call), "{id} is in the file");
        let (made, ended) = (place("tool_call", id).unwrap(), place("tool_result", id).unwrap());
        assert!(made < ended, "{id} is logged before its result");
        if events[ended]["outcome"] == "ok" {
            let (at, progress) = begun.next().unwrap();
            assert_eq!(progress["target"], call["name"]);
            assert!(made < at && at < ended, "{id} is announced when it starts");
            assert!(place("tool_output", id).is_none_or(|output| at < output), "{id} prints after that");
        }
    }
    assert_eq!(begun.count(), 0, "what did not run is not announced");
    assert!(place("tool_output", &calls[2]["id"]).is_some(), "one of them prints");
}

#[test]
fn results_and_the_end() {
    let world = World::new();
    let ran = world.json(&[
        "--allow",
        "shell(echo *)",
        "--allow",
        "shell",
        "--deny",
        "shell(rm *)",
        "--script",
        &busy(),
        "look",
    ]);
    let results = ran.all("tool_result");
    for result in &results {
        assert_eq!(result["is_error"], json!(result["outcome"] != "ok"), "{result}");
        assert!(
            result["duration_ms"].is_u64() && result["cut_chars"] == 0 && !text(result, "content").is_empty()
        );
    }
    assert_eq!(text(&results[2], "content"), "one\ntwo");
    let chunks: String = ran.all("tool_output").iter().map(|o| text(o, "chunk")).collect();
    assert_eq!(chunks, "one\ntwo\n");
    assert!(world.work().join("one.txt").exists(), "what was denied was not done");

    let ended = ran.ended();
    assert_eq!(
        (&ended["status"], &ended["reason"], &ended["completed"]),
        (&json!("completed"), &json!("completed"), &json!(true))
    );
    assert_eq!(
        (&ended["turns"], &ended["tool_calls"], &ended["text"]),
        (&json!(3), &json!(7), &json!("All done."))
    );
    assert!(!text(&ended, "next_safe_action").is_empty() && ended["wall_ms"].is_u64());
    let not_ok = [("c4", "denied"), ("c5", "invalid"), ("c6", "unknown_tool"), ("c7", "invalid")];
    let not_ok = not_ok.map(|(id, outcome)| json!({ "id": id, "outcome": outcome }));
    assert_eq!(ended["not_ok"], json!(not_ok), "whoever reads the answer learns what it does not rest on");
    let last = ran.all("agent_response").pop().unwrap();
    for member in ["input", "output", "cache_read", "cache_write", "reasoning"] {
        assert!(last["usage"][member].is_u64() && ended["usage"][member].is_u64(), "{last}");
    }
    assert_eq!((&last["usage"]["cost_usd"], &ended["cost_usd"]), (&json!(0.0125), &json!(0.0125)));
    assert!(ended["usage"]["input"].as_u64() > Some(700), "the sum of three calls: {ended}");
    let budgets = ran.all("budget");
    let has = |name: &str| {
        budgets.iter().any(|b| b["name"] == name && b["used"].is_number() && b.get("limit").is_some())
    };
    assert!(
        has("max_model_turns") && has("max_tool_calls") && has("max_output_tokens") && has("max_total_cost")
    );
}

#[test]
fn decisions_are_written_where_they_belong() {
    let world = World::new();
    let write = json!({ "name": "write", "arguments": { "path": "new.txt", "content": "x" } });
    let ran = world.json(&["--script", &script(json!([write, "As you wish."])), "write it"]);
    assert_eq!((ran.code, ran.outcomes()), (4, vec!["denied".to_owned()]));
    let (request, decision) = (ran.one("approval_request"), ran.one("approval"));
    assert_eq!((&request["name"], &request["arguments"]["path"]), (&json!("write"), &json!("new.txt")));
    assert!(!text(&request, "why").is_empty() && !text(&request, "risk").is_empty());
    let decided = ["decision", "scope", "by"].map(|member| text(&decision, member));
    assert_eq!(decided, ["deny", "once", "policy"]);
    assert!(!text(&decision, "reason").is_empty());
    let result = ran.one("tool_result");
    assert!(text(&result, "content").contains("not started"), "{result}");
    assert_eq!([&request["id"], &decision["id"], &result["id"]], [&ran.one("tool_call")["id"]; 3]);
    assert!(!world.work().join("new.txt").exists());
}

#[test]
fn the_variable_alone_is_a_script() {
    let world =
        World::new().with("DEBUG_MOCK_RESPONSES", r#"["{\"name\":\"list\",\"arguments\":{}}", "Hello."]"#);
    let ran = world.json(&["hi"]);
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["ok".to_owned()]));
    assert_eq!(ran.ended()["text"], "Hello.");
    let plain = world.exec(&["hi"]);
    assert_eq!((plain.code, plain.out.as_str()), (0, "Hello.\n"));
    assert!(
        plain.err.starts_with("note: DEBUG_MOCK_RESPONSES") && plain.err.lines().count() == 1,
        "{}",
        plain.err
    );
    assert_eq!(world.sessions().len(), 2, "each run is a session of its own");
}

#[test]
fn the_file_is_private_and_holds_no_live_events() {
    let world = World::new();
    let ran = world.json(&["--script", &busy(), "look"]);
    let file = world.session_file();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(file.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    let live = ["text_delta", "thinking_delta", "progress", "tool_output", "budget"];
    let kept = world.entries();
    assert!(kept.iter().all(|entry| !live.contains(&entry["type"].as_str().unwrap())));
    assert!(ran.events().len() > kept.len());
    assert_eq!(kept[0]["type"], "session_started");
}

#[test]
fn a_session_that_goes_on_tells_only_what_is_new() {
    let world = World::new();
    world.json(&["--script", r#"["One."]"#, "first"]);
    let ran = world.json(&["--last", "--script", r#"["Two."]"#, "second"]);
    assert_eq!((ran.code, ran.one("user_message")["content"].clone()), (0, json!("second")));
    assert!(ran.all("session_started").is_empty());
    let session = text(&world.entries()[0], "session");
    let by_id = world.json(&["--resume", &session, "--script", r#"["Three."]"#, "third"]);
    assert_eq!(by_id.ended()["text"], "Three.");
    assert_eq!(world.sessions().len(), 1);
    let said: Vec<Value> = world
        .entries()
        .iter()
        .filter(|e| e["type"] == "user_message")
        .map(|e| e["content"].clone())
        .collect();
    assert_eq!(said, ["first", "second", "third"]);
}

#[test]
fn an_empty_answer_and_a_refusal_are_told() {
    let world = World::new();
    let silent = world.json(&["--script", r#"[{"text":""},{"text":""}]"#, "hi"]);
    assert_eq!((silent.code, silent.reason().as_str()), (1, "no_final_answer_or_tool_call"));
    // One recorded nudge, then it is over.
    let texts: Vec<_> = silent.all("agent_response").iter().map(|r| r["text"].clone()).collect();
    assert_eq!(texts, ["", ""]);
    let refusal = world.json(&["--script", r#"[{"text":"I will not.","stop_reason":"refusal"}]"#, "hi"]);
    assert_eq!((refusal.code, refusal.one("agent_response")["text"].clone()), (1, json!("I will not.")));
}

#[test]
fn strange_bytes_stay_within_their_line() {
    let world = World::new();
    let command = r#"printf '\377\376 \033[31mred\033[0m "q" \\ \001 \342\200\250 end\n'"#;
    let calls = json!([{ "text": "odd \u{2028} \u{0} \u{1b}]0;title\u{7} text", "tool_calls": [{ "name": "shell", "arguments": { "command": command } }] }, "ok"]);
    let ran = world.json(&["--mode", "unrestricted", "--script", &script(calls), "say \u{1b}[2J \u{85} it"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    assert!(
        !ran.out.chars().any(|c| breaks(c) && c != '\n'),
        "something that a reader may take for a line's end"
    );
    let result = ran.one("tool_result");
    assert_eq!(text(&result, "content"), "\u{fffd}\u{fffd} red \"q\" \\  \u{2028} end");
    let written = "\u{fffd}\u{fffd} \u{1b}[31mred\u{1b}[0m \"q\" \\ \u{1} \u{2028} end";
    assert_eq!(text(&result, "written"), written, "the books keep what was written");
    assert_eq!(ran.one("user_message")["content"], "say \u{1b}[2J \u{85} it");
    assert_eq!(ran.all("agent_response")[0]["text"], "odd \u{2028} \u{0} \u{1b}]0;title\u{7} text");
}
