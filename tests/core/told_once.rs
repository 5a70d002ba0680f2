//! The answer of a sub-agent is told to the model once, wherever the process dies, and also where it dies
//! again while the session is taken up.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign::agent::{
    Agent, Input, Intent, Settings, SubagentNews, SubagentReport, SubagentSpec, Subagents,
};
use countersign::ledger::{
    Body, CallId, Change, Entry, EscrowSettlement, Millis, Outcome, Reach, Spent, Stood, TaskState,
    recover_with, untold_escrows,
};
use countersign::model::{ModelEvent, ModelNews};
use countersign::policy::RuleKind;
use countersign::tool::{Preparation, SideEffect, ToolKind, ToolSpec};
use serde_json::json;

use crate::asking::{Gate, settings, users};

const SECOND: CallId = CallId(2);
const ANSWER: &str = "The second is made.";

fn delegating() -> Settings {
    let mut settings = settings(vec![users(RuleKind::Allow, "delegate_to_helper")]);
    let schema = json!({
        "type": "object",
        "properties": { "task": { "type": "string" }, "background": { "type": "boolean" } },
    });
    let (effect, kind) = (SideEffect::Reads, ToolKind::Subagent);
    settings.tools.push(ToolSpec { schema, effect, kind, ..ToolSpec::from_elsewhere("delegate_to_helper") });
    let (name, asks) = ("helper".to_owned(), BTreeMap::new());
    let known = vec![SubagentSpec { name, asks, mode: None, in_background: false }];
    settings.subagents = Subagents { known, ..Subagents::default() };
    settings
}

fn spent() -> Spent {
    Spent { turns: 1, ..Spent::default() }
}

fn answer(call: CallId) -> &'static str {
    if call == SECOND { ANSWER } else { "The first is made." }
}

/// A run with two sub-agents that are done in this order, to its end, and one more message. The result of the
/// second waits for the first.
fn run(in_background: bool, order: [CallId; 2]) -> Vec<Arc<Entry>> {
    let mut gate = Gate::new(delegating());
    let first = json!({ "task": "make the first" });
    let second = json!({ "task": "make the second", "background": in_background });
    let looks = gate.make(&[("delegate_to_helper", first), ("delegate_to_helper", second)]);
    for look in looks {
        gate.step(Input::Prepared(look.call, Preparation::default()));
    }
    for call in order {
        let report = SubagentReport {
            outcome: Outcome::Ok,
            content: answer(call).into(),
            cut_chars: 0,
            state: TaskState::Completed,
            spent: spent(),
            reach: Reach::NothingStarted,
        };
        gate.step(Input::Subagent(call, SubagentNews::Over(report)));
    }
    says_done(&mut gate);
    gate.step(Input::Intent(Intent::Submit("and now?".into())));
    says_done(&mut gate);
    gate.agent.ledger().entries().to_vec()
}

fn says_done(gate: &mut Gate) {
    let message = gate.asked;
    for news in [ModelNews::Event(ModelEvent::Text("Done.".into())), ModelNews::Finished] {
        gate.step(Input::Model(message, news));
    }
    assert!(gate.agent.is_idle());
}

/// The session after it was taken up and something was said. The sub-agents had given their answers before
/// the process died.
fn taken_up(entries: &[Arc<Entry>], at: u64) -> Vec<Arc<Entry>> {
    let stood = |call| {
        let answer = Some(answer(call).to_owned());
        let (spent, state) = (spent(), TaskState::Completed);
        let settled = EscrowSettlement { call, spent, is_assumed: false, state, answer };
        Stood { settled, reach: Reach::NothingStarted }
    };
    let known: Vec<Stood> = untold_escrows(entries).into_iter().map(|escrow| stood(escrow.call)).collect();
    let recovered = recover_with(entries.to_vec(), Millis(at), &known).unwrap();
    let (mut agent, _) = Agent::resume(delegating(), recovered, Millis(at));
    agent.step(Millis(at + 10), Input::Intent(Intent::Submit("go on".into())));
    agent.ledger().entries().to_vec()
}

/// How often the answer of the second is told to the model.
fn told(entries: &[Arc<Entry>]) -> usize {
    let tells = |entry: &&Arc<Entry>| match &entry.body {
        Body::ToolResult(result) => result.content.contains(ANSWER),
        Body::Injected(said) => said.text.contains(ANSWER),
        _ => false,
    };
    entries.iter().filter(tells).count()
}

fn has_started(entries: &[Arc<Entry>]) -> bool {
    let is_it = |body: &Body| matches!(body, Body::Change(Change::EscrowReserved(it)) if it.call == SECOND);
    entries.iter().any(|entry| is_it(&entry.body))
}

#[test]
fn wherever_the_process_dies_the_answer_of_a_sub_agent_is_told_once() {
    let first = CallId(1);
    for (in_background, order) in
        [(false, [first, SECOND]), (false, [SECOND, first]), (true, [first, SECOND]), (true, [SECOND, first])]
    {
        let all = run(in_background, order);
        assert!(has_started(&all) && told(&all) == 1, "{in_background} {order:?}: {all:?}");
        for cut in 1..=all.len() {
            let left = &all[..cut];
            let after = taken_up(left, 20_000);
            let once = usize::from(has_started(left));
            assert_eq!(told(&after), once, "{in_background} {order:?}, {cut} entries: {after:?}");
            // It dies again while that is written.
            for again in cut..=after.len() {
                let twice = taken_up(&after[..again], 40_000);
                assert_eq!(told(&twice), once, "{in_background} {order:?}, {cut}, {again}: {twice:?}");
            }
        }
    }
}
