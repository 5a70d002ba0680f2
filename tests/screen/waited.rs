//! The end of a run says what its time leaves out: that in which calls waited for a person, also where others ran meanwhile.

use countersign::ledger::{Decider, Ending, Outcome, Preview, Transition};
use serde_json::json;

use crate::linear_harness::LinearHarness;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;

/// A command ran while another one waited for three seconds.
fn ran_meanwhile() -> SessionBuilder {
    let mut builder = stood();
    builder.end(Ending::Completed);
    builder
}

/// The same before its end.
fn stood() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Test, and tidy up.");
    let test = builder.tool_use("shell", json!({ "command": "cargo test" }));
    let tidy = builder.tool_use("shell", json!({ "command": "make clean" }));
    let mut open = builder.say(None, "", "", vec![test, tidy]).into_iter();
    let (test, tidy) = (open.next().unwrap(), open.next().unwrap());
    builder.ask(tidy.id(), "shell", Preview::Command("make clean".into()));
    builder.decide(test.id(), true, Decider::Policy);
    builder.settle(test, Outcome::Ok, "12 passed", 900);
    builder.decide(tidy.id(), true, Decider::User);
    builder.settle(tidy, Outcome::Ok, "", 3);
    builder
}

#[test]
fn the_end_says_what_its_time_leaves_out() {
    let without = "12.3 s (without 3.0 s in which calls waited for you)";
    let said = LinearHarness::new(ran_meanwhile()).said;
    let end = format!("end: done; 1 turn, 2 tool calls, {without}, cost unknown\n");
    assert!(said.contains(&end), "{said}");
    let frame = ScreenHarness::new(ran_meanwhile()).frame(120, 40);
    assert!(frame.contains(&format!("done · 1 turn · 2 tool calls · {without}")), "{frame}");
}

#[test]
fn what_waited_before_an_earlier_end_does_not_count() {
    let mut builder = ran_meanwhile();
    builder.user("Thanks.");
    builder.say(None, "", "You are welcome.", vec![]);
    builder.end(Ending::Completed);
    let said = LinearHarness::new(builder).said;
    assert!(said.contains("end: done; 1 turn, 0 tool calls, 12.3 s, cost unknown\n"), "{said}");
}

#[test]
fn no_call_waits_between_the_end_of_a_run_and_its_going_on() {
    let mut builder = stood();
    builder.end(Ending::MaxTurns);
    for at in 0..5 {
        builder.note("", &format!("note {at}"));
    }
    builder.call_model(Transition::Steered);
    builder.say(None, "", "All is tidy.", vec![]);
    builder.end(Ending::Completed);
    let said = LinearHarness::new(builder).said;
    let ends: Vec<&str> = said.lines().filter(|line| line.starts_with("end: ")).collect();
    let without = "12.3 s (without 3.0 s in which calls waited for you)";
    assert!(ends.len() == 2 && ends.iter().all(|end| end.contains(without)), "{said}");
}
