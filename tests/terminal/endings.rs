//! Every way out leaves a terminal that can be used and books that are closed: signals, a hangup, panics.

use std::time::Duration;

use pty_process::Command;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::console::{Console, USUAL};
use super::home::Home;
use super::strays::{STAYS, Stray};

fn slow() -> Value {
    json!([{ "text": "slow words ".repeat(2_000), "chunk": 8, "pause_ms": 20 }])
}

/// An app in which a command runs that was approved.
async fn with_a_running_command(home: &Home, variables: &[(&str, &str)]) -> (Console, Stray) {
    let script = json!([{ "name": "shell", "arguments": { "command": STAYS } }, "still here"]).to_string();
    let mut app = Console::start_with(home, USUAL, &["--script", &script], variables);
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("y once").await;
    app.answers("y").await;
    let group = Stray::of(&mut app, home).await;
    app.sees("writes ·").await;
    (app, group)
}

/// The last line of the session says how it ended, and nothing is open.
fn assert_closed(home: &Home, reason: &str) {
    let session = home.session();
    let last = session.last().unwrap();
    assert_eq!(last["type"], "turn_ended", "{last}");
    assert_eq!(last["reason"], reason, "{last}");
    assert_eq!(home.texts("tool_call", "id"), home.texts("tool_result", "id"), "a result for every call");
}

#[tokio::test]
async fn term_while_a_command_runs() {
    let home = Home::new();
    let (mut app, group) = with_a_running_command(&home, &[]).await;
    app.signal(Signal::TERM);
    assert_eq!(app.ends().await.code(), Some(130));
    app.assert_restored();
    assert!(!group.is_alive(), "nothing that was started outlives the app");
    assert_closed(&home, "aborted_tools");
    assert_eq!(app.times("Continue with: countersign resume"), 1, "{}", app.screen());
}

#[tokio::test]
async fn hup_while_the_model_speaks() {
    let home = Home::new();
    let mut app = Console::scripted(&home, &slow());
    app.sees("ask anything").await;
    app.says("talk").await;
    app.sees("slow words").await;
    app.signal(Signal::HUP);
    assert_eq!(app.ends().await.code(), Some(130));
    app.assert_restored();
    assert_closed(&home, "aborted_streaming");
}

#[tokio::test]
async fn term_while_a_call_waits() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["run echo hello > made.txt"]);
    app.sees("y once").await;
    app.signal(Signal::TERM);
    assert_eq!(app.ends().await.code(), Some(130));
    app.assert_restored();
    assert_closed(&home, "aborted_streaming");
    assert!(!home.has("made.txt"));
}

#[tokio::test]
async fn term_when_nothing_runs() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.signal(Signal::TERM);
    assert_eq!(app.ends().await.code(), Some(130));
    app.assert_restored();
    assert!(home.session_files().is_empty());
}

#[tokio::test]
async fn the_terminal_is_closed_while_a_command_runs() {
    let home = Home::new();
    let (app, group) = with_a_running_command(&home, &[]).await;
    assert_eq!(app.hangs_up().await.code(), Some(130));
    assert!(!group.is_alive(), "nothing that was started outlives the app");
    assert_closed(&home, "aborted_tools");
}

#[tokio::test]
async fn the_terminal_is_closed_while_a_call_waits() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["run echo hello > made.txt"]);
    app.sees("waits for you").await;
    app.has_the_keys().await;
    // It is hidden after the frame that says where keys go.
    for _ in 0..200 {
        if app.terminal().hide_cursor() {
            break;
        }
        app.yields().await;
    }
    assert!(app.terminal().hide_cursor(), "a cursor that would have to be shown:\n{}", app.screen());
    assert_eq!(app.hangs_up().await.code(), Some(130));
    assert_closed(&home, "aborted_streaming");
}

#[tokio::test]
async fn the_terminal_is_closed_and_only_a_wrapper_hears_of_it() {
    let home = Home::new();
    let shell = r#"trap '' HUP; "$0" "$@"; exit $?"#;
    let command = Command::new("sh").args(["-c", shell, env!("CARGO_BIN_EXE_countersign")]);
    let mut app = Console::start_command(&home, USUAL, command.args(["list"]), &[]);
    app.sees("This folder has").await;
    app.rests().await;
    // Nothing is drawn any more, so that no write fails.
    app.takes_time(Duration::from_millis(300)).await;
    assert_eq!(app.hangs_up().await.code(), Some(130));
}

/// The key that breaks what the variable names, in debug builds alone.
const F12: &str = "\x1b[24~";

#[tokio::test]
#[cfg(debug_assertions)]
async fn a_panic_of_the_screen_is_one_line_on_a_usable_terminal() {
    let home = Home::new();
    let (mut app, group) = with_a_running_command(&home, &[("COUNTERSIGN_BREAKS", "screen")]).await;
    app.keys(F12).await;
    assert_eq!(app.ends().await.code(), Some(1));
    app.assert_restored();
    assert!(!group.is_alive(), "nothing that was started outlives the app");
    assert_closed(&home, "aborted_tools");
    let screen = app.screen().replace('\n', "");
    let said = "countersign crashed: the screen, on purpose at src/ui/run/inputs.rs:";
    assert_eq!(screen.matches(said).count(), 1, "{screen}");
    assert!(screen.contains("countersign resume --last"), "{screen}");
    assert!(!screen.contains("RUST_BACKTRACE") && !screen.contains("panicked"), "{screen}");
}

#[tokio::test]
#[cfg(debug_assertions)]
async fn a_panic_elsewhere_leaves_the_screen_alone() {
    let home = Home::new();
    let variables = [("COUNTERSIGN_BREAKS", "task")];
    let script = json!(["first answer", "second answer"]).to_string();
    let mut app = Console::start_with(&home, USUAL, &["--script", &script], &variables);
    app.sees("ask anything").await;
    app.keys(F12).await;
    app.says("one").await;
    app.sees("first answer").await;
    assert!(app.terminal().alternate_screen() && app.terminal().bracketed_paste());
    app.keys(F12).await;
    app.says("two").await;
    app.sees("second answer").await;
    app.sees("✓ done").await;
    app.rests().await;
    assert!(!app.screen().contains("on purpose"), "{}", app.screen());
    assert!(app.terminal().alternate_screen() && app.terminal().bracketed_paste());
    app.quits().await;
    assert_closed(&home, "completed");
    let said = app.screen().replace('\n', "");
    assert_eq!(
        said.matches("a part of the program failed: panicked at src/ui/run/inputs.rs:").count(),
        1,
        "{said}"
    );
}
