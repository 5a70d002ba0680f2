//! `shell`: output, endings, and that nothing a command started outlives it.

use std::fs;
use std::io::Read as _;
use std::time::Duration;

use serde_json::json;
use tokio::sync::oneshot;

use super::*;
use crate::own_process::{is_alone, peak_memory};

/// A pipe that ends when the last process that holds it has ended: no process ids, no polling, no sleep.
pub(super) struct Tether(oneshot::Receiver<String>);

impl Tether {
    /// Commands hold it with `exec 9>tether`; what they write there is returned in the end.
    pub(super) fn new(fixture: &Fixture) -> Self {
        let path = fixture.path("tether");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (sender, receiver) = oneshot::channel();
        std::thread::spawn(move || {
            let mut text = String::new();
            fs::File::open(path).unwrap().read_to_string(&mut text).unwrap();
            sender.send(text).ok();
        });
        Self(receiver)
    }

    /// Only a failure takes as long as the limit.
    pub(super) async fn let_go(self) -> String {
        tokio::time::timeout(Duration::from_secs(20), self.0).await.expect("a process lives on").unwrap()
    }
}

async fn shell(fixture: &Fixture, command: &str, timeout_ms: u64) -> ToolReport {
    let (output, _listener) = mpsc::channel(1);
    fixture.tools.run(invocation("shell", json!({ "command": command }), timeout_ms), output).await
}

#[tokio::test]
async fn output_comes_in_order_from_the_workspace() {
    let fixture = Fixture::new();
    let text = fixture.done("shell", json!({ "command": "echo one; echo two >&2; echo three; pwd" })).await;
    assert_eq!(
        text,
        format!("one\ntwo\nthree\n{}", fixture.path("").display().to_string().trim_end_matches('/'))
    );
    assert_eq!(fixture.done("shell", json!({ "command": "true" })).await, "(no output; exit code 0)");
    assert_eq!(
        fixture.done("shell", json!({ "command": "cat" })).await,
        "(no output; exit code 0)",
        "stdin is empty"
    );
    assert_eq!(fixture.done("shell", json!({ "command": "printf 'a\\377b'" })).await, "a\u{fffd}b");
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn a_command_has_a_session_of_its_own_and_so_no_terminal() {
    let fixture = Fixture::new();
    // The sixth field of a process's stat is its session, the seventh its terminal.
    let text =
        fixture.done("shell", json!({ "command": "echo $$ 0; cut -d ' ' -f 6,7 /proc/$$/stat" })).await;
    let (expected, found) = text.split_once('\n').unwrap();
    assert_eq!(expected, found);
}

#[tokio::test]
async fn a_failure_says_how_it_ended() {
    let fixture = Fixture::new();
    assert_eq!(fixture.fails("shell", json!({ "command": "echo no; exit 2" })).await, "no\nexit code 2");
    assert_eq!(
        fixture.fails("shell", json!({ "command": "kill -9 $$" })).await,
        "ended by signal 9 (SIGKILL)"
    );
    let inner = fixture.fails("shell", json!({ "command": "sh -c 'kill -15 $$'; exit $?" })).await;
    assert_has(&inner, &["exit code 143: as after signal 15 (SIGTERM)"]);
    assert_has(
        &fixture.fails("shell", json!({ "command": "no-such-program" })).await,
        &["not found", "exit code 127"],
    );
}

#[tokio::test]
async fn keys_are_not_handed_on() {
    let fixture = Fixture::with_environment(&[
        ("ANTHROPIC_API_KEY", "sk-one"),
        ("GITHUB_TOKEN", "sk-two"),
        ("MY_SECRET_THING", "sk-three"),
        ("DB_PASSWORD", "sk-four"),
        ("LANG", "C.UTF-8"),
    ]);
    let text = fixture.done("shell", json!({ "command": "env" })).await;
    assert_has(&text, &["LANG=C.UTF-8", "NO_COLOR=1", "TERM=dumb", "GIT_PAGER=cat", "HOME="]);
    assert!(!text.contains("sk-"), "{text}");
    assert!(
        std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !text.contains("CARGO_MANIFEST_DIR"),
        "{text}"
    );
}

#[tokio::test]
async fn a_command_knows_the_name_of_its_action() {
    let fixture = Fixture::new();
    let text = fixture.done("shell", json!({ "command": "echo $COUNTERSIGN_IDEMPOTENCY_KEY" })).await;
    assert_eq!(text, "s-c1");
}

#[tokio::test]
async fn a_timeout_ends_the_grandchildren_too() {
    let fixture = Fixture::new();
    let tether = Tether::new(&fixture);
    let command = "exec 9>tether; echo begun; sleep 1000 & sleep 1000 & wait";
    let report = shell(&fixture, command, 1500).await;
    assert_eq!(report.outcome, Outcome::TimedOut);
    assert_has(&report.content, &["begun\n", "timed out after 1.5 s", "check before repeating"]);
    tether.let_go().await;
}

#[tokio::test]
async fn who_does_not_listen_to_term_is_killed() {
    let fixture = Fixture::new();
    let tether = Tether::new(&fixture);
    let command = "exec 9>tether; trap '' TERM; sh -c 'while :; do sleep 1000; done' & wait; wait";
    let report = shell(&fixture, command, 1500).await;
    assert_eq!(report.outcome, Outcome::TimedOut);
    tether.let_go().await;
}

#[tokio::test]
async fn the_calls_own_timeout_comes_first() {
    let fixture = Fixture::new();
    let (output, _listener) = mpsc::channel(1);
    let call = invocation("shell", json!({ "command": "sleep 1000", "timeout_seconds": 1 }), 600_000);
    let report = fixture.tools.run(call, output).await;
    assert_has(&report.content, &["timed out after 1 s"]);
}

#[tokio::test]
async fn dropping_the_run_ends_the_whole_group() {
    let fixture = Fixture::new();
    let tether = Tether::new(&fixture);
    let (output, mut listener) = mpsc::channel(8);
    let command = "exec 9>tether; trap 'echo asked >&9; exit' TERM; (sleep 1000; :) & echo begun; wait";
    let run = fixture.tools.run(invocation("shell", json!({ "command": command }), 600_000), output);
    let run = tokio::spawn(run);
    assert_eq!(listener.recv().await.unwrap(), "begun\n".into());
    run.abort();
    assert!(run.await.unwrap_err().is_cancelled());
    assert_eq!(tether.let_go().await, "asked\n", "TERM comes first");
}

#[tokio::test]
async fn a_dropped_run_that_does_not_listen_to_term_is_killed() {
    let fixture = Fixture::new();
    let tether = Tether::new(&fixture);
    let (output, mut listener) = mpsc::channel(8);
    let command = "exec 9>tether; trap '' TERM; (sleep 1000; sleep 1000) & echo begun; wait; wait";
    let run = fixture.tools.run(invocation("shell", json!({ "command": command }), 600_000), output);
    let run = tokio::spawn(run);
    assert_eq!(listener.recv().await.unwrap(), "begun\n".into());
    run.abort();
    tether.let_go().await;
}

#[tokio::test]
async fn what_stays_in_the_background_neither_hangs_nor_stays() {
    let fixture = Fixture::new();
    let tether = Tether::new(&fixture);
    let command = "exec 9>tether; sleep 1000 & echo started";
    let report = shell(&fixture, command, 600_000).await;
    assert_eq!((report.outcome, report.content.as_str()), (Outcome::Ok, "started"));
    tether.let_go().await;
}

#[tokio::test]
async fn all_groups_can_be_ended_at_once() {
    let fixture = Fixture::new();
    let tether = Tether::new(&fixture);
    let (output, mut listener) = mpsc::channel(8);
    let command = "exec 9>tether; trap '' TERM; echo begun; sleep 1000; sleep 1000";
    let run =
        tokio::spawn(fixture.tools.run(invocation("shell", json!({ "command": command }), 600_000), output));
    assert_eq!(listener.recv().await.unwrap(), "begun\n".into());
    assert_eq!(fixture.groups.count(), 1);
    fixture.groups.end_all(Duration::from_millis(50));
    tether.let_go().await;
    assert_has(&run.await.unwrap().content, &["ended by signal 9 (SIGKILL)"]);
    assert_has(&fixture.fails("shell", json!({ "command": "true" })).await, &["the program is exiting"]);
}

#[tokio::test]
async fn a_flood_is_counted_not_kept_and_a_deaf_listener_holds_nobody_up() {
    const FLOOD: u64 = 150_000_000;
    if !is_alone("commands::a_flood_is_counted_not_kept_and_a_deaf_listener_holds_nobody_up") {
        return;
    }
    let fixture = Fixture::new();
    let before = peak_memory();
    let (output, mut listener) = mpsc::channel(2);
    let command = format!("echo start; head -c {FLOOD} /dev/zero | tr '\\0' x; echo; echo end");
    let call = invocation("shell", json!({ "command": command }), 600_000);
    let report = fixture.tools.run(call, output).await;
    assert_eq!(report.outcome, Outcome::Ok);
    assert_eq!(report.cut_chars, FLOOD + "start\n\nend".len() as u64 - 30_000);
    assert!(report.content.starts_with("start\nxxx") && report.content.ends_with("xxx\nend"));
    assert!(peak_memory() - before < 64 << 20, "{} more bytes", peak_memory() - before);
    while let Ok(piece) = listener.try_recv() {
        let Shown::Text(piece) = piece else { unreachable!("no terminal, no screen") };
        assert!(piece.len() < 17_000);
    }
}

#[tokio::test]
async fn live_output_arrives_while_the_command_runs() {
    let fixture = Fixture::new();
    let (output, mut listener) = mpsc::channel(8);
    let status = std::process::Command::new("mkfifo").arg(fixture.path("gate")).status().unwrap();
    assert!(status.success());
    let command = "printf one; read line < gate; echo \" $line\"";
    let run =
        tokio::spawn(fixture.tools.run(invocation("shell", json!({ "command": command }), 600_000), output));
    assert_eq!(listener.recv().await.unwrap(), "one".into());
    let gate = fixture.path("gate");
    tokio::task::spawn_blocking(move || fs::write(gate, "two\n").unwrap()).await.unwrap();
    assert_eq!(listener.recv().await.unwrap(), " two\n".into());
    assert_eq!(run.await.unwrap().content, "one two");
}

#[tokio::test]
async fn the_model_reads_what_a_terminal_shows_and_the_books_what_was_written() {
    let fixture = Fixture::new();
    let written = "\x1b[32mok\x1b[0m é 10 %\r\x1b[K20 %\r\n\x1b]0;title\x07\x1b[2Jend";
    fs::write(fixture.path("written"), written).unwrap();
    for (command, ending) in [("cat written", ""), ("cat written; exit 3", "\nexit code 3")] {
        let report = shell(&fixture, command, 600_000).await;
        assert_eq!(report.content, format!("20 %\nend{ending}"));
        assert_eq!(report.written, Some(format!("{written}{ending}")));
    }
    let plain = shell(&fixture, "printf 'a\\n\\tb  \\n'", 600_000).await;
    assert_eq!((plain.content.as_str(), plain.written), ("a\n\tb", None));
    let only = shell(&fixture, "printf '\\033[?25l\\033[0m'", 600_000).await;
    assert_eq!(only.content, "(no output; exit code 0)");
    assert_eq!(only.written.as_deref(), Some("\x1b[?25l\x1b[0m"));
}

#[tokio::test]
async fn a_background_command_is_heard_without_its_sequences() {
    let fixture = Fixture::new();
    let arguments = json!({ "command": "printf '10 %%\\r\\033[31m20 %%\\033[0m\\n'", "background": true });
    let (output, _listener) = mpsc::channel(1);
    let report = fixture.tools.run(invocation("shell", arguments, 600_000), output).await;
    assert!(report.content.starts_with("20 %\n[b1: "), "{}", report.content);
    assert!(report.written.is_some_and(|written| written.starts_with("10 %\r\x1b[31m20 %\x1b[0m\n[b1: ")));
}
