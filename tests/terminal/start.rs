//! A fresh account, no key: the app opens, takes what is typed, and leaves without a trace.

use super::console::{CTRL_C, CTRL_D, CTRL_U, Console, USUAL};
use super::home::Home;

#[tokio::test]
async fn the_composer_is_there_at_once_and_nothing_stands_before_it() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    assert!(app.terminal().alternate_screen());
    assert!(!app.terminal().hide_cursor(), "the cursor stands in the composer");
    app.keys("hello there").await;
    app.sees("hello there").await;
    app.sees_no("ask anything").await;
    app.keys(CTRL_U).await;
    app.sees("ask anything").await;
    app.quits().await;
}

#[tokio::test]
async fn ctrl_c_empties_then_asks_then_quits_and_no_session_is_left() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.keys("half a thought").await;
    app.sees("half a thought").await;
    app.keys(CTRL_C).await;
    app.sees("ask anything").await;
    assert!(!app.screen().contains("again to quit"), "the first one only clears");
    app.keys(CTRL_C).await;
    app.sees("press ctrl-c again to quit").await;
    app.keys("x").await;
    app.sees_no("again to quit").await;
    app.keys(CTRL_C).await;
    app.sees("ask anything").await;
    app.keys(CTRL_C).await;
    app.sees("press ctrl-c again to quit").await;
    app.keys(CTRL_C).await;
    assert_eq!(app.ends().await.code(), Some(0));
    app.assert_restored();
    assert!(home.session_files().is_empty(), "{:?}", home.session_files());
    assert!(!app.screen().contains("resume"), "nothing to go on with");
}

#[tokio::test]
async fn ctrl_d_quits_from_an_empty_composer_alone() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.keys("ab").await;
    app.sees("ab").await;
    // With text it deletes what stands after the cursor, as in a shell.
    app.keys("\x01").await;
    app.keys(CTRL_D).await;
    app.sees_no("ab").await;
    app.keys(CTRL_D).await;
    app.sees("ask anything").await;
    app.keys(CTRL_D).await;
    assert_eq!(app.ends().await.code(), Some(0));
    app.assert_restored();
    assert!(home.session_files().is_empty());
}

#[tokio::test]
async fn a_prompt_on_the_command_line_is_sent_at_once() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["list"]);
    app.sees("› list").await;
    app.sees("This folder has 1 entry").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.quits().await;
    assert!(app.screen().contains("countersign resume "), "{}", app.screen());
}

#[tokio::test]
async fn a_burst_of_keys_arrives_whole() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["--script", r#"["received"]"#]);
    app.sees("ask anything").await;
    let line = format!("{}end", "word ".repeat(500));
    app.keys(&line).await;
    app.sees("end").await;
    app.keys("\r").await;
    app.sees("received").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.texts("user_message", "content"), [line]);
}
