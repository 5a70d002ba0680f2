//! The process dies after an entry: what is left must load, and go on, by the independent rules.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use countersign::agent::{Agent, Answer, Effect, Input, Intent};
use countersign::ledger::{Body, Entry, Millis, recover};
use countersign::model::Request;

use crate::books::Log;
use crate::bounds::{Bounds, found, settings};
use crate::sendable::sendable;
use crate::world::reason;

/// Loads a log that was cut, interrupts what waits, says something, and looks at what the model is then asked.
/// Every entry that this appends goes through the rules.
pub fn survives(mut log: Log, bounds: Bounds, now: Millis) -> Result<(), String> {
    let recovered = recover(log.entries.clone(), now).map_err(|fault| format!("does not load: {fault}"))?;
    let waiting = recovered.waiting.len();
    log.died();
    let (mut agent, effects) = Agent::resume(settings(bounds), recovered, now);
    keep(&mut log, effects)?;
    if waiting == 0 && !agent.is_idle() {
        return Err("resumed, but not idle".into());
    }
    if log.open.len() != waiting {
        return Err(format!("{:?} are open, while {waiting} calls wait", log.open));
    }
    // Now and then what waits is allowed first: what then runs is what was asked about.
    if log.entries.len().is_multiple_of(2) {
        for (call, request) in log.asked.clone() {
            let answer = Answer::AllowOnce;
            keep(&mut log, agent.step(now, Input::Intent(Intent::Decide { request, call, answer })))?;
        }
    }
    keep(&mut log, agent.step(now, Input::Intent(Intent::Abort)))?;
    log.nothing_open("idle after Esc")?;
    if !agent.is_idle() || log.run_is_open {
        return Err("Esc did not end the run that was taken up".into());
    }
    let mut asked = keep(&mut log, agent.step(now, Input::Intent(Intent::Submit("go on".into()))))?;
    // Hooks are asked first, at most at the start of the session and of the message.
    for _ in 0..2 {
        let Next::Hooks(hook) = asked else { break };
        asked = keep(&mut log, agent.step(now, Input::Hooks(hook, Vec::new())))?;
    }
    if bounds.discovers {
        if !matches!(asked, Next::Nothing) {
            return Err("a model is called before all tools are known".into());
        }
        asked = keep(&mut log, agent.step(now, Input::Discovered(found())))?;
    }
    match asked {
        Next::Model(request) => {
            log.edits_are_told()?;
            sendable(&request).and_then(|()| log.may_be_asked(&request.model))
        }
        Next::Hooks(_) | Next::Nothing => Err("takes no message".into()),
    }
}

/// What the loop waits for after a step.
enum Next {
    Model(Box<Request>),
    Hooks(countersign::hooks::HookId),
    Nothing,
}

fn keep(log: &mut Log, effects: Vec<Effect>) -> Result<Next, String> {
    let mut next = Next::Nothing;
    for effect in effects {
        match effect {
            Effect::Append(entry) => log.append(entry)?,
            Effect::CallModel(_, request) => {
                log.nothing_open("a model call")?;
                next = Next::Model(request);
            }
            Effect::RunTool(invocation) => {
                log.may_run_with(invocation.call, &invocation.arguments.to_value())?;
                log.delegations.may_run(&invocation)?;
            }
            Effect::RunHooks(call) if matches!(next, Next::Nothing) => next = Next::Hooks(call.id),
            _ => {}
        }
    }
    Ok(next)
}

/// The cuts of an exhaustive walk: each log is cut where an entry was written, and equal logs once. Siblings share
/// their beginnings, so the cuts of a step's own entries cover every beginning of every trace.
#[derive(Default)]
pub struct Cuts {
    /// Of each beginning of the current log.
    prints: Vec<u64>,
    seen: BTreeSet<u64>,
    /// Transitions and endings after which the process died, and how often.
    reasons: BTreeMap<&'static str, u64>,
}

impl Cuts {
    /// Logs that were cut and loaded.
    pub fn count(&self) -> u64 {
        self.seen.len() as u64
    }

    /// Transitions and endings after which the process died.
    pub fn reasons(self) -> BTreeMap<&'static str, u64> {
        self.reasons
    }

    /// The walk goes back: only this many entries of the log are the same as before.
    pub fn go_back(&mut self, entries: usize) {
        self.prints.truncate(entries);
    }

    /// Kills the process after each entry that is new.
    pub fn check(&mut self, entries: &[Arc<Entry>], bounds: Bounds, now: u64) -> Result<(), String> {
        for at in self.prints.len()..entries.len() {
            let print = print(self.prints.last().copied().unwrap_or_default(), &entries[at]);
            self.prints.push(print);
            if self.seen.insert(print) {
                if let Some(reason) = reason(&entries[at]) {
                    *self.reasons.entry(reason).or_default() += 1;
                }
                let log = Log::of(&entries[..=at])?;
                survives(log, bounds, Millis(now))
                    .map_err(|why| format!("killed after entry {at}: {why}"))?;
            }
        }
        Ok(())
    }
}

/// Kills the process after each entry of a long log.
pub fn survives_every_cut(whole: &Log, bounds: Bounds, now: u64) -> Result<u64, String> {
    let mut log = whole.emptied();
    for (at, entry) in whole.entries.iter().enumerate() {
        log.append(Arc::clone(entry))?;
        survives(log.clone(), bounds, Millis(now))
            .map_err(|why| format!("killed after entry {at}: {why}"))?;
    }
    Ok(whole.entries.len() as u64)
}

/// Names a log by what it says. When it was said makes no difference to a world without a clock.
fn print(before: u64, entry: &Entry) -> u64 {
    let mut hasher = DefaultHasher::new();
    before.hash(&mut hasher);
    entry.id.0.hash(&mut hasher);
    match &entry.body {
        Body::TurnEnded(end) => format!("{:?} {} {:?}", end.reason, end.turns, end.not_ok).hash(&mut hasher),
        Body::ToolResult(result) => format!("{} {:?}", result.call, result.outcome).hash(&mut hasher),
        body => format!("{body:?}").hash(&mut hasher),
    }
    hasher.finish()
}
