//! Background commands on the screen: as the results tell of them, and no more.

use crate::stage::{Stage, view};
use countersign::ledger::Outcome;
use countersign::view::View;
use serde_json::{Value, json};

fn call(stage: &mut Stage, name: &str, arguments: Value, content: &str) {
    let call = stage.tool_use(name, arguments);
    let open = stage.say(None, "", "", vec![call]).pop().unwrap();
    stage.settle(open, Outcome::Ok, content, 1);
}

fn said(view: &View) -> Vec<String> {
    let shells = view.shells().iter();
    shells.map(|s| format!("{} {} {} [{}] {}", s.id, s.is_running, s.words, s.last_line, s.command)).collect()
}

fn two() -> Stage {
    let mut stage = Stage::new();
    stage.user("Serve it.");
    let begins = |command: &str| json!({ "command": command, "background": true });
    call(&mut stage, "shell", begins("make serve"), "listening\n\n[b1: running for 0 s]");
    call(&mut stage, "shell", begins("make watch"), "(nothing new)\n[b2: running for 1 s]");
    stage
}

#[test]
fn they_stand_as_they_were_last_asked_for() {
    let mut stage = two();
    assert_eq!(
        said(&view(&stage.events)),
        ["b1 true running for 0 s [listening] make serve", "b2 true running for 1 s [] make watch"]
    );
    call(&mut stage, "shell_output", json!({ "id": "b1" }), "(nothing new)\n[b1: running for 9 s]");
    call(&mut stage, "shell_kill", json!({ "id": "b2" }), "bye\n[b2: ended by shell_kill after 9 s]");
    assert_eq!(
        said(&view(&stage.events)),
        [
            "b1 true running for 9 s [listening] make serve",
            "b2 false ended by shell_kill after 9 s [bye] make watch"
        ]
    );
}

#[test]
fn what_other_calls_print_says_nothing_of_them() {
    let mut stage = two();
    let before = said(&view(&stage.events));
    call(&mut stage, "shell", json!({ "command": "cat log" }), "[b1: exit code 0 after 3 s]");
    call(&mut stage, "read", json!({ "path": "b1" }), "[b1: exit code 0 after 3 s]");
    call(&mut stage, "shell_output", json!({ "id": "b2" }), "no\n[b1: exit code 0 after 3 s]");
    assert_eq!(said(&view(&stage.events)), before);
}

#[test]
fn with_the_process_they_are_gone() {
    let stage = two();
    let mut view = view(&stage.events);
    view.resume();
    assert_eq!(
        said(&view),
        [
            "b1 false ended with the earlier process [listening] make serve",
            "b2 false ended with the earlier process [] make watch"
        ]
    );
}
