//! A call that waits is changed before it is decided; and how calls of each kind look while they wait.

use crate::scenes;
use crate::screen_harness::{ScreenHarness, snapshot};
use crate::session_builder::SessionBuilder;
use countersign::agent::{Answer, Intent, Live};
use countersign::ledger::{Arguments, CallId, EntryId, Preview, Remark, ToolUse};
use countersign::ui::Reply;
use countersign::ui::replies::reply;
use countersign::ui::update::{UiEffect, hear, paste};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::{Value, json};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

/// Somebody who has seen the waiting call.
pub(crate) fn before(builder: SessionBuilder) -> ScreenHarness {
    let mut harness = ScreenHarness::new(builder);
    harness.frame(80, 24);
    harness
}

pub(crate) fn enter(harness: &mut ScreenHarness) -> Vec<UiEffect> {
    harness.key(KeyCode::Enter, KeyModifiers::NONE)
}

pub(crate) fn proposed(acts: &[UiEffect]) -> (EntryId, CallId, Value) {
    match acts {
        [UiEffect::Send(Intent::Decide { request, call, answer: Answer::Edit(arguments) })] => {
            (*request, *call, arguments.to_value())
        }
        other => panic!("no edit: {other:?}"),
    }
}

#[test]
fn a_command_is_changed_as_it_is_typed() {
    let mut harness = before(scenes::waiting_command());
    let (request, call) = harness.local.chosen(&harness.view).map(|(id, r)| (id, r.call)).unwrap();
    assert!(harness.answers("e").is_empty());
    assert_eq!(harness.local.composer.text(), "rm -rf target/tmp");
    harness.press("/old");
    assert_eq!(
        proposed(&enter(&mut harness)),
        (request, call, json!({ "command": "rm -rf target/tmp/old" }))
    );
    assert!(harness.local.composer.is_empty(), "and the composer is what it was");
    let frame = harness.frame(80, 24);
    assert!(frame.contains("waits for you · 1 of 2"), "the others wait on:\n{frame}");
}

#[test]
fn everything_else_is_changed_as_json() {
    let mut harness = before(scenes::waiting_diff());
    harness.answers("e");
    assert_eq!(
        serde_json::from_str::<Value>(&harness.local.composer.text()).unwrap(),
        json!({ "path": "src/parser.rs", "edits": [] })
    );
    for (typed, said) in [
        ("", "nothing changed yet"),
        ("{\"path\": 1", "this is not JSON"),
        ("[\"src\"]", "the arguments must be an object"),
    ] {
        if !typed.is_empty() {
            harness.local.composer.hold(typed);
        }
        assert!(enter(&mut harness).is_empty());
        assert!(harness.local.hint.as_ref().unwrap().contains(said), "{:?}", harness.local.hint);
        assert!(harness.local.edit.is_some(), "it is not lost");
    }
    harness.local.composer.hold("{\"path\": \"src/lexer.rs\", \"edits\": []}");
    let (_, _, arguments) = proposed(&enter(&mut harness));
    assert_eq!(arguments["path"], "src/lexer.rs");
}

#[test]
fn the_content_of_a_file_is_changed_as_text() {
    let content = "\nall:\n\tcargo test \"x\"\n\n";
    let mut harness = before(waiting("write", json!({ "path": "Makefile", "content": content })));
    harness.answers("e");
    assert_eq!(harness.local.composer.text(), "all:\n⇥cargo test \"x\"");
    assert!(harness.local.hint.as_ref().unwrap().contains("⇥ stands for a tab"));
    assert!(enter(&mut harness).is_empty() && harness.local.edit.is_some(), "nothing changed yet");
    // It begins at the beginning.
    harness.key(KeyCode::End, KeyModifiers::CONTROL);
    harness.press(" y");
    let (_, _, arguments) = proposed(&enter(&mut harness));
    assert_eq!(arguments, json!({ "path": "Makefile", "content": "\nall:\n\tcargo test \"x\" y\n\n" }));
    for (tool, content) in
        [("write", "a\u{202e}b"), ("write", "a ⇥ b"), ("write", "\n"), ("mcp__a__b", "text")]
    {
        let mut harness = before(waiting(tool, json!({ "path": "a", "content": content })));
        harness.answers("e");
        let json: Value = serde_json::from_str(&harness.local.composer.text()).unwrap();
        assert_eq!(json["content"], content, "what cannot be typed as it is stays JSON");
    }
}

#[test]
fn a_tab_that_is_pasted_into_what_runs_or_is_written_stays_one() {
    let content = "all:\n\techo one\n";
    let mut harness = before(waiting("write", json!({ "path": "Makefile", "content": content })));
    harness.answers("e");
    harness.key(KeyCode::End, KeyModifiers::CONTROL);
    paste(&mut harness.local, &harness.view, "\n\techo two");
    assert_eq!(harness.local.composer.text(), "all:\n⇥echo one\n⇥echo two");
    assert!(harness.local.hint.as_ref().unwrap().contains("⇥ stands for a tab"));
    // Without brackets.
    harness.waits(1_000);
    harness.bursts("\n\techo three");
    let (_, _, arguments) = proposed(&enter(&mut harness));
    assert_eq!(arguments["content"], "all:\n\techo one\n\techo two\n\techo three\n");
    let mut harness = before(scenes::waiting_command());
    harness.answers("e");
    paste(&mut harness.local, &harness.view, " <<-E\n\ta\nE");
    let (_, _, arguments) = proposed(&enter(&mut harness));
    assert_eq!(arguments["command"], "rm -rf target/tmp <<-E\n\ta\nE");
    // In a command that has the mark, it is a letter.
    let mut harness = before(waiting("shell", json!({ "command": "echo ⇥" })));
    harness.answers("e");
    assert_eq!(
        serde_json::from_str::<Value>(&harness.local.composer.text()).unwrap(),
        json!({ "command": "echo ⇥" })
    );
}

#[test]
fn how_much_of_a_long_text_is_below_is_said() {
    let content: String = (1..=20).map(|n| format!("line {n}\n")).collect();
    let mut harness = before(waiting("write", json!({ "path": "a.txt", "content": content })));
    harness.answers("e");
    harness.local.hint = None;
    assert!(harness.frame(80, 24).contains("↓ 12 lines below"));
    assert!(harness.frame(80, 12).contains("↓ 16"));
    harness.key(KeyCode::End, KeyModifiers::CONTROL);
    assert!(!harness.frame(80, 24).contains("lines below"));
}

#[test]
fn esc_leaves_the_call_and_what_was_typed() {
    let mut harness = before(scenes::waiting_command());
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    harness.local.focus = countersign::ui::local::Focus::Composer;
    harness.press("half a sentence");
    for _ in 0..2 {
        harness.answers("e");
        harness.press(" --dry-run");
        assert!(harness.key(KeyCode::Esc, KeyModifiers::NONE).is_empty(), "nothing is interrupted");
        assert_eq!(harness.local.composer.text(), "half a sentence");
        harness.local.focus = countersign::ui::local::Focus::Composer;
    }
    assert_eq!(harness.view.waiting().len(), 3);
}

#[test]
fn keys_that_answer_are_letters_while_a_call_is_changed() {
    let mut harness = before(scenes::waiting_command());
    harness.answers("e");
    assert!(harness.press("ynsr?").is_empty());
    assert!(harness.local.composer.text().ends_with("ynsr?"));
    harness.key(KeyCode::Up, KeyModifiers::NONE);
    paste(&mut harness.local, &harness.view, "pasted");
    assert!(harness.local.composer.text().contains("pasted"), "no earlier message came up");
    // Nor is it a command of ours, whatever it begins with.
    harness.local.composer.hold("/quit");
    let (_, _, arguments) = proposed(&enter(&mut harness));
    assert_eq!(arguments["command"], "/quit");
}

/// A key that decides would decide about the call as it was, while the change stands in the composer.
#[test]
fn no_key_decides_about_a_call_that_is_being_changed() {
    for size in SIZES {
        let mut harness = before(scenes::waiting_command());
        harness.answers("e");
        harness.press("/old");
        for key in [KeyCode::Tab, KeyCode::Down] {
            harness.key(key, KeyModifiers::NONE);
            harness.frame(size.0, size.1);
            assert!(harness.press("ysnabg").is_empty(), "{key:?}");
        }
        // As a click into its pane would.
        let call = harness.local.chosen(&harness.view).map(|(_, asked)| asked.call).unwrap();
        harness.local.focus = countersign::ui::local::Focus::Approval(call);
        harness.frame(size.0, size.1);
        harness.waits(2_000);
        assert!(harness.press("y").is_empty() && harness.press("s").is_empty());
        harness.local.composer.hold("rm -rf target/tmp/old");
        let (_, _, arguments) = proposed(&enter(&mut harness));
        assert_eq!(arguments["command"], "rm -rf target/tmp/old");
    }
}

#[test]
fn what_was_written_for_a_call_that_waits_no_more_can_be_put_in_again() {
    let mut harness = before(scenes::waiting_command());
    let call = harness.local.chosen(&harness.view).map(|(_, asked)| asked.call).unwrap();
    harness.answers("e");
    harness.press(" careful");
    harness.builder.decide(call, true, countersign::ledger::Decider::User);
    harness.catch_up();
    enter(&mut harness);
    assert!(harness.local.hint.as_ref().unwrap().contains("ctrl-y"), "{:?}", harness.local.hint);
    harness.ctrl('y');
    assert!(harness.local.composer.text().ends_with(" careful"), "{}", harness.local.composer.text());
}

#[test]
fn a_file_with_line_ends_of_windows_is_changed_as_text_and_keeps_them() {
    let mut harness = before(waiting("write", json!({ "path": "dos.txt", "content": "a\r\nb\r\n" })));
    harness.answers("e");
    assert_eq!(harness.local.composer.text(), "a\nb");
    harness.key(KeyCode::End, KeyModifiers::CONTROL);
    harness.press("2");
    let (_, _, arguments) = proposed(&enter(&mut harness));
    assert_eq!(arguments["content"], "a\r\nb2\r\n");
    // Of mixed ends nothing is guessed.
    let mut harness = before(waiting("write", json!({ "path": "dos.txt", "content": "a\r\nb\n" })));
    harness.answers("e");
    assert!(harness.local.composer.text().starts_with('{'));
}

#[test]
fn what_the_loop_refuses_comes_back() {
    let mut harness = before(scenes::waiting_command());
    harness.answers("e");
    harness.press(" now");
    proposed(&enter(&mut harness));
    harness.local.focus = countersign::ui::local::Focus::Composer;
    harness.press("a thought");
    hear(&mut harness.local, &harness.view, &Live::Refused("not taken".into()));
    assert_eq!(harness.local.composer.text(), "rm -rf target/tmp now");
    harness.key(KeyCode::Esc, KeyModifiers::NONE);
    assert_eq!(harness.local.composer.text(), "a thought");
}

/// Something that comes to the screen.
type Comes = Box<dyn Fn(&mut ScreenHarness)>;

#[test]
fn what_comes_back_is_not_put_into_the_call_that_is_being_changed() {
    let why = || "not sent".to_owned();
    let line = || "/model slow/x".to_owned();
    let heard = [
        (Live::Returned(vec!["a message".into()]), "a message"),
        (Live::ReturnedLine(line().into()), "/model slow/x"),
    ];
    let replies = [
        (Reply::Returned { said: "look at @x.png".into(), why: why() }, "look at @x.png"),
        (Reply::LineReturned { line: line(), why: why() }, "/model slow/x"),
        (Reply::NoModel { name: "slow/x".into(), why: why() }, "/model slow/x"),
    ];
    let mut cases: Vec<(&str, Comes)> = Vec::new();
    for (live, back) in heard {
        cases.push((
            back,
            Box::new(move |harness: &mut ScreenHarness| hear(&mut harness.local, &harness.view, &live)),
        ));
    }
    for (said, back) in replies {
        let comes = move |harness: &mut ScreenHarness| reply(&mut harness.local, &harness.view, said.clone());
        cases.push((back, Box::new(comes)));
    }
    for (back, comes) in cases {
        let mut harness = before(scenes::waiting_command());
        harness.press("half a sentence");
        harness.answers("e");
        harness.press("/old");
        comes(&mut harness);
        assert_eq!(harness.local.composer.text(), "rm -rf target/tmp/old", "{back}");
        let (_, _, arguments) = proposed(&enter(&mut harness));
        assert_eq!(arguments["command"], "rm -rf target/tmp/old", "{back}");
        assert_eq!(harness.local.composer.text(), format!("{back}\n\nhalf a sentence"));
    }
}

#[test]
fn an_earlier_message_that_is_picked_is_not_put_into_the_call_either() {
    let mut harness = before(scenes::waiting_command());
    harness.answers("e");
    harness.ctrl('r');
    assert!(harness.local.overlay.is_some());
    enter(&mut harness);
    assert_eq!(harness.local.composer.text(), "rm -rf target/tmp");
    assert!(harness.local.hint.as_ref().unwrap().contains("a call is being changed"));
}

#[test]
fn a_key_for_a_call_that_is_gone_sends_nothing() {
    let mut harness = before(scenes::waiting_command());
    harness.press("a draft");
    harness.answers("e");
    let (_, asked) = harness.local.chosen(&harness.view).unwrap();
    let changed = ToolUse {
        id: asked.call,
        wire_id: String::new(),
        name: "shell".into(),
        arguments: Arguments::from_value(json!({ "command": "elsewhere" })),
    };
    harness.builder.remark(Remark::CallEdited(changed));
    harness.catch_up();
    assert!(enter(&mut harness).is_empty());
    assert!(harness.local.hint.as_ref().unwrap().contains("is no longer waiting"));
    assert!(enter(&mut harness).is_empty(), "nor does it send the draft, pressed twice");
    assert!(harness.local.composer.text() == "a draft" && harness.local.edit.is_none());
}

#[test]
fn a_call_that_was_not_seen_is_not_changed() {
    let mut harness = ScreenHarness::new(scenes::waiting_command());
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    harness.press("e");
    assert!(harness.local.edit.is_none());
}

#[test]
fn a_changed_call_shows_what_it_is_now() {
    for (width, height) in SIZES {
        let mut harness = before(scenes::waiting_command());
        harness.answers("e");
        harness.press(" --verbose");
        snapshot(&format!("editing_{width}x{height}"), &harness.frame(width, height));
        let (_, asked) = harness.local.chosen(&harness.view).unwrap();
        let (id, command) = (asked.call, "rm -rf target/tmp --verbose");
        enter(&mut harness);
        let arguments = Arguments::from_value(json!({ "command": command }));
        let changed = ToolUse { id, wire_id: String::new(), name: "shell".into(), arguments };
        harness.builder.remark(Remark::CallEdited(changed));
        harness.builder.ask(id, "shell", Preview::Command(command.into()));
        harness.catch_up();
        snapshot(&format!("edited_{width}x{height}"), &harness.frame(width, height));
    }
}

pub(crate) fn waiting(name: &str, arguments: Value) -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Go on.");
    let made = builder.tool_use(name, arguments);
    let open = builder.say(None, "", "One step outside.", vec![made]);
    builder.ask(open[0].id(), name, Preview::None);
    std::mem::forget(open);
    builder
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
            let mut harness = ScreenHarness::new(waiting(name, arguments.clone()));
            let frame = harness.frame(width, height);
            assert!(frame.contains(" waits "), "{frame}");
            snapshot(&format!("approval_{kind}_{width}x{height}"), &frame);
        }
    }
    let frame = ScreenHarness::new(waiting("fetch", json!({ "url": long }))).frame(80, 24);
    assert!(frame.contains("from evil.example"), "who is asked, not who is named:\n{frame}");
}

#[test]
fn a_call_that_was_changed_is_the_one_that_is_shown_and_gets_the_keys_next() {
    let tab = |harness: &mut ScreenHarness| harness.key(KeyCode::Tab, KeyModifiers::NONE);
    let chosen = |harness: &ScreenHarness| harness.local.chosen(&harness.view).map(|(_, r)| r.call).unwrap();
    let mut harness = before(scenes::waiting_command());
    let first = chosen(&harness);
    tab(&mut harness);
    harness.frame(80, 24);
    tab(&mut harness);
    harness.frame(80, 24);
    let second = chosen(&harness);
    assert_ne!(first, second);
    harness.waits(1_000);
    harness.press("e");
    harness.local.composer.hold("{\"path\": \"other\"}");
    let (_, call, _) = proposed(&enter(&mut harness));
    assert_eq!(call, second);
    // The loop asks about it again.
    harness.local.edit = None;
    harness.local.answered.clear();
    harness.frame(80, 24);
    assert_eq!(chosen(&harness), second, "and not about the one that was shown before");
    tab(&mut harness);
    assert_eq!(harness.local.focused(&harness.view), countersign::ui::local::Focus::Approval(second));
}
