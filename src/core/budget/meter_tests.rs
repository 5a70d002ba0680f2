//! What the meter counts, in which unit, and whose limits hold.

use std::sync::Arc;

use super::{Limit, Limits, Meter};
use crate::ledger::{
    AssistantMessage, Block, Body, CallId, Change, Ending, Entry, EntryId, Escrow, EscrowSettlement, Facts,
    Goal, Hosted, Millis, ModelRef, Outcome, Spent, Stop, TaskState, ToolResult, Transition, TurnEnded,
    Usage, UserMessage, Validation,
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
    };
    read(&mut meter, 61_000, Body::TurnEnded(ended));
    assert_eq!(meter.wall_ms(Millis(90_000)), 2_500);
}

/// The limit on the time holds whatever sub-agents do: one that waits for a person does not make the work of others free.
#[test]
fn time_stands_still_for_a_person_unless_a_sub_agent_works_meanwhile() {
    let set_aside = |call: u64, in_background: bool, waits: bool| {
        let (session, limits) = (format!("of c{call}"), std::collections::BTreeMap::new());
        let escrow = Escrow { call: CallId(call), session, limits, parallel: 1, in_background, waits };
        Body::Change(Change::EscrowReserved(escrow))
    };
    let waits = |call: u64, waits: bool| Body::Change(Change::SubagentWaits { call: CallId(call), waits });
    let over = |call: u64| {
        Body::Change(Change::EscrowSettled(EscrowSettlement {
            call: CallId(call),
            spent: Spent::default(),
            is_assumed: false,
            state: TaskState::Completed,
            answer: None,
        }))
    };
    let mut meter = Meter::new(Limits::default());
    read(&mut meter, 1_000, said());
    read(&mut meter, 1_000, set_aside(1, false, false));
    read(&mut meter, 1_000, set_aside(2, false, false));
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
    read(&mut meter, 61_000, over(2));
    assert_eq!(meter.wall_ms(Millis(90_000)), 6_000, "what is left waits for a person");
    read(&mut meter, 90_000, waits(1, false));
    assert_eq!(meter.wall_ms(Millis(91_000)), 7_000);
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
fn the_longest_result_is_one_that_a_tool_gave() {
    let mut meter = Meter::new(Limits::default());
    let result = |outcome, content: &str| {
        Body::ToolResult(Arc::new(ToolResult {
            call: CallId(1),
            name: "read".to_owned(),
            outcome,
            content: content.to_owned(),
            duration_ms: 0,
            cut_chars: 0,
            facts: Facts::default(),
            images: Vec::new(),
            written: None,
        }))
    };
    let mut longest = |body| {
        read(&mut meter, 1, body);
        let gauges = meter.gauges(Millis(1));
        gauges.iter().find(|gauge| gauge.name == "max_tool_result_chars").map(|gauge| gauge.used)
    };
    assert_eq!(longest(result(Outcome::Ok, "four")), Some(4));
    assert_eq!(longest(result(Outcome::Failed, "not counted")), Some(4));
    assert_eq!(longest(result(Outcome::Ok, "äöü")), Some(4));
    assert_eq!(longest(result(Outcome::Ok, "seven!!")), Some(7));
}
