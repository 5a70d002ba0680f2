//! Background commands on the screen: as the results tell of them, and no more.

use crate::session_builder::{SessionBuilder, view};
use countersign::ledger::Outcome;
use countersign::view::View;
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
