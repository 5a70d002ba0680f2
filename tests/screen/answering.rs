//! The keys that answer a call: in rows that do not move when it gets the keys, and none of them missing on a low screen.

use countersign::ledger::{Preview, Sandboxing};
use serde_json::json;

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
    frame.lines().position(|line| line.contains('╰')).unwrap_or_else(|| panic!("{frame}"))
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
    assert!(before.contains("tab to decide  y s a b n r e"), "{before}");
    harness.turns();
    let after = harness.frame(40, 10);
    assert!(after.contains("y once  n deny  s a b r e"), "{after}");
}
