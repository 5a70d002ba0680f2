//! What the meter counts, in which unit, and whose limits hold.

use std::sync::Arc;

use super::{Limit, Limits, Meter};
use crate::ledger::{
    AssistantMessage, Block, Body, CallId, Change, Decider, Decision, Ending, Entry, EntryId, Escrow,
    EscrowSettlement, Facts, Goal, Hosted, Millis, ModelRef, Note, Outcome, SessionStarted, Spent, Stop,
    TaskState, ToolResult, Transition, TurnEnded, Usage, UserMessage, Validation,
};

fn read(meter: &mut Meter, at: u64, body: Body) {
    meter.read(&Entry { id: EntryId(at), at: Millis(at), body });
}

fn said() -> Body {
    Body::User(Arc::new(UserMessage::text("go")))
}

fn goal(budget: &[(Limit, u64)]) -> Body {
    Body::Goal(Goal {
        objective: "all".to_owned(),
        done_condition: String::new(),
        budget: budget.to_vec(),
        checkpoints: 5,
        current_plan: String::new(),
        progress_log: Vec::new(),
        validation_method: Validation::Question,
        stop_rules: Vec::new(),
    })
}

fn answer(hosted: usize) -> Body {
    let used = Hosted {
        kind: "web_search_call".to_owned(),
        name: "web_search".to_owned(),
        id: String::new(),
        value: serde_json::Value::Null,
    };
    Body::Assistant(Arc::new(AssistantMessage {
        id: EntryId(1),
        model: ModelRef::parse("script"),
        blocks: vec![Block::Hosted(used); hosted],
        stop: Stop::End,
        usage: Usage { input: 100, output: 7, ..Usage::default() },
        interrupted: false,
    }))
}

fn result(call: u64, outcome: Outcome, content: &str) -> Body {
    Body::ToolResult(Arc::new(ToolResult {
        call: CallId(call),
        name: "read".to_owned(),
        outcome,
        content: content.to_owned(),
        duration_ms: 0,
        cut_chars: 0,
        facts: Facts::default(),
        images: Vec::new(),
        written: None,
    }))
}

fn allowed(call: u64) -> Body {
    Body::ApprovalDecided(Decision::permission(CallId(call), Decider::Policy, "reads".to_owned()))
}

fn set_aside(call: u64, in_background: bool, waits: bool) -> Body {
    let (session, limits) = (format!("of c{call}"), std::collections::BTreeMap::new());
    let escrow = Escrow { call: CallId(call), session, limits, parallel: 1, in_background, waits };
    Body::Change(Change::EscrowReserved(escrow))
}

fn waits(call: u64, waits: bool) -> Body {
    Body::Change(Change::SubagentWaits { call: CallId(call), waits })
}

fn settled(call: u64) -> Body {
    Body::Change(Change::EscrowSettled(EscrowSettlement {
        call: CallId(call),
        spent: Spent::default(),
        is_assumed: false,
        state: TaskState::Completed,
        answer: None,
    }))
}

#[test]
fn a_run_that_was_left_took_as_long_as_its_end_says() {
    let mut meter = Meter::new(Limits::default());
    read(&mut meter, 1_000, said());
    // Written by the process that took the session up, a minute after the other one had died.
    let ended = TurnEnded {
        reason: Ending::AbortedStreaming,
        turns: 1,
        tool_calls: 0,
        hosted_tools: 0,
        usage: Usage::default(),
        wall_ms: 2_500,
        text: "".into(),
        not_ok: Vec::new(),
        next_safe_action: String::new(),
        cut_by: None,
    };
    read(&mut meter, 61_000, Body::TurnEnded(ended));
    assert_eq!(meter.wall_ms(Millis(90_000)), 2_500);
}

/// The limit on the time holds whatever sub-agents do: one that waits for a person does not make the work of others free.
#[test]
fn time_stands_still_for_a_person_unless_a_sub_agent_works_meanwhile() {
    let mut meter = Meter::new(Limits::default());
    read(&mut meter, 1_000, said());
    for call in [1, 2] {
        read(&mut meter, 1_000, allowed(call));
        read(&mut meter, 1_000, set_aside(call, false, false));
    }
    // Neither one that works behind the run nor one whose turn has not come takes time of it.
    read(&mut meter, 1_000, set_aside(3, true, false));
    read(&mut meter, 1_000, set_aside(4, false, true));
    read(&mut meter, 2_000, waits(1, true));
    assert_eq!(meter.wall_ms(Millis(5_000)), 4_000, "the second works on");
    assert!(meter.is_ticking());
    read(&mut meter, 6_000, waits(2, true));
    assert_eq!(meter.wall_ms(Millis(50_000)), 5_000, "both wait for a person");
    assert!(!meter.is_ticking());
    read(&mut meter, 60_000, waits(2, false));
    read(&mut meter, 61_000, settled(2));
    assert_eq!(meter.wall_ms(Millis(90_000)), 6_000, "what is left waits for a person");
    read(&mut meter, 90_000, waits(1, false));
    assert_eq!(meter.wall_ms(Millis(91_000)), 7_000);
}

/// The process died while two worked, and wrote nothing from then on: their own ledgers say how long they did.
#[test]
fn what_a_sub_agent_worked_before_a_crash_is_time_of_the_run() {
    let worked = |call, wall_ms, is_assumed| {
        Body::Change(Change::EscrowSettled(EscrowSettlement {
            call: CallId(call),
            spent: Spent { wall_ms, ..Spent::default() },
            is_assumed,
            state: TaskState::Unknown,
            answer: None,
        }))
    };
    let mut meter = Meter::new(Limits::default());
    read(&mut meter, 1_000, said());
    for (call, in_background, waits) in
        [(1, false, false), (2, false, false), (3, true, false), (4, false, true), (5, false, false)]
    {
        read(&mut meter, 2_000, allowed(call));
        read(&mut meter, 2_000, set_aside(call, in_background, waits));
    }
    read(&mut meter, 3_000, worked(1, 8_000, false));
    assert_eq!(meter.wall_ms(Millis(3_000)), 9_000);
    // At the same time as the other one; neither one behind the run, one whose turn has not come nor a guess says how long the run took.
    read(&mut meter, 3_000, worked(2, 6_000, false));
    read(&mut meter, 3_000, worked(3, 70_000, false));
    read(&mut meter, 3_000, worked(4, 70_000, false));
    read(&mut meter, 3_000, worked(5, 70_000, true));
    assert_eq!(meter.wall_ms(Millis(4_000)), 10_000, "the clock goes on from there");
}

/// Its result waits for that of a read before it, for which no person is needed.
#[test]
fn a_sub_agent_that_is_over_waits_for_nobody() {
    let mut meter = Meter::new(Limits::default());
    read(&mut meter, 1_000, said());
    read(&mut meter, 1_000, allowed(1));
    read(&mut meter, 1_000, allowed(2));
    read(&mut meter, 1_000, set_aside(2, false, false));
    read(&mut meter, 2_000, waits(2, true));
    read(&mut meter, 60_000, settled(2));
    assert_eq!(meter.wall_ms(Millis(65_000)), 6_000, "the read works on");
}

/// Esc came twice: its call has a result, and what it has spent is settled later.
#[test]
fn a_sub_agent_that_was_given_up_takes_no_time_of_the_next_run() {
    let mut meter = Meter::new(Limits::default());
    read(&mut meter, 1_000, said());
    read(&mut meter, 1_000, allowed(1));
    read(&mut meter, 1_000, set_aside(1, false, false));
    read(&mut meter, 2_000, result(1, Outcome::Failed, "cut short"));
    read(&mut meter, 3_000, said());
    read(&mut meter, 4_000, set_aside(2, true, false));
    read(&mut meter, 4_000, allowed(3));
    read(&mut meter, 4_000, set_aside(3, false, false));
    read(&mut meter, 5_000, waits(3, true));
    assert_eq!(meter.wall_ms(Millis(90_000)), 2_000);
}

#[test]
fn the_time_between_a_session_and_its_branch_counts_nowhere() {
    let mut meter = Meter::new(Limits::default());
    let begins = SessionStarted {
        session: "branch".to_owned(),
        cwd: "/w".into(),
        model: ModelRef::parse("script"),
        version: 4,
        system: String::new(),
        mode: None,
        forked_from: Some("s@e2000".to_owned()),
    };
    read(&mut meter, 900, Body::SessionStarted(begins));
    read(&mut meter, 1_000, said());
    read(&mut meter, 1_000, allowed(3));
    read(&mut meter, 1_000, set_aside(3, false, false));
    read(&mut meter, 2_000, waits(3, true));
    assert_eq!((meter.wall_ms(Millis(90_000)), meter.is_ticking()), (1_000, false));
    // Nobody waits for a person any more, and nobody has gone on.
    read(&mut meter, 2_000, settled(3));
    // What goes along with it was written in the other session.
    read(&mut meter, 3_000, result(1, Outcome::Ok, "read"));
    read(&mut meter, 90_000, allowed(2));
    assert_eq!(meter.wall_ms(Millis(95_000)), 6_000);
}

#[test]
fn what_is_used_is_counted_in_the_limits_own_unit_and_added_up() {
    let mut meter = Meter::new(Limits::default());
    read(&mut meter, 1_000, said());
    read(&mut meter, 1_000, Body::Transition { turn: 3, reason: Transition::NextTurn });
    read(&mut meter, 2_000, answer(2));
    read(&mut meter, 3_000, answer(1));
    let now = Millis(62_500);
    let used = |limit| meter.used(limit, now);
    assert_eq!([used(Limit::Turns), used(Limit::WallTime)], [3, 61], "seconds, begun ones not counted");
    assert_eq!([used(Limit::InputTokens), used(Limit::OutputTokens), used(Limit::Tokens)], [200, 14, 14]);
    assert_eq!((meter.hosted_tools(), meter.context_tokens()), (3, 107));
    assert_eq!(meter.gauges(now)[3].used, 61);
}

#[test]
fn a_goal_tightens_for_its_own_run_and_its_sizes_are_known_until_then() {
    let turns = |most: u64| Limits::default().with(Limit::Turns, most);
    let most = |meter: &Meter| meter.limits().get(Limit::Turns);
    let mut meter = Meter::new(turns(4));
    read(&mut meter, 1, said());
    // What a goal asks for beyond the configuration it does not get.
    read(&mut meter, 2, goal(&[(Limit::Turns, 9)]));
    assert_eq!((most(&meter), meter.size_by_goal(Limit::Turns)), (Some(4), Some(4)));
    read(&mut meter, 3, said());
    read(&mut meter, 4, goal(&[(Limit::Turns, 2)]));
    assert_eq!((most(&meter), meter.size_by_goal(Limit::Turns)), (Some(2), Some(2)));
    assert_eq!(meter.size_by_goal(Limit::ToolCalls), None, "it brought no other");
    // A raise below what holds without the goal ends with the goal; one beyond it stays.
    for (to, after) in [(3, 4), (6, 6)] {
        read(&mut meter, 5, Body::Change(Change::Budget { limit: Limit::Turns, to }));
        assert_eq!((most(&meter), meter.size_by_goal(Limit::Turns)), (Some(to), Some(2)));
        read(&mut meter, 6, said());
        assert_eq!((most(&meter), meter.size_by_goal(Limit::Turns)), (Some(after), None));
        read(&mut meter, 7, goal(&[(Limit::Turns, 2)]));
    }
}

#[test]
fn retries_of_a_model_call_are_counted_until_it_answers() {
    let mut meter = Meter::new(Limits::default());
    let mut after = |at, body| {
        read(&mut meter, at, body);
        meter.gauges(Millis(at))[8].used
    };
    let went_on = |reason| Body::Transition { turn: 1, reason };
    assert_eq!(after(1, said()), 0);
    assert_eq!(after(2, went_on(Transition::Submitted)), 0);
    assert_eq!(after(3, went_on(Transition::TransientRetry)), 1);
    assert_eq!(after(4, went_on(Transition::TransientRetry)), 2);
    assert_eq!(after(5, went_on(Transition::NextTurn)), 0);
}

#[test]
fn an_answer_whose_prompt_nobody_counted_says_nothing_of_the_context() {
    let mut meter = Meter::new(Limits::default());
    read(&mut meter, 1, answer(0));
    assert_eq!(meter.context_tokens(), 107);
    let Body::Assistant(said) = answer(0) else { unreachable!("an answer") };
    let uncounted = AssistantMessage { usage: Usage::default(), ..(*said).clone() };
    read(&mut meter, 2, Body::Assistant(Arc::new(uncounted)));
    assert_eq!(meter.context_tokens(), 107);
}

#[test]
fn the_retries_of_a_call_are_counted_while_it_runs() {
    let mut meter = Meter::new(Limits::default());
    let mut after = |body| {
        read(&mut meter, 1, body);
        meter.gauges(Millis(1))[9].used
    };
    let failed = |attempt| Note::of_failed_run(CallId(7), attempt, &Outcome::TimedOut, "busy");
    assert_eq!(after(Body::Note(Note::plain(CallId(7), "Run 1 failed (failed) and was tried again:"))), 0);
    assert_eq!(after(Body::Note(failed(1))), 1);
    assert_eq!(after(Body::Note(failed(2))), 2);
    assert_eq!(after(result(7, Outcome::Ok, "")), 0);
}

#[test]
fn the_longest_result_is_one_that_a_tool_gave() {
    let mut meter = Meter::new(Limits::default());
    let mut longest = |body| {
        read(&mut meter, 1, body);
        let gauges = meter.gauges(Millis(1));
        gauges.iter().find(|gauge| gauge.name == "max_tool_result_chars").map(|gauge| gauge.used)
    };
    assert_eq!(longest(result(1, Outcome::Ok, "four")), Some(4));
    assert_eq!(longest(result(1, Outcome::Failed, "not counted")), Some(4));
    assert_eq!(longest(result(1, Outcome::Ok, "äöü")), Some(4));
    assert_eq!(longest(result(1, Outcome::Ok, "seven!!")), Some(7));
}
