//! Ctrl-Z under a shell with job control: the shell gets a usable terminal, and `fg` brings everything back. And a stop from outside.

use std::time::Instant;

use rustix::process::Signal;
use serde_json::json;

use super::console::{CTRL_C, Console, USUAL};
use super::home::Home;

const CTRL_Z: &str = "\x1a";

/// A shell that starts the app, and after its suspension waits for a line before it goes on with it.
const SHELL: &str =
    r#"set -m; "$APP" --script "$SCRIPT"; echo "it is stopped"; read -r line; fg; echo "it ended with $?""#;

fn under_a_shell(home: &Home, script: &str) -> Console {
    let command = pty_process::Command::new("sh").args(["-c", SHELL]);
    let variables = [("APP", env!("CARGO_BIN_EXE_countersign")), ("SCRIPT", script)];
    Console::start_command(home, USUAL, command, &variables)
}

#[tokio::test]
async fn it_stops_and_comes_back_as_it_was() {
    let home = Home::new();
    let mut app = under_a_shell(&home, r#"["first answer", "second answer"]"#);
    app.sees("ask anything").await;
    app.says("one").await;
    app.sees("first answer").await;
    app.rests().await;
    app.keys("half a thought").await;
    app.sees("half a thought").await;

    app.keys(CTRL_Z).await;
    app.sees("it is stopped").await;
    app.assert_restored();
    app.keys("\n").await;
    app.sees("half a thought").await;
    app.sees("first answer").await;
    assert!(app.terminal().alternate_screen() && app.terminal().bracketed_paste());

    app.keys(CTRL_C).await;
    app.sees("ask anything").await;
    app.says("two").await;
    app.sees("second answer").await;
    app.rests().await;
    app.keys(CTRL_C).await;
    app.sees("press ctrl-c again").await;
    app.keys(CTRL_C).await;
    assert!(app.ends().await.success());
    assert!(app.screen().contains("it ended with 0"), "{}", app.screen());
    app.assert_restored();
}

#[tokio::test]
async fn a_call_stands_anew_when_the_program_goes_on() {
    let home = Home::new();
    let call = json!({ "name": "shell", "arguments": { "command": "echo x > made.txt" } });
    let mut app = under_a_shell(&home, &json!([{ "tool_calls": [call] }, "as you wish"]).to_string());
    app.sees("ask anything").await;
    app.says("go").await;
    app.has_the_keys().await;

    app.keys(CTRL_Z).await;
    app.sees("it is stopped").await;
    app.reads().await;
    let began = Instant::now();
    app.keys("\n").await;
    app.waits_anew(began).await;

    app.answers("n").await;
    app.sees("as you wish").await;
    app.rests().await;
    assert!(!home.has("made.txt"));
    app.keys(CTRL_C).await;
    app.sees("press ctrl-c again").await;
    app.keys(CTRL_C).await;
    assert!(app.ends().await.success());
}

#[tokio::test]
async fn a_call_stands_anew_when_the_program_was_stopped_from_outside() {
    let home = Home::new();
    let call = json!({ "name": "shell", "arguments": { "command": "echo x > made.txt" } });
    let mut app = Console::scripted(&home, &json!([{ "tool_calls": [call] }, "as you wish"]));
    app.sees("ask anything").await;
    app.says("go").await;
    app.has_the_keys().await;

    app.signal(Signal::STOP);
    app.signal(Signal::CONT);
    app.until("keys that do not decide yet", |screen| screen.contains("in a moment")).await;

    app.answers("n").await;
    app.sees("as you wish").await;
    app.rests().await;
    assert!(!home.has("made.txt"));
    app.quits().await;
}
