//! A big paste is one chip: whole in a row of the composer, and in the transcript after it was sent.

use countersign::agent::Intent;
use countersign::ui::update::{UiEffect, paste};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;

const CHIP: &str = "[Pasted\u{202f}400\u{202f}lines]";

#[test]
fn the_name_of_a_paste_stays_in_one_row() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("words before it, ");
    paste(&mut harness.local, &harness.view, &"line\n".repeat(400));
    for width in 40..80 {
        let frame = harness.frame(width, 24);
        assert!(frame.lines().any(|row| row.contains("Pasted\u{202f}400\u{202f}lines")), "{width}: {frame}");
    }
}

#[test]
fn what_was_pasted_is_one_chip_in_the_transcript_and_can_be_opened() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("look: ");
    paste(&mut harness.local, &harness.view, &"line of a paste\n".repeat(400));
    assert!(harness.local.composer.shown().ends_with(CHIP));
    let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
    let [UiEffect::Send(Intent::Submit(said))] = acts.as_slice() else { panic!("{acts:?}") };
    let before = harness.builder.events.len();
    harness.builder.user(&said.content);
    for event in &harness.builder.events[before..] {
        harness.view.fold(event);
    }
    for (width, height) in [(40, 16), (80, 24), (120, 40)] {
        let frame = harness.frame(width, height);
        assert!(frame.contains("look: [Pasted 400 lines]"), "{frame}");
        assert!(frame.contains("o: show all of it") && !frame.contains("line of a paste"), "{frame}");
    }
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    harness.key(KeyCode::Enter, KeyModifiers::NONE);
    assert!(harness.frame(80, 24).contains("line of a paste"), "{}", harness.frame(80, 24));
}
