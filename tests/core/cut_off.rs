//! Esc while a sub-agent works: its call says how far the sub-agent's own calls came, and the session is played again with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign::agent::{
    Answer, Effect, Input, Intent, Operation, Settings, Shutdown, SubagentNews, SubagentReport, SubagentSpec,
    Subagents,
};
use countersign::budget::Limit;
use countersign::ledger::{
    Abort, AbortPath, Body, CallId, CutBy, Ending, Entry, Millis, Outcome, Reach, Spent, TaskState, TurnEnded,
};
use countersign::model::{ModelEvent, ModelNews, Request};
use countersign::policy::RuleKind;
use countersign::recorded::{NothingOutside, Player, Tape};
use countersign::tool::{Preparation, ToolSpec};
use countersign::wire::record::{decode, encode};
use countersign::wire::{Endpoint, Protocol};
use serde_json::json;

use crate::asking::{Gate, settings, users};

fn delegating() -> Settings {
    let mut settings = settings(vec![users(RuleKind::Allow, "delegate_to_helper")]);
    let schema = json!({ "type": "object", "properties": { "task": { "type": "string" } } });
    settings.tools.push(ToolSpec { schema, ..ToolSpec::from_elsewhere("delegate_to_helper") });
    let (name, asks) = ("helper".to_owned(), BTreeMap::new());
    let known = vec![SubagentSpec { name, asks, mode: None, in_background: false }];
    settings.subagents = Subagents { known, ..Subagents::default() };
    settings
}

/// A run with a sub-agent that Esc cuts short, after its calls came so far. Returns its call.
fn cut(gate: &mut Gate, reach: Reach) -> CallId {
    let call = gate.call("delegate_to_helper", json!({ "task": "look" }), Preparation::default());
    assert!(gate.wanted.iter().any(|effect| matches!(effect, Effect::StartSubagent(_))));
    gate.step(Input::Intent(Intent::Abort));
    settles(gate, call, reach);
    call
}

/// The sub-agent was told to stop, and has settled.
fn settles(gate: &mut Gate, call: CallId, reach: Reach) {
    let report = SubagentReport {
        outcome: Outcome::Failed,
        content: "The sub-agent was stopped. Its last words:\nI will look.".into(),
        cut_chars: 3,
        state: TaskState::Canceled,
        spent: Spent { turns: 1, ..Spent::default() },
        reach,
    };
    gate.step(Input::Subagent(call, SubagentNews::Over(report)));
}

fn result(gate: &Gate) -> (Outcome, String) {
    let result = |body: &Body| match body {
        Body::ToolResult(result) => Some((result.outcome.clone(), result.content.clone())),
        _ => None,
    };
    gate.last(result).unwrap()
}

fn end(gate: &Gate) -> TurnEnded {
    gate.last(|body| if let Body::TurnEnded(ended) = body { Some(ended.clone()) } else { None }).unwrap()
}

/// The entries as a session file keeps them.
fn kept(gate: &Gate) -> Vec<Arc<Entry>> {
    gate.agent.ledger().entries().iter().map(|entry| Arc::new(decode(&encode(entry)).unwrap())).collect()
}

#[test]
fn what_esc_says_of_a_subagent_is_what_its_own_calls_came_to() {
    for (reach, says, next) in [
        (Reach::NothingStarted, "none of its calls had been started", "No call was cut short"),
        (Reach::NothingCut, "none of its calls was cut short", "No call was cut short"),
        (Reach::CutShort, "effects may be partial; check before repeating", "Check the effects"),
    ] {
        let mut gate = Gate::new(delegating());
        cut(&mut gate, reach);
        let (outcome, content) = result(&gate);
        assert_eq!(outcome.reach(), reach);
        let first = content.lines().next().unwrap();
        assert!(first.ends_with(says) && content.ends_with("I will look."), "{content}");
        assert!(end(&gate).next_safe_action.starts_with(next), "{reach:?}: {}", end(&gate).next_safe_action);
        let again = kept(&gate);
        assert_eq!(again, gate.agent.ledger().entries(), "and the session file keeps it");
    }
}

#[test]
fn one_that_is_stopped_while_its_run_goes_on_is_told_of_in_the_same_words() {
    let mut gate = Gate::new(delegating());
    let call = gate.call("delegate_to_helper", json!({ "task": "look" }), Preparation::default());
    let within = Some(Reach::CutShort);
    let report = SubagentReport {
        outcome: Outcome::Aborted(Abort { path: AbortPath::C, ran_ms: Some(7), by: CutBy::User, within }),
        content: "The sub-agent was stopped.".into(),
        cut_chars: 0,
        state: TaskState::Canceled,
        spent: Spent { turns: 1, ..Spent::default() },
        reach: Reach::CutShort,
    };
    gate.step(Input::Subagent(call, SubagentNews::Over(report)));
    let (outcome, content) = result(&gate);
    assert_eq!(outcome, Outcome::Failed, "nobody stopped the run");
    let (first, rest) = content.split_once('\n').unwrap();
    assert!(first.starts_with("Interrupted mid-execution after "), "{content}");
    assert!(first.ends_with("effects may be partial; check before repeating"), "{content}");
    assert_eq!(rest, "The sub-agent was stopped.");
}

#[test]
fn one_that_works_when_the_time_of_its_session_is_used_up_is_stopped_at_that_instant() {
    let mut settings = delegating();
    settings.limits.set(Limit::WallTime, Some(60));
    let mut gate = Gate::new(settings);
    gate.step(Input::Intent(Intent::Submit("go".into())));
    let watches = |effect: &Effect| match effect {
        Effect::SetTimer(timer, ms) => Some((*timer, *ms)),
        _ => None,
    };
    let (timer, ms) = gate.wanted.iter().find_map(watches).expect("the time is watched");
    assert_eq!(ms, 60_000);
    let call = gate.call("delegate_to_helper", json!({ "task": "look" }), Preparation::default());
    let granted = gate.wanted.iter().find_map(|effect| match effect {
        Effect::StartSubagent(start) => start.limits.get(Limit::WallTime),
        _ => None,
    });
    // It has what is left, in whole seconds, and no more: its own clock would stop it, too.
    assert_eq!(granted, Some(59));
    gate.wanted = gate.agent.step(Millis(61_010), Input::Timer(timer));
    assert!(
        gate.wanted.contains(&Effect::Cancel(Operation::Subagent(call, CutBy::WallTime))),
        "{:?}",
        gate.wanted
    );
    let set: Vec<u64> = gate.wanted.iter().filter_map(watches).map(|(_, ms)| ms).collect();
    assert_eq!(set, [3_000], "it may settle, as after Esc");
    settles(&mut gate, call, Reach::NothingCut);
    assert_eq!(end(&gate).reason, Ending::WallTime);
}

/// The same loop as a sub-agent's own, which is stopped by what is above it.
#[test]
fn the_ledger_of_one_that_is_stopped_from_above_says_by_what_and_is_played_again() {
    for (by, says) in [
        (CutBy::WallTime, "Stopped by the wall-time budget mid-execution after "),
        (CutBy::Approval, "Stopped mid-execution after "),
        (CutBy::SessionEnd, "Stopped, because the session above it ended, mid-execution after "),
    ] {
        let settings = settings(vec![users(RuleKind::Allow, "shell")]);
        let mut gate = Gate::new(settings.clone());
        gate.call("shell", json!({ "command": "make" }), Preparation::default());
        gate.step(Input::Cut(by));
        let (outcome, content) = result(&gate);
        assert!(matches!(outcome, Outcome::Aborted(abort) if abort.by == by), "{outcome:?}");
        assert!(content.starts_with(says), "{content}");
        assert_eq!(end(&gate).reason, Ending::AbortedTools, "it is no limit of its own");
        let again = kept(&gate);
        assert_eq!(again, gate.agent.ledger().entries(), "and the session file keeps it");
        let played = Player::new(settings, Tape::of(&again).unwrap(), &mut NothingOutside).play();
        let results = |entries: &[Arc<Entry>]| {
            let result = |entry: &Arc<Entry>| match &entry.body {
                Body::ToolResult(result) => match result.outcome {
                    Outcome::Aborted(abort) => Some((abort.by, result.content.clone())),
                    _ => None,
                },
                _ => None,
            };
            entries.iter().filter_map(result).collect::<Vec<_>>()
        };
        assert_eq!((results(&again).len(), results(&played.entries)), (1, results(&again)));
    }
}

#[test]
fn the_ledger_of_one_that_is_stopped_while_it_speaks_says_by_whom_and_is_played_again() {
    let inputs = [CutBy::WallTime, CutBy::Approval, CutBy::SessionEnd].map(|by| (by, Input::Cut(by)));
    for (by, input) in inputs.into_iter().chain([(CutBy::User, Input::Intent(Intent::Abort))]) {
        let settings = settings(Vec::new());
        let mut gate = Gate::new(settings.clone());
        gate.step(Input::Intent(Intent::Submit("go".into())));
        let ask = |effect: &Effect| if let Effect::CallModel(id, _) = effect { Some(*id) } else { None };
        let message = gate.wanted.iter().find_map(ask).unwrap();
        gate.step(Input::Model(message, ModelNews::Event(ModelEvent::Text("I begin".into()))));
        gate.step(input);
        assert_eq!((end(&gate).reason, end(&gate).cut_by), (Ending::AbortedStreaming, Some(by)));
        let again = kept(&gate);
        assert_eq!(again, gate.agent.ledger().entries(), "and the session file keeps it");
        let played = Player::new(settings, Tape::of(&again).unwrap(), &mut NothingOutside).play();
        let cut = |entry: &Arc<Entry>| {
            if let Body::TurnEnded(ended) = &entry.body { ended.cut_by } else { None }
        };
        assert_eq!(played.entries.iter().find_map(cut), Some(by));
    }
}

#[test]
fn an_end_that_nobody_made_says_of_nobody_that_he_cut_it_short() {
    let mut gate = Gate::new(settings(Vec::new()));
    gate.call("shell", json!({ "command": "make" }), Preparation::default());
    gate.step(Input::Intent(Intent::Abort));
    let mut entries = kept(&gate);
    entries.pop();
    let recovered = countersign::ledger::recover(entries, Millis(9_000)).unwrap();
    let (agent, _) = countersign::agent::Agent::resume(settings(Vec::new()), recovered, Millis(9_000));
    let ends = agent.ledger().entries().iter().filter_map(|entry| match &entry.body {
        Body::TurnEnded(ended) => Some((ended.reason.interrupted(), ended.cut_by)),
        _ => None,
    });
    assert_eq!(ends.collect::<Vec<_>>(), [(true, None)]);
}

#[test]
fn whoever_ends_the_session_is_who_stops_its_subagents() {
    let mut gate = Gate::new(delegating());
    let call = gate.call("delegate_to_helper", json!({ "task": "look" }), Preparation::default());
    gate.wanted = gate.agent.step(Millis(9_000), Input::Shutdown(Shutdown::Signal));
    let stop = Effect::Cancel(Operation::Subagent(call, CutBy::SessionEnd));
    assert!(gate.wanted.contains(&stop), "{:?}", gate.wanted);
    let mut gate = Gate::new(delegating());
    let call = gate.call("delegate_to_helper", json!({ "task": "look" }), Preparation::default());
    gate.wanted = gate.agent.step(Millis(9_000), Input::Intent(Intent::Abort));
    assert!(gate.wanted.contains(&Effect::Cancel(Operation::Subagent(call, CutBy::User))));
}

#[test]
fn one_that_had_not_begun_was_not_in_the_middle_of_anything() {
    let mut gate = Gate::new(delegating());
    let call = gate.call("delegate_to_helper", json!({ "task": "look" }), Preparation::default());
    gate.step(Input::Intent(Intent::Abort));
    let report = SubagentReport {
        outcome: Outcome::Failed,
        content: "The sub-agent was stopped before it began, by the user.".into(),
        cut_chars: 0,
        state: TaskState::Canceled,
        spent: Spent::default(),
        reach: Reach::NothingStarted,
    };
    gate.step(Input::Subagent(call, SubagentNews::Over(report)));
    let (outcome, content) = result(&gate);
    assert_eq!(content, "The sub-agent was stopped before it began, by the user.");
    assert_eq!(outcome.reach(), Reach::NothingStarted);
    let again = kept(&gate);
    let played = Player::new(delegating(), Tape::of(&again).unwrap(), &mut NothingOutside).play();
    let result =
        |body: &Body| if let Body::ToolResult(result) = body { Some(result.content.clone()) } else { None };
    assert_eq!(played.entries.iter().find_map(|entry| result(&entry.body)), Some(content));
}

#[test]
fn one_that_never_settled_may_have_done_anything() {
    let mut gate = Gate::new(delegating());
    gate.call("delegate_to_helper", json!({ "task": "look" }), Preparation::default());
    gate.step(Input::Intent(Intent::Abort));
    let waits = |effect: &Effect| if let Effect::SetTimer(timer, _) = effect { Some(*timer) } else { None };
    let timer = gate.wanted.iter().find_map(waits).expect("it is waited for, and not for ever");
    gate.step(Input::Timer(timer));
    let (outcome, content) = result(&gate);
    assert_eq!(outcome.reach(), Reach::CutShort);
    assert!(content.ends_with("effects may be partial; check before repeating"), "{content}");
}

#[test]
fn the_same_task_is_warned_of_only_if_something_may_be_half_done() {
    for (reach, is_warned) in [(Reach::NothingStarted, false), (Reach::CutShort, true)] {
        let mut gate = Gate::new(Settings { policy: settings(Vec::new()).policy, ..delegating() });
        let first = gate.call("delegate_to_helper", json!({ "task": "look" }), Preparation::default());
        gate.decide(first, Answer::AllowOnce);
        gate.step(Input::Intent(Intent::Abort));
        settles(&mut gate, first, reach);
        let again = gate.call("delegate_to_helper", json!({ "task": "look" }), Preparation::default());
        let warning = gate.request(again).unwrap().1.warning.unwrap_or_default();
        assert_eq!(warning.contains("its effects may be partial"), is_warned, "{reach:?}: {warning}");
    }
}

#[test]
fn a_session_with_a_subagent_that_esc_stopped_is_played_again_with_the_same_bytes() {
    let body = |request: &Request| Protocol::Anthropic.encode(request, &Endpoint::new("http://x", None)).body;
    let mut gate = Gate::new(delegating());
    let mut asked = Vec::new();
    for said in ["first", "second"] {
        gate.step(Input::Intent(Intent::Submit(said.into())));
        asked.extend(gate.wanted.iter().filter_map(|effect| match effect {
            Effect::CallModel(_, request) => Some(body(request)),
            _ => None,
        }));
        match said {
            "first" => {
                cut(&mut gate, Reach::NothingStarted);
            }
            _ => {
                let message = gate.asked;
                for news in [ModelNews::Event(ModelEvent::Text("Done.".into())), ModelNews::Finished] {
                    gate.step(Input::Model(message, news));
                }
            }
        }
    }
    let played = Player::new(delegating(), Tape::of(&kept(&gate)).unwrap(), &mut NothingOutside).play();
    let again: Vec<_> = played.requests.iter().map(|one| body(&one.request)).collect();
    assert_eq!(again, asked);
    assert!(played.deviations.is_empty(), "{:?}", played.deviations);
}
