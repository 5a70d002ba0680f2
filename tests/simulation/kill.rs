//! The process dies after an entry: what is left must load, and go on, by the independent rules.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use countersign::agent::{Agent, Answer, Effect, Input, Intent, Operation};
use countersign::hooks::HookId;
use countersign::ledger::{
    Body, CallId, CompactionTrigger, Decider, Entry, EntryId, Millis, Note, NoteKind, ToolUse, recover,
};
use countersign::model::Request;
use countersign::tool::{ASK, Preparation};

use crate::books::Log;
use crate::bounds::{Bounds, FROM_ELSEWHERE, found, settings};
use crate::forks::Forks;
use crate::reasons::reason;
use crate::sendable::sendable;

/// How long no process was there: it counts nowhere.
const DEAD_MS: u64 = 3_600_000;

/// Loads a log that was cut, decides about what waits or does not, interrupts it, says something, and looks at what the model
/// is then asked. Every entry that this appends goes through the rules.
pub fn survives(mut log: Log, bounds: Bounds, now: Millis) -> Result<(), String> {
    let now = Millis(now.0 + DEAD_MS);
    let recovered = recover(log.entries.clone(), now).map_err(|fault| format!("does not load: {fault}"))?;
    let waiting: Vec<ToolUse> = recovered.waiting.iter().map(|(call, _)| call.clone()).collect();
    log.died();
    log.clock.dies();
    let (agent, effects) = Agent::resume(settings(bounds), recovered, now);
    let mut life =
        Life { log, agent, now, unseen: BTreeSet::new(), looks: BTreeSet::new(), answered: BTreeMap::new() };
    // In a branch there are calls that nobody was asked about, too; they may be over without a look.
    let was_asked = |call: &&ToolUse| call.name != ASK && life.log.asked.contains_key(&call.id);
    life.unseen = waiting.iter().filter(was_asked).map(|call| call.id).collect();
    let unseen = life.unseen.clone();
    life.take_up(effects)?;
    if !life.log.escrows.open.is_empty() || !life.log.escrows.tasks.open.is_empty() {
        return Err("what was set aside is not settled when the session is taken up".into());
    }
    if waiting.is_empty() && !life.agent.is_idle() {
        return Err("resumed, but not idle".into());
    }
    // Calls that nobody was asked about may be over at once.
    let over = waiting.iter().filter(|call| !life.log.open.contains(&call.id)).count();
    let asked_over = unseen.iter().any(|call| !life.log.open.contains(call));
    if life.log.open.len() + over != waiting.len() || asked_over {
        return Err(format!("{:?} are open, while {} calls wait", life.log.open, waiting.len()));
    }
    let discovered = life.waits(&waiting, bounds)?;
    life.escapes()?;
    life.log.nothing_open("idle after Esc")?;
    if !life.agent.is_idle() || life.log.run_is_open {
        return Err("Esc did not end the run that was taken up".into());
    }
    let mut asked = life.step(Input::Intent(Intent::Submit("go on".into())))?;
    // Hooks are asked first, at most at the start of the session and of the message.
    for _ in 0..2 {
        let Next::Hooks(hook) = asked else { break };
        asked = life.step(Input::Hooks(hook, Vec::new()))?;
    }
    if bounds.discovers && !discovered {
        if !matches!(asked, Next::Nothing) {
            return Err("a model is called before all tools are known".into());
        }
        asked = life.step(Input::Discovered(found()))?;
    }
    if bounds.prices > 0 {
        if !matches!(asked, Next::Nothing) {
            return Err("a model is called at a price that nobody accepted".into());
        }
        asked = life.step(Input::Intent(Intent::AcceptPrice { up_to: u64::MAX }))?;
    }
    match asked {
        Next::Model(request) => {
            life.log.edits_are_told()?;
            sendable(&request).and_then(|()| life.log.may_be_asked(&request.model))
        }
        // Of lanes that nobody knows anything of, all that they might have spent is charged.
        Next::Nothing if life.log.escrows.is_spent() => Ok(()),
        Next::Hooks(_) | Next::Nothing => Err("takes no message".into()),
    }
}

/// Whether a model was being asked at the end of the log, and not by the session that a fork was made from.
pub(crate) fn asks(entries: &[Arc<Entry>]) -> bool {
    let forked_at = match entries.first().map(|first| &first.body) {
        Some(Body::SessionStarted(started)) => started.forked_at(),
        _ => None,
    };
    let mut asks = false;
    for entry in entries {
        match &entry.body {
            Body::Transition { .. } => asks = true,
            // The guard of this one stands before its summary.
            Body::Compaction(made) => asks = made.trigger == CompactionTrigger::Reactive,
            Body::Note(Note { kind: NoteKind::SummaryAsked { .. }, .. }) => asks = true,
            Body::Note(Note { kind: NoteKind::SummaryStopped, .. }) => asks = false,
            Body::Note(note) if note.failed_call().is_none() => {}
            Body::Injected(_) | Body::Change(_) | Body::ProviderLimit(_) => {}
            _ => asks = false,
        }
        asks &= forked_at != Some(entry.id);
    }
    asks
}

/// What the loop waits for after a step.
enum Next {
    Model(Box<Request>),
    Hooks(HookId),
    Nothing,
}

/// A process that took up a log, and the rules for what came back with it.
struct Life {
    log: Log,
    agent: Agent,
    now: Millis,
    /// Calls that waited and have not been looked at again: nothing may allow them.
    unseen: BTreeSet<CallId>,
    /// Looks that are under way.
    looks: BTreeSet<CallId>,
    /// The requests that were answered with yes.
    answered: BTreeMap<CallId, EntryId>,
}

impl Life {
    /// Plays what may become of calls that wait: in turn, the look finds what it found, another place, or that the call is not
    /// possible, or is not back before Esc; and they are allowed before the look, after it, or not at all. Says whether the tools
    /// from elsewhere were found.
    fn waits(&mut self, waiting: &[ToolUse], bounds: Bounds) -> Result<bool, String> {
        let variant = self.log.entries.len();
        let discovers = bounds.discovers && variant.is_multiple_of(2);
        let (found_there, answers) = (variant % 4, variant % 3);
        if answers == 0 {
            self.allow_all()?;
        }
        if discovers {
            self.step(Input::Discovered(found()))?;
        }
        let is_known = |call: &&ToolUse| !bounds.discovers || discovers || call.name != FROM_ELSEWHERE;
        let unseen = |call: &&ToolUse| self.unseen.contains(&call.id) && !self.looks.contains(&call.id);
        if let Some(call) = waiting.iter().filter(is_known).find(unseen) {
            return Err(format!("{} waited over a restart and is not looked at again", call.id));
        }
        if found_there == 3 {
            return Ok(discovers);
        }
        while let Some(call) = self.looks.pop_first() {
            let (leads_to, gaps) = self.found_before(call);
            let mut look = Preparation { leads_to, gaps, ..Preparation::default() };
            match found_there {
                1 => look.outside = vec!["/etc/elsewhere".to_owned()],
                2 => look.invalid = Some("it is gone".to_owned()),
                _ => {}
            }
            self.unseen.remove(&call);
            self.step(Input::Prepared(call, look))?;
            let stands = self.log.asked.get(&call);
            if stands.is_some() && stands == self.answered.get(&call) {
                return Err(format!("{call} was allowed, is what it was, and still waits"));
            }
        }
        if answers == 1 {
            self.allow_all()?;
        }
        Ok(discovers)
    }

    /// Esc, as often as it takes.
    fn escapes(&mut self) -> Result<(), String> {
        self.step(Input::Intent(Intent::Abort))?;
        if self.agent.is_stopping() {
            // What comes with an Esc is the same one.
            self.step(Input::Intent(Intent::Abort))?;
            if !self.agent.is_stopping() {
                return Err("an Esc that came twice did not wait for a sub-agent".into());
            }
            // After another one a sub-agent that started here is not waited for.
            self.now.0 += 700;
            self.step(Input::Intent(Intent::Abort))?;
        }
        Ok(())
    }

    fn allow_all(&mut self) -> Result<(), String> {
        for (call, request) in self.log.asked.clone() {
            self.answered.insert(call, request);
            self.step(Input::Intent(Intent::Decide { request, call, answer: Answer::AllowOnce }))?;
        }
        // Questions are answered in words.
        let questions = self.log.asked.keys().filter(|call| !self.unseen.contains(call));
        for call in questions {
            self.answered.remove(call);
        }
        Ok(())
    }

    /// Where the path of a call led when it was asked about, and what the question said of the sandbox.
    fn found_before(&self, call: CallId) -> (Vec<String>, Vec<String>) {
        let last = self.log.entries.iter().rev().find_map(|entry| match &entry.body {
            Body::ApprovalRequested(asked) if asked.call == call => {
                Some((asked.leads_to.clone().into_iter().collect(), asked.gaps.clone()))
            }
            _ => None,
        });
        last.unwrap_or_default()
    }

    /// What a request may have cost counts that was under way when the process died, once.
    fn take_up(&mut self, effects: Vec<Effect>) -> Result<(), String> {
        let (before, asked) = (self.log.entries.len(), usize::from(asks(&self.log.entries)));
        self.keep(effects)?;
        let unheard = |entry: &&Arc<Entry>| match &entry.body {
            Body::Assistant(said) => said.is_unheard() && said.usage.input > 0 && said.usage.output > 0,
            _ => false,
        };
        let counted = self.log.entries[before..].iter().filter(unheard).count();
        if counted == asked {
            return Ok(());
        }
        Err(format!("{asked} requests were under way when it died, and {counted} are counted"))
    }

    fn step(&mut self, input: Input) -> Result<Next, String> {
        let effects = self.agent.step(self.now, input);
        self.keep(effects)
    }

    fn keep(&mut self, effects: Vec<Effect>) -> Result<Next, String> {
        let mut next = Next::Nothing;
        for effect in effects {
            match effect {
                Effect::Append(entry) => {
                    self.may_decide(&entry)?;
                    self.log.append(entry)?;
                }
                Effect::CallModel(_, request) => {
                    self.log.nothing_open("a model call")?;
                    next = Next::Model(request);
                }
                Effect::Prepare(look) => drop(self.looks.insert(look.call)),
                Effect::Cancel(Operation::Preparation(call)) => drop(self.looks.remove(&call)),
                Effect::RunTool(invocation) => {
                    self.log.may_run(&invocation)?;
                }
                Effect::RunHooks(call) if matches!(next, Next::Nothing) => next = Next::Hooks(call.id),
                _ => {}
            }
        }
        Ok(next)
    }

    /// Who allowed a call had seen what is asked about now, after a look of this process.
    fn may_decide(&self, entry: &Entry) -> Result<(), String> {
        let Body::ApprovalDecided(decision) = &entry.body else { return Ok(()) };
        let call = decision.call;
        if !decision.allow || decision.by != Decider::User {
            return Ok(());
        }
        if self.unseen.contains(&call) {
            return Err(format!("{call} is allowed before it was looked at again"));
        }
        if self.answered.contains_key(&call) && self.answered.get(&call) != self.log.asked.get(&call) {
            return Err(format!("{call} is allowed by an answer to another request"));
        }
        Ok(())
    }
}

/// The cuts of an exhaustive walk: each log is cut where an entry was written, and equal logs once. Siblings share
/// their beginnings, so the cuts of a step's own entries cover every beginning of every trace.
#[derive(Default)]
pub struct Cuts {
    /// Of each beginning of the current log.
    prints: Vec<u64>,
    seen: BTreeSet<u64>,
    forks: Forks,
    /// Transitions and endings after which the process died, and how often.
    reasons: BTreeMap<&'static str, u64>,
}

impl Cuts {
    /// Logs that were cut and loaded.
    pub fn count(&self) -> u64 {
        self.seen.len() as u64
    }

    /// Forks and branches that went on.
    pub fn forked(&self) -> (u64, u64) {
        (self.forks.forks, self.forks.branches)
    }

    /// Transitions and endings after which the process died.
    pub fn reasons(self) -> BTreeMap<&'static str, u64> {
        self.reasons
    }

    /// The walk goes back: only this many entries of the log are the same as before.
    pub fn go_back(&mut self, entries: usize) {
        self.prints.truncate(entries);
    }

    /// Kills the process after each entry that is new, and branches where one can because of it.
    pub fn check(&mut self, entries: &[Arc<Entry>], bounds: Bounds, now: u64) -> Result<(), String> {
        for at in self.prints.len()..entries.len() {
            let before = self.prints.last().copied().unwrap_or_default();
            let print = print(before, &entries[at], bounds.scene.is_some());
            self.prints.push(print);
            if self.seen.insert(print) {
                if let Some(reason) = reason(&entries[at]) {
                    *self.reasons.entry(reason).or_default() += 1;
                }
                let log = Log::of(&entries[..=at])?;
                survives(log, bounds, Millis(now))
                    .map_err(|why| format!("killed after entry {at}: {why}"))?;
                self.forks.check(entries, at, bounds, Millis(now))?;
            }
        }
        Ok(())
    }
}

/// Kills the process after each entry of a long log, and branches at each.
pub fn survives_every_cut(whole: &Log, bounds: Bounds, now: u64) -> Result<(u64, Forks), String> {
    let mut forks = Forks::default();
    let mut log = whole.emptied();
    for (at, entry) in whole.entries.iter().enumerate() {
        log.append(Arc::clone(entry))?;
        survives(log.clone(), bounds, Millis(now))
            .map_err(|why| format!("killed after entry {at}: {why}"))?;
        forks.check(&whole.entries, at, bounds, Millis(now))?;
    }
    Ok((whole.entries.len() as u64, forks))
}

/// Names a log by what it says. When it was said makes a difference only to a world in which time does.
fn print(before: u64, entry: &Entry, has_clock: bool) -> u64 {
    let mut hasher = DefaultHasher::new();
    before.hash(&mut hasher);
    has_clock.then_some(entry.at.0).hash(&mut hasher);
    entry.id.0.hash(&mut hasher);
    match &entry.body {
        Body::TurnEnded(end) => format!("{:?} {} {:?}", end.reason, end.turns, end.not_ok).hash(&mut hasher),
        Body::ToolResult(result) => format!("{} {:?}", result.call, result.outcome).hash(&mut hasher),
        body => format!("{body:?}").hash(&mut hasher),
    }
    hasher.finish()
}
