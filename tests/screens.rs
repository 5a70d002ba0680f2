//! The screens as they look: whole frames at three sizes, kept as snapshots and read by eye.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    unreachable_pub,
    missing_docs,
    reason = "tests"
)]

#[path = "support/frames.rs"]
mod frames;
#[path = "support/scenes.rs"]
mod scenes;
#[path = "support/stage.rs"]
mod stage;

use countersign::ui::local::{Inspector, Overlay};
use frames::{Seat, snapshot};
use stage::Stage;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

fn at_all_sizes(name: &str, seat: impl Fn() -> Seat) {
    for (width, height) in SIZES {
        snapshot(&format!("{name}_{width}x{height}"), &seat().frame(width, height));
    }
}

#[test]
fn empty_start() {
    at_all_sizes("empty", || {
        let mut seat = Seat::new(Stage::new());
        let notice =
            "The rehearsal model answers: it needs no key. To connect a real one, set ANTHROPIC_API_KEY.";
        seat.local.notice = Some(notice.into());
        seat
    });
}

#[test]
fn conversation() {
    at_all_sizes("conversation", || Seat::new(scenes::conversation()));
}

#[test]
fn growing_answer() {
    at_all_sizes("growing", || Seat::new(scenes::growing()));
}

#[test]
fn running_tool() {
    at_all_sizes("running", || Seat::new(scenes::running()));
}

#[test]
fn approval_of_a_command() {
    at_all_sizes("approval_command", || Seat::new(scenes::waiting_command()));
}

#[test]
fn approval_of_a_diff() {
    at_all_sizes("approval_diff", || Seat::new(scenes::waiting_diff()));
}

#[test]
fn denial_with_a_reason() {
    at_all_sizes("approval_reason", || {
        let mut seat = Seat::new(scenes::waiting_command());
        seat.frame(80, 24);
        seat.press("r");
        seat.press("keep the caches");
        seat
    });
}

#[test]
fn interrupted_turn() {
    at_all_sizes("interrupted", || Seat::new(scenes::interrupted()));
}

#[test]
fn budget_stop() {
    at_all_sizes("budget_stop", || Seat::new(scenes::budget_stop()));
}

#[test]
fn ledger() {
    at_all_sizes("ledger", || {
        let mut seat = Seat::new(scenes::interrupted());
        seat.local.overlay = Some(Overlay::Ledger(Inspector::default()));
        seat
    });
}

#[test]
fn help() {
    at_all_sizes("help", || {
        let mut seat = Seat::new(Stage::new());
        seat.local.overlay = Some(Overlay::Help(0));
        seat
    });
}

#[test]
fn output_of_a_call() {
    at_all_sizes("output", || {
        let mut seat = Seat::new(scenes::waiting_diff());
        seat.frame(80, 24);
        seat.press("o");
        seat
    });
}

#[test]
fn too_small() {
    for (width, height) in [(20, 5), (1, 1), (39, 40), (40, 9), (0, 0)] {
        let frame = Seat::new(scenes::waiting_command()).frame(width, height);
        if width >= 20 {
            assert!(frame.replace('\n', " ").contains("too small"), "{frame}");
        }
    }
}
