//! Lines that were begun and not ended when something was asked, said or done, in a terminal that edits lines
//! itself.

use std::time::Duration;

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
async fn a_line_that_was_torn_apart_is_written_again_by_the_terminal_and_can_be_deleted() {
    let home = Home::new();
    let script = json!([{ "text": "one answer", "delay_ms": 500 }, "another"]).to_string();
    let mut app = Console::start(&home, (120, 200), &["--screen-reader", "--script", &script]);
    app.until("a prompt", |screen| screen.trim_end().ends_with("\nyou:")).await;
    app.keys("go\nhalf a lime").await;
    app.sees("model: one answer").await;
    app.until("a prompt", |screen| screen.trim_end().ends_with("\nyou:")).await;
    // Ctrl-R, then backspace twice.
    app.keys("\x12").await;
    app.until("the line again", |screen| screen.trim_end().ends_with("\nhalf a lime")).await;
    app.keys("\x7f\x7fne\n").await;
    app.sees("model: another").await;
    app.until("a prompt", |screen| screen.trim_end().ends_with("\nyou:")).await;
    app.keys(CTRL_D).await;
    assert!(app.ends().await.success());
    assert_eq!(home.texts("user_message", "content"), ["go", "half a line"]);
}

#[tokio::test]
async fn a_command_with_more_behind_it_is_not_carried_out() {
    // What is pasted seldom ends its last line, and a slow line carries it in pieces.
    for pieces in [&["!touch made.txt\nand more"][..], &["!touch made.txt\n", "and more"]] {
        let home = Home::new();
        let script = json!(["it is heard"]).to_string();
        let mut app = Console::start(&home, (120, 200), &["--screen-reader", "--script", &script]);
        app.until("a prompt", |screen| screen.trim_end().ends_with("\nyou:")).await;
        for piece in pieces {
            app.keys(piece).await;
            app.takes_time(Duration::from_millis(45)).await;
        }
        app.sees("not done: !touch made.txt came together with other lines").await;
        // Nothing of the rest is lost: it stays the beginning of its line, or was a message.
        app.keys("\n").await;
        app.sees("model: it is heard").await;
        assert!(!home.has("made.txt"), "{pieces:?}");
        assert_eq!(home.texts("user_message", "content")[0], "and more", "{pieces:?}");
    }
}

#[tokio::test]
async fn a_paste_of_several_lines_is_one_message_and_waits_for_the_end_of_its_last_line() {
    let home = Home::new();
    let script = json!(["it is heard"]).to_string();
    let mut app = Console::start(&home, (120, 200), &["--screen-reader", "--script", &script]);
    app.until("a prompt", |screen| screen.trim_end().ends_with("\nyou:")).await;
    for piece in ["!touch made.txt\n\n", "and more\nof it"] {
        app.keys(piece).await;
        app.takes_time(Duration::from_millis(45)).await;
    }
    app.sees("pasted: 3 lines and more; Enter sends them as one message").await;
    app.keys("\n").await;
    app.sees("model: it is heard").await;
    assert!(!home.has("made.txt"));
    assert_eq!(home.texts("user_message", "content"), ["!touch made.txt\n\nand more\nof it"]);
}
