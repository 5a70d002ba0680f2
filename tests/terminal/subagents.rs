//! Sub-agents on the screen and in lines: a call of one waits in its panel, is decided in its session, and is recorded there.

use serde_json::{Value, json};

use super::console::{Console, ENTER, ESC};
use super::home::Home;

/// A sub-agent that makes a file by a command, and says so.
fn script() -> Value {
    json!([
        { "text": "I ask.", "tool_calls": [{ "name": "delegate_to_general", "arguments": { "task": "Make it." } }] },
        { "text": "I make it.", "tool_calls": [{ "name": "shell", "arguments": { "command": "echo x > made.txt" } }] },
        "It is made.",
        "All done.",
    ])
}

/// The decisions in the sub-agent's own ledger.
fn decided(home: &Home) -> Vec<Value> {
    let file =
        home.session_files().into_iter().find(|path| path.to_string_lossy().contains("-c1.jsonl")).unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    let entries = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    entries.filter(|entry| entry["type"] == "approval").collect()
}

#[tokio::test]
async fn a_call_of_a_subagent_is_decided_in_its_session_and_by_a_person_only() {
    let home = Home::new();
    let mut app = Console::scripted(&home, &script());
    app.sees("ask anything").await;
    app.says("make it").await;
    app.sees("waits for you: shell $ echo x > made.txt").await;
    // In the session above nothing waits that a key could decide.
    app.keys("y").await;
    app.sees("│ y").await;
    app.keys("\x7f").await;
    app.sees("│ ask anything").await;
    app.reads().await;
    assert!(!home.has("made.txt"));
    app.keys("\t").await;
    app.sees("o open").await;
    app.keys(ENTER).await;
    app.sees("› general (← back)").await;
    app.sees("y once").await;
    app.answers("y").await;
    app.sees("✓ done").await;
    assert!(home.has("made.txt"));
    app.keys("\x1b[D").await;
    app.sees("All done.").await;
    app.sees_no("← back").await;
    app.rests().await;
    app.quits().await;
    let decisions = decided(&home);
    assert_eq!((&decisions[0]["by"], &decisions[0]["decision"]), (&json!("user"), &json!("allow")));
}

#[tokio::test]
async fn esc_in_a_subagents_session_stops_that_one_only() {
    let home = Home::new();
    let mut app = Console::scripted(&home, &script());
    app.sees("ask anything").await;
    app.says("make it").await;
    app.sees("waits for you: shell").await;
    app.keys("\t").await;
    app.sees("o open").await;
    app.keys(ENTER).await;
    app.sees("y once").await;
    app.keys(ESC).await;
    app.sees("interrupted").await;
    app.keys("\x1b[D").await;
    // The session above goes on with what it was told.
    app.sees("It is made.").await;
    app.rests().await;
    app.quits().await;
    assert!(!home.has("made.txt"));
}

#[tokio::test]
async fn in_lines_the_session_of_a_subagent_is_gone_into_and_left() {
    let home = Home::new();
    let replies = script().to_string();
    let mut app = Console::start(&home, (120, 200), &["--screen-reader", "--script", &replies]);
    app.until("a prompt", |screen| screen.trim_end().ends_with("\nyou:")).await;
    app.keys("make it\n").await;
    app.sees("/into c1 shows its session, where you decide").await;
    app.keys("/into c1\n").await;
    app.sees("answer: y once").await;
    app.reads().await;
    app.keys("y\n").await;
    app.sees("It is made.").await;
    app.keys("/back\n").await;
    app.sees("back in the session").await;
    app.keys("/quit\n").await;
    app.ends().await;
    assert!(home.has("made.txt"));
    assert_eq!(decided(&home)[0]["by"], "user");
}
