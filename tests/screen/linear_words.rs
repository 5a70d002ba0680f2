//! The words that an answer asks for, in lines: what a person typed before their prompt was meant for something else.

use std::time::Duration;

use crate::linear_harness::{LinearHarness, asked};
use crate::scenes::waiting_command;
use crate::session_builder::SessionBuilder;
use countersign::agent::{Answer, Intent, Live};
use countersign::ledger::{Arguments, CallId, Decider, Millis, Preview, Remark, ToolUse};
use countersign::ui::linear::LinearEffect;
use serde_json::json;

/// A command waits.
fn waits() -> LinearHarness {
    let mut builder = SessionBuilder::new();
    builder.user("Tidy up.");
    let runs = builder.tool_use("shell", json!({ "command": "make clean" }));
    let open = builder.say(None, "", "", vec![runs]).remove(0);
    builder.ask(open.id(), "shell", Preview::Command("make clean".into()));
    std::mem::forget(open);
    LinearHarness::new(builder)
}

fn changes_it_to(acts: &[LinearEffect], command: &str) -> bool {
    matches!(
        acts,
        [LinearEffect::Send(Intent::Decide { answer: Answer::Edit(arguments), .. })]
            if arguments.to_value() == json!({ "command": command })
    )
}

#[test]
fn a_line_that_was_typed_before_the_prompt_is_not_what_it_asks_for() {
    let mut linear = waits();
    let before = linear.questions;
    assert_eq!(linear.types("e"), []);
    assert!(linear.said.ends_with("the command instead, or an empty line to cancel: "), "{}", linear.said);
    assert_eq!(linear.types_at("rm -rf build", before), []);
    assert!(linear.said.contains("not taken: the line was typed before the prompt"), "{}", linear.said);
    assert!(linear.said.ends_with("the command instead, or an empty line to cancel: "), "{}", linear.said);
    // Nobody reads a prompt and types a command in less than half a second.
    let mut soon = linear.line("rm -rf build", linear.questions);
    soon.at -= Duration::from_millis(501);
    assert_eq!(linear.hears_line(&soon), []);
    assert!(linear.said.contains("not taken: the line came right after the prompt"), "{}", linear.said);
    let acts = linear.types("make distclean");
    assert!(changes_it_to(&acts, "make distclean"), "{acts:?}");
}

/// Nothing of ours has put it there for a tab, as the composer of the screen does.
#[test]
fn the_sign_of_a_tab_that_a_person_types_stays_that_sign() {
    let mut linear = waits();
    linear.types("e");
    let acts = linear.types("printf '\u{21e5}\t' > sign.txt");
    assert!(changes_it_to(&acts, "printf '\u{21e5}\t' > sign.txt"), "{acts:?}");
}

#[test]
fn a_line_that_is_there_together_with_its_letter_is_not_what_that_asks_for() {
    for letter in ["e", "r"] {
        let mut linear = waits();
        let [asks, early] = [letter, "rm -rf build"].map(|text| linear.line(text, linear.questions));
        // Both are heard before anything is written.
        assert_eq!(linear.talk.line(&asks), []);
        assert_eq!(linear.talk.line(&early), []);
        let said = linear.writes();
        assert!(said.contains("not taken: the line was typed before the prompt"), "{said}");
        assert!(said.ends_with("or an empty line to cancel: "), "{said}");
        assert_eq!(linear.types(""), []);
        assert!(linear.said.contains("cancelled: nothing is"), "{}", linear.said);
        assert_eq!(linear.types("y").len(), 1, "it still waits");
    }
}

#[test]
fn a_call_that_is_changed_waits_again_under_its_own_number() {
    let mut linear = LinearHarness::new(waiting_command());
    assert!(linear.said.contains("waits for you 1: shell") && linear.said.contains("waits for you 3: shell"));
    linear.types("e 1");
    let acts = linear.types("make clean");
    assert!(changes_it_to(&acts, "make clean"), "{acts:?}");
    let id = linear.builder.events.iter().find_map(|event| asked(event).map(|(_, call)| call)).unwrap();
    let arguments = Arguments::from_value(json!({ "command": "make clean" }));
    let changed = ToolUse { id, wire_id: String::new(), name: "shell".into(), arguments };
    linear.builder.remark(Remark::CallEdited(changed));
    linear.builder.ask(id, "shell", Preview::Command("make clean".into()));
    let said = linear.hears();
    assert!(said.contains("waits for you 1: shell") && !said.contains("waits for you 4"), "{said}");
    // It was asked about last, and is named first.
    assert_eq!(linear.types("y 9"), []);
    assert!(linear.said.contains("is waiting; waiting: 1, 2, 3\n"), "{}", linear.said);
}

/// Three commands, of which the first ones wait.
fn three_commands(waiting: usize) -> (LinearHarness, Vec<CallId>) {
    let mut builder = SessionBuilder::new();
    builder.user("Tidy up.");
    let calls = ["make a", "make b", "make c"]
        .map(|command| builder.tool_use("shell", json!({ "command": command })));
    let open = builder.say(None, "", "", calls.to_vec());
    let ids: Vec<CallId> = open.iter().map(|one| one.id()).collect();
    std::mem::forget(open);
    for id in ids.iter().take(waiting) {
        builder.ask(*id, "shell", Preview::Command("make it".into()));
    }
    (LinearHarness::new(builder), ids)
}

#[test]
fn the_number_of_a_call_that_has_gone_is_not_given_anew() {
    let (mut linear, ids) = three_commands(2);
    linear.builder.decide(ids[1], false, Decider::Policy);
    linear.builder.ask(ids[2], "shell", Preview::Command("rm -r build".into()));
    let said = linear.hears();
    assert!(said.contains("waits for you 3: shell") && !said.contains("waits for you 2"), "{said}");
    assert_eq!(linear.types("y 2"), [], "whoever types it still hears of the other one");
    assert!(linear.said.contains("no call with that number is waiting; waiting: 1, 3"), "{}", linear.said);
    assert_eq!(linear.types("y 3").len(), 1);
}

#[test]
fn a_call_behind_one_that_is_allowed_and_has_not_started_is_said_at_once() {
    let (mut linear, ids) = three_commands(0);
    linear.builder.ask(ids[2], "shell", Preview::Command("rm -r build".into()));
    linear.builder.live(Live::Allowed { call: ids[0] });
    let said = linear.hears();
    assert!(!said.contains("waits for you"), "the second one may come to wait, too: {said}");
    linear.builder.live(Live::Allowed { call: ids[1] });
    let said = linear.hears();
    assert!(said.contains("waits for you 1: shell"), "{said}");
}

#[test]
fn after_a_call_has_gone_a_letter_by_itself_answers_no_other() {
    let (mut linear, ids) = three_commands(1);
    linear.builder.decide(ids[0], false, Decider::Policy);
    linear.builder.ask(ids[1], "shell", Preview::Command("rm -r build".into()));
    let said = linear.hears();
    assert!(said.contains("waits for you 2: shell"), "{said}");
    assert!(said.contains("; another call has ended, so add the number, as in y 2\n"), "{said}");
    assert_eq!(linear.types("y"), []);
    let why = "not an answer: a call has ended without your answer: say which one, as in y 2\n";
    assert!(linear.said.ends_with(why), "{}", linear.said);
    assert_eq!(linear.types("y 1"), []);
    assert_eq!(linear.types("y 2").len(), 1);
    // It was answered here, so that none is missed: the numbers begin anew.
    linear.builder.decide(ids[1], true, Decider::User);
    linear.builder.ask(ids[2], "shell", Preview::Command("make c".into()));
    let said = linear.hears();
    assert!(said.contains("waits for you 1: shell") && !said.contains("add the number"), "{said}");
    assert_eq!(linear.types("y").len(), 1);
}

#[test]
fn nothing_is_asked_for_that_would_change_the_check_of_a_goal() {
    let mut builder = SessionBuilder::new();
    builder.user("Tidy up.");
    let arguments = Arguments::from_value(json!({ "command": "make test" }));
    let (call, token) = builder.ledger.validate(Millis(builder.now), "shell", arguments).unwrap();
    std::mem::forget(token);
    builder.tell();
    builder.ask(call.id, "shell", Preview::Command("make test".into()));
    let mut linear = LinearHarness::new(builder);
    assert!(linear.said.contains("n deny, r deny with a reason\n"), "{}", linear.said);
    assert_eq!(linear.types("e"), []);
    let said = "not an answer: the check of a goal cannot be changed; n denies it\n";
    assert!(linear.said.ends_with(said), "{}", linear.said);
    assert!(matches!(&linear.types("n")[..], [LinearEffect::Send(Intent::Decide { .. })]));
    assert!(waits().said.contains("r deny with a reason, e change it first\n"));
}
