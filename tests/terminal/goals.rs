//! A goal in the app: set by a slash, its check approved in the pane, reached by evidence.

use serde_json::json;

use super::console::{Console, ENTER, USUAL};
use super::home::Home;

#[tokio::test]
async fn a_goal_is_pursued_until_its_check_passes() {
    let home = Home::new();
    let write =
        json!({ "tool_calls": [{ "name": "write", "arguments": { "path": "made.txt", "content": "x" } }] });
    let script = json!([write, "It is made.", "Nothing is left to do."]).to_string();
    let mut app = Console::start(&home, USUAL, &["--allow", "write", "--script", &script]);
    app.sees("ask anything").await;
    app.keys(&format!("/goal Make made.txt{ENTER}")).await;
    app.sees("a goal needs a done condition").await;
    app.keys(&format!(" | check: test -f made.txt{ENTER}")).await;
    app.sees("goal · done when `test -f made.txt` exits with 0").await;
    app.sees("$ test -f made.txt").await;
    app.sees("y once").await;
    assert!(home.has("made.txt"));
    app.answers("y").await;
    app.sees("checkpoint 1 · done: yes (validation command)").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.texts("turn_ended", "reason"), ["goal_reached"]);
    assert_eq!(home.entries("approval").last().unwrap()["by"], "user");
}

#[tokio::test]
async fn a_blocked_goal_says_so_and_is_taken_up_again() {
    let home = Home::new();
    let script = json!(["blocked: which name?", "Done then.", "done: yes"]).to_string();
    let mut app = Console::start(&home, USUAL, &["--script", &script]);
    app.sees("ask anything").await;
    app.keys(&format!("/goal Make it | done: Is it made?{ENTER}")).await;
    app.sees("handoff").await;
    app.sees("Blocked: which name?").await;
    app.rests().await;
    app.keys(&format!("/goal resume call it made.txt{ENTER}")).await;
    app.sees("checkpoint 1 · done: asked (model)").await;
    app.sees("goal reached").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.texts("turn_ended", "reason"), ["blocked_on_user", "goal_reached"]);
}
