//! What must hold in every story, whatever it tells: the order of effects, and a log that any cut leaves loadable.

use std::collections::BTreeSet;
use std::sync::Arc;

use countersign::agent::{Agent, Effect, Input, Intent, Settings};
use countersign::ledger::{
    Body, CallId, Change, Ending, Entry, EntryId, Millis, Outcome, Reach, check, recover,
};
use countersign::model::{ModelEvent, ModelNews};

use crate::sendable::sendable;

/// cancel < append < act < emit.
pub fn in_order(effects: &[Effect]) -> Result<(), String> {
    let ranks = effects.iter().map(|effect| match effect {
        Effect::Cancel(_) => 0,
        Effect::Append(_) => 1,
        Effect::CallModel(..)
        | Effect::Prepare(_)
        | Effect::RunTool(_)
        | Effect::TypeInto(..)
        | Effect::StopBackground(..)
        | Effect::StartSubagent(_)
        | Effect::TellSubagent(..)
        | Effect::RunHooks(_)
        | Effect::DiscoverTools
        | Effect::SetTimer(..) => 2,
        Effect::Emit(_) => 3,
    });
    if ranks.is_sorted() { Ok(()) } else { Err(format!("effects out of order: {effects:?}")) }
}

/// No model is called while a call is open.
pub fn nothing_open(log: &[Arc<Entry>]) -> Result<(), String> {
    let open = check(log).map_err(|fault| fault.to_string())?;
    if open.is_empty() { Ok(()) } else { Err(format!("a model is called while {open:?} are open")) }
}

/// A tool runs after its decision is durable, and not again once it has its result.
pub fn may_run(log: &[Arc<Entry>], call: CallId) -> Result<(), String> {
    let allowed =
        log.iter().any(|e| matches!(&e.body, Body::ApprovalDecided(d) if d.call == call && d.allow));
    let settled = log.iter().any(|e| matches!(&e.body, Body::ToolResult(r) if r.call == call));
    match (allowed, settled) {
        (true, false) => Ok(()),
        (false, _) => Err(format!("{call} runs without a durable decision")),
        (true, true) => Err(format!("{call} runs again after its result")),
    }
}

/// Keys reach a call that runs, after the books say that they come.
pub fn may_be_typed_into(log: &[Arc<Entry>], running: &BTreeSet<CallId>, call: CallId) -> Result<(), String> {
    let notes = log.iter().filter(|e| matches!(&e.body, Body::Note(note) if note.typed_into() == Some(call)));
    match (running.contains(&call), notes.count()) {
        (true, 1) => Ok(()),
        (false, _) => Err(format!("{call} is typed into and does not run")),
        (true, notes) => Err(format!("{call} is typed into, and the books say so {notes} times")),
    }
}

/// What an interrupted run says can be done next is true of all its calls, whenever it was interrupted.
pub fn interruptions_are_told_truly(log: &[Arc<Entry>]) -> Result<(), String> {
    let mut cut = false;
    for entry in log {
        match &entry.body {
            Body::User(_) => cut = false,
            Body::ToolResult(result) => {
                cut |= match &result.outcome {
                    Outcome::Aborted(abort) => abort.reach() == Reach::CutShort,
                    outcome => *outcome == (Outcome::Lost { started: true }),
                }
            }
            Body::TurnEnded(end) if end.reason.interrupted() => {
                let says_so = end.next_safe_action.starts_with("Check the effects");
                let denies_it = end.next_safe_action.starts_with("No call was cut short");
                if (says_so, denies_it) != (cut, !cut) {
                    return Err(format!("{} (a call was cut short: {cut})", end.next_safe_action));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Killed after any entry but the first ones, the session loads, stops at once when asked to, and takes a message.
pub fn loads_from_cuts(
    log: &[Arc<Entry>],
    first: usize,
    settings: &Settings,
    now: Millis,
) -> Result<(), String> {
    for cut in first.max(1)..=log.len() {
        let recovered = recover(log[..cut].to_vec(), now).map_err(|f| format!("cut after {cut}: {f}"))?;
        let (mut agent, _) = Agent::resume(settings.clone(), recovered, now);
        agent.step(now, Input::Intent(Intent::Abort));
        let ledger = agent.ledger();
        if !agent.is_idle() {
            return Err(format!("cut after {cut}: not idle after Esc"));
        }
        ledger.project().map_err(|open| format!("cut after {cut}: {open}"))?;
        check(ledger.entries()).map_err(|fault| format!("cut after {cut}, loaded: {fault}"))?;
        let ended = ledger
            .entries()
            .iter()
            .rev()
            .find(|e| matches!(e.body, Body::User(_) | Body::Transition { .. } | Body::TurnEnded(_)));
        if ended.is_some_and(|e| !matches!(e.body, Body::TurnEnded(_))) {
            return Err(format!("cut after {cut}: the run was left without an end"));
        }
        takes_a_message(&mut agent, now).map_err(|why| format!("cut after {cut}: {why}"))?;
    }
    Ok(())
}

/// Whoever is idle takes the next message: the model is asked, with a history that it can be sent, or a budget that
/// was used up, or a price, ends the run at once.
pub fn takes_a_message(agent: &mut Agent, now: Millis) -> Result<(), String> {
    let effects = agent.step(now, Input::Intent(Intent::Submit("Go on.".into())));
    in_order(&effects)?;
    for effect in &effects {
        match effect {
            Effect::CallModel(message, request) => {
                sendable(request)?;
                return calls_in_answer_are_new(agent, *message, now);
            }
            Effect::Append(entry) => match &entry.body {
                Body::TurnEnded(ended) if ended.reason.is_budget() || ended.reason == Ending::PriceAsked => {
                    return Ok(());
                }
                _ => {}
            },
            _ => {}
        }
    }
    Err("the next message is not taken".into())
}

/// A call that the model makes now has an id that no entry has had, also where the file lacked lines.
fn calls_in_answer_are_new(agent: &mut Agent, message: EntryId, now: Millis) -> Result<(), String> {
    let started =
        ModelEvent::CallStarted { index: 0, wire_id: "anew".to_owned(), name: "nothing".to_owned() };
    for news in [ModelNews::Event(started), ModelNews::Finished] {
        in_order(&agent.step(now, Input::Model(message, news)))?;
    }
    check(agent.ledger().entries()).map(drop).map_err(|fault| format!("a call after it: {fault}"))
}

/// Every run has one end, and what has not begun does not end.
pub fn runs_end_once(log: &[Arc<Entry>]) -> Result<(), String> {
    let mut open = false;
    for entry in log {
        match entry.body {
            Body::User(_)
            | Body::Transition { .. }
            | Body::Change(Change::Budget { .. } | Change::PriceAccepted { .. }) => open = true,
            Body::TurnEnded(_) if !open => return Err(format!("{} ends a run that had not begun", entry.id)),
            Body::TurnEnded(_) => open = false,
            _ => {}
        }
    }
    Ok(())
}
