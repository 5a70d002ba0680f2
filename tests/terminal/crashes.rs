//! The process dies at once: what the session says afterwards, and that nothing is run a second time.

use rustix::process::Signal;
use serde_json::json;

use super::console::{Console, USUAL};
use super::home::Home;
use super::strays::{STAYS, Stray};

#[tokio::test]
async fn a_call_that_ran_is_lost_and_is_not_run_again() {
    let home = Home::new();
    let stays = format!("echo ran >> runs.txt; {STAYS}");
    let script = json!([{ "tool_calls": [
        { "name": "shell", "arguments": { "command": stays } },
        { "name": "read", "arguments": { "path": "notes.txt" } },
    ]}]);
    let mut app = Console::scripted(&home, &script);
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("y once").await;
    app.answers("y").await;
    let _group = Stray::of(&mut app, &home).await;
    app.signal(Signal::KILL);
    assert_eq!(app.ends().await.code(), None);

    let mut app = Console::start(&home, USUAL, &["resume", "--last", "--script", r#"["still here"]"#]);
    app.sees("lost · effects may be partial").await;
    app.sees("lost · was not started").await;
    app.sees("ask anything").await;
    assert_eq!(home.texts("tool_result", "outcome"), ["lost"; 2]);
    assert!(home.texts("tool_result", "content")[0].contains("effects may be partial"));
    assert_eq!(home.texts("turn_ended", "reason"), ["aborted_tools"]);
    app.says("and now").await;
    app.sees("still here").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.read("runs.txt"), "ran\n");
    assert_eq!(home.texts("turn_ended", "reason"), ["aborted_tools", "completed"]);
}

#[tokio::test]
async fn a_stream_that_died_is_over_when_it_is_resumed() {
    let home = Home::new();
    let mut app = Console::scripted(
        &home,
        &json!([{ "text": "slow words ".repeat(2_000), "chunk": 8, "pause_ms": 20 }]),
    );
    app.sees("ask anything").await;
    app.says("talk").await;
    app.sees("slow words").await;
    app.signal(Signal::KILL);
    assert_eq!(app.ends().await.code(), None);

    let mut app = Console::start(&home, USUAL, &["resume", "--last", "--script", r#"["still here"]"#]);
    app.sees("interrupted").await;
    app.rests().await;
    app.says("and now").await;
    app.sees("still here").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.texts("turn_ended", "reason"), ["aborted_streaming", "completed"]);
}

#[tokio::test]
async fn a_torn_last_line_is_survived_and_told() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["list"]);
    app.sees("✓ done").await;
    app.rests().await;
    app.signal(Signal::KILL);
    app.ends().await;
    let file = &home.session_files()[0];
    let mut bytes = std::fs::read(file).unwrap();
    bytes.truncate(bytes.len() - 20);
    std::fs::write(file, bytes).unwrap();

    let mut app = Console::start(&home, USUAL, &["resume", "--last"]);
    app.sees("› list").await;
    app.rests().await;
    app.says("read notes.txt").await;
    app.sees("It begins with alpha").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.texts("user_message", "content"), ["list", "read notes.txt"]);
}
