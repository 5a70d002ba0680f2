//! The view of a run that is under way or was interrupted: what it says is true of the whole run.

use crate::session_builder::{SessionBuilder, view};
use countersign::agent::{Event, Live};
use countersign::hooks::HookPoint;
use countersign::ledger::{
    Abort, AbortPath, Change, CutBy, Decider, Ending, ForeignTool, Goal, Limit, Outcome, Remark, Transition,
    UserMessage, Validation,
};
use countersign::view::{Offer, Phase, Reach};
use serde_json::json;

fn durable(events: &[Event]) -> Vec<Event> {
    events.iter().filter(|event| matches!(event, Event::Appended(_))).cloned().collect()
}

/// The end of a run that made one call, with this outcome, and then was interrupted in a later turn.
fn reach(outcome: Outcome, reason: Ending) -> Reach {
    let mut builder = SessionBuilder::new();
    builder.user("Write it.");
    let call = builder.tool_use("write", json!({"path": "a.txt"}));
    let open = builder.say(None, "", "", vec![call]).remove(0);
    builder.settle(open, outcome, "so it went", 0);
    builder.call_model(Transition::NextTurn);
    builder.end(reason);
    let end = builder.ledger.last_id().unwrap();
    // What comes later changes nothing about it.
    builder.user("Again.");
    view(&builder.events).reach(end)
}

#[test]
fn an_interruption_says_what_is_true_of_the_whole_run() {
    use Ending::{AbortedStreaming, AbortedTools};
    let aborted =
        |ran_ms| Outcome::Aborted(Abort { path: AbortPath::C, ran_ms, by: CutBy::User, within: None });
    for (outcome, ending, wanted) in [
        (Outcome::Ok, AbortedStreaming, Reach::NothingCut),
        (Outcome::Failed, AbortedStreaming, Reach::NothingCut),
        (Outcome::Denied(Decider::User), AbortedStreaming, Reach::NothingStarted),
        (aborted(None), AbortedStreaming, Reach::NothingStarted),
        (aborted(Some(10)), AbortedTools, Reach::CutShort),
        (Outcome::Lost { started: true }, AbortedTools, Reach::CutShort),
        (Outcome::Lost { started: false }, AbortedTools, Reach::NothingStarted),
    ] {
        assert_eq!(reach(outcome.clone(), ending), wanted, "{outcome:?}");
    }
}

#[test]
fn a_later_call_that_was_not_started_takes_nothing_back() {
    let partial = Outcome::Lost { started: true };
    for (first, wanted) in [(Outcome::Ok, Reach::NothingCut), (partial, Reach::CutShort)] {
        let mut builder = SessionBuilder::new();
        builder.user("Write it.");
        for outcome in [first.clone(), Outcome::Denied(Decider::User), Outcome::Invalid] {
            let call = builder.tool_use("write", json!({"path": "a.txt"}));
            let open = builder.say(None, "", "", vec![call]).remove(0);
            builder.settle(open, outcome, "so it went", 0);
            builder.steer("and this");
            builder.call_model(Transition::Steered);
        }
        builder.end(Ending::AbortedStreaming);
        let end = builder.ledger.last_id().unwrap();
        assert_eq!(view(&builder.events).reach(end), wanted, "{first:?}");
        let next = Ending::AbortedStreaming.next_safe_action_after(wanted);
        assert_eq!(next.contains("No call was cut short"), wanted == Reach::NothingCut, "{next}");
    }
}

#[test]
fn of_the_end_of_an_imported_run_nothing_is_claimed() {
    let mut builder = SessionBuilder::new();
    builder.remark(Remark::Change(Change::Imported { from: ForeignTool::Codex, session: String::new() }));
    let at = builder.at();
    builder.ledger.user(at, UserMessage::text("Write it.")).unwrap();
    builder.tell();
    builder.end(Ending::AbortedTools);
    let there = builder.ledger.last_id().unwrap();
    builder.user("Go on.");
    builder.end(Ending::AbortedStreaming);
    let here = builder.ledger.last_id().unwrap();
    let view = view(&builder.events);
    assert!(view.ended_elsewhere(there) && !view.ended_elsewhere(here));
}

#[test]
fn tokens_are_counted_while_an_answer_streams() {
    let mut builder = SessionBuilder::new();
    builder.user("Tell me.");
    let used = |builder: &SessionBuilder, name: &str| {
        let gauges = view(&builder.events).gauges(builder.at());
        gauges.iter().find(|gauge| gauge.name == name).unwrap().used
    };
    let message = builder.ledger.reserve();
    builder.live(Live::Asked { message, tokens: 1_200 });
    assert_eq!(used(&builder, "max_input_tokens"), 1_200);
    builder.live(Live::Thinking { message, text: "t".repeat(400) });
    builder.live(Live::Text { message, text: "x".repeat(4_000) });
    assert_eq!(used(&builder, "max_output_tokens"), 1_100);
    assert_eq!(used(&builder, "max_input_tokens"), 1_200, "and the prompt is still counted");
    builder.say(Some(message), "", "done", vec![]);
    let real = view(&durable(&builder.events));
    assert_eq!(
        view(&builder.events).gauges(builder.at()),
        real.gauges(builder.at()),
        "the real usage takes over"
    );
}

#[test]
fn the_status_says_that_hooks_are_asked() {
    let mut builder = SessionBuilder::new();
    builder.user("Fix it.");
    builder.say(None, "", "Done.", vec![]);
    builder.live(Live::AskingHooks(HookPoint::Stop));
    assert_eq!(view(&builder.events).status.words(builder.at()), "asking hooks");
    builder.end(Ending::Completed);
    assert_eq!(view(&builder.events).status.phase, Phase::Idle);
}

#[test]
fn the_budget_of_a_goal_is_raised_by_its_own_size() {
    let mut builder = SessionBuilder::new();
    builder.user("A goal with three turns.");
    builder.remark(Remark::Goal(Goal {
        objective: "Fix the parser.".into(),
        done_condition: "the tests pass".into(),
        budget: vec![(Limit::Turns, 3)],
        checkpoints: 5,
        current_plan: String::new(),
        progress_log: Vec::new(),
        validation_method: Validation::Question,
        stop_rules: Vec::new(),
    }));
    builder.call_model(Transition::Submitted);
    builder.end(Ending::MaxTurns);
    let offer = view(&builder.events).offer().unwrap();
    assert_eq!(offer, Offer::Limit { limit: Limit::Turns, to: 6 }, "not by the 50 of the configuration");
    builder.remark(Remark::Change(Change::Budget { limit: Limit::Turns, to: 6 }));
    builder.call_model(Transition::Steered);
    builder.end(Ending::MaxTurns);
    assert_eq!(view(&builder.events).offer(), Some(Offer::Limit { limit: Limit::Turns, to: 9 }));
}
