//! Lines that were begun and not ended when something was asked, in a terminal that edits lines itself.

use serde_json::json;

use super::console::{CTRL_D, Console};
use super::home::Home;

#[tokio::test]
async fn a_letter_that_was_begun_before_the_question_does_not_answer_it() {
    let home = Home::new();
    let touch = json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": "touch made.txt" } }] });
    let script = json!([touch, "done so"]).to_string();
    let mut app = Console::start(&home, (120, 200), &["--screen-reader", "--script", &script]);
    // The letter stands on the terminal's line before anything is asked; Enter comes long after that.
    app.until("a prompt", |screen| screen.trim_end().ends_with("\nyou:")).await;
    app.keys("go\ny").await;
    app.sees("answer: y once").await;
    app.reads().await;
    app.keys("\n").await;
    app.sees("y was typed before the question; type it again to answer").await;
    assert!(!home.has("made.txt"));
    app.reads().await;
    app.keys("y\n").await;
    app.sees("model: done so").await;
    assert!(home.has("made.txt"));
    app.until("a prompt", |screen| screen.trim_end().ends_with("\nyou:")).await;
    app.keys(CTRL_D).await;
    assert!(app.ends().await.success());
    app.assert_restored();
}
