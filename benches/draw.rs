//! What a frame costs: it must not matter how long the session is.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    unreachable_pub,
    missing_docs,
    reason = "benches"
)]

#[path = "../tests/support/legacy_facts.rs"]
mod legacy_facts;
#[path = "../tests/support/screen_harness.rs"]
mod screen_harness;
#[path = "../tests/support/session_builder.rs"]
mod session_builder;

use countersign::agent::Live;
use countersign::ledger::{Decider, EntryId, Outcome, Transition};
use divan::Bencher;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use screen_harness::ScreenHarness;
use serde_json::json;
use session_builder::{SessionBuilder, view};

fn main() {
    divan::main();
}

/// A session of about so many cards: answers with code, and calls.
fn session(cards: usize) -> ScreenHarness {
    let mut builder = SessionBuilder::new();
    builder.user("Go through all of it.");
    for at in 0..cards / 2 {
        let read = builder.tool_use("read", json!({ "path": format!("src/file{at}.rs") }));
        let text = format!("Step **{at}**: reading on.\n\n```rust\nfn step() {{}}\n```\n\n- one\n- two");
        for call in builder.say(None, "", &text, vec![read]) {
            builder.decide(call.id(), true, Decider::Policy);
            builder.settle(call, Outcome::Ok, "fn a() {}\n", 3);
        }
        builder.call_model(Transition::NextTurn);
    }
    ScreenHarness::new(builder)
}

/// One more frame of the same.
#[divan::bench(args = [100, 100_000])]
fn frame(bencher: Bencher<'_, '_>, cards: usize) {
    let mut harness = session(cards);
    let mut terminal = harness.terminal(200, 50);
    bencher.bench_local(|| harness.draw(&mut terminal));
}

/// The first frame after the width has changed: everything in the window is laid out anew.
#[divan::bench(args = [100, 100_000])]
fn frame_after_resize(bencher: Bencher<'_, '_>, cards: usize) {
    let mut harness = session(cards);
    let mut width = 200;
    bencher.bench_local(|| {
        width = if width == 200 { 199 } else { 200 };
        let mut terminal = harness.terminal(width, 50);
        harness.draw(&mut terminal);
    });
}

/// A frame for each piece of an answer that has grown long.
#[divan::bench(args = [100, 100_000])]
fn frame_while_streaming(bencher: Bencher<'_, '_>, cards: usize) {
    let mut harness = session(cards);
    let mut terminal = harness.terminal(200, 50);
    let message = EntryId(u64::MAX);
    bencher.bench_local(|| {
        let text = "more words of **the** answer\n\n".to_owned();
        harness.view.fold(&countersign::agent::Event::Live(Live::Text { message, text }));
        harness.draw(&mut terminal);
    });
}

/// A frame for one more delta of an answer of so many bytes.
#[divan::bench(args = [1_000, 1_000_000])]
fn frame_of_a_growing_answer(bencher: Bencher<'_, '_>, bytes: usize) {
    let mut harness = session(100);
    let mut terminal = harness.terminal(200, 50);
    let message = EntryId(u64::MAX);
    let mut grow = |text: String, frames: usize| {
        harness.view.fold(&countersign::agent::Event::Live(Live::Text { message, text }));
        (0..frames).for_each(|_| harness.draw(&mut terminal));
    };
    // A frame lays out 16 KB at most.
    grow("all of the words before it, **and** more\n\n".repeat(bytes / 40), 1 + bytes / 16_000);
    bencher.bench_local(|| grow("tree".to_owned(), 1));
}

/// Taking in a whole session.
#[divan::bench(args = [100, 10_000])]
fn fold(bencher: Bencher<'_, '_>, cards: usize) {
    let events = session(cards).builder.events;
    bencher.bench_local(|| view(&events).len());
}

/// One more frame of a page of the inspector, once its fold has been made.
fn page(bencher: Bencher<'_, '_>, cards: usize, tabs: usize) {
    let mut harness = session(cards);
    harness.ctrl('o');
    for _ in 0..tabs {
        harness.key(KeyCode::Tab, KeyModifiers::NONE);
    }
    let mut terminal = harness.terminal(200, 50);
    harness.draw(&mut terminal);
    bencher.bench_local(|| harness.draw(&mut terminal));
}

/// The ledger as a table.
#[divan::bench(args = [100, 100_000])]
fn inspector_ledger(bencher: Bencher<'_, '_>, cards: usize) {
    page(bencher, cards, 0);
}

/// What the model sees.
#[divan::bench(args = [100, 100_000])]
fn inspector_sees(bencher: Bencher<'_, '_>, cards: usize) {
    page(bencher, cards, 1);
}

/// The timeline.
#[divan::bench(args = [100, 100_000])]
fn inspector_timeline(bencher: Bencher<'_, '_>, cards: usize) {
    page(bencher, cards, 2);
}

/// The plots.
#[divan::bench(args = [100, 100_000])]
fn inspector_budgets(bencher: Bencher<'_, '_>, cards: usize) {
    page(bencher, cards, 3);
}

/// The receipts.
#[divan::bench(args = [100, 100_000])]
fn inspector_approvals(bencher: Bencher<'_, '_>, cards: usize) {
    page(bencher, cards, 4);
}
