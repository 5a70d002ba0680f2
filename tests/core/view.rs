//! The view: durable entries alone decide what a finished session looks like, and each event shows what it should.

use crate::session_builder::{SessionBuilder, settings, view};
use countersign::agent::{Event, Live};
use countersign::budget::Limit;
use countersign::ledger::{
    Abort, AbortPath, CallId, Change, CompactionTrigger, CutBy, Decider, Ending, EntryId, Note, OpenCall,
    Outcome, Preview, Remark, Tombstone, Transition,
};
use countersign::tool::SideEffect;
use countersign::view::{CardBody, Mark, Offer, PanelState, Phase, Receipts, View, ViewSettings};
use proptest::prelude::*;
use serde_json::json;

/// One thing that can happen in a run, chosen by numbers.
type Step = (u8, u8, u8);

/// Plays a whole session through the real ledger, with live events in between, true and stale ones.
fn play(steps: &[Step]) -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Begin.");
    for (kind, one, two) in steps {
        turn(&mut builder, *kind, *one, *two);
    }
    builder.end(Ending::ALL[steps.len() % Ending::ALL.len()]);
    let stale = EntryId(3);
    builder.live(Live::Text { message: stale, text: "stale".into() });
    builder.live(Live::ToolOutput { call: CallId(1), chunk: "stale\n".into() });
    if steps.len().is_multiple_of(2) {
        builder.remark(Remark::Note(Note::plain(CallId(1), "late result: ok")));
    }
    builder
}

fn forming(message: EntryId, index: u32, name: &str) -> Live {
    Live::CallForming { message, index, name: name.into(), bytes: 9, breaks: 0, path: None }
}

fn turn(builder: &mut SessionBuilder, kind: u8, one: u8, two: u8) {
    let message = builder.ledger.reserve();
    for piece in 0..one % 3 {
        builder.live(Live::Thinking { message, text: format!("hm {piece} ") });
        builder.live(Live::Text { message, text: format!("piece {piece} ") });
    }
    match kind % 9 {
        0 => {
            builder.remark(Remark::Tombstone(Tombstone { target: message, reason: "overloaded".into() }));
            let (attempt, most, wait_ms, reason) = (1, 4, 500, "overloaded".to_owned());
            builder.live(Live::Retrying { attempt, most, wait_ms, reason, brief: None });
            builder.live(Live::Text { message, text: "stale".into() });
            builder.call_model(Transition::TransientRetry);
        }
        4 => {
            builder.waiting(&["this"], &["that"]);
            builder.waiting(&[], &["that"]);
            builder.steer("this");
        }
        5 => {
            builder.live(Live::Compacting(CompactionTrigger::Auto));
            if one.is_multiple_of(3) {
                builder.note(&message.to_string(), "The compaction failed: overloaded");
            } else {
                builder.compact(CompactionTrigger::Auto, "What was said.");
            }
            builder.call_model(Transition::AutoCompact);
        }
        6 => by_hand(builder, message, one),
        1 => {
            builder.say(Some(message), "", "Withdrawn.", vec![]);
            builder.remark(Remark::Tombstone(Tombstone { target: message, reason: "fallback".into() }));
            builder.call_model(Transition::ModelFallback);
        }
        2 => {
            builder.end(Ending::MaxTurns);
            builder.remark(Remark::Change(Change::Budget { limit: Limit::Turns, to: 100 }));
            builder.call_model(Transition::Steered);
        }
        3 => {
            builder.remark(Remark::Error { message: "no route".into(), next: "Try again.".into() });
            builder.end(Ending::ModelError);
            builder.user("Again.");
        }
        _ => {
            let mut uses = Vec::new();
            for n in 0..1 + two % 3 {
                let name = ["read", "shell", "edit"][usize::from(n)];
                builder.live(forming(message, n.into(), name));
                uses.push(builder.tool_use(name, json!({"path": "a", "n": n})));
            }
            let open = builder.say(Some(message), "think", "Doing it.", uses);
            settle(builder, open, one, two);
            builder.call_model(Transition::NextTurn);
        }
    }
}

/// A compaction between two runs: done, failed, or interrupted.
fn by_hand(builder: &mut SessionBuilder, message: EntryId, how: u8) {
    builder.end(Ending::AbortedTools);
    builder.live(Live::Returned(vec!["not delivered".into()]));
    builder.live(Live::Compacting(CompactionTrigger::Manual));
    match how % 3 {
        0 => builder.note(&message.to_string(), "The compaction was interrupted; nothing was replaced."),
        1 => {
            builder
                .remark(Remark::Error { message: "The compaction failed".into(), next: "Try again.".into() });
        }
        _ => {
            builder.compact(CompactionTrigger::Manual, "What was said.");
        }
    }
    assert_eq!(view(&builder.events).status.phase, Phase::Idle);
    if how.is_multiple_of(2) {
        builder.user("Go on.");
    }
}

fn settle(builder: &mut SessionBuilder, open: Vec<OpenCall>, one: u8, two: u8) {
    for (at, call) in (0u8..).zip(open) {
        let id = call.id();
        if (one + at).is_multiple_of(2) {
            builder.ask(id, "shell", Preview::Command("ls".into()));
        }
        let cut = Abort { path: AbortPath::C, ran_ms: Some(5), by: CutBy::User, within: None };
        let allow = !(two + at).is_multiple_of(3);
        builder.decide(id, allow, Decider::User);
        let ends = [Outcome::Ok, Outcome::Failed, Outcome::TimedOut, Outcome::Aborted(cut)];
        let outcome = if allow {
            ends[usize::from((one + two + at) % 4)].clone()
        } else {
            Outcome::Denied(Decider::User)
        };
        if allow {
            builder.run(id, "shell");
            builder.output(id, "some\noutput");
            builder.live(Live::ToolFinished { call: id, outcome: outcome.clone() });
        }
        builder.settle(call, outcome, "content\n", 5);
    }
}

fn durable(events: &[Event]) -> Vec<Event> {
    events.iter().filter(|e| matches!(e, Event::Appended(_))).cloned().collect()
}

/// What may become of news on their way: lost, doubled, in pieces, or nothing. Entries always come.
fn altered(event: &Event, fate: u8) -> Vec<Event> {
    let Event::Live(live) = event else { return vec![event.clone()] };
    match (fate, live) {
        (0, _) => vec![],
        (1, _) => vec![event.clone(), event.clone()],
        (2, Live::Text { message, text }) => {
            text.chars().map(|c| Event::Live(Live::Text { message: *message, text: c.to_string() })).collect()
        }
        (2, Live::ToolOutput { call, chunk }) => chunk
            .split_inclusive('\n')
            .map(|line| Event::Live(Live::ToolOutput { call: *call, chunk: line.to_owned() }))
            .collect(),
        _ => vec![event.clone()],
    }
}

/// What is on record: facts of the process are told live only.
fn on_record(events: &[Event]) -> View {
    let mut view = view(events);
    view.session = View::new(crate::session_builder::settings()).session;
    view
}

fn step() -> impl Strategy<Value = Step> {
    (0u8..9, 0u8..40, 0u8..40)
}

proptest! {
    #[test]
    fn live_events_leave_no_residue(steps in prop::collection::vec(step(), 0..24)) {
        let builder = play(&steps);
        prop_assert_eq!(on_record(&builder.events), on_record(&durable(&builder.events)));
    }

    #[test]
    fn live_events_may_be_lost_doubled_or_cut_in_pieces(
        steps in prop::collection::vec(step(), 0..24),
        fates in prop::collection::vec(0u8..4, 1..40),
    ) {
        let builder = play(&steps);
        let mut fates = fates.into_iter().cycle();
        let told: Vec<Event> =
            builder.events.iter().flat_map(|event| altered(event, fates.next().unwrap_or(0))).collect();
        prop_assert_eq!(on_record(&told), on_record(&durable(&builder.events)));
    }

    #[test]
    fn no_prefix_of_a_session_makes_it_panic(steps in prop::collection::vec(step(), 0..8)) {
        let builder = play(&steps);
        let mut view = View::new(crate::session_builder::settings());
        for event in &builder.events {
            view.fold(event);
            let mut resumed = view.clone();
            resumed.resume();
            prop_assert!(resumed.status.phase == Phase::Idle || !resumed.waiting().is_empty());
        }
    }
}

fn bodies(view: &View) -> Vec<&CardBody> {
    (0..view.len()).filter_map(|at| view.card(at)).map(|c| &c.body).collect()
}

#[test]
fn an_answer_grows_and_becomes_its_entry_under_the_same_name() {
    let mut builder = crate::scenes::growing();
    let before = view(&builder.events);
    let growing = before.card(1).unwrap();
    assert_eq!(growing.body, CardBody::Growing);
    assert_eq!(before.live().unwrap().text, "The parser **works** as");
    let id = before.live().unwrap().id;
    builder.say(Some(id), "", "The parser **works** as it should.", vec![]);
    let after = view(&builder.events);
    assert_eq!(after.card(1).unwrap().id, growing.id);
    assert!(after.live().is_none() && matches!(after.card(1).unwrap().body, CardBody::Assistant(_)));
    assert_eq!(after.len(), 2, "the forming call is gone with it");
}

#[test]
fn a_withdrawn_answer_leaves_the_transcript_and_stays_in_the_ledger() {
    let mut builder = crate::scenes::growing();
    let id = view(&builder.events).live().unwrap().id;
    builder.remark(Remark::Tombstone(Tombstone { target: id, reason: "overloaded".into() }));
    builder.live(Live::Text { message: id, text: "late".into() });
    assert_eq!(view(&builder.events).len(), 1);
    let said = builder.ledger.reserve();
    builder.say(Some(said), "", "Withdrawn later.", vec![]);
    builder.remark(Remark::Tombstone(Tombstone { target: said, reason: "fallback".into() }));
    let view = view(&builder.events);
    assert_eq!(view.len(), 1);
    let row = view.rows().iter().find(|r| r.entry.id == said).unwrap();
    assert_eq!(row.marks, [Mark::Tombstoned("fallback".into())]);
}

#[test]
fn a_panel_goes_through_its_states() {
    let mut builder = SessionBuilder::new();
    builder.user("Run it.");
    let call = builder.tool_use("shell", json!({"command": "ls"}));
    let id = call.id;
    let state = |builder: &SessionBuilder| view(&builder.events).panel(id).unwrap().state.clone();
    let open = builder.say(None, "", "", vec![call]).pop().unwrap();
    assert_eq!(state(&builder), PanelState::Preparing);
    let request = builder.ask(id, "shell", Preview::Command("ls".into()));
    assert_eq!(state(&builder), PanelState::Waiting);
    assert_eq!(view(&builder.events).waiting()[0].0, request);
    assert_eq!(view(&builder.events).status.phase, Phase::WaitingApproval);
    builder.decide(id, true, Decider::User);
    assert_eq!(state(&builder), PanelState::Queued);
    assert_eq!(view(&builder.events).status.phase, Phase::DispatchingTools);
    builder.run(id, "shell");
    assert!(
        matches!(state(&builder), PanelState::Running { since, effect: SideEffect::Runs } if since.0 == builder.now - 1_000)
    );
    builder.output(id, "a\nb");
    assert_eq!(view(&builder.events).panel(id).unwrap().tail.lines().count(), 2);
    builder.settle(open, Outcome::Ok, "a\nb\n", 4);
    let view = view(&builder.events);
    assert!(matches!(state(&builder), PanelState::Finished(_)));
    assert!(view.panel(id).unwrap().tail.is_empty() && view.waiting().is_empty());
}

#[test]
fn a_budget_stop_offers_its_limit_until_something_else_happens() {
    let mut builder = crate::scenes::budget_stop();
    let offer = view(&builder.events).offer().unwrap();
    assert_eq!(offer, Offer::Limit { limit: Limit::Turns, to: 100 });
    builder.remark(Remark::Change(Change::Budget { limit: Limit::Turns, to: 100 }));
    assert!(view(&builder.events).offer().is_none());
    builder.call_model(Transition::Steered);
    builder.end(Ending::MaxTurns);
    let again = view(&builder.events).offer().unwrap();
    assert_eq!(again, Offer::Limit { limit: Limit::Turns, to: 150 }, "by its original size each time");
    builder.user("Something else.");
    assert!(view(&builder.events).offer().is_none());
}

#[test]
fn a_dead_process_leaves_nothing_running_but_what_waits() {
    let mut crashed = view(&crate::scenes::running().events);
    assert!(crashed.status.is_busy());
    crashed.resume();
    assert!(!crashed.status.is_busy());
    let mut waiting = view(&crate::scenes::waiting_command().events);
    waiting.resume();
    assert_eq!(waiting.status.phase, Phase::WaitingApproval);
}

#[test]
fn of_a_call_that_is_asked_about_anew_the_first_request_has_come_to_nothing() {
    let mut builder = crate::scenes::waiting_command();
    let call = view(&builder.events).waiting()[0].1.call;
    builder.ask(call, "shell", Preview::Command("make".into()));
    builder.decide(call, true, Decider::User);
    let view = view(&builder.events);
    let mut receipts = Receipts::default();
    receipts.read(view.rows());
    let told: Vec<_> = (0..receipts.len(true)).filter_map(|at| receipts.get(at, true)).collect();
    let told: Vec<_> =
        told.iter().filter(|r| r.call == call).map(|r| (r.call, r.outcome, r.decision.is_some())).collect();
    assert_eq!(told, [(call, Some("asked again"), false), (call, None, true)]);
}

#[test]
fn what_a_summary_replaced_is_marked_and_stays() {
    let mut builder = crate::scenes::growing();
    let withdrawn = view(&builder.events).live().unwrap().id;
    builder.say(Some(withdrawn), "", "Withdrawn.", vec![]);
    builder.remark(Remark::Tombstone(Tombstone { target: withdrawn, reason: "fallback".into() }));
    builder.say(None, "", "Kept.", vec![]);
    let before = view(&builder.events);
    let made = builder.compact(CompactionTrigger::Manual, "All of it.");
    builder.user("After.");
    let after = view(&builder.events);
    assert_eq!((after.len(), after.rows().len()), (before.len() + 2, before.rows().len() + 3));
    let marks = |kind: &str| -> Vec<Vec<Mark>> {
        after.rows().iter().filter(|r| r.entry.body.kind() == kind).map(|r| r.marks.clone()).collect()
    };
    assert_eq!(marks("user_message"), [vec![Mark::Compacted], vec![]]);
    let gone = vec![Mark::Tombstoned("fallback".into())];
    assert_eq!(marks("agent_response"), [gone, vec![Mark::Compacted]]);
    assert_eq!(marks("session_started"), [vec![]], "no model saw it as a message");
    assert_eq!(after.replaced_by(made), 2);
    let again = builder.compact(CompactionTrigger::Auto, "All of that.");
    let twice = view(&builder.events);
    assert_eq!(twice.replaced_by(again), 1, "the message after it; the first summary is told apart");
    let first = twice.rows().iter().find(|r| r.entry.id == made).unwrap();
    assert_eq!(first.marks, [Mark::Compacted]);
}

#[test]
fn a_late_result_does_not_end_a_compaction() {
    let mut builder = crate::scenes::interrupted();
    builder.live(Live::Compacting(CompactionTrigger::Manual));
    builder.note("c1", "A result arrived after the call was cut short (ok):\ntext");
    let compacting = Phase::Compacting(CompactionTrigger::Manual);
    assert_eq!(view(&builder.events).status.phase, compacting);
    assert_eq!(view(&builder.events).status.words(builder.at()), "summarizing the conversation");
    builder.compact(CompactionTrigger::Manual, "All of it.");
    assert_eq!(view(&builder.events).status.phase, Phase::Idle);
}

#[test]
fn a_late_result_is_marked() {
    let mut builder = crate::scenes::interrupted();
    builder.remark(Remark::Note(Note::plain(CallId(1), "result after the interruption: ok")));
    let view = view(&builder.events);
    assert_eq!(view.rows().last().unwrap().marks, [Mark::Late]);
    assert!(matches!(bodies(&view).last().unwrap(), CardBody::Note(_)));
}

/// Between two runs: the attempt fails, is waited for and made again, and Esc ends the wait.
#[test]
fn a_summary_that_is_retried_is_busy_until_its_last_word() {
    let mut builder = crate::scenes::budget_stop();
    builder.live(Live::Compacting(CompactionTrigger::Manual));
    builder.note("e9", "The summary failed and is being retried: overloaded");
    builder.live(Live::Compacting(CompactionTrigger::Manual));
    builder.live(Live::Retrying { attempt: 1, most: 4, wait_ms: 500, reason: "busy".into(), brief: None });
    assert!(matches!(view(&builder.events).status.phase, Phase::Retrying { attempt: 1, .. }));
    builder.note("e9", "The compaction was interrupted; nothing was replaced.");
    assert_eq!(view(&builder.events).status.phase, Phase::Idle);
}

/// Within a run the model is asked again, although no transition stands between the summary and that call.
#[test]
fn after_a_reactive_compaction_the_model_is_awaited() {
    let mut builder = SessionBuilder::new();
    builder.user("Tell me all.");
    builder.call_model(Transition::ReactiveCompactRetry);
    builder.live(Live::Compacting(CompactionTrigger::Reactive));
    builder.compact(CompactionTrigger::Reactive, "They want all.");
    assert_eq!(view(&builder.events).status.phase, Phase::AwaitingModel);
}

#[test]
fn a_used_token_budget_offers_to_be_raised_by_its_size() {
    let mut builder = SessionBuilder::new();
    builder.user("Write much.");
    builder.end(Ending::TokenBudget);
    assert!(view(&builder.events).offer().is_none(), "there is none to raise");
    let offered = |builder: &SessionBuilder| {
        let mut view = View::new(ViewSettings { token_budget: Some(1_000), ..settings() });
        builder.events.iter().for_each(|event| view.fold(event));
        let offer = view.offer().unwrap();
        let Offer::Limit { limit: Limit::Tokens, to } = offer else { panic!("{offer:?}") };
        (to, view.token_budget())
    };
    assert_eq!(offered(&builder), (2_000, Some(1_000)));
    builder.remark(Remark::Change(Change::Budget { limit: Limit::Tokens, to: 2_000 }));
    builder.call_model(Transition::Steered);
    builder.end(Ending::TokenBudget);
    assert_eq!(offered(&builder), (3_000, Some(2_000)));
}
