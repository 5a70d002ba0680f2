//! What is said in lines of a message that was typed.

use crate::linear_harness::LinearHarness;
use crate::session_builder::SessionBuilder;
use countersign::agent::{Event, Live};
use countersign::hooks::HookPoint;
use countersign::ledger::{AttachedFile, Millis, UserMessage};
use countersign::ui::linear::LinearEffect;
use countersign::ui::{Reply, Request};

#[test]
fn what_went_with_a_message_is_said_and_how_much_of_it() {
    let mut lines = LinearHarness::new(SessionBuilder::new());
    let typed = "see @long.txt";
    assert!(matches!(lines.types(typed).as_slice(), [LinearEffect::Send(_) | LinearEffect::Ask(_)]));
    let file = AttachedFile {
        path: "long.txt".into(),
        first: 1,
        last: 1,
        of_lines: 0,
        sha256: String::new(),
        confirmed: String::new(),
        cut_bytes: 12_001,
        cut_chars: 0,
        text: "x".into(),
    };
    lines.builder.message(UserMessage { files: vec![file], ..UserMessage::text(typed) });
    let said = lines.hears();
    let told = "sent with it: [file: long.txt, only the beginning of line 1, 12,001 bytes of it not sent]\n";
    assert!(said.contains(told), "{said}");
    assert!(!said.contains("you: see"), "its words are known: {said}");
}

#[test]
fn a_wait_without_a_word_is_said_once_with_the_way_to_stop_it() {
    let mut linear = LinearHarness::new(SessionBuilder::new());
    linear.types("see @a.txt");
    assert_eq!(linear.talk.says_in(), None);
    linear.talk.reply(Reply::Reading(true));
    let due = linear.talk.says_in().unwrap();
    linear.talk.say_wait();
    assert_eq!(linear.writes(), "", "it has just begun");
    let later = Millis(linear.builder.now + u64::try_from(due.as_millis()).unwrap());
    linear.talk.tick(later);
    linear.talk.say_wait();
    let said = linear.writes();
    assert!(said.starts_with("waiting: reading the files of your message, for 2"), "{said}");
    assert!(said.contains("Ctrl-C stops it") && linear.talk.says_in().is_none());
    let acts = linear.talk.interrupt(false);
    assert_eq!(acts, [LinearEffect::Abort, LinearEffect::Ask(Request::StopReading)]);
    linear.types("/status");
    assert!(linear.said.contains("status: reading the files of your message"), "{}", linear.said);
    linear.talk.reply(Reply::Reading(false));
    assert!(linear.talk.says_in().is_none());
    linear.talk.hear(&Event::Live(Live::AskingHooks(HookPoint::UserPrompt)));
    linear.talk.tick(Millis(later.0 + 60_000));
    linear.talk.say_wait();
    assert!(linear.writes().contains("waiting: asking hooks, for "), "{}", linear.said);
}
