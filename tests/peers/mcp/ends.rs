//! How servers end: in a call, between calls, with the program, with all that they started.

use countersign::ledger::Outcome;
use countersign::runtime::ToolPort as _;
use serde_json::json;
use tokio::sync::mpsc;

use crate::mcp::fixture::{Fixture, Journal, becomes_true, invocation, is_gone};

#[tokio::test]
async fn a_call_that_met_the_end_is_not_sent_again_and_the_next_one_finds_a_new_server() {
    let journal = Journal::new();
    let fixture = Fixture::with(&[&journal.word()]);
    let before = fixture.pid().await;
    let report = fixture.call("die", json!({})).await;
    assert_eq!(report.outcome, Outcome::Lost { started: true });
    assert_eq!(
        report.content,
        "the MCP server `stub` ended during the call: it ended (exit code 7) and said: I am [31mdying; effects may be \
         partial; check before repeating"
    );
    assert!(!report.transient);
    assert_ne!(fixture.pid().await, before);
    assert_eq!((journal.count("call die"), journal.count("started")), (1, 2));
}

#[tokio::test]
async fn a_server_from_which_nothing_comes_is_not_started_for_ever() {
    let journal = Journal::new();
    let fixture = Fixture::with(&[&journal.word()]);
    for _ in 0..2 {
        // An answer in between, and the count begins anew.
        fixture.pid().await;
        fixture.call("die", json!({})).await;
    }
    for _ in 0..3 {
        assert!(fixture.call("die", json!({})).await.content.contains("ended during the call"));
    }
    let started = journal.count("started");
    assert_eq!(started, 5);
    fixture.call("die", json!({})).await;
    let report = fixture.call("who", json!({})).await;
    assert_eq!(report.outcome, Outcome::Failed);
    assert_eq!(
        report.content,
        "the MCP server `stub` was started 4 times and exited without an answer; it is not restarted; nothing was done"
    );
    assert_eq!(journal.count("started"), 6);
}

#[tokio::test]
async fn one_that_ended_between_calls_is_started_for_the_next() {
    let fixture = Fixture::with(&[]);
    let before = fixture.pid().await;
    assert!(std::process::Command::new("kill").args(["-9", &before.to_string()]).status().unwrap().success());
    is_gone(before).await;
    assert_ne!(fixture.pid().await, before);
}

#[tokio::test]
async fn a_line_without_end_ends_the_server_and_the_call() {
    let fixture = Fixture::with(&[]);
    let before = fixture.pid().await;
    let report = fixture.call("endless", json!({})).await;
    assert_eq!(report.outcome, Outcome::Lost { started: true });
    assert!(
        report.content.contains("it sent a line of more than 16 MB; effects may be partial"),
        "{}",
        report.content
    );
    assert_ne!(fixture.pid().await, before);
    is_gone(before).await;
}

#[tokio::test]
async fn a_daemon_ends_with_its_server_and_does_not_hide_its_end() {
    let fixture = Fixture::with(&[]);
    let daemon: i64 = fixture.done("daemon", json!({})).await.parse().unwrap();
    // The daemon holds the pipe of its server open; that the server has ended is noticed all the same.
    let report = fixture.call("die", json!({})).await;
    assert!(report.content.contains("it ended (exit code 7)"), "{}", report.content);
    let server = fixture.pid().await;
    is_gone(daemon).await;
    let another: i64 = fixture.done("daemon", json!({})).await.parse().unwrap();
    let groups = fixture.groups.clone();
    drop(fixture);
    is_gone(server).await;
    is_gone(another).await;
    becomes_true("the end of all groups", || groups.count() == 0).await;
}

#[tokio::test]
async fn servers_end_with_the_program() {
    let fixture = Fixture::with(&[]);
    let daemon: i64 = fixture.done("daemon", json!({})).await.parse().unwrap();
    let server = fixture.pid().await;
    let groups = fixture.groups.clone();
    tokio::task::spawn_blocking(move || groups.end_all(std::time::Duration::from_secs(5))).await.unwrap();
    is_gone(server).await;
    is_gone(daemon).await;
    let report = fixture.call("who", json!({})).await;
    assert!(
        report.content.contains("the program is exiting; no new commands are started"),
        "{}",
        report.content
    );
}

#[tokio::test]
async fn a_start_that_is_given_up_leaves_nobody_and_counts_for_nothing() {
    let journal = Journal::new();
    let fixture = Fixture::with(&["silent", &journal.word()]);
    for round in 1..6 {
        let (output, _listener) = mpsc::channel(1);
        let waiting = tokio::spawn(fixture.tools.run(invocation("who", json!({})), output));
        becomes_true("its start", || journal.count("started") == round).await;
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
        becomes_true("its end", || fixture.groups.count() == 0).await;
    }
}
