//! The keys that answer a call: in rows that do not move when it gets the keys, and none of them missing on a low screen.

use countersign::agent::{Intent, Live};
use countersign::ledger::{Preview, Sandboxing};
use countersign::ui::rebinding::Rebinding;
use countersign::ui::update::UiEffect;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::{Value, json};

use crate::scenes;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;

/// A command with every answer that there is.
fn asked() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Check it.");
    let call = builder.tool_use("shell", json!({ "command": "cargo fmt --check" }));
    let open = builder.say(None, "", "One look.", vec![call]).remove(0);
    builder.sandboxing = Sandboxing::OnWish;
    let line = Preview::Command("cargo fmt --check".into());
    builder.offer(open.id(), "shell", line, Some("shell(cargo fmt *)"));
    std::mem::forget(open);
    builder
}

/// In which row the box of the call ends.
fn end(frame: &str) -> usize {
    frame.lines().position(|line| line.contains(['╰', '┗'])).unwrap_or_else(|| panic!("{frame}"))
}

#[test]
fn tab_moves_no_row() {
    for (width, height) in [(40, 10), (48, 20), (60, 20), (76, 24), (80, 24), (100, 30), (120, 40)] {
        let mut harness = ScreenHarness::new(asked());
        let before = harness.frame(width, height);
        harness.turns();
        let after = harness.frame(width, height);
        assert_eq!(end(&before), end(&after), "{before}\n{after}");
        assert!(before.contains("tab to decide") && !after.contains("tab to decide"), "{before}\n{after}");
    }
    let frame = ScreenHarness::new(asked()).frame(80, 24);
    let row = frame.lines().find(|line| line.contains("tab to decide")).unwrap();
    assert!(row.contains("y once") && row.contains("e edit"), "one row has all of them: {frame}");
}

#[test]
fn a_low_screen_leaves_no_answer_out() {
    let mut harness = ScreenHarness::new(asked());
    let before = harness.frame(40, 10);
    assert!(before.contains("tab to decide  y s a n b r e"), "{before}");
    harness.turns();
    let after = harness.frame(40, 10);
    assert!(after.contains("y once  s a  n deny  b r e"), "{after}");
}

/// A call of this tool waits.
fn waiting(name: &str, arguments: Value, preview: Preview) -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Go.");
    let call = builder.tool_use(name, arguments);
    let open = builder.say(None, "", "", vec![call]).remove(0);
    builder.ask(open.id(), name, preview);
    std::mem::forget(open);
    builder
}

/// A command waits because of a file that the sandbox cannot hide.
fn beside_a_secret() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Go.");
    let call = builder.tool_use("shell", json!({ "command": "make" }));
    let open = builder.say(None, "", "", vec![call]).remove(0);
    builder.sandboxing = Sandboxing::Within;
    builder.gaps = vec![".env (/w/.env)".to_owned()];
    builder.ask(open.id(), "shell", Preview::Command("make".to_owned()));
    std::mem::forget(open);
    builder
}

#[test]
fn on_the_lowest_screen_the_keys_that_allow_and_deny_are_whole() {
    let diff = Preview::Diff("--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-old\n+new\n".to_owned());
    let asks = json!({ "question": "Which?", "choices": ["one", "two"] });
    for (what, builder, allows, denies) in [
        ("a command", asked(), "y once", "n deny"),
        ("a file", waiting("write", json!({ "path": "a.rs", "content": "new" }), diff), "y once", "n deny"),
        ("a secret", beside_a_secret(), "y once  g anyway", "n deny"),
        ("a server", waiting("mcp__mail__send", json!({ "to": "a@b.c" }), Preview::None), "y once", "n deny"),
        ("a page", waiting("fetch", json!({ "url": "https://a.b/c" }), Preview::None), "y once", "n deny"),
        ("an agent", waiting("delegate_to_x", json!({ "task": "Look." }), Preview::None), "y once", "n deny"),
        ("a sub-agent's call", scenes::waiting_below(), "y once", "n deny"),
        ("a question", waiting("ask", asks, Preview::None), "1-2 choose", "n none"),
        // Whoever does not raise it says what to do instead.
        ("a budget", scenes::budget_stop(), "g raise to 100 turns", "tab back"),
    ] {
        let mut harness = ScreenHarness::new(builder);
        assert!(harness.frame(40, 10).contains("tab to decide"), "{what}: {}", harness.frame(40, 10));
        harness.turns();
        let frame = harness.frame(40, 10);
        assert!(frame.contains(allows) && frame.contains(denies), "{what}: {frame}");
    }
    // What is said of a key that a question does not take has the keys that it does.
    let asks = json!({ "question": "Which?", "choices": ["one", "two"] });
    let mut harness = ScreenHarness::new(waiting("ask", asks, Preview::None));
    harness.frame(40, 10);
    assert!(harness.answers("9").is_empty());
    assert!(harness.frame(40, 10).contains("1 · no such choice · r: in words"), "{}", harness.frame(40, 10));
}

#[test]
fn the_page_of_a_call_names_its_answers_where_there_is_room() {
    for (width, height, words) in [
        (80, 24, "s session  a always  n deny  b sandbox  r reason  e edit"),
        (120, 40, "s session   a always   n deny   b sandbox   r reason   e edit"),
        (40, 10, "y once  s a  n deny  b r e"),
    ] {
        let mut harness = ScreenHarness::new(asked());
        harness.frame(width, height);
        harness.key(KeyCode::Tab, KeyModifiers::NONE);
        let frame = harness.frame(width, height);
        assert!(frame.contains("tab back") || width < 80, "it is the only one: {frame}");
        harness.press("o");
        let page = harness.frame(width, height);
        let foot = page.lines().last().unwrap();
        assert!(foot.contains("y once") && foot.contains(words), "{page}");
        assert!(!page.contains(" of "), "all of it is in sight: {page}");
        if height > 10 {
            assert!(page.contains("why it asks\n    "), "{page}");
        }
    }
}

/// Enter held down, or pressed twice: nothing is sent, until it is pressed once more.
fn sends_only_when_it_is_pressed_again(harness: &mut ScreenHarness, draft: &str, case: &str) {
    for pause in [50, 400, 0, 33, 33] {
        harness.waits(pause);
        harness.frame(80, 24);
        assert!(enter(harness).is_empty(), "{case}");
        assert_eq!(harness.local.composer.text(), draft, "{case}");
    }
    harness.waits(1_000);
    assert_eq!(enter(harness), [UiEffect::Send(Intent::Submit(draft.into()))], "{case}");
}

fn enter(harness: &mut ScreenHarness) -> Vec<UiEffect> {
    harness.key(KeyCode::Enter, KeyModifiers::NONE)
}

#[test]
fn a_second_enter_behind_one_that_decides_sends_no_draft() {
    for case in ["a reason", "a rule", "a change", "a key of a person's own"] {
        let mut harness = ScreenHarness::new(asked());
        let once = Rebinding::parse("approval", "once", &["y", "enter"]).unwrap();
        harness.press("half a draft");
        harness.turns();
        match case {
            "a reason" => drop(harness.press("rnot now")),
            "a rule" => {
                harness.press("a");
                harness.frame(80, 24);
                harness.waits(1_000);
            }
            "a change" => drop(harness.press("e --all")),
            _ => harness.local.keymap.change(once),
        }
        let acts = enter(&mut harness);
        assert!(matches!(acts[..], [UiEffect::Send(Intent::Decide { .. })]), "{case}: {acts:?}");
        sends_only_when_it_is_pressed_again(&mut harness, "half a draft", case);
    }
}

#[test]
fn a_second_enter_sends_nothing_that_the_first_one_was_not_about() {
    let mut harness = ScreenHarness::new(crate::scenes::conversation());
    harness.press("half a draft");
    harness.ctrl('f');
    harness.press("parser");
    enter(&mut harness);
    sends_only_when_it_is_pressed_again(&mut harness, "half a draft", "a search");
    // An earlier message is taken up, changed and sent: what was typed before is there again.
    let mut harness = ScreenHarness::new(crate::scenes::conversation());
    harness.press("half a draft");
    harness.key(KeyCode::Up, KeyModifiers::NONE);
    harness.press(" again");
    assert!(matches!(enter(&mut harness)[..], [UiEffect::Send(Intent::Submit(_))]));
    sends_only_when_it_is_pressed_again(&mut harness, "half a draft", "an earlier message");
}

#[test]
fn a_call_that_is_being_written_names_its_file() {
    let mut builder = SessionBuilder::new();
    builder.user("Write it.");
    let message = builder.ledger.reserve();
    let (name, path) = ("write".to_owned(), Some("src/deep/parser.rs".to_owned()));
    builder.live(Live::CallForming { message, index: 0, name, bytes: 5_400, breaks: 200, path });
    let frame = ScreenHarness::new(builder).frame(80, 24);
    let row = frame.lines().find(|row| row.contains("preparing")).unwrap_or_else(|| panic!("{frame}"));
    assert!(row.contains("src/deep/parser.rs") && row.ends_with("preparing · 201 lines"), "{row}");
    assert!(frame.contains("Writing src/deep/parser.rs… 201 lines"), "both say the same: {frame}");
}
