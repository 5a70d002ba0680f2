//! Background commands on the screen: as the results tell of them, and no more.

use crate::linear_harness::LinearHarness;
use crate::screen_harness::{ScreenHarness, page, snapshot};
use crate::session_builder::{SessionBuilder, view};
use countersign::agent::Intent;
use countersign::ledger::{
    Abort, AbortPath, BackgroundStatus, Body, Change, CutBy, Note, Outcome, Remark, aborted_after,
    aborted_text,
};
use countersign::ui::linear::LinearEffect;
use countersign::ui::update::UiEffect;
use countersign::view::View;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::{Value, json};

fn call(builder: &mut SessionBuilder, name: &str, arguments: Value, content: &str) {
    let call = builder.tool_use(name, arguments);
    let open = builder.say(None, "", "", vec![call]).pop().unwrap();
    builder.settle(open, Outcome::Ok, content, 1);
}

fn said(view: &View) -> Vec<String> {
    let shells = view.shells().iter();
    shells.map(|s| format!("{} {} {} [{}] {}", s.id, s.is_running, s.words, s.last_line, s.command)).collect()
}

fn two() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Serve it.");
    let begins = |command: &str| json!({ "command": command, "background": true });
    call(&mut builder, "shell", begins("make serve"), "listening\n\n[b1: running for 0 s]");
    call(&mut builder, "shell", begins("make watch"), "(nothing new)\n[b2: running for 1 s]");
    builder
}

#[test]
fn they_stand_as_they_were_last_asked_for() {
    let mut builder = two();
    assert_eq!(
        said(&view(&builder.events)),
        ["b1 true running for 0 s [listening] make serve", "b2 true running for 1 s [] make watch"]
    );
    call(&mut builder, "shell_output", json!({ "id": "b1" }), "(nothing new)\n[b1: running for 9 s]");
    call(&mut builder, "shell_kill", json!({ "id": "b2" }), "bye\n[b2: ended by shell_kill after 9 s]");
    assert_eq!(
        said(&view(&builder.events)),
        [
            "b1 true running for 9 s [listening] make serve",
            "b2 false ended by shell_kill after 9 s [bye] make watch"
        ]
    );
}

#[test]
fn what_other_calls_print_says_nothing_of_them() {
    let mut builder = two();
    let before = said(&view(&builder.events));
    call(&mut builder, "shell", json!({ "command": "cat log" }), "[b1: exit code 0 after 3 s]");
    call(&mut builder, "read", json!({ "path": "b1" }), "[b1: exit code 0 after 3 s]");
    call(&mut builder, "shell_output", json!({ "id": "b2" }), "no\n[b1: exit code 0 after 3 s]");
    assert_eq!(said(&view(&builder.events)), before);
}

#[test]
fn with_the_process_they_are_gone() {
    let builder = two();
    let mut view = view(&builder.events);
    view.resume();
    assert_eq!(
        said(&view),
        [
            "b1 false ended with the earlier process [listening] make serve",
            "b2 false ended with the earlier process [] make watch"
        ]
    );
}

#[test]
fn the_page_shows_what_they_print_and_stops_one() {
    let mut harness = ScreenHarness::new(two());
    harness.local.overlay = Some(page("/shells", &harness.view));
    assert!(harness.local.overlay.is_some());
    harness.local.printed.insert("b1".to_owned(), vec!["GET /".to_owned(), "GET /a".to_owned()]);
    let frame = harness.frame(80, 24);
    assert!(frame.contains("GET /a") && !frame.contains("listening"), "{frame}");
    snapshot("shells_live_80x24", &frame);
    harness.key(KeyCode::Char('x'), KeyModifiers::NONE);
    let frame = harness.frame(80, 24);
    assert!(frame.contains("stop a background command") && frame.contains("make serve"), "{frame}");
    harness.key(KeyCode::Esc, KeyModifiers::NONE);
    assert!(harness.frame(80, 24).contains("GET /a"), "whoever leaves the list is on the page again");
    harness.key(KeyCode::Char('x'), KeyModifiers::NONE);
    let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
    assert_eq!(acts, [UiEffect::Send(Intent::StopBackground("b1".to_owned()))]);
    assert!(harness.frame(80, 24).contains("GET /a"), "where it is seen to end");
    harness.key(KeyCode::Esc, KeyModifiers::NONE);
    assert_eq!(harness.local.overlay, None);
}

#[test]
fn lines_stop_one_by_its_id() {
    let mut linear = LinearHarness::new(two());
    assert_eq!(linear.types("/shells stop"), []);
    assert!(linear.said.contains("b1 runs: make serve\n") && linear.said.contains("/shells stop b1 stops"));
    assert_eq!(
        linear.types("/shells stop b2"),
        [LinearEffect::Send(Intent::StopBackground("b2".to_owned()))]
    );
    for wrong in ["/shells stop x", "/shells b1", "/shells stop b1 b2"] {
        assert_eq!(linear.types(wrong), [], "{wrong}");
        assert!(linear.said.ends_with("as in /shells stop b1\n"), "{}", linear.said);
    }
}

#[test]
fn one_that_failed_has_the_sign_of_a_failure() {
    let mut builder = two();
    let began = builder.ledger.entries().iter().find_map(|entry| match &entry.body {
        Body::ToolCall(call) => Some(call.id),
        _ => None,
    });
    let ended = BackgroundStatus::ended(1, "exit code 1", 3).failed();
    builder.remark(Remark::Note(Note::of_background(began.unwrap(), ended)));
    let frame = ScreenHarness::new(builder).frame(80, 24);
    let row = frame.lines().find(|line| line.contains("exit code 1")).unwrap_or_default();
    assert!(row.contains('✗'), "{frame}");
}

#[test]
fn a_command_that_was_cut_short_says_how_long_it_ran_and_shows_its_last_lines() {
    let mut builder = SessionBuilder::new();
    builder.user("Build it.");
    let command = "for i in $(seq 1 200); do echo building module $i; sleep 0.1; done";
    let uses = [command, "cat docs/long.txt"].map(|command| json!({ "command": command }));
    let uses = uses.map(|arguments| builder.tool_use("shell", arguments));
    let mut open = builder.say(None, "", "", uses.to_vec());
    let (queued, ran) = (open.pop().unwrap(), open.pop().unwrap());
    let cut = |ran_ms| Abort { path: AbortPath::C, ran_ms, by: CutBy::User, within: None };
    let printed: String = (1..=9).map(|n| format!("building module {n}\n")).collect();
    let said = aborted_after(cut(Some(4_200)), &printed);
    builder.settle(ran, Outcome::Aborted(cut(Some(4_200))), &said, 4_200);
    builder.settle(queued, Outcome::Aborted(cut(None)), &aborted_text(cut(None)), 0);
    let mut harness = ScreenHarness::new(builder);
    for (width, height) in [(80, 24), (120, 40)] {
        let frame = harness.frame(width, height);
        let stopped = if width < 100 { "stopped after 4.2 s · partial" } else { "interrupted after 4.2 s" };
        assert!(frame.contains(stopped) && frame.contains("building module 9"), "{frame}");
        assert!(!frame.contains("building module 6"), "{frame}");
        assert!(frame.contains("$ cat docs/long.txt") && frame.contains("  was not started"), "{frame}");
    }
}

#[test]
fn the_row_of_its_call_says_how_it_stands() {
    let mut harness = ScreenHarness::new(two());
    let row = |harness: &mut ScreenHarness, words: &str| {
        let frame = harness.frame(80, 24);
        assert!(!frame.contains("running for 0 s"), "{frame}");
        let row = frame.lines().find(|row| row.contains(words)).unwrap_or_else(|| panic!("{frame}"));
        row.trim().to_owned()
    };
    let before = row(&mut harness, "make serve");
    assert!(before.starts_with("● shell") && before.contains("in the background · b1 · "), "{before}");
    assert!(harness.frame(80, 24).contains("     listening"));
    assert!(harness.local.counts(&harness.view), "its clock moves");
    harness.builder.now += 19_000;
    let after = row(&mut harness, "make serve");
    assert_ne!(before, after, "for how long is live");
    let began = harness.builder.ledger.entries().iter().find_map(|entry| match &entry.body {
        Body::ToolCall(call) => Some(call.id),
        _ => None,
    });
    for (ended, sign) in [
        (BackgroundStatus::ended(1, "exit code 0", 22), "✓ shell"),
        (BackgroundStatus::ended(1, "exit code 1", 22).failed(), "✗ shell"),
    ] {
        let mut harness = ScreenHarness::new(two());
        harness.builder.remark(Remark::Note(Note::of_background(began.unwrap(), ended)));
        harness.catch_up();
        let row = row(&mut harness, "make serve");
        assert!(row.starts_with(sign) && row.contains("b1 · exit code"), "{row}");
    }
}

#[test]
fn a_command_that_was_stopped_is_named_once_and_has_no_sign_of_success() {
    let mut harness = ScreenHarness::new(two());
    let began = harness.builder.ledger.entries().iter().find_map(|entry| match &entry.body {
        Body::ToolCall(call) => Some(call.id),
        _ => None,
    });
    let call = began.unwrap();
    let stopped = Change::BackgroundStopped { id: "b1".to_owned(), call };
    harness.builder.remark(Remark::Change(stopped));
    let ended = BackgroundStatus::ended(1, "ended by the user", 22);
    harness.builder.remark(Remark::Note(Note::of_background(call, ended)));
    harness.catch_up();
    let frame = harness.frame(80, 24);
    assert!(frame.contains("⊖ you stopped b1: make serve"), "{frame}");
    assert!(frame.contains("■ shell") && !frame.contains("[b1: "), "{frame}");
    // One that fails says so in a row: its card names what it ran.
    let mut harness = ScreenHarness::new(two());
    let failed = BackgroundStatus::ended(1, "exit code 3", 12).failed();
    harness.builder.remark(Remark::Note(Note::of_background(call, failed)));
    harness.catch_up();
    let frame = harness.frame(80, 24);
    let row = frame.lines().find(|row| row.contains("b1 ended")).unwrap_or_default();
    assert_eq!(row.trim(), "✗ b1 ended: exit code 3 · 12 s   /shells", "{frame}");
    assert!(frame.contains("listening"), "what the result of its call has: {frame}");
    // Its card has the last of what it printed, once that is known.
    let printed = ["line 1", "line 2", "line 3", "line 4"].map(str::to_owned).to_vec();
    harness.local.printed_to_end.insert(("b1".to_owned(), harness.view.shells()[0].since), printed);
    let frame = harness.frame(80, 24);
    assert!(frame.contains("     line 2") && frame.contains("     line 4"), "{frame}");
    assert!(!frame.contains("line 1") && !frame.contains("listening"), "{frame}");
}
