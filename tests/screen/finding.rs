//! The search in the transcript: places, marks, and where one is when it is over.

use crate::frames::{Seat, snapshot};
use crate::scenes;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use ratatui::style::Modifier;

const NONE: KeyModifiers = KeyModifiers::NONE;

fn marked(seat: &mut Seat, width: u16, height: u16) -> String {
    let buffer = seat.buffer(width, height);
    let mut found = String::new();
    for y in 0..height.saturating_sub(1) {
        let cells = (0..width).map(|x| &buffer[(x, y)]);
        found.extend(cells.filter(|c| c.modifier.contains(Modifier::REVERSED)).map(|c| c.symbol()));
    }
    found
}

#[test]
fn the_words_are_shown_and_marked_wherever_they_stand() {
    let mut seat = Seat::new(scenes::conversation());
    assert!(!seat.frame(60, 14).contains("Why does the parser"));
    seat.ctrl('f');
    seat.press("WHY does");
    assert!(seat.frame(60, 14).contains("Why does the parser"));
    assert_eq!(marked(&mut seat, 60, 14), "Why does");
    assert!(seat.frame(60, 14).contains("find: WHY does▏ · 1 of 1"));
    seat.key(KeyCode::Enter, NONE);
    seat.key(KeyCode::Esc, NONE);
    assert!(seat.local.search.is_none());
    assert!(seat.frame(60, 14).contains("Why does the parser"), "it stays where it was found");
    assert_eq!(marked(&mut seat, 60, 14), "");
    assert!(seat.local.composer.is_empty());
}

#[test]
fn n_goes_through_the_places_and_around() {
    let mut seat = Seat::new(scenes::conversation());
    seat.press("/find empty");
    seat.key(KeyCode::Enter, NONE);
    let count = seat.local.search.as_ref().unwrap().places.len();
    assert!(count > 1, "{count}");
    let at = |seat: &Seat| seat.local.search.as_ref().unwrap().at;
    assert_eq!(at(&seat), count - 1, "the newest first");
    seat.press("n");
    assert_eq!(at(&seat), 0);
    seat.press("N");
    assert_eq!(at(&seat), count - 1);
    seat.press("N");
    assert_eq!(at(&seat), count - 2);
    seat.press("/zzz");
    assert!(seat.frame(80, 24).contains("not found"));
}

#[test]
fn a_search_looks_like_this() {
    for (width, height) in [(80, 24), (120, 40), (40, 10)] {
        let mut seat = Seat::new(scenes::conversation());
        seat.ctrl('f');
        seat.press("empty");
        seat.key(KeyCode::Enter, NONE);
        snapshot(&format!("search_{width}x{height}"), &seat.frame(width, height));
    }
}
