//! A call that waits is changed before it is decided; and how calls of each kind look while they wait.

use crate::frames::{Seat, snapshot};
use crate::scenes;
use crate::stage::Stage;
use countersign::agent::{Answer, Intent, Live};
use countersign::ledger::{Arguments, CallId, EntryId, Preview, Remark, ToolUse};
use countersign::ui::update::{Act, hear, paste};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::{Value, json};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

/// Somebody who has seen the waiting call.
fn before(stage: Stage) -> Seat {
    let mut seat = Seat::new(stage);
    seat.frame(80, 24);
    seat
}

fn enter(seat: &mut Seat) -> Vec<Act> {
    seat.key(KeyCode::Enter, KeyModifiers::NONE)
}

fn proposed(acts: &[Act]) -> (EntryId, CallId, Value) {
    match acts {
        [Act::Send(Intent::Decide { request, call, answer: Answer::Edit(arguments) })] => {
            (*request, *call, arguments.to_value())
        }
        other => panic!("no edit: {other:?}"),
    }
}

#[test]
fn a_command_is_changed_as_it_is_typed() {
    let mut seat = before(scenes::waiting_command());
    let (request, call) = seat.local.chosen(&seat.view).map(|(id, r)| (id, r.call)).unwrap();
    assert!(seat.answers("e").is_empty());
    assert_eq!(seat.local.composer.text(), "rm -rf target/tmp");
    seat.press("/old");
    assert_eq!(proposed(&enter(&mut seat)), (request, call, json!({ "command": "rm -rf target/tmp/old" })));
    assert!(seat.local.composer.is_empty(), "and the composer is what it was");
    let frame = seat.frame(80, 24);
    assert!(frame.contains("waits for you · 1 of 2"), "the others wait on:\n{frame}");
}

#[test]
fn everything_else_is_changed_as_json() {
    let mut seat = before(scenes::waiting_diff());
    seat.answers("e");
    assert_eq!(
        serde_json::from_str::<Value>(&seat.local.composer.text()).unwrap(),
        json!({ "path": "src/parser.rs", "edits": [] })
    );
    for (typed, said) in [
        ("", "nothing changed yet"),
        ("{\"path\": 1", "this is not JSON"),
        ("[\"src\"]", "the arguments must be an object"),
    ] {
        if !typed.is_empty() {
            seat.local.composer.hold(typed);
        }
        assert!(enter(&mut seat).is_empty());
        assert!(seat.local.hint.as_ref().unwrap().contains(said), "{:?}", seat.local.hint);
        assert!(seat.local.edit.is_some(), "it is not lost");
    }
    seat.local.composer.hold("{\"path\": \"src/lexer.rs\", \"edits\": []}");
    let (_, _, arguments) = proposed(&enter(&mut seat));
    assert_eq!(arguments["path"], "src/lexer.rs");
}

#[test]
fn esc_leaves_the_call_and_what_was_typed() {
    let mut seat = before(scenes::waiting_command());
    seat.key(KeyCode::Tab, KeyModifiers::NONE);
    seat.local.focus = countersign::ui::local::Focus::Composer;
    seat.press("half a sentence");
    for _ in 0..2 {
        seat.answers("e");
        seat.press(" --dry-run");
        assert!(seat.key(KeyCode::Esc, KeyModifiers::NONE).is_empty(), "nothing is interrupted");
        assert_eq!(seat.local.composer.text(), "half a sentence");
        seat.local.focus = countersign::ui::local::Focus::Composer;
    }
    assert_eq!(seat.view.waiting().len(), 3);
}

#[test]
fn keys_that_answer_are_letters_while_a_call_is_changed() {
    let mut seat = before(scenes::waiting_command());
    seat.answers("e");
    assert!(seat.press("ynsr?").is_empty());
    assert!(seat.local.composer.text().ends_with("ynsr?"));
    seat.key(KeyCode::Up, KeyModifiers::NONE);
    paste(&mut seat.local, &seat.view, "pasted");
    assert!(seat.local.composer.text().contains("pasted"), "no earlier message came up");
    // Nor is it a command of ours, whatever it begins with.
    seat.local.composer.hold("/quit");
    let (_, _, arguments) = proposed(&enter(&mut seat));
    assert_eq!(arguments["command"], "/quit");
}

#[test]
fn what_the_loop_refuses_comes_back() {
    let mut seat = before(scenes::waiting_command());
    seat.answers("e");
    seat.press(" now");
    proposed(&enter(&mut seat));
    seat.local.focus = countersign::ui::local::Focus::Composer;
    seat.press("a thought");
    hear(&mut seat.local, &Live::Refused("not taken".into()));
    assert_eq!(seat.local.composer.text(), "rm -rf target/tmp now");
    seat.key(KeyCode::Esc, KeyModifiers::NONE);
    assert_eq!(seat.local.composer.text(), "a thought");
}

#[test]
fn a_key_for_a_call_that_is_gone_sends_nothing() {
    let mut seat = before(scenes::waiting_command());
    seat.answers("e");
    let (_, asked) = seat.local.chosen(&seat.view).unwrap();
    let changed = ToolUse {
        id: asked.call,
        wire_id: String::new(),
        name: "shell".into(),
        arguments: Arguments::from_value(json!({ "command": "elsewhere" })),
    };
    seat.stage.remark(Remark::CallEdited(changed));
    seat.catch_up();
    assert!(enter(&mut seat).is_empty());
    assert!(seat.local.hint.as_ref().unwrap().contains("is no longer waiting"));
    assert!(seat.local.composer.is_empty() && seat.local.edit.is_none());
}

#[test]
fn a_call_that_was_not_seen_is_not_changed() {
    let mut seat = Seat::new(scenes::waiting_command());
    seat.key(KeyCode::Tab, KeyModifiers::NONE);
    seat.press("e");
    assert!(seat.local.edit.is_none());
}

#[test]
fn a_changed_call_shows_what_it_is_now() {
    for (width, height) in SIZES {
        let mut seat = before(scenes::waiting_command());
        seat.answers("e");
        seat.press(" --verbose");
        snapshot(&format!("editing_{width}x{height}"), &seat.frame(width, height));
        let (_, asked) = seat.local.chosen(&seat.view).unwrap();
        let (id, command) = (asked.call, "rm -rf target/tmp --verbose");
        enter(&mut seat);
        let arguments = Arguments::from_value(json!({ "command": command }));
        let changed = ToolUse { id, wire_id: String::new(), name: "shell".into(), arguments };
        seat.stage.remark(Remark::CallEdited(changed));
        seat.stage.ask(id, "shell", Preview::Command(command.into()));
        seat.catch_up();
        snapshot(&format!("edited_{width}x{height}"), &seat.frame(width, height));
    }
}

fn waiting(name: &str, arguments: Value) -> Stage {
    let mut stage = Stage::new();
    stage.user("Go on.");
    let made = stage.tool_use(name, arguments);
    let open = stage.say(None, "", "One step outside.", vec![made]);
    stage.ask(open[0].id(), name, Preview::None);
    std::mem::forget(open);
    stage
}

#[test]
fn every_kind_of_call_says_where_it_goes() {
    let long = format!("https://docs.rs@evil.example/{}?to=https://docs.rs/", "a/".repeat(30));
    let kinds = [
        ("fetch", "fetch", json!({ "url": long })),
        (
            "mcp",
            "mcp__github__create_issue",
            json!({ "title": "Empty input is rejected", "body": "Steps:\n1. parse(\"\")\n2. see", "labels": ["bug"] }),
        ),
        (
            "delegate",
            "delegate_to_reviewer",
            json!({ "task": "Review the change of src/parser.rs.\nSay what could break, and what is not tested." }),
        ),
    ];
    for (kind, name, arguments) in kinds {
        for (width, height) in SIZES {
            let mut seat = Seat::new(waiting(name, arguments.clone()));
            let frame = seat.frame(width, height);
            assert!(frame.contains("waits for you"), "{frame}");
            snapshot(&format!("approval_{kind}_{width}x{height}"), &frame);
        }
    }
    let frame = Seat::new(waiting("fetch", json!({ "url": long }))).frame(80, 24);
    assert!(frame.contains("from evil.example"), "who is asked, not who is named:\n{frame}");
}
