//! Esc in every moment: while the model speaks, while a call waits, while a command runs, while a retry is awaited.

use serde_json::{Value, json};

use super::console::{CTRL_C, Console, ESC};
use super::home::Home;
use super::strays::{STAYS, Stray};

/// Numbered words, more than a test waits for.
fn slow_words() -> Value {
    let words: Vec<String> = (1..3_000).map(|n| format!("word{n}")).collect();
    json!({ "text": words.join(" "), "chunk": 9, "pause_ms": 15 })
}

async fn goes_on(app: &mut Console) {
    app.rests().await;
    app.says("and now").await;
    app.sees("still here").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.quits().await;
}

#[tokio::test]
async fn path_a_keeps_what_was_said() {
    let home = Home::new();
    let mut app = Console::scripted(&home, &json!([slow_words(), "still here"]));
    app.sees("ask anything").await;
    app.says("talk").await;
    app.sees("word40 ").await;
    assert!(app.screen().contains("esc interrupt"), "{}", app.screen());
    app.keys(ESC).await;
    app.sees("interrupted").await;
    let partial = &home.entries("agent_response")[0];
    let text = partial["text"].as_str().unwrap();
    assert_eq!(partial["interrupted"], true);
    assert!(text.starts_with("word1 ") && text.contains(" word40") && !text.contains("word2999"), "{text}");
    assert_eq!(home.texts("turn_ended", "reason"), ["aborted_streaming"]);
    app.sees("word40 ").await;
    goes_on(&mut app).await;
    assert_eq!(home.texts("turn_ended", "reason"), ["aborted_streaming", "completed"]);
}

#[tokio::test]
async fn path_b_starts_nothing_that_waits_for_an_answer() {
    let home = Home::new();
    let script = json!([
        { "text": "Two of them.", "tool_calls": [
            { "name": "shell", "arguments": { "command": "echo one > one.txt" } },
            { "name": "shell", "arguments": { "command": "echo two > two.txt" } },
        ]},
        "still here",
    ]);
    let mut app = Console::scripted(&home, &script);
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("waits for you · 1 of 2").await;
    app.sees("y once").await;
    app.keys(ESC).await;
    app.sees("interrupted").await;
    app.sees_no("waits for you").await;
    app.sees("was not started").await;
    let results = home.texts("tool_result", "content");
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|text| text.contains("was not started")), "{results:?}");
    assert_eq!(home.texts("tool_result", "outcome"), ["aborted"; 2]);
    goes_on(&mut app).await;
    assert!(!home.has("one.txt") && !home.has("two.txt"));
    assert_eq!(home.texts("turn_ended", "reason"), ["aborted_streaming", "completed"]);
}

#[tokio::test]
async fn path_c_ends_the_whole_process_group() {
    let home = Home::new();
    let stays = format!("({STAYS}) & wait");
    let script = json!([
        { "tool_calls": [
            { "name": "shell", "arguments": { "command": stays } },
            { "name": "read", "arguments": { "path": "notes.txt" } },
        ]},
        "still here",
    ]);
    let mut app = Console::scripted(&home, &script);
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("y once").await;
    app.answers("y").await;
    let group = Stray::of(&mut app, &home).await;
    assert!(group.is_alive());
    app.sees("writes ·").await;
    app.keys(ESC).await;
    app.sees("interrupted").await;
    group.is_gone(&mut app).await;
    let results = home.texts("tool_result", "content");
    assert!(results[0].starts_with("Interrupted mid-execution after "), "{results:?}");
    assert!(results[0].contains("effects may be partial; check before repeating"), "{results:?}");
    assert!(results[1].contains("was not started"), "{results:?}");
    assert_eq!(home.texts("turn_ended", "reason"), ["aborted_tools"]);
    assert!(app.screen().contains("effects may be partial"), "{}", app.screen());
    goes_on(&mut app).await;
    assert_eq!(home.texts("turn_ended", "reason"), ["aborted_tools", "completed"]);
}

#[tokio::test]
async fn a_command_that_ignores_the_request_is_killed() {
    let home = Home::new();
    let stubborn = format!("trap '' TERM; {STAYS} & wait; sleep 600");
    let script = json!([{ "name": "shell", "arguments": { "command": stubborn } }, "still here"]);
    let mut app = Console::scripted(&home, &script);
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("y once").await;
    app.answers("y").await;
    let group = Stray::of(&mut app, &home).await;
    app.keys(ESC).await;
    app.sees("interrupted").await;
    group.is_gone(&mut app).await;
    goes_on(&mut app).await;
}

#[tokio::test]
async fn a_wait_before_a_retry_is_interrupted() {
    let home = Home::new();
    let error = json!({ "class": "transient", "message": "overloaded", "retry_after_ms": 100_000 });
    let mut app = Console::scripted(&home, &json!([{ "error": error }, "still here"]));
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("etrying in ").await;
    app.sees("overloaded").await;
    app.sees("esc interrupt").await;
    app.keys(ESC).await;
    app.sees("interrupted").await;
    assert_eq!(home.texts("turn_ended", "reason"), ["aborted_streaming"]);
    goes_on(&mut app).await;
}

#[tokio::test]
async fn esc_when_nothing_runs_changes_nothing() {
    let home = Home::new();
    let mut app = Console::scripted(&home, &json!(["still here"]));
    app.sees("ask anything").await;
    app.keys(CTRL_C).await;
    app.sees("press ctrl-c again to quit").await;
    app.keys(ESC).await;
    app.sees_no("again to quit").await;
    assert!(home.session_files().is_empty());
    goes_on(&mut app).await;
}
