//! What is set aside for a task of an agent elsewhere: before it is sent, and settled once, however it ends.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign::agent::{Agent, Answer, Effect, Input, Intent, Live, Settings};
use countersign::budget::Limits;
use countersign::ledger::{
    Body, CallId, Change, Entry, Escrow, EscrowSettlement, Limit, Millis, Outcome, RemoteTask,
    SessionStarted, Spent, TaskState, recover,
};
use countersign::policy::RuleKind;
use countersign::tool::{Preparation, SideEffect, ToolNews, ToolReport, ToolSpec};
use countersign::wire::record::{decode, encode};
use serde_json::json;

use crate::asking::{Gate, settings, users};

/// A session that may cost 0.25 dollars, of which each task of the writer reserves 0.10.
fn reserving() -> Settings {
    let mut settings = settings(vec![users(RuleKind::Allow, "delegate_to_writer")]);
    let spec = ToolSpec::from_elsewhere("delegate_to_writer");
    let schema = json!({ "type": "object", "properties": { "task": { "type": "string" } } });
    settings.tools.push(ToolSpec { schema, effect: SideEffect::Sends, ..spec });
    settings.limits = Limits::default().with(Limit::Cost, 250_000);
    let of_a_task = BTreeMap::from([(Limit::Cost, 100_000), (Limit::OutputTokens, 20_000)]);
    settings.reserves.insert("writer".to_owned(), of_a_task);
    settings
}

fn task(gate: &mut Gate) -> CallId {
    gate.call("delegate_to_writer", json!({ "task": "write it" }), Preparation::default())
}

fn is_sent(gate: &Gate) -> bool {
    gate.wanted.iter().any(|effect| matches!(effect, Effect::RunTool(_)))
}

fn report(outcome: Outcome, is_unsent: bool) -> ToolReport {
    let remote = Some(RemoteTask { id: None, state: TaskState::Completed });
    ToolReport { outcome, remote, is_unsent, ..ToolReport::failed("said") }
}

fn over(gate: &mut Gate, call: CallId, report: ToolReport) {
    gate.step(Input::Tool(call, ToolNews::Done(Box::new(report))));
}

/// What was set aside and settled for a call, as the session file keeps it.
fn books(agent: &Agent, call: CallId) -> (Vec<Escrow>, Vec<EscrowSettlement>) {
    let (mut reserved, mut settled) = (Vec::new(), Vec::new());
    for entry in agent.ledger().entries() {
        match decode(&encode(entry)).unwrap().body {
            Body::Change(Change::EscrowReserved(escrow)) if escrow.call == call => reserved.push(escrow),
            Body::Change(Change::EscrowSettled(it)) if it.call == call => settled.push(it),
            _ => {}
        }
    }
    (reserved, settled)
}

fn held(gate: &mut Gate, limit: Limit) -> u64 {
    gate.agent.meter().set_aside(limit)
}

#[test]
fn a_task_is_charged_with_all_that_was_set_aside_and_one_that_was_not_sent_with_nothing() {
    let mut gate = Gate::new(reserving());
    let first = task(&mut gate);
    assert!(is_sent(&gate));
    assert_eq!((held(&mut gate, Limit::Cost), held(&mut gate, Limit::OutputTokens)), (100_000, 20_000));
    over(&mut gate, first, report(Outcome::Ok, false));
    let (reserved, settled) = books(&gate.agent, first);
    assert!(reserved.len() == 1 && reserved[0].is_elsewhere());
    let all = Spent::all_of(&reserved[0]);
    assert_eq!(
        (settled[0].spent, settled[0].is_assumed, settled[0].state),
        (all, true, TaskState::Completed)
    );
    assert_eq!((held(&mut gate, Limit::Cost), gate.agent.meter().used(Limit::Cost, Millis(0))), (0, 100_000));
    // One that did not reach its agent costs nothing.
    let unsent = task(&mut gate);
    over(&mut gate, unsent, report(Outcome::Failed, true));
    let settled = books(&gate.agent, unsent).1;
    assert_eq!((settled[0].spent, settled[0].is_assumed), (Spent::default(), false));
    let third = task(&mut gate);
    over(&mut gate, third, report(Outcome::Ok, false));
    // 0.05 dollars are left, and 0.10 are wanted.
    let refused = task(&mut gate);
    assert!(!is_sent(&gate) && books(&gate.agent, refused) == (Vec::new(), Vec::new()));
    let said = gate.last(|body| match body {
        Body::ToolResult(result) if result.call == refused => Some(result.content.clone()),
        _ => None,
    });
    let said = said.unwrap();
    assert!(said.contains("max_total_cost") && said.contains("It was not sent."), "{said}");
    assert!(
        !gate
            .agent
            .ledger()
            .entries()
            .iter()
            .any(|entry| { matches!(&entry.body, Body::DelegationRequested(sent) if sent.call == refused) })
    );
}

#[test]
fn a_task_that_was_cut_short_is_settled_when_its_end_is_known_or_with_the_process() {
    for (is_unsent, charged) in [(false, 100_000), (true, 0)] {
        let mut gate = Gate::new(reserving());
        let call = task(&mut gate);
        gate.step(Input::Intent(Intent::Abort));
        assert!(gate.agent.is_idle() && books(&gate.agent, call).1.is_empty());
        assert_eq!(held(&mut gate, Limit::Cost), 100_000, "nobody knows yet");
        let before = gate.agent.ledger().entries().to_vec();
        over(&mut gate, call, report(Outcome::Failed, is_unsent));
        over(&mut gate, call, report(Outcome::Failed, is_unsent));
        assert_eq!(books(&gate.agent, call).1.len(), 1);
        let meter = gate.agent.meter();
        assert_eq!((meter.used(Limit::Cost, Millis(0)), meter.set_aside(Limit::Cost)), (charged, 0));
        // The process died before that.
        let recovered = recover(before, Millis(90_000)).unwrap();
        let mut resumed = Agent::resume(reserving(), recovered, Millis(90_000)).0;
        let settled = books(&resumed, call).1;
        assert!(settled.len() == 1 && settled[0].is_assumed);
        assert_eq!(resumed.meter().used(Limit::Cost, Millis(0)), 100_000);
    }
}

#[test]
fn a_fork_is_not_charged_for_a_task_of_the_session_that_it_was_made_from() {
    let mut gate = Gate::new(reserving());
    let call = task(&mut gate);
    let mut entries = gate.agent.ledger().entries().to_vec();
    let Body::SessionStarted(started) = &entries[0].body else { panic!("no session") };
    let forked_from = Some(format!("s1@{}", entries.last().unwrap().id));
    let body = Body::SessionStarted(SessionStarted { forked_from, ..started.clone() });
    entries[0] = Arc::new(Entry { id: entries[0].id, at: entries[0].at, body });
    let recovered = recover(entries, Millis(90_000)).unwrap();
    let mut fork = Agent::resume(reserving(), recovered, Millis(90_000)).0;
    let settled = books(&fork, call).1;
    assert_eq!((settled.len(), settled[0].spent, settled[0].is_assumed), (1, Spent::default(), false));
    let meter = fork.meter();
    assert_eq!((meter.used(Limit::Cost, Millis(0)), meter.set_aside(Limit::Cost)), (0, 0));
}

#[test]
fn nothing_is_set_aside_for_a_task_that_nobody_allows() {
    let mut settings = reserving();
    settings.policy.rules.clear();
    let mut gate = Gate::new(settings);
    let call = task(&mut gate);
    assert_eq!(held(&mut gate, Limit::Cost), 0);
    gate.decide(call, Answer::Deny(String::new()));
    assert_eq!(books(&gate.agent, call), (Vec::new(), Vec::new()));
}

#[test]
fn what_is_only_set_aside_is_not_said_to_be_used_up() {
    let mut settings = reserving();
    settings.limits = Limits::default().with(Limit::Cost, 100_000);
    let mut gate = Gate::new(settings);
    task(&mut gate);
    gate.step(Input::Intent(Intent::Abort));
    gate.step(Input::Intent(Intent::Compact));
    let said = gate.wanted.iter().find_map(|effect| match effect {
        Effect::Emit(Live::Refused(why)) => Some(why.clone()),
        _ => None,
    });
    let said = said.unwrap();
    assert!(said.contains("max_total_cost is set aside") && !said.contains("used up"), "{said}");
}
