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

#[tokio::test]
async fn what_is_being_typed_is_not_torn_apart_by_what_is_said() {
    let home = Home::new();
    // The answer comes when half of the next line is there.
    let waits = "mkfifo typed && cat typed";
    let waits = json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": waits } }] });
    let script = json!([waits, "first answer", "second answer"]).to_string();
    let options = ["--screen-reader", "--mode", "unrestricted", "--script", &script];
    let mut app = Console::start(&home, (120, 200), &options);
    app.until("a prompt", |screen| screen.trim_end().ends_with("\nyou:")).await;
    app.keys("go\n").await;
    app.meanwhile("a command that waits", || home.has("typed")).await;
    app.keys("half ty").await;
    app.sees("half ty").await;
    home.write("typed", "half a line stands there");
    app.meanwhile("an answer", || home.texts("turn_ended", "reason").len() == 1).await;
    app.keys("ped\n").await;
    app.sees("model: second answer").await;
    let screen = app.screen();
    assert!(screen.lines().any(|line| line.ends_with("half typed")), "{screen}");
    assert!(screen.lines().any(|line| line.starts_with("model: first answer")), "{screen}");
    app.until("a prompt", |screen| screen.trim_end().ends_with("\nyou:")).await;
    app.keys(CTRL_D).await;
    assert!(app.ends().await.success());
    app.assert_restored();
    assert_eq!(home.texts("user_message", "content"), ["go", "half typed"]);
}
