//! What was denied is named on stderr and in the exit code, whatever the model says at the end.

use serde_json::json;

use crate::world::{World, script};

fn writes() -> serde_json::Value {
    json!({ "tool_calls": [
        { "name": "write", "arguments": { "path": "made.txt", "content": "x" } },
        { "name": "shell", "arguments": { "command": "touch made" } },
    ]})
}

#[test]
fn denied_calls_are_named_and_the_exit_code_is_four() {
    let world = World::new();
    let replies = script(json!([writes(), "I wrote it."]));
    let plain = world.exec(&["--script", &replies, "go"]);
    assert_eq!((plain.code, plain.out.trim_end()), (4, "I wrote it."), "{}", plain.err);
    let lines: Vec<&str> = plain.err.lines().collect();
    let why = "(no rule covers it; no user is available to approve it)";
    let denied = |what: &str| format!("denied by policy: {what} {why}");
    assert_eq!(lines, [denied("write made.txt"), denied("shell $ touch made")]);
    let ran = world.json(&["--script", &replies, "go"]);
    assert_eq!((ran.code, ran.reason().as_str()), (4, "completed"));
    assert_eq!(ran.err, plain.err);
}

#[test]
fn a_denied_call_of_an_earlier_run_is_not_named_again() {
    let world = World::new();
    assert_eq!(world.exec(&["--script", &script(json!([writes(), "No."])), "go"]).code, 4);
    let again = world.exec(&["--last", "--script", r#"["Hello."]"#, "hi"]);
    assert_eq!((again.code, again.err.as_str()), (0, ""));
}

#[test]
fn a_name_that_steers_the_terminal_is_shown() {
    let world = World::new();
    let call = json!({ "name": "shell", "arguments": { "command": "touch a\u{1b}[2J\u{202e}.txt" } });
    let ran = world.exec(&["--script", &script(json!([call, "Done."])), "go"]);
    assert_eq!(ran.code, 4);
    assert!(
        ran.err.contains("denied by policy: shell $ touch a") && !ran.err.contains('\u{1b}'),
        "{:?}",
        ran.err
    );
}

#[test]
fn a_refusal_of_the_model_is_an_ending_of_its_own() {
    let world = World::new();
    let replies = script(json!([{ "text": "I will not.", "stop_reason": "refusal" }]));
    let ran = world.exec(&["--script", &replies, "go"]);
    assert_eq!((ran.code, ran.out.trim_end()), (1, "I will not."));
    assert!(ran.err.starts_with("stopped: model_refused; next: "), "{}", ran.err);
    let silent = script(json!([{ "text": "", "stop_reason": "refusal" }]));
    let ran = world.json(&["--script", &silent, "go"]);
    assert_eq!((ran.code, ran.reason().as_str()), (1, "model_refused"));
}

#[test]
fn a_rule_about_a_file_below_home_holds_however_the_file_is_named() {
    let world = World::new();
    let file = world.place().canonicalize().unwrap().join("secrets.txt");
    std::fs::write(&file, "the secret").unwrap();
    let name = file.display().to_string();
    let calls = json!({ "tool_calls": [
        { "name": "read", "arguments": { "path": name } },
        { "name": "shell", "arguments": { "command": format!("cat '{name}'") } },
    ]});
    let replies = script(json!([calls, "Done."]));
    let words = ["--mode", "unrestricted", "--deny", "read(~/secrets.txt)", "--script", &replies, "go"];
    let ran = world.exec(&words);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert_eq!(ran.err.matches("denied by policy").count(), 2, "{}", ran.err);
    assert!(!world.session_text().contains("the secret"));
}
