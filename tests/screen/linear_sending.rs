//! What is said in lines of a message that was typed; texts of several lines, and what of them is carried
//! out.

use crate::linear_harness::LinearHarness;
use crate::scenes;
use crate::session_builder::SessionBuilder;
use countersign::agent::{Event, Intent, Live};
use countersign::hooks::HookPoint;
use countersign::ledger::{AttachedFile, Millis, UserMessage};
use countersign::ui::linear::{Line, LinearEffect};
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

/// Types these lines one after the other, each by itself or all together.
fn types_lines(linear: &mut LinearHarness, lines: &[(&str, bool)]) -> Vec<LinearEffect> {
    let mut acts = Vec::new();
    for (text, alone) in lines {
        let line = Line { alone: *alone, ..linear.line(text, linear.questions) };
        acts.extend(linear.hears_line(&line));
    }
    acts
}

#[test]
fn nothing_between_quotes_is_a_command() {
    for alone in [true, false] {
        for text in [
            "!touch x",
            "!pip install x\nand more",
            "/mode unrestricted",
            "/permissions gaps",
            "/undo yes",
            "/raise",
        ] {
            let mut linear = LinearHarness::new(scenes::budget_stop());
            let lines = ["\"\"\""].into_iter().chain(text.lines()).chain(["\"\"\""]);
            let lines: Vec<(&str, bool)> = lines.map(|line| (line, alone)).collect();
            let message = [LinearEffect::Send(Intent::Submit(text.into()))];
            assert_eq!(types_lines(&mut linear, &lines), message, "{text}");
            assert!(linear.said.contains("is a command; the text is a message"), "{}", linear.said);
            // It stays a message when it comes back.
            linear.talk.hear(&Event::Live(Live::Returned(vec![text.into()])));
            linear.writes();
            assert_eq!(linear.types("/send"), message, "{text}");
        }
    }
    let mut asked = LinearHarness::new(scenes::waiting_command());
    let questions = asked.questions;
    assert_eq!(types_lines(&mut asked, &[("\"\"\"!touch x\"\"\"", true)]), []);
    assert_eq!(asked.questions, questions);
    asked.writes();
    assert!(asked.said.contains("not sent: a call waits for you"), "{}", asked.said);
    assert!(asked.said.ends_with("kept, /send sends it: !touch x\n"), "{}", asked.said);
}

#[test]
fn a_command_is_joined_only_of_lines_that_came_by_themselves() {
    for came in [[false, false], [false, true], [true, false]] {
        for (first, last) in [("!touch \\", "x"), ("/mode \\", "unrestricted"), ("/later \\", "go on")] {
            let mut linear = LinearHarness::new(SessionBuilder::new());
            let lines = [(first, came[0]), (last, came[1])];
            assert_eq!(types_lines(&mut linear, &lines), [], "{first} {came:?}");
            assert!(linear.said.contains("came together with other lines"), "{}", linear.said);
        }
    }
    let mut linear = LinearHarness::new(SessionBuilder::new());
    let acts = types_lines(&mut linear, &[("!echo one \\", true), ("two", true)]);
    assert!(
        matches!(&acts[..], [LinearEffect::Send(Intent::Command(own))] if own.command == "echo one \\\ntwo"),
        "the shell joins the lines: {acts:?}"
    );
    let words = types_lines(&mut linear, &[("one\\", false), ("two", false)]);
    assert_eq!(words, [LinearEffect::Send(Intent::Submit("one\ntwo".into()))]);
    // What decides is one line.
    let mut stopped = LinearHarness::new(scenes::budget_stop());
    assert_eq!(types_lines(&mut stopped, &[("/raise\\", true), ("", true)]), []);
    assert_eq!(stopped.types("/raise").len(), 1);
}

#[test]
fn a_model_that_does_not_answer_is_kept_as_the_command_that_named_it() {
    let mut linear = LinearHarness::new(SessionBuilder::new());
    let chosen = [LinearEffect::Ask(Request::ChooseModel("x/y".into()))];
    assert_eq!(linear.types("/model x/y"), chosen);
    linear.talk.reply(Reply::NoModel { name: "x/y".into(), why: "no".to_owned() });
    linear.writes();
    assert!(linear.said.contains("kept, /send sends it: /model x/y\n"), "{}", linear.said);
    assert_eq!(linear.types("/send"), chosen);
}
