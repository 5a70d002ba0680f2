//! The search in the transcript: places, marks, and where one is when it is over.

use crate::mouse::Mouse;
use crate::scenes;
use crate::screen_harness::{ScreenHarness, snapshot};
use crate::session_builder::SessionBuilder;
use countersign::ledger::Preview;
use countersign::ui::local::{Focus, Overlay};
use countersign::ui::rebinding::Rebinding;
use countersign::ui::theme::Theme;
use countersign::ui::update::paste;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use ratatui::style::Modifier;
use serde_json::json;

const NONE: KeyModifiers = KeyModifiers::NONE;

fn marked(harness: &mut ScreenHarness, width: u16, height: u16) -> String {
    let buffer = harness.buffer(width, height);
    let mut found = String::new();
    for y in 0..height.saturating_sub(1) {
        let cells = (0..width).map(|x| &buffer[(x, y)]);
        found.extend(cells.filter(|c| c.modifier.contains(Modifier::REVERSED)).map(|c| c.symbol()));
    }
    found
}

#[test]
fn the_words_are_shown_and_marked_wherever_they_stand() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    assert!(!harness.frame(60, 14).contains("Why does the parser"));
    harness.ctrl('f');
    harness.press("WHY does");
    assert!(harness.frame(60, 14).contains("Why does the parser"));
    assert_eq!(marked(&mut harness, 60, 14), "Why does");
    assert!(harness.frame(60, 14).contains("find: WHY does▏ · 1 of 1"));
    harness.key(KeyCode::Enter, NONE);
    harness.key(KeyCode::Esc, NONE);
    assert!(harness.local.search.is_none());
    assert!(harness.frame(60, 14).contains("Why does the parser"), "it stays where it was found");
    assert_eq!(marked(&mut harness, 60, 14), "");
    assert!(harness.local.composer.is_empty());
}

#[test]
fn the_cursor_stands_where_the_words_are_typed() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.ctrl('f');
    harness.press("par");
    let frame = harness.frame(80, 24);
    let row = frame.lines().position(|row| row.contains("find: par▏")).unwrap();
    let mut terminal = harness.terminal(80, 24);
    harness.draw(&mut terminal);
    terminal.backend_mut().assert_cursor_position((10, u16::try_from(row).unwrap()));
    assert!(frame.lines().last().unwrap().contains("enter done   esc stay here"), "{frame}");
    harness.key(KeyCode::Enter, NONE);
    assert!(harness.frame(80, 24).lines().last().unwrap().contains("n N next, before   esc stay here"));
}

/// The place that is shown: row and column of its first cell.
fn shown(harness: &mut ScreenHarness) -> Vec<(u16, u16)> {
    let buffer = harness.buffer(80, 24);
    let accent = harness.theme.accent.fg;
    let mut found = Vec::new();
    for (y, x) in (0..23).flat_map(|y| (0..80).map(move |x| (y, x))) {
        let cell = &buffer[(x, y)];
        if cell.modifier.contains(Modifier::REVERSED) && Some(cell.fg) == accent {
            found.push((y, x));
        }
    }
    found
}

#[test]
fn the_place_that_is_shown_has_its_own_colour() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.theme = Theme::builtin("countersign-dark").unwrap();
    harness.press("/find the");
    harness.key(KeyCode::Enter, NONE);
    let count = harness.local.search.as_ref().unwrap().places.len();
    let mut places = Vec::new();
    for _ in 0..count {
        let cells = shown(&mut harness);
        assert_eq!(cells.len(), 3, "one of them, and no more: {cells:?}");
        places.push((harness.local.search.as_ref().unwrap().at, cells[0]));
        harness.press("n");
    }
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), count, "{places:?}");
}

#[test]
fn n_goes_through_the_places_and_around() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.press("/find empty");
    harness.key(KeyCode::Enter, NONE);
    let count = harness.local.search.as_ref().unwrap().places.len();
    assert!(count > 1, "{count}");
    let at = |harness: &ScreenHarness| harness.local.search.as_ref().unwrap().at;
    assert_eq!(at(&harness), count - 1, "the newest first");
    harness.press("n");
    assert_eq!(at(&harness), 0);
    harness.press("N");
    assert_eq!(at(&harness), count - 1);
    harness.press("N");
    assert_eq!(at(&harness), count - 2);
    harness.press("/zzz");
    assert!(harness.frame(80, 24).contains("not found"));
}

#[test]
fn a_search_looks_like_this() {
    for (width, height) in [(80, 24), (120, 40), (40, 10)] {
        let mut harness = ScreenHarness::new(scenes::conversation());
        harness.ctrl('f');
        harness.press("empty");
        harness.key(KeyCode::Enter, NONE);
        snapshot(&format!("search_{width}x{height}"), &harness.frame(width, height));
    }
}

#[test]
fn one_place_says_what_esc_does_while_a_call_waits() {
    for (width, height) in [(40, 10), (80, 24), (120, 40)] {
        let mut harness = ScreenHarness::new(scenes::waiting_command());
        harness.frame(width, height);
        harness.ctrl('f');
        harness.press("e");
        for _ in ["typing", "typed"] {
            let frame = harness.frame(width, height);
            assert_eq!(frame.matches("esc stay here").count(), 1, "{frame}");
            assert!(!frame.contains("esc back"), "{frame}");
            harness.key(KeyCode::Enter, NONE);
        }
    }
}

#[test]
fn a_key_that_ends_it_decides_nothing() {
    for (width, height) in [(40, 10), (80, 24), (120, 40)] {
        let mut harness = ScreenHarness::new(scenes::waiting_command());
        harness.frame(width, height);
        harness.turns();
        assert!(matches!(harness.local.focused(&harness.view), Focus::Approval(_)));
        harness.ctrl('f');
        assert_eq!(harness.local.focused(&harness.view), Focus::Composer, "what is typed is looked for");
        harness.press("ye");
        harness.key(KeyCode::Enter, NONE);
        harness.frame(width, height);
        harness.waits(2_000);
        assert!(harness.press("y").is_empty() && harness.local.search.is_none());
        assert_eq!(harness.local.composer.text(), "y");
        harness.ctrl('u');
        // A click gives the call the keys meanwhile.
        harness.ctrl('f');
        harness.press("e");
        harness.key(KeyCode::Enter, NONE);
        let call = harness.local.waiting(&harness.view)[0].1.call;
        harness.local.focus = Focus::Approval(call);
        harness.frame(width, height);
        harness.waits(2_000);
        assert!(harness.press("y").is_empty() && harness.local.search.is_none());
        assert_eq!(harness.local.waiting(&harness.view).len(), 3, "none is decided");
        assert!(harness.local.hint.as_deref().is_some_and(|hint| hint.contains("press the key again")));
        // Tab ends it, too, and then says where the keys go.
        harness.key(KeyCode::Tab, NONE);
        harness.ctrl('f');
        harness.press("e");
        harness.turns();
        assert!(harness.local.search.is_none());
        assert!(matches!(harness.local.focused(&harness.view), Focus::Approval(_)));
    }
}

#[test]
fn a_key_of_a_persons_own_that_types_nothing_ends_it_and_decides_nothing() {
    for code in [KeyCode::F(2), KeyCode::Insert] {
        let mut harness = ScreenHarness::new(scenes::waiting_command());
        harness.local.keymap.change(Rebinding::parse("approval", "session", &["f2", "insert"]).unwrap());
        harness.frame(80, 24);
        harness.ctrl('f');
        harness.press("e");
        let call = harness.local.waiting(&harness.view)[0].1.call;
        harness.local.focus = Focus::Approval(call);
        harness.frame(80, 24);
        harness.waits(2_000);
        assert!(harness.key(code, NONE).is_empty() && harness.local.search.is_none());
        assert!(harness.local.hint.as_deref().is_some_and(|hint| hint.contains("press the key again")));
        harness.waits(2_000);
        assert!(harness.key(code, NONE).is_empty(), "no frame has come since");
        harness.frame(80, 24);
        harness.waits(2_000);
        assert_eq!(harness.key(code, NONE).len(), 1);
    }
}

#[test]
fn what_is_begun_on_the_page_of_a_call_ends_a_search_below_it() {
    for key in ["a", "r", "e"] {
        let mut builder = SessionBuilder::new();
        builder.user("Test it.");
        let test = builder.tool_use("shell", json!({ "command": "cargo test" }));
        let open = builder.say(None, "", "At once.", vec![test]);
        let preview = Preview::Command("cargo test".into());
        builder.offer(open[0].id(), "shell", preview, Some("shell(cargo test *)"));
        std::mem::forget(open);
        let mut harness = ScreenHarness::new(builder);
        harness.frame(80, 24);
        harness.ctrl('f');
        let call = harness.local.waiting(&harness.view)[0].1.call;
        harness.local.overlay = Some(Overlay::Output(call, 0));
        harness.frame(80, 24);
        harness.waits(2_000);
        paste(&mut harness.local, &harness.view, "words");
        assert_eq!(harness.local.search.as_ref().unwrap().wanted, "", "nobody sees the search");
        harness.press(key);
        assert!(harness.local.search.is_none(), "{key}");
        let local = &harness.local;
        let begun = [local.always.is_some(), local.reason.is_some(), local.edit.is_some()];
        assert_eq!(begun, ["a", "r", "e"].map(|one| one == key));
    }
}

#[test]
fn a_click_on_what_waits_ends_it() {
    let mut pointer = Mouse::at(scenes::waiting_command(), 80, 24);
    pointer.harness.ctrl('f');
    pointer.look();
    let at = pointer.find("waits for you");
    pointer.clicks(at);
    let ScreenHarness { view, local, .. } = &pointer.harness;
    assert!(matches!(local.focused(view), Focus::Approval(_)) && local.search.is_none());
}

#[test]
fn a_message_that_is_typed_behind_it_loses_no_letter() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.ctrl('f');
    harness.press("empty");
    harness.key(KeyCode::Enter, NONE);
    harness.press("yes, continue now");
    assert!(harness.local.search.is_none());
    assert_eq!(harness.local.composer.text(), "yes, continue now");
}

#[test]
fn words_of_a_call_that_waits_are_found_also_in_its_title() {
    let mut builder = SessionBuilder::new();
    builder.user("Go.");
    let rm = builder.tool_use("shell", json!({ "command": "rm -rf target/tmp\n: second line" }));
    let ask = builder.tool_use("mcp__tracker__close", json!({ "issue": { "title": "the zebra" } }));
    let open = builder.say(None, "", "At once.", vec![rm, ask]);
    builder.ask(open[0].id(), "shell", Preview::Command("rm -rf target/tmp\n: second line".into()));
    builder.ask(open[1].id(), "mcp__tracker__close", Preview::Recipient("https://tracker.example".into()));
    std::mem::forget(open);
    let mut harness = ScreenHarness::new(builder);
    harness.frame(80, 40);
    for words in ["deletes", "second line", "MCP server", "zebra", "tracker.example"] {
        harness.ctrl('f');
        harness.press(words);
        let frame = harness.frame(80, 40);
        assert!(frame.contains(&format!("find: {words}▏ · 1 of 1")), "{words}\n{frame}");
        // The title of a call that is not the first ends where its row does.
        let is_cut = ["zebra", "tracker.example"].contains(&words);
        assert!(is_cut || marked(&mut harness, 80, 40).contains(words), "{words}\n{frame}");
        harness.key(KeyCode::Esc, NONE);
    }
}
