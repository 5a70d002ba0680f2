//! What is set aside for sub-agents: equal shares, nothing twice, and no more is spent of it than it holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign::budget::{Bound, Grantable, Limit, Limits, Meter};
use countersign::ledger::{
    Body, CallId, Change, Decider, DelegationRequest, Entry, EntryId, Escrow, EscrowSettlement, MicroDollars,
    Millis, Spent, TaskState, Transition, Usage, recover,
};
use countersign::model::{ModelEvent, ModelNews, ModelSpec, Price, Rates};
use countersign::view::one_line;
use serde_json::json;

use crate::adversary::{Adversary, call, fine, run, settings};
use crate::session_builder::SessionBuilder;

/// A meter of a session that has made so many turns.
fn meter(limits: Limits, turns: u32) -> Meter {
    let mut meter = Meter::new(limits);
    read(&mut meter, Body::User(Arc::new("go".into())));
    read(&mut meter, Body::Transition { turn: turns, reason: Transition::NextTurn });
    meter
}

fn read(meter: &mut Meter, body: Body) {
    meter.read(&Entry { id: EntryId(1), at: Millis(1_000), body });
}

fn escrow(call: u64, granted: &Grantable) -> Escrow {
    Escrow {
        call: CallId(call),
        session: format!("s-c{call}"),
        limits: granted.limits.clone(),
        parallel: granted.parallel,
        in_background: false,
        waits: false,
    }
}

fn reserve(meter: &mut Meter, call: u64, granted: &Grantable) {
    read(meter, Body::Change(Change::EscrowReserved(escrow(call, granted))));
}

fn settle(meter: &mut Meter, call: u64, spent: Spent) {
    let settled = EscrowSettlement {
        call: CallId(call),
        spent,
        is_assumed: false,
        state: TaskState::Completed,
        answer: None,
    };
    read(meter, Body::Change(Change::EscrowSettled(settled)));
}

#[test]
fn time_is_no_part_of_what_is_set_aside() {
    let told = |limits: &[(Limit, u64)]| {
        let granted = Grantable { limits: limits.iter().copied().collect(), parallel: 1 };
        let body = Body::Change(Change::EscrowReserved(escrow(1, &granted)));
        one_line(&Entry { id: EntryId(1), at: Millis(1), body })
    };
    let said = told(&[(Limit::Turns, 9), (Limit::WallTime, 59), (Limit::ToolCalls, 3)]);
    assert!(said.ends_with("set aside for c1: 9 turns, 3 calls; at most 59 s"), "{said}");
    assert!(told(&[(Limit::WallTime, 59)]).ends_with("set aside for c1: nothing; at most 59 s"));
    assert!(told(&[]).ends_with("set aside for c1: nothing is limited"));
}

#[test]
fn those_that_start_together_get_equal_shares_and_the_session_keeps_one() {
    let limits = Limits::default().with(Limit::Turns, 10).with(Limit::Cost, 900);
    let mut meter = meter(limits, 1);
    let asked = BTreeMap::new();
    for (call, shares) in [(1, 2), (2, 1)] {
        let granted = meter.grantable(Millis(1_000), &asked, shares + 1, 4).unwrap();
        assert_eq!((granted.limits[&Limit::Turns], granted.limits[&Limit::Cost]), (3, 300));
        reserve(&mut meter, call, &granted);
    }
    assert_eq!(meter.left(Limit::Turns, Millis(1_000)), Some(3), "and it keeps its own");
    assert_eq!(meter.set_aside(Limit::Turns), 6);
    // What was not spent is free again; what was counts.
    settle(&mut meter, 1, Spent { turns: 1, ..Spent::default() });
    assert_eq!(
        (meter.used(Limit::Turns, Millis(1_000)), meter.left(Limit::Turns, Millis(1_000))),
        (2, Some(5))
    );
    let usage = Usage { cost: Some(MicroDollars(250)), ..Usage::default() };
    settle(&mut meter, 2, Spent { turns: 3, usage, ..Spent::default() });
    assert_eq!(meter.left(Limit::Turns, Millis(1_000)), Some(5));
    assert_eq!(meter.left(Limit::Cost, Millis(1_000)), Some(650));
}

#[test]
fn nobody_is_granted_what_is_used_up_or_set_aside() {
    let mut meter = meter(Limits::default().with(Limit::Turns, 3), 1);
    let granted = meter.grantable(Millis(1_000), &BTreeMap::new(), 2, 4).unwrap();
    assert_eq!(granted.limits[&Limit::Turns], 1);
    reserve(&mut meter, 1, &granted);
    assert_eq!(meter.grantable(Millis(1_000), &BTreeMap::new(), 2, 4), Err(Limit::Turns));
    // An agent that asks for less gets less, and one that asks for more does not get more.
    for (asked, gets) in [(1, 1), (1_000, 24)] {
        let meter = self::meter(Limits::default(), 1);
        let asked = BTreeMap::from([(Limit::Turns, asked)]);
        assert_eq!(meter.grantable(Millis(1_000), &asked, 2, 4).unwrap().limits[&Limit::Turns], gets);
    }
}

#[test]
fn calls_at_once_are_lent_too() {
    let mut meter = meter(Limits::default().bounded(Bound::ParallelCalls, 8), 1);
    let granted = meter.grantable(Millis(1_000), &BTreeMap::new(), 5, 4).unwrap();
    assert_eq!(granted.parallel, 2);
    for call in 1..=4 {
        reserve(&mut meter, call, &granted);
    }
    // Four calls that wait, each with the place of one more.
    assert_eq!(meter.parallel_left(), 4);
}

#[test]
fn a_greedy_subagent_spends_no_more_than_was_set_aside() {
    let price = Price::flat(Rates { input: 1_000_000, output: 2_000_000, ..Rates::default() });
    let session = Limits::default()
        .with(Limit::Turns, 21)
        .with(Limit::ToolCalls, 13)
        .with(Limit::OutputTokens, 2_000)
        .with(Limit::Cost, 5_000_000);
    let granted = meter(session.clone(), 1).grantable(Millis(1_000), &BTreeMap::new(), 2, 4).unwrap();
    let greedy = Adversary {
        model: |_| {
            let usage =
                ModelNews::Event(ModelEvent::Usage(Usage { input: 40, output: 60, ..Usage::default() }));
            vec![call(), usage, ModelNews::Finished]
        },
        tool: fine,
        hook: |_| Vec::new(),
    };
    let mut child = settings();
    child.model = ModelSpec { price: Some(price), ..child.model };
    child.limits = session.granted(&granted);
    let mut ended = run(child, &greedy);
    let spent = ended.agent.meter().spent(Millis(10_000));
    let most = |limit: Limit| granted.limits[&limit];
    assert!(spent.turns <= most(Limit::Turns) && spent.turns > 1, "{spent:?} of {granted:?}");
    assert!(spent.tool_calls <= most(Limit::ToolCalls), "{spent:?} of {granted:?}");
    assert!(spent.usage.output <= most(Limit::OutputTokens), "{spent:?} of {granted:?}");
    assert!(spent.usage.cost.unwrap().0 <= most(Limit::Cost), "{spent:?} of {granted:?}");
}

/// It ended with its process, however much later somebody goes on.
#[test]
fn a_sub_agent_that_died_is_settled_as_of_the_last_entry() {
    let mut builder = SessionBuilder::new();
    builder.user("go");
    let calls = vec![builder.tool_use("agent", json!({}))];
    drop(builder.say(None, "", "", calls));
    builder.decide(CallId(1), true, Decider::User);
    let mut entries = builder.ledger.entries().to_vec();
    let (last, at) = entries.last().map(|entry| (entry.id, entry.at)).unwrap();
    let granted = Meter::new(Limits::default()).grantable(at, &BTreeMap::new(), 1, 4).unwrap();
    let task = DelegationRequest { call: CallId(1), agent: "general".into(), task: "look".into() };
    let reserved = Change::EscrowReserved(escrow(1, &granted));
    for (id, body) in (last.0 + 1..).zip([Body::DelegationRequested(task), Body::Change(reserved)]) {
        entries.push(Arc::new(Entry { id: EntryId(id), at, body }));
    }
    let recovered = recover(entries, Millis(at.0 + 3_600_000)).unwrap();
    let all = recovered.ledger.entries();
    let is_settled = |entry: &&Arc<Entry>| matches!(&entry.body, Body::Change(Change::EscrowSettled(_)));
    assert_eq!(all.iter().find(is_settled).map(|entry| entry.at), Some(at));
    assert!(all.is_sorted_by_key(|entry| entry.at), "time goes on in the books");
}
