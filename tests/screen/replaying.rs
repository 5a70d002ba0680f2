//! A session that is played: its time line at all sizes, and the keys and clicks that move it.

use countersign::ledger::{Decider, EntryId, Outcome, Preview, Remark, Tombstone};
use countersign::ui::Replay;
use countersign::ui::pointer::{Scene, mouse};
use ratatui::crossterm::event::{KeyCode, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;
use serde_json::json;

use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;

/// A decision near the beginning, a failure, a withdrawal near the end.
fn harness() -> ScreenHarness {
    let mut it = SessionBuilder::new();
    it.user("Look.");
    let call = it.tool_use("shell", json!({ "command": "false" }));
    let id = call.id;
    let open = it.say(None, "", "I look.", vec![call]);
    it.ask(id, "shell", Preview::Command("false".into()));
    it.decide(id, true, Decider::User);
    for at in 0..20 {
        it.note("", &format!("note {at}"));
    }
    it.settle(open.into_iter().next().unwrap(), Outcome::Failed, "exit code 1", 3);
    for at in 0..20 {
        it.note("", &format!("later note {at}"));
    }
    let target: EntryId = it.ledger.reserve();
    it.remark(Remark::Tombstone(Tombstone { target, reason: "test".into() }));
    it.note("", "the last");
    let mut harness = ScreenHarness::new(it);
    harness.local.replay = Some(Replay::of(harness.builder.ledger.entries()));
    harness
}

fn shown(harness: &ScreenHarness) -> usize {
    harness.local.replay.as_ref().unwrap().shown
}

/// The row with the time line, and its number.
fn line(harness: &mut ScreenHarness, width: u16, height: u16) -> (u16, String) {
    let frame = harness.frame(width, height);
    let found = frame.lines().enumerate().find(|(_, row)| row.contains("▸ ") && row.contains('─'));
    let (at, row) = found.unwrap_or_else(|| panic!("no time line in {frame}"));
    (u16::try_from(at).unwrap(), row.to_owned())
}

#[test]
fn the_time_line_has_its_marks_at_every_size() {
    for (width, height) in [(40, 10), (40, 16), (57, 12), (80, 24), (120, 35), (200, 50)] {
        let mut it = harness();
        it.local.replay.as_mut().unwrap().shown = 3;
        let (_, row) = line(&mut it, width, height);
        let count = it.builder.ledger.entries().len();
        assert!(row.contains(&format!("▸ 3/{count} ")), "{row}");
        let at =
            |sign: char| row.chars().position(|c| c == sign).unwrap_or_else(|| panic!("no {sign} in {row}"));
        assert!(at('●') < at('d') && at('d') < at('e') && at('e') < at('t'), "{row}");
        assert!(row.contains(" 0:02 / 0:4"), "{row}");
    }
    for shown in 0..48 {
        let mut it = harness();
        let count = it.builder.ledger.entries().len();
        it.local.replay.as_mut().unwrap().shown = shown.min(count - 1);
        let (_, row) = line(&mut it, 200, 50);
        assert_eq!(row.matches('●').count(), usize::from(shown > 0), "{row}");
    }
}

#[test]
fn a_click_on_the_time_line_goes_there_and_one_beside_it_nowhere() {
    let mut it = harness();
    let (y, row) = line(&mut it, 80, 24);
    let x = u16::try_from(row.chars().position(|c| c == 'e').unwrap()).unwrap();
    let click = |it: &mut ScreenHarness, x, y| {
        for kind in [MouseEventKind::Down(MouseButton::Left), MouseEventKind::Up(MouseButton::Left)] {
            let event = MouseEvent { kind, column: x, row: y, modifiers: KeyModifiers::NONE };
            let scene = Scene { view: &it.view, layouts: &it.layouts, screen: Rect::new(0, 0, 80, 24) };
            mouse(&mut it.local, scene, event, 0);
        }
    };
    click(&mut it, x, y);
    let there = shown(&it);
    assert_eq!(there, 28, "the failure is its last entry");
    click(&mut it, 4, y);
    click(&mut it, x, y + 1);
    assert_eq!(shown(&it), there);
}

#[test]
fn keys_say_what_they_do_not_find_and_type_nothing() {
    let mut it = harness();
    it.press("d");
    let at = shown(&it);
    it.press("dhello");
    assert!(it.local.composer.is_empty());
    assert_eq!(shown(&it), at + 21, "`e` is the error; there is no other decision");
    it.press("D");
    it.press("D");
    assert_eq!(it.local.hint.as_deref(), Some("there is no earlier decision"));
    it.key(KeyCode::End, KeyModifiers::NONE);
    let frame = it.frame(80, 24);
    assert!(frame.contains("paused at 1x · the end of the session; q quits"), "{frame}");
}
