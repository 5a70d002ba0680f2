//! Forgeries, with a chain made anew, of how a run ended, of what its goal came to, and of what other agents were given to do.

use std::sync::Arc;

use countersign::ledger::*;
use serde_json::json;

use crate::contradictions::checked;
use crate::one_of_all::{allowed, begun, call, changes, ended, of_the_subagent, result, said};

/// A run with these entries, whose first is number 4, and this end.
fn run(entries: Vec<Body>, reason: Ending, text: &str) -> Vec<Body> {
    let mut bodies = vec![
        begun(Some(Mode::Ask)),
        Body::User(Arc::new(UserMessage::text("go"))),
        Body::Transition { turn: 1, reason: Transition::Submitted },
    ];
    bodies.extend(entries);
    let turns =
        bodies.iter().filter(|body| matches!(body, Body::Transition { reason, .. } if reason.is_a_turn()));
    let turns = u32::try_from(turns.count()).unwrap();
    let results = bodies.iter().filter_map(|body| match body {
        Body::ToolResult(result) => Some(result),
        _ => None,
    });
    // The check of a goal is no call of the run.
    let is_check =
        |call: CallId| bodies.iter().any(|body| matches!(body, Body::Validation(check) if check.id == call));
    let tool_calls = u32::try_from(results.clone().filter(|result| !is_check(result.call)).count()).unwrap();
    let not_ok = results.filter(|result| result.outcome != Outcome::Ok);
    let not_ok = not_ok.map(|result| (result.call, result.outcome.as_str().to_owned())).collect();
    let Body::TurnEnded(end) = ended(&bodies) else { panic!("it is an end") };
    bodies.push(Body::TurnEnded(TurnEnded { reason, turns, tool_calls, not_ok, text: text.into(), ..end }));
    bodies
}

fn words(id: u64, stop: Stop) -> Body {
    said(id, vec![Block::Text("Done.".into())], stop)
}

fn broken(id: u64) -> Body {
    let Body::Assistant(mut message) = words(id, Stop::Interrupted) else { panic!("it is a message") };
    Arc::make_mut(&mut message).interrupted = true;
    Body::Assistant(message)
}

fn goes_on(reason: Transition) -> Body {
    Body::Transition { turn: 1 + u32::from(reason.is_a_turn()), reason }
}

fn error() -> Body {
    Body::Error { message: "it failed".into(), next: "try again".into() }
}

fn first(bodies: Vec<Body>) -> Option<String> {
    checked(bodies).faults.first().map(|fault| fault.what.clone())
}

#[track_caller]
fn stands(bodies: Vec<Body>) {
    assert_eq!(first(bodies), None);
}

#[track_caller]
fn found(bodies: Vec<Body>, what: &str) {
    let fault = first(bodies).unwrap_or_else(|| panic!("nothing is found of: {what}"));
    assert!(fault.contains(what), "{fault}");
}

#[test]
fn a_run_ends_as_its_entries_can_have_ended_it() {
    use Ending::*;
    let end = |reason| run(vec![words(4, Stop::End)], reason, "Done.");
    stands(end(Completed));
    // A process that is killed leaves nothing behind.
    stands(end(AbortedStreaming));
    for (reason, what) in [
        (GoalReached, "it pursues no goal"),
        (BlockedOnUser, "it pursues no goal"),
        (AbortedTools, "no call of it has a result"),
        (ModelError, "nothing failed"),
        (InvalidAnswer, "nothing failed"),
        (OutputCutOff, "its last answer was not cut off"),
        (ModelRefused, "its last answer is no refusal"),
        (NoFinalAnswerOrToolCall, "no other answer was asked for"),
        (PolicyDenied, "nothing in it was denied"),
    ] {
        found(end(reason), what);
    }
    stands(run(vec![words(4, Stop::Length)], OutputCutOff, "Done."));
    stands(run(vec![words(4, Stop::Refusal)], ModelRefused, "Done."));
    stands(run(vec![error()], ModelError, ""));
    found(run(vec![words(4, Stop::End), error()], InvalidAnswer, "Done."), "no other answer");
    let repaired = vec![words(4, Stop::End), goes_on(Transition::SchemaRepair), words(6, Stop::End), error()];
    stands(run(repaired, InvalidAnswer, "Done."));
    let withdrawn = Body::Tombstone(Tombstone { target: EntryId(2), reason: "a hook refused it".into() });
    stands(run(vec![withdrawn, error()], PolicyDenied, ""));
    found(run(vec![], Completed, ""), "no answer ends it");
    let read = call(1, "read", json!({ "path": "a" }));
    let calls = vec![
        said(4, vec![Block::ToolUse(read.clone())], Stop::ToolUse),
        Body::ToolCall(read.clone()),
        allowed(&read, Decider::Policy),
        result(&read, Outcome::Ok),
    ];
    found(run(calls.clone(), Completed, ""), "no answer ends it");
    stands(run(calls, AbortedTools, ""));
}

#[test]
fn every_end_but_that_of_its_turns_has_the_last_answer() {
    for reason in [Ending::WallTime, Ending::AbortedStreaming, Ending::MaxCost] {
        stands(run(vec![words(4, Stop::End)], reason, "Done."));
        found(run(vec![words(4, Stop::End)], reason, "Failed."), "another answer than its last one");
        found(run(vec![words(4, Stop::End)], reason, ""), "another answer than its last one");
    }
    stands(run(vec![words(4, Stop::End)], Ending::MaxTurns, "I was unable to complete this task."));
}

#[test]
fn an_answer_that_broke_off_is_withdrawn_or_ends_the_run() {
    stands(run(vec![broken(4)], Ending::AbortedStreaming, "Done."));
    found(run(vec![broken(4)], Ending::Completed, "Done."), "an answer in it broke off");
    let stone = || Body::Tombstone(Tombstone { target: EntryId(4), reason: "it failed".into() });
    let again = || goes_on(Transition::TransientRetry);
    stands(run(vec![broken(4), stone(), again(), words(7, Stop::End)], Ending::Completed, "Done."));
    found(run(vec![broken(4), again(), words(6, Stop::End)], Ending::Completed, "Done."), "is not withdrawn");
    let twice = vec![broken(4), stone(), stone(), again(), words(8, Stop::End)];
    found(run(twice, Ending::Completed, "Done."), "e4 is withdrawn twice");
}

fn goal(validation_method: Validation) -> Body {
    Body::Goal(Goal {
        objective: "it works".into(),
        done_condition: "the tests pass".into(),
        budget: vec![],
        checkpoints: 5,
        current_plan: String::new(),
        progress_log: vec![],
        validation_method,
        stop_rules: vec![],
    })
}

fn checkpoint(number: u32, done: Option<&str>) -> Body {
    let by = if done.is_some() { Answerer::ValidationCommand } else { Answerer::Model };
    let asked = |answer: Option<&str>| Asked { question: "?".into(), answer: answer.map(str::to_owned), by };
    let questions = vec![asked(None), asked(None), asked(None), asked(done)];
    Body::Checkpoint(Checkpoint { number, questions })
}

/// A goal whose check is this command and comes to this.
fn by_command(command: &str, outcome: Outcome, number: u32, done: &str) -> Vec<Body> {
    let check = call(1, "shell", json!({ "command": command }));
    let check = ToolUse { wire_id: String::new(), ..check };
    vec![
        goal(Validation::Command("make test".into())),
        words(5, Stop::End),
        Body::Validation(check.clone()),
        allowed(&check, Decider::Policy),
        result(&check, outcome),
        checkpoint(number, Some(done)),
    ]
}

#[test]
fn a_goal_is_reached_if_its_check_says_so() {
    let ends = |entries, reason| run(entries, reason, "Done.");
    let reached = || by_command("make test", Outcome::Ok, 1, "yes");
    stands(ends(reached(), Ending::GoalReached));
    found(ends(reached(), Ending::Completed), "it pursues a goal");
    found(ends(by_command("true", Outcome::Ok, 1, "yes"), Ending::GoalReached), "checked differently");
    found(ends(by_command("make test", Outcome::Ok, 7, "yes"), Ending::GoalReached), "checkpoint 7");
    let failed = |done| by_command("make test", Outcome::Failed, 1, done);
    stands(ends(failed("no"), Ending::AbortedTools));
    found(ends(failed("yes"), Ending::AbortedTools), "something else than the check");
    found(ends(failed("no"), Ending::GoalReached), "its check did not succeed");
    let mut without = reached();
    without.remove(0);
    without[0] = words(4, Stop::End);
    found(ends(without, Ending::GoalReached), "a goal is checked, but the run has none");
}

#[test]
fn a_goal_without_a_check_is_reached_if_its_model_says_so() {
    let said = |number, done| {
        let progress = Progress { checkpoint: number, done: Some(done), ..Progress::default() };
        let asked = [goal(Validation::Question), checkpoint(1, None), goes_on(Transition::GoalCheck)];
        let rest = [words(7, Stop::End), Body::Progress(progress)];
        run(asked.into_iter().chain(rest).collect(), Ending::GoalReached, "Done.")
    };
    stands(said(1, true));
    found(said(1, false), "its model did not say so");
    found(said(2, true), "answer checkpoint 2");
}

/// A task is handed over, and comes to this.
fn task(waits: [bool; 2], answered: &dyn Fn(&mut DelegationResponse), outcome: Outcome) -> Vec<Body> {
    let task = call(2, "delegate_to_helper", json!({ "task": "look" }));
    let [escrow, settled, end] = of_the_subagent();
    let Body::DelegationAnswered(mut end) = end else { panic!("it is an end") };
    answered(&mut end);
    let waits = waits.map(|waits| changes(Change::SubagentWaits { call: CallId(2), waits }));
    let mut entries = vec![
        said(4, vec![Block::ToolUse(task.clone())], Stop::ToolUse),
        Body::ToolCall(task.clone()),
        allowed(&task, Decider::Policy),
        Body::DelegationRequested(DelegationRequest {
            call: CallId(2),
            agent: "helper".into(),
            task: "look".into(),
        }),
        escrow,
    ];
    entries.extend(waits);
    entries.extend([settled, Body::DelegationAnswered(end), result(&task, outcome)]);
    run(entries, Ending::AbortedTools, "")
}

#[test]
fn the_end_of_a_task_is_that_of_its_call() {
    let fits: &dyn Fn(&mut DelegationResponse) = &|_| ();
    stands(task([true, false], fits, Outcome::Ok));
    let another = task([true, false], &|end| end.agent = "other".into(), Outcome::Ok);
    found(another, "answered by another agent");
    let words = task([true, false], &|end| end.content = "all is well".into(), Outcome::Ok);
    found(words, "something else than the end of its task");
    found(task([true, false], fits, Outcome::Failed), "but its task was done");
    // A dead process may have left the end alone: what its session says is taken then.
    stands(task([true, false], &|end| end.is_error = true, Outcome::Ok));
    found(task([true, true], fits, Outcome::Ok), "which it does already");
    found(task([false, true], fits, Outcome::Ok), "but did not wait");
}
