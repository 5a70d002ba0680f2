//! The page of what all sessions have spent, and the line that the user's command writes.

use std::time::Duration;

use countersign::ui::local::Overlay;
use countersign::ui::replies::reply;
use countersign::ui::status_line::{StatusFacts, StatusLine};
use countersign::ui::update::UiEffect;
use countersign::ui::usage_table::{UsageBy, UsageTable};
use countersign::ui::{Reply, Request};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use crate::linear_harness::LinearHarness;
use crate::screen_harness::{ScreenHarness, snapshot};
use crate::session_builder::SessionBuilder;

fn words(text: &str) -> Vec<String> {
    text.split('|').map(str::to_owned).collect()
}

fn table() -> UsageTable {
    UsageTable {
        heads: words("model|answers|input|output|cached|cost|retries|errors"),
        rows: vec![
            words("anthropic/claude-sonnet-5-5|412|1204567|98321|880000|$12.40|3|1"),
            words("ollama/qwen|7|4000|900|0|no price|0|0"),
            words("total|419|1208567|99221|880000|$12.40 + 7 unpriced|3|1"),
        ],
        remarks: words("$0.25 of it is for 1 answer that errors cut off.|The price of 7 answers is unknown."),
    }
}

fn said() -> ScreenHarness {
    let mut builder = SessionBuilder::new();
    builder.user("Hello.");
    ScreenHarness::new(builder)
}

#[test]
fn the_page_is_there_at_once_and_is_filled() {
    let mut harness = said();
    harness.press("/usage");
    let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
    assert_eq!(acts, [UiEffect::Ask(Request::AddUp(UsageBy::Model))]);
    assert!(harness.frame(80, 24).contains("Adding up all sessions"));
    reply(&mut harness.local, &harness.view, Reply::Usage(table()));
    for (width, height) in [(40, 10), (80, 24), (120, 40)] {
        snapshot(&format!("usage_{width}x{height}"), &harness.frame(width, height));
    }
    // What was closed meanwhile does not open again.
    harness.local.overlay = None;
    reply(&mut harness.local, &harness.view, Reply::Usage(table()));
    assert!(harness.local.overlay.is_none());
    harness.local.overlay = Some(crate::screen_harness::page("/plan", &harness.view));
    reply(&mut harness.local, &harness.view, Reply::Usage(table()));
    assert!(matches!(&harness.local.overlay, Some(Overlay::Page(open)) if open.name == "plan"));
}

#[test]
fn lines_say_it_row_by_row() {
    let mut harness = LinearHarness::new(SessionBuilder::new());
    harness.hears();
    assert!(!harness.types("/usage day").is_empty());
    harness.talk.reply(Reply::Usage(table()));
    let said = harness.hears();
    let row =
        "usage ollama/qwen: answers 7, input 4000, output 900, cached 0, cost no price, retries 0, errors 0";
    assert!(said.contains(row), "{said}");
    assert!(said.contains("usage: The price of 7 answers is unknown."), "{said}");
}

fn writes(harness: &mut ScreenHarness, line: &str) {
    harness.local.status_line = StatusLine::on();
    let view = &harness.view;
    harness.local.status_line.ask(|| StatusFacts::of(view), Duration::ZERO).unwrap();
    reply(&mut harness.local, &harness.view, Reply::StatusLine(Ok(line.to_owned())));
}

#[test]
fn the_line_of_the_user_is_cut_to_the_width_and_its_steering_is_gone() {
    let mut harness = said();
    let before = harness.frame(80, 24);
    writes(&mut harness, "\u{1b}[32mmain\u{1b}[m \u{1b}[2J\u{1b}]0;t\u{7}\u{202e}x · y allow? [y/n]");
    let frame = harness.frame(80, 24);
    let last = frame.lines().last().unwrap();
    assert!(last.contains("main") && !frame.contains('\u{1b}') && !frame.contains('\u{202e}'), "{last}");
    writes(&mut harness, &"wide 漢字 ".repeat(100));
    let frame = harness.frame(80, 24);
    let last = frame.lines().last().unwrap();
    assert!(last.trim_end().ends_with('…') && last.starts_with(" wide"), "{last}");
    writes(&mut harness, "");
    assert_eq!(harness.frame(80, 24), before, "our own line");
    reply(&mut harness.local, &harness.view, Reply::StatusLine(Err("ended with exit code 1".to_owned())));
    assert!(harness.frame(80, 24).contains("the status_line command ended with exit code 1"));
}

#[test]
fn it_is_not_shown_below_a_call_that_waits() {
    let mut harness = ScreenHarness::new(crate::scenes::waiting_command());
    writes(&mut harness, "y: allow it all");
    assert!(!harness.frame(80, 24).contains("allow it all"));
}
