//! What is said in lines of a message that was typed.

use crate::linear_harness::LinearHarness;
use crate::session_builder::SessionBuilder;
use countersign::ledger::{AttachedFile, UserMessage};
use countersign::ui::linear::LinearEffect;

#[test]
fn what_went_with_a_message_is_said_and_how_much_of_it() {
    let mut lines = LinearHarness::new(SessionBuilder::new());
    let typed = "see @long.txt";
    assert!(matches!(lines.types(typed).as_slice(), [LinearEffect::Send(_) | LinearEffect::Ask(_)]));
    let file = AttachedFile {
        path: "long.txt".into(),
        first: 1,
        last: 1,
        sha256: String::new(),
        confirmed: String::new(),
        cut_bytes: 12_001,
        cut_chars: 0,
        text: "x".into(),
    };
    lines.builder.message(UserMessage { files: vec![file], ..UserMessage::text(typed) });
    let said = lines.hears();
    let told = "sent with it: [file: long.txt, only the beginning of line 1, 12001 bytes of it not sent]\n";
    assert!(said.contains(told), "{said}");
    assert!(!said.contains("you: see"), "its words are known: {said}");
}
