//! What is around the conversation: earlier messages, lists to pick from, other sessions.

use std::time::Instant;

use rustix::process::Signal;
use serde_json::json;

use super::console::{Console, USUAL};
use super::home::Home;

#[tokio::test]
async fn messages_of_earlier_sessions_come_back() {
    let home = Home::new();
    let mut first = Console::start(&home, USUAL, &[]);
    first.sees("ask anything").await;
    first.says("list").await;
    first.sees("✓ done").await;
    first.rests().await;
    first.quits().await;

    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    // It opens also while they are still being read, and is filled then.
    app.keys("\x12lst").await;
    app.sees("earlier messages  lst").await;
    app.sees("1 of 1").await;
    app.keys("\r").await;
    app.sees_no("ask anything").await;
    app.keys(" again").await;
    app.sees("list again").await;
    app.keys("\x15").await;
    app.rests().await;
    app.keys("\x1b[A").await;
    app.sees_no("ask anything").await;
    app.keys("\r").await;
    app.sees("› list").await;
    app.rests().await;
    app.quits().await;
}

#[tokio::test]
async fn the_palette_finds_and_does() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.keys("\x10").await;
    app.sees("type to narrow").await;
    app.keys("used, limit").await;
    app.sees("the budgets: used, limit, left").await;
    app.keys("\r").await;
    app.sees("retries of a model call").await;
    app.keys("q").await;
    app.rests().await;
    app.keys("/them").await;
    app.sees("choose a theme").await;
    app.keys("\t\r").await;
    app.sees("countersign-light").await;
    app.keys("\x1b[B\r").await;
    app.sees("theme = \"countersign-light\" in config.toml").await;
    app.quits().await;
}

#[tokio::test]
async fn another_session_is_picked_and_gone_on_with() {
    let home = Home::new();
    let mut first = Console::start(&home, USUAL, &[]);
    first.sees("ask anything").await;
    first.says("read notes.txt").await;
    first.sees("✓ done").await;
    first.rests().await;
    first.quits().await;

    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("list").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.keys("/sessions\r").await;
    app.sees("sessions of this folder").await;
    app.until("the transcript", |screen| screen.contains("It begins with alpha")).await;
    app.keys("\r").await;
    app.until("the other session", |screen| {
        screen.contains("› read notes.txt") && !screen.contains("› list") && screen.contains("ask anything")
    })
    .await;
    app.says("search beta").await;
    app.sees("The search found 1 match").await;
    app.rests().await;
    app.quits().await;
}

#[tokio::test]
async fn why_another_session_cannot_be_had_goes_with_the_next_key() {
    let home = Home::new();
    let mut first = Console::start(&home, USUAL, &[]);
    first.sees("ask anything").await;
    first.says("read notes.txt").await;
    first.sees("✓ done").await;
    first.rests().await;

    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.keys("/sessions\r").await;
    app.sees("sessions of this folder").await;
    app.until("the transcript", |screen| screen.contains("It begins with alpha")).await;
    app.keys("\r").await;
    app.sees("is open in another countersign").await;
    app.keys("x").await;
    app.sees_no("is open in another countersign").await;
    app.keys("\x7f").await;
    app.sees("ask anything").await;
    app.keys("/status\r").await;
    app.sees("Session").await;
    assert!(!app.screen().contains("open in another"), "{}", app.screen());
    app.keys("q").await;
    app.rests().await;
    app.quits().await;
    first.quits().await;
}

#[tokio::test]
async fn the_composer_opens_in_the_users_editor_and_comes_back_whole() {
    let home = Home::new();
    let editor = "sed -i -e 's/thought/plan/' -e '$a of two lines'";
    let mut app = Console::start_with(&home, USUAL, &[], &[("EDITOR", editor)]);
    app.sees("ask anything").await;
    app.keys("half a thought").await;
    app.sees("half a thought").await;
    app.keys("\x07").await;
    app.sees("half a plan").await;
    app.sees("of two lines").await;
    assert!(app.terminal().alternate_screen() && app.terminal().bracketed_paste());
    app.keys("!").await;
    app.sees("of two lines!").await;
    app.keys("\x15").await;
    app.rests().await;
    app.quits().await;
}

#[tokio::test]
async fn an_editor_that_fails_changes_nothing() {
    let home = Home::new();
    let mut app = Console::start_with(&home, USUAL, &[], &[("VISUAL", "false"), ("EDITOR", "true")]);
    app.sees("ask anything").await;
    app.keys("half a thought").await;
    app.sees("half a thought").await;
    app.keys("\x07").await;
    app.sees("the text is as it was").await;
    app.sees("half a thought").await;
    app.keys("\x15").await;
    app.rests().await;
    app.quits().await;
}

#[tokio::test]
async fn ctrl_c_in_the_editor_ends_the_editor_only() {
    for key in ["\x03", "\x1c"] {
        let home = Home::new();
        home.write("edits", "touch opened; read -r line");
        let mut app = Console::start_with(&home, USUAL, &[], &[("EDITOR", "sh ./edits")]);
        app.sees("ask anything").await;
        app.keys("half a thought").await;
        app.sees("half a thought").await;
        app.keys("\x07").await;
        app.meanwhile("an open editor", || home.has("opened")).await;
        app.keys(key).await;
        app.sees("the text is as it was").await;
        app.sees("half a thought").await;
        app.signal(Signal::INT);
        assert!(!app.ends().await.success(), "without an editor the signal ends the program");
        app.assert_restored();
    }
}

#[tokio::test]
async fn an_editor_that_goes_on_after_ctrl_c_is_waited_for() {
    let home = Home::new();
    let script =
        "trap 'touch hit' INT; touch opened; until [ -e hit ]; do sleep 0.05; done; echo written > \"$1\"";
    home.write("edits", script);
    let mut app = Console::start_with(&home, USUAL, &[], &[("EDITOR", "sh ./edits")]);
    app.sees("ask anything").await;
    app.keys("half a thought").await;
    app.sees("half a thought").await;
    app.keys("\x07").await;
    app.meanwhile("an open editor", || home.has("opened")).await;
    app.keys("\x03").await;
    app.sees("written").await;
    app.keys("\x15").await;
    app.rests().await;
    app.quits().await;
}

/// Stays open until the test lets it go.
const EDITOR: &str = "sh -c 'touch opened; while [ ! -e closes ]; do sleep 0.05; done'";

#[tokio::test]
async fn what_waits_behind_the_editor_has_not_been_in_sight() {
    // The call comes while the editor has the terminal, or before.
    for delay in [1_500, 0] {
        let home = Home::new();
        let call = json!({ "name": "shell", "arguments": { "command": "echo x > made.txt" } });
        let script = json!([{ "tool_calls": [call], "delay_ms": delay }, "as you wish"]).to_string();
        let mut app = Console::start_with(&home, USUAL, &["--script", &script], &[("EDITOR", EDITOR)]);
        app.sees("ask anything").await;
        app.says("go").await;
        if delay == 0 {
            app.sees("waits for you").await;
        }
        app.keys("\x07").await;
        app.meanwhile("an open editor", || home.has("opened")).await;
        app.meanwhile("a call that waits", || !home.entries("approval_request").is_empty()).await;
        app.reads().await;
        let began = Instant::now();
        home.write("closes", "");
        app.sees("waits for you").await;
        app.keys("\t").await;
        app.waits_anew(began).await;
        app.answers("n").await;
        app.sees("as you wish").await;
        app.rests().await;
        app.quits().await;
        assert!(!home.has("made.txt"));
    }
}

#[tokio::test]
async fn words_are_found_and_marked() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("list").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.keys("\x06folder has").await;
    app.sees("· 1 of 1").await;
    app.keys("\r\x1b").await;
    app.sees_no("find: folder").await;
    app.quits().await;
}
