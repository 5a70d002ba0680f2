//! Exit codes: what each of them means, and the one line that goes with it.

use serde_json::{Value, json};

use crate::world::{Ran, World, script, text};

/// A run that a budget ends, with its session checked.
fn stopped(words: &[&str], script: &str) -> Ran {
    let world = World::new();
    let ran = world.json(&[words, &["--mode", "unrestricted", "--script", script, "go"]].concat());
    assert_eq!(ran.code, 3, "{words:?}: {}", ran.err);
    let last = ran.err.lines().last().unwrap_or_default();
    assert!(last.starts_with("stopped: ") && last.contains("; next: "), "{}", ran.err);
    let is_of_a_call = |line: &str| line.starts_with("denied by ") || line.starts_with("not started: ");
    let others = ran.err.lines().filter(|line| !is_of_a_call(line)).count();
    assert_eq!(others, 1, "{}", ran.err);
    let ended = ran.ended();
    assert_eq!((&ended["status"], &ended["completed"]), (&json!("stopped"), &json!(false)));
    ran
}

fn look() -> Value {
    json!({ "tool_calls": [{ "name": "list", "arguments": {} }], "usage": { "input": 1000, "output": 100 } })
}

#[test]
fn zero_is_completed() {
    let world = World::new();
    let ran = world.exec(&["--script", r#"["The answer.\n\n"]"#, "hi"]);
    assert_eq!((ran.code, ran.out.trim_end(), ran.err.as_str()), (0, "The answer.", ""));
}

#[test]
fn one_is_the_model() {
    let world = World::new();
    let cases = [
        (json!([{ "error": { "class": "bad_request", "message": "no such option" } }]), "no such option"),
        (json!([]), "the script has no more replies"),
        (json!([look()]), "the script has no more replies"),
        (json!([{ "status": 401 }]), "status 401"),
    ];
    for (replies, words) in cases {
        let plain = world.exec(&["--script", &script(replies.clone()), "hi"]);
        assert_eq!(plain.code, 1, "{replies}");
        assert!(plain.complaint().contains(words), "{}", plain.err);
        let ran = world.json(&["--script", &script(replies), "hi"]);
        assert_eq!(ran.code, 1);
        assert!(ran.complaint().contains(words), "{}", ran.err);
        let error = ran.one("error");
        assert!(text(&error, "message").contains(words) && !text(&error, "next").is_empty(), "{error}");
        assert_eq!(ran.reason(), "model_error");
    }
    // Compacted once, and still too long.
    let replies = json!([{ "error": { "class": "overflow", "message": "too long" } }, "a summary",
        { "error": { "class": "overflow", "message": "too long" } }]);
    let ran = world.json(&["--script", &script(replies), "hi"]);
    assert_eq!((ran.code, ran.reason().as_str(), ran.all("compaction").len()), (1, "prompt_too_long", 1));
    assert!(ran.complaint().contains("too long"), "{}", ran.err);
}

#[test]
fn one_is_a_place_that_cannot_be_written() {
    let world = World::new();
    std::fs::write(world.place().join("state"), "a file stands where the folder should be").unwrap();
    for form in [&[][..], &["--json"]] {
        let calls = script(json!([{ "name": "shell", "arguments": { "command": "touch made" } }, "no"]));
        let ran = world.exec(&[form, &["--mode", "unrestricted", "--script", &calls, "hi"]].concat());
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{}", ran.err);
        assert!(ran.complaint().contains("state"), "{}", ran.err);
        assert!(!world.work().join("made").exists(), "nothing acts that cannot be written down");
    }
}

#[test]
fn two_is_usage() {
    let world = World::new();
    for (words, wanted) in [
        (vec!["--jsn", "hi"], "--json"),
        (vec!["--script", "[1]", "hi"], "element 1"),
        (vec!["--script", "[\"unfinished", "hi"], "not a JSON array"),
        (vec!["--script", "{}", "hi"], "not a JSON array"),
        (vec!["-m", "anthropic/claude-x", "hi"], "ANTHROPIC_API_KEY"),
        (vec!["-m", "openai-chat/gpt-x", "hi"], "OPENAI_API_KEY"),
        (vec!["-m", "nobody/x", "hi"], "nobody"),
        (vec!["-m", "claude", "hi"], "claude"),
        (vec!["--last", "--script", "[]", "hi"], "no session"),
        (vec!["--resume", "0199", "--script", "[]", "hi"], "0199"),
        (vec!["--max-cost", "1", "--script", "[]", "hi"], "models.\"script\""),
        (vec!["-c", "budget.max_model_turns=many", "hi"], "max_model_turns"),
        (vec!["--resume", "x", "--last", "hi"], "--last"),
    ] {
        let line = world.refused(&words);
        assert!(line.contains(wanted), "{words:?}: {line}");
    }
    assert!(world.sessions().is_empty(), "a refused run leaves no session behind");
    let mocked = World::new().with("DEBUG_MOCK_RESPONSES", "[{\"txt\":\"hi\"}]");
    assert!(mocked.refused(&["hi"]).contains("txt"));
}

#[test]
fn two_is_a_configuration_with_its_line() {
    let world = World::new().configured("mode = \"ask\"\n\n[budget]\nmax_model_turn = 3\n");
    let line = world.refused(&["--script", "[\"hi\"]", "hi"]);
    assert!(line.contains(&format!("{}:4", world.config_file().display())), "{line}");
    assert!(line.contains("max_model_turns"), "{line}");
}

#[test]
fn two_is_a_session_of_another_folder() {
    let world = World::new();
    world.json(&["--script", r#"["Here."]"#, "hi"]);
    let session = text(&world.entries()[0], "session");
    std::fs::create_dir(world.work().join("sub")).unwrap();
    let line = world.refused(&["-C", "sub", "--resume", &session, "--script", r#"["No."]"#, "hi"]);
    assert!(line.contains(&world.work().display().to_string()) && line.contains("-C"), "{line}");
    let line = world.refused(&["-C", "sub", "--last", "--script", r#"["No."]"#, "hi"]);
    assert!(line.contains("sub"), "{line}");
}

#[test]
fn three_is_turns() {
    let two = stopped(&["--max-turns", "2"], &script(json!([look(), look(), "never"])));
    assert_eq!(
        (two.reason().as_str(), two.outcomes().len()),
        ("max_turns", 2),
        "the tools of the last turn still run"
    );
    assert_eq!(two.all("agent_response").len(), 2);
    for spelling in [["--max-turns", "0"], ["-c", "loop.max_steps=0"], ["-c", "budget.max_model_turns=0"]] {
        let none = stopped(&spelling, "[]");
        assert_eq!((none.reason().as_str(), none.all("agent_response").len()), ("max_turns", 0));
        assert_eq!(none.ended()["turns"], 0);
    }
    let one = World::new();
    assert_eq!(
        one.json(&["--max-turns", "1", "--script", r#"["Done."]"#, "go"]).code,
        0,
        "one turn is enough"
    );
}

#[test]
fn three_is_tool_calls() {
    let both = json!([{ "tool_calls": [{ "name": "list", "arguments": {} }, { "name": "list", "arguments": {} }] }, "no"]);
    let ran = stopped(&["--max-tool-calls", "1"], &script(both));
    assert_eq!(
        (ran.reason().as_str(), ran.outcomes()),
        ("max_tool_calls", vec!["ok".to_owned(), "denied".into()])
    );
    let ran = stopped(&["--max-tool-calls", "0"], &script(json!([look(), "no"])));
    assert_eq!(ran.reason(), "max_tool_calls");
    let enough =
        World::new().json(&["--max-tool-calls", "1", "--script", &script(json!([look(), "Done."])), "go"]);
    assert_eq!(enough.code, 0, "the model may still answer after the last call");
}

#[test]
fn three_is_time() {
    let slow = json!([{ "text": "begun and never finished", "chunk": 5, "pause_ms": 60_000 }]);
    let ran = stopped(&["--max-seconds", "1"], &script(slow));
    assert_eq!(
        (ran.reason().as_str(), ran.one("agent_response")["interrupted"].clone()),
        ("wall_time", json!(true))
    );
    let sleeper = json!([{ "name": "shell", "arguments": { "command": "sleep 60" } }, "no"]);
    let ran = stopped(&["--max-seconds", "1"], &script(sleeper));
    assert_eq!((ran.reason().as_str(), ran.outcomes()), ("wall_time", vec!["aborted".to_owned()]));
    let told = text(&ran.one("tool_result"), "content");
    assert!(told.contains("wall-time budget") && told.contains("effects may be partial"), "{told}");
    assert_eq!(stopped(&["--max-seconds", "0"], "[]").reason(), "wall_time");
}

#[test]
fn three_is_tokens() {
    let replies = script(json!([look(), look(), "no"]));
    let input = stopped(&["--max-input-tokens", "4500"], &replies);
    assert_eq!((input.reason().as_str(), input.outcomes().len()), ("max_input_tokens", 2));
    let output = stopped(&["--max-output-tokens", "100"], &replies);
    assert_eq!((output.reason().as_str(), output.outcomes().len()), ("max_output_tokens", 1));
}

#[test]
fn a_model_that_writes_more_than_the_budget_has_left_is_not_listened_to() {
    let flood = script(json!(["word ".repeat(20_000), "More."]));
    for limit in [
        &["--max-output-tokens", "500"][..],
        &["-c", "models.script.usd_out=10", "-c", "models.script.usd_in=0", "--max-cost", "0.05"],
    ] {
        let ran = stopped(limit, &flood);
        let counted = ran.one("agent_response")["usage"]["output"].as_u64().unwrap();
        assert_eq!(counted, 25_000, "{limit:?}: it came, in one piece");
        let notes = ran.all("note");
        let said = |note: &serde_json::Value| {
            note["text"].as_str().unwrap_or_default().contains("the budget had left")
        };
        assert!(notes.iter().any(said), "{limit:?}: {notes:?}");
    }
}

#[test]
fn three_is_money() {
    let priced = ["-c", "models.script.usd_in=3", "-c", "models.script.usd_out=15", "--max-cost", "0.01"];
    let replies = script(json!([look(), "no"]));
    let ran = stopped(&priced, &replies);
    assert_eq!(ran.reason(), "max_cost");
    assert_eq!(ran.one("agent_response")["usage"]["cost_usd"], 0.0045);
    let gauge = ran.all("budget").into_iter().find(|b| b["name"] == "max_total_cost").unwrap();
    assert_eq!((&gauge["used"], &gauge["limit"]), (&json!(0.0045), &json!(0.01)));

    // Cost counts for the session: another run of it cannot begin.
    let world = World::new();
    let first = world.json(&[&priced[..], &["--script", &replies, "go"]].concat());
    let second = world.json(&[&priced[..], &["--last", "--script", r#"["no"]"#, "more"]].concat());
    assert_eq!((first.code, second.code, second.reason().as_str()), (3, 3, "max_cost"));
    assert!(second.all("agent_response").is_empty());
}

#[test]
fn four_is_an_approval() {
    let world = World::new();
    let calls = json!([{ "tool_calls": [
        { "name": "list", "arguments": {} },
        { "name": "shell", "arguments": { "command": "touch made" } },
        { "name": "read", "arguments": { "path": "one.txt" } },
    ] }, "Then not."]);
    let ran = world.json(&["--on-approval", "stop", "--script", &script(calls.clone()), "go"]);
    assert_eq!((ran.code, ran.reason().as_str()), (4, "approval_required"));
    assert!(ran.err.contains("\nstopped: approval_required; next: "), "{}", ran.err);
    assert_eq!(ran.outcomes()[1], "denied");
    let ran = world.json(&["--script", &script(calls), "go"]);
    assert_eq!((ran.code, ran.outcomes()), (4, vec!["ok".to_owned(), "denied".into(), "ok".into()]));
    assert!(!world.work().join("made").exists());
}

#[test]
fn a_budget_stop_can_be_gone_on_from() {
    let world = World::new();
    let ran = world.json(&["--max-turns", "1", "--script", &script(json!([look()])), "go"]);
    assert_eq!(ran.code, 3);
    let ran = world.json(&["--last", "--script", r#"["Now done."]"#, "go on"]);
    assert_eq!((ran.code, ran.ended()["text"].clone()), (0, json!("Now done.")));
}
