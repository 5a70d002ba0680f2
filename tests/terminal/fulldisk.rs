//! A full disk: the app stays, says why nothing acts, keeps what is typed, and goes on when there is room.

use rustix::process::{Pid, Resource, Rlimit, prlimit};

use super::console::{Console, ENTER, USUAL};
use super::home::Home;

/// No file may grow beyond half a kilobyte: to the app that is a full disk, which the test can clear.
const SHELL: &str = r#"ulimit -S -f 1; exec "$APP" --script "$SCRIPT""#;

#[tokio::test]
async fn it_stays_open_keeps_what_is_typed_and_goes_on() {
    let home = Home::new();
    let command = pty_process::Command::new("sh").args(["-c", SHELL]);
    let variables = [("APP", env!("CARGO_BIN_EXE_countersign")), ("SCRIPT", r#"["first answer"]"#)];
    let mut app = Console::start_command(&home, USUAL, command, &variables);
    app.sees("ask anything").await;
    app.keys("hello").await;
    app.sees("hello").await;
    app.keys(ENTER).await;
    app.sees("paused, ").await;
    app.sees("when it can be recorded: hello").await;
    assert!(app.screen().contains("File too large"), "{}", app.screen());
    assert!(home.session_files().is_empty());

    // What is sent now comes back, and stays.
    app.keys("half a thought").await;
    app.keys(ENTER).await;
    app.sees("paused until it can be recorded").await;
    app.sees("half a thought").await;

    let process = Pid::from_raw(i32::try_from(app.process_id()).unwrap());
    prlimit(process, Resource::Fsize, Rlimit { current: None, maximum: None }).unwrap();
    app.sees("first answer").await;
    app.sees_no("paused, ").await;
    assert!(app.screen().contains("half a thought"), "{}", app.screen());
    assert_eq!(home.texts("user_message", "content"), ["hello"]);
    assert_eq!(home.texts("turn_ended", "reason"), ["completed"]);
}
