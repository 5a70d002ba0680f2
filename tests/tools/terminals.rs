//! `shell` with `pty`: a terminal of the command's own.

use std::time::Duration;

use serde_json::json;

use super::commands::Tether;
use super::*;

async fn on_terminal(bench: &Bench, command: &str) -> String {
    bench.done("shell", json!({ "command": command, "pty": true })).await
}

#[tokio::test]
async fn the_command_has_a_terminal_of_its_own() {
    let bench = Bench::new();
    let text = on_terminal(
        &bench,
        "test -t 1 && echo a terminal; stty size < /dev/tty; printf 'x\\n' > /dev/tty; echo $TERM; cat; echo end",
    )
    .await;
    assert_eq!(text, "a terminal\n40 120\nx\nxterm-256color\nend", "and its input has ended");
    let plain = bench.fails("shell", json!({ "command": "test -t 1 || printf x > /dev/tty" })).await;
    assert!(!plain.starts_with('x'), "{plain}");
}

#[tokio::test]
async fn what_stands_on_the_screen_is_the_result() {
    let bench = Bench::new();
    let text = on_terminal(
        &bench,
        "printf '\\033[31mred\\033[0m\\n'; printf 'half\\rhole\\n'; printf 'gone\\033[2K\\rkept\\n'",
    )
    .await;
    assert_eq!(text, "red\nhole\nkept");
    let long = "y".repeat(300);
    assert_eq!(on_terminal(&bench, &format!("echo {long}; echo z")).await, format!("{long}\nz"));
}

#[tokio::test]
async fn what_scrolled_away_is_there_up_to_a_bound() {
    let bench = Bench::new();
    for most in [39, 40, 41, 79, 80, 100, 900] {
        let expected: Vec<String> = (1..=most).map(|n| n.to_string()).collect();
        let text = on_terminal(&bench, &format!("seq {most}")).await;
        assert_eq!(text, expected.join("\n"), "{most}");
    }
    let flood = on_terminal(&bench, "seq 100000").await;
    assert!(flood.starts_with("[… what scrolled away") && flood.ends_with("\n99999\n100000"), "{flood}");
    assert!(flood.lines().count() < 1_100);
}

#[tokio::test]
async fn a_failure_and_a_timeout_say_so_and_nothing_stays() {
    let bench = Bench::new();
    assert_eq!(
        bench.fails("shell", json!({ "command": "echo no; exit 2", "pty": true })).await,
        "no\nexit code 2"
    );
    let tether = Tether::new(&bench);
    let command =
        json!({ "command": "exec 9>tether; echo up; sleep 1000 & wait", "pty": true, "timeout_seconds": 1 });
    let report = bench.run("shell", command).await;
    assert_eq!(report.outcome, Outcome::TimedOut);
    assert_has(&report.content, &["up\n", "timed out after 1 s"]);
    tether.let_go().await;
    let bench = Bench::new();
    let tether = Tether::new(&bench);
    on_terminal(&bench, "exec 9>tether; setsid sleep 1000 > /dev/null 2>&1 & echo up").await;
    tether.let_go().await;
    let both = json!({ "command": "true", "pty": true, "background": true });
    assert_has(&bench.fails("shell", both).await, &["no terminal"]);
}

#[tokio::test]
async fn the_screen_is_shown_while_it_runs() {
    let bench = Bench::new();
    let gate = bench.path("gate");
    assert!(std::process::Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let (output, mut listener) = mpsc::channel(8);
    let command =
        json!({ "command": "echo one; printf 10%%; read x < gate; printf '\\r20%%\\n'", "pty": true });
    let run = tokio::spawn(bench.tools.run(invocation("shell", command, 60_000), output));
    let mut shown = String::new();
    let showing = async {
        while shown != "\u{c}one\n10%\n" {
            shown = listener.recv().await.expect("it runs");
        }
    };
    tokio::time::timeout(Duration::from_secs(30), showing).await.expect("it is never shown");
    tokio::task::spawn_blocking(move || fs::write(gate, "go\n").unwrap()).await.unwrap();
    assert_eq!(run.await.unwrap().content, "one\n20%");
}
