//! Background commands: heard by their ids, bounded, and gone with whoever started them.

use std::time::Duration;

use countersign::ledger::BackgroundStatus;
use serde_json::json;

use super::commands::Tether;
use super::*;
use crate::legacy_facts;
use crate::own_process::{is_alone, peak_memory};

async fn start(fixture: &Fixture, command: &str) -> String {
    fixture.done("shell", json!({ "command": command, "background": true })).await
}

/// Asks until this was printed, and returns all that was.
async fn until(fixture: &Fixture, id: &str, wanted: &str) -> String {
    let mut all = String::new();
    let asking = async {
        while !all.contains(wanted) {
            all.push_str(&fixture.done("shell_output", json!({ "id": id })).await);
            all.push('\n');
        }
    };
    // Only a failure takes as long.
    tokio::time::timeout(Duration::from_secs(30), asking).await.expect("it is never printed");
    all
}

/// What a blocked command waits for.
fn gate(fixture: &Fixture, name: &str) -> PathBuf {
    let path = fixture.path(name);
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

fn standing(content: &str) -> BackgroundStatus {
    let facts = legacy_facts::facts("shell_output", &Outcome::Ok, content);
    facts.background().unwrap_or_else(|| unreachable!("{content}")).clone()
}

#[tokio::test]
async fn a_server_is_heard_twice_and_killed() {
    let fixture = Fixture::new();
    let tether = Tether::new(&fixture);
    let begun = start(&fixture, "exec 9>tether; while :; do echo tick; sleep 0.1; done").await;
    assert_has(&begun, &["tick\n", "[b1: running for "]);
    for _ in 0..2 {
        assert!(standing(until(&fixture, "b1", "tick").await.trim_end()).is_running);
    }
    let killed = fixture.done("shell_kill", json!({ "id": "b1" })).await;
    assert_has(&killed, &["[b1: ended by shell_kill after "]);
    tether.let_go().await;
    let later = fixture.done("shell_output", json!({ "id": "b1" })).await;
    assert_has(&later, &["(nothing new)\n", "[b1: ended by shell_kill after "]);
    assert_eq!(fixture.done("shell_kill", json!({ "id": "b1" })).await, later, "to end it twice is no harm");
}

#[tokio::test]
async fn what_was_said_is_not_said_again() {
    let fixture = Fixture::new();
    let gate = gate(&fixture, "gate");
    let begun = start(&fixture, "echo one; read line < gate; echo $line; exit 3").await;
    assert_has(&begun, &["one\n[b1: running"]);
    tokio::task::spawn_blocking(move || fs::write(gate, "two\n").unwrap()).await.unwrap();
    let rest = until(&fixture, "b1", "[b1: exit code 3 after ").await;
    assert!(rest.contains("two") && !rest.contains("one"), "{rest}");
}

#[tokio::test]
async fn one_that_fails_at_once_is_a_failed_call() {
    let fixture = Fixture::new();
    let told = fixture.fails("shell", json!({ "command": "echo no; exit 3", "background": true })).await;
    assert_has(&told, &["no\n[b1: exit code 3 after "]);
    assert_has(&start(&fixture, "echo yes").await, &["yes\n[b2: exit code 0 after "]);
}

#[tokio::test]
async fn its_own_time_ends_it() {
    let fixture = Fixture::new();
    let tether = Tether::new(&fixture);
    let command =
        json!({ "command": "exec 9>tether; echo up; sleep 1000", "background": true, "timeout_seconds": 1 });
    fixture.done("shell", command).await;
    until(&fixture, "b1", "[b1: timed out and stopped after ").await;
    tether.let_go().await;
}

#[tokio::test]
async fn of_a_flood_the_end_is_kept_and_the_rest_counted() {
    const FLOOD: usize = 150_000_000;
    if !is_alone("background::of_a_flood_the_end_is_kept_and_the_rest_counted") {
        return;
    }
    let fixture = Fixture::new();
    let (tether, gate) = (Tether::new(&fixture), gate(&fixture, "gate"));
    let before = peak_memory();
    let command = format!(
        "exec 9>tether; echo up; read line < gate; head -c {FLOOD} /dev/zero | tr '\\0' x; echo; echo the end"
    );
    start(&fixture, &command).await;
    tokio::task::spawn_blocking(move || fs::write(gate, "go\n").unwrap()).await.unwrap();
    tether.let_go().await;
    let told = until(&fixture, "b1", "[b1: exit code 0 after ").await;
    // What is kept is 64 KB, the newest.
    let dropped = FLOOD + "\nthe end\n".len() - (64 << 10);
    assert!(told.starts_with(&format!("[… {dropped} bytes were dropped")), "{}", told);
    assert_has(&told, &["xxx\nthe end\n[b1: "]);
    assert!(told.len() < 31_000);
    assert!(peak_memory() - before < 64 << 20, "{} more bytes", peak_memory() - before);
}

#[tokio::test]
async fn eight_run_at_once() {
    let fixture = Fixture::new();
    for _ in 0..8 {
        start(&fixture, "echo up; sleep 1000").await;
    }
    let ninth = json!({ "command": "echo up; sleep 1000", "background": true });
    let refused = fixture.fails("shell", ninth.clone()).await;
    assert_has(&refused, &["8 commands already run in the background (b1, b2, ", "shell_kill"]);
    fixture.done("shell_kill", json!({ "id": "b3" })).await;
    assert_eq!(standing(&fixture.done("shell", ninth).await).id, "b9");
}

#[tokio::test]
async fn a_daemon_ends_with_the_command_that_started_it() {
    let daemon = "(exec 9>tether; setsid sh -c 'trap \"\" TERM; sleep 1000; sleep 1000' > /dev/null 2>&1 &)";
    for (rest, ends_itself) in [("sleep 1000", false), ("read line < gate", true)] {
        let fixture = Fixture::new();
        let (tether, gate) = (Tether::new(&fixture), gate(&fixture, "gate"));
        start(&fixture, &format!("{daemon}; echo up; {rest}")).await;
        if ends_itself {
            tokio::task::spawn_blocking(move || fs::write(gate, "go\n").unwrap()).await.unwrap();
        } else {
            fixture.done("shell_kill", json!({ "id": "b1" })).await;
        }
        tether.let_go().await;
    }
}

#[tokio::test]
async fn they_end_with_the_program_and_with_its_tools() {
    let command = "exec 9>tether; trap '' TERM; echo up; sleep 1000; sleep 1000";
    let fixture = Fixture::new();
    let tether = Tether::new(&fixture);
    start(&fixture, command).await;
    fixture.groups.end_all(Duration::from_millis(50));
    tether.let_go().await;
    until(&fixture, "b1", "[b1: ended by signal 9 (SIGKILL) after ").await;

    let Fixture { folder, tools, groups } = Fixture::new();
    let fixture = Fixture { folder, tools: tools.clone(), groups };
    let tether = Tether::new(&fixture);
    start(&fixture, command).await;
    drop((fixture.tools, tools));
    tether.let_go().await;
}

#[tokio::test]
async fn an_interrupted_call_ends_only_what_nobody_was_told_of() {
    let fixture = Fixture::new();
    let tether = Tether::new(&fixture);
    start(&fixture, "while :; do echo tick; sleep 0.1; done").await;
    let gate = gate(&fixture, "gate");
    let (output, _listener) = mpsc::channel(1);
    let silent = json!({ "command": "exec 9>tether; echo x > gate; sleep 1000", "background": true });
    let run = tokio::spawn(fixture.tools.run(invocation("shell", silent, 30_000), output));
    tokio::task::spawn_blocking(move || fs::read(gate).unwrap()).await.unwrap();
    run.abort();
    if run.await.is_err_and(|why| why.is_cancelled()) {
        tether.let_go().await;
        assert_has(&fixture.fails("shell_output", json!({ "id": "b2" })).await, &["there are b1"]);
    }
    assert!(standing(until(&fixture, "b1", "tick").await.trim_end()).is_running);
}

#[tokio::test]
async fn what_an_earlier_process_started_is_gone_and_its_ids_are_given_to_nobody() {
    let mut fixture = Fixture::new();
    fixture.tools = fixture.tools.after(2, 0);
    let gone = fixture.fails("shell_output", json!({ "id": "b2" })).await;
    assert_has(&gone, &["b2", "an earlier process of this session", "start it again"]);
    assert_has(&fixture.fails("shell_kill", json!({ "id": "b1" })).await, &["an earlier process"]);
    assert_has(
        &fixture.fails("shell_kill", json!({ "id": "b3" })).await,
        &["no background command `b3`", "none"],
    );
    assert_eq!(standing(&start(&fixture, "echo up").await).id, "b3");
}

#[tokio::test]
async fn what_a_command_prints_says_nothing_of_how_commands_stand() {
    let fixture = Fixture::new();
    let printed = "[b1: exit code 0 after 3 s]";
    let report = fixture.run("shell", json!({ "command": format!("echo '{printed}'") })).await;
    assert_eq!(report.content, printed);
    assert_eq!((report.facts.ended(), report.facts.background()), (Some("exit code 0"), None));
    let report = fixture.run("shell", json!({ "command": "echo 'exit code 1'; exit 2" })).await;
    assert_eq!(report.facts.ended(), Some("exit code 2"));
    let report = fixture.run("shell", json!({ "command": "echo '(no output; exit code 0)'" })).await;
    assert!(!report.facts.is_silent);
    assert!(fixture.run("shell", json!({ "command": "true" })).await.facts.is_silent);
}

#[tokio::test]
async fn a_person_looks_on_and_stops_it() {
    let fixture = Fixture::new();
    let tether = Tether::new(&fixture);
    let seen = fixture.tools.background_output();
    start(&fixture, "exec 9>tether; printf 'one\\n\\033[31mtwo\\033[0m\\nthr'; while :; do sleep 0.1; done")
        .await;
    assert_eq!(seen.recent("b1"), ["one", "two", "thr"], "although it was asked for");
    assert!(seen.recent("b2").is_empty() && seen.recent("x").is_empty());
    fixture.tools.stop_background("b2");
    fixture.tools.stop_background("b1");
    tether.let_go().await;
    let said = until(&fixture, "b1", "ended by").await;
    assert_has(&said, &["[b1: ended by the user after "]);
    fixture.tools.stop_background("b1");
}

#[tokio::test]
async fn what_is_looked_at_is_the_newest_and_little() {
    let fixture = Fixture::new();
    let (seen, gate) = (fixture.tools.background_output(), gate(&fixture, "gate"));
    start(&fixture, "seq 1 5000; echo over; read x < gate").await;
    while seen.recent("b1").last().is_none_or(|last| last != "over") {
        // It waits for something new.
        fixture.done("shell_output", json!({ "id": "b1" })).await;
    }
    let rows = seen.recent("b1");
    assert_eq!(rows, ["4994", "4995", "4996", "4997", "4998", "4999", "5000", "over"]);
    fs::write(gate, "\n").unwrap();
}
