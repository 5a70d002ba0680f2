//! The words that an answer asks for, in lines: what a person typed before their prompt was meant for something else.

use std::time::Duration;

use crate::linear_harness::{LinearHarness, asked};
use crate::scenes::waiting_command;
use crate::session_builder::SessionBuilder;
use countersign::agent::{Answer, Intent};
use countersign::ledger::{Arguments, Preview, Remark, ToolUse};
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
}
