//! The program itself in string mode, with scripted answers.

use std::process::Command;

use serde_json::Value;

/// The events of a run in a folder with one file.
fn run(flags: &[&str], script: &str) -> Vec<Value> {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("a.txt"), "the content\n").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["exec", "--json"])
        .args(flags)
        .arg("Go.")
        .env_clear()
        .env("HOME", place.path())
        .env("DEBUG_MOCK_RESPONSES", script)
        .current_dir(place.path())
        .output()
        .unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}

const READ: &str = r#"["I look.\n\n```tool_call\n{\"tool\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}\n```", "It says: the content"]"#;

#[test]
fn a_fenced_call_runs_in_string_mode_and_is_text_in_native_mode() {
    for flags in [&["--tools", "string"][..], &[]] {
        let events = run(flags, READ);
        let results = of(&events, "tool_result");
        assert_eq!((results.len(), &results[0]["outcome"]), (1, &Value::from("ok")), "{flags:?}: {events:?}");
        assert!(results[0]["content"].as_str().unwrap().contains("the content"));
        assert_eq!(events.last().unwrap()["text"], "It says: the content");
        let said: String =
            of(&events, "text_delta").iter().map(|event| event["text"].as_str().unwrap()).collect();
        assert_eq!(said, "I look.It says: the content", "no JSON on the screen");
    }
    let native = run(&["--tools", "native"], READ);
    assert!(of(&native, "tool_call").is_empty());
    assert!(native.last().unwrap()["text"].as_str().unwrap().contains("```tool_call"));
}

#[test]
fn what_cannot_be_read_or_is_not_there_is_answered_and_the_run_goes_on() {
    let script = r#"["```tool_call\n{\"tool\": \"read\", \"arguments\": {\"path\": }}\n```\n```tool_call\n{oops\n```\n```delegate\n{\"agent\": \"researcher\", \"task\": \"t\"}\n```", "I see."]"#;
    let events = run(&["--tools", "string"], script);
    let results = of(&events, "tool_result");
    let outcomes: Vec<&str> = results.iter().map(|r| r["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["invalid", "unknown_tool", "unknown_tool"], "{events:?}");
    assert!(results[0]["content"].as_str().unwrap().contains("not a JSON object"));
    let names: Vec<&str> = results.iter().map(|r| r["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["read", "tool_call", "delegate_to_researcher"]);
    assert_eq!(events.last().unwrap()["completed"], true);
}

#[test]
fn a_refusal_of_tools_changes_the_mode_and_not_the_run() {
    let script = r#"[{"status": 400, "error": {"message": "small does not support tools"}}, "{\"name\": \"list\", \"arguments\": {}}", "One file."]"#;
    let events = run(&[], script);
    assert_eq!(of(&events, "tool_result")[0]["outcome"], "ok", "{events:?}");
    assert!(of(&events, "error").is_empty());
    assert_eq!(events.last().unwrap()["completed"], true);
}
