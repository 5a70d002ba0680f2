//! A run of another program that was imported without its end: nothing is claimed of how it ended.

use countersign::ledger::{Change, Ending, ForeignTool, Remark, UserMessage};

use crate::linear_harness::LinearHarness;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;

fn gone_on() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.remark(Remark::Change(Change::Imported { from: ForeignTool::Codex, session: String::new() }));
    let at = builder.at();
    builder.ledger.user(at, UserMessage::text("Write it.")).unwrap();
    builder.tell();
    builder.end(Ending::AbortedStreaming);
    builder
}

#[test]
fn an_end_that_nobody_here_saw_is_not_called_an_interruption() {
    let frame = ScreenHarness::new(gone_on()).frame(120, 40);
    assert!(frame.contains("its end is not known"), "{frame}");
    assert!(frame.contains("How it ended in the other program is not known;"), "{frame}");
    assert!(!frame.contains("interrupted"), "{frame}");
    let linear = LinearHarness::new(gone_on());
    assert!(linear.said.contains("end: not known"), "{}", linear.said);
    let is_claimed = ["interrupted", "cut short"].iter().any(|words| linear.said.contains(words));
    assert!(!is_claimed, "{}", linear.said);
}
