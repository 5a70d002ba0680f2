//! The rules of time: how long a run has taken, counted a second time from the log. Its clock stands while all that it waits for waits
//! for a person, and goes on as soon as one sub-agent works that it waits for.

use std::collections::{BTreeMap, BTreeSet};

use countersign::budget::Limit;
use countersign::ledger::{Body, CallId, Change, Ending, Entry, Escrow, EscrowSettlement, TurnEnded};

use crate::world::World;

/// The limit on the time of a run, in seconds, in the worlds in which time matters.
pub const SECONDS: u64 = 20;
/// How long sub-agents may take to settle after the run was stopped.
const SETTLING_MS: u64 = 3_000;

/// What the log says of the time.
#[derive(Default, Clone)]
pub struct RunClock {
    /// When the last entry was written.
    at: u64,
    is_running: bool,
    /// Milliseconds of the run up to then.
    charged: u64,
    /// The limit, in milliseconds, as it was raised; where the books are only read again nobody knows one.
    pub most: Option<u64>,
    /// Calls that wait for a person.
    persons: BTreeSet<CallId>,
    /// Sub-agents that the run waits for, and whether each waits for a person.
    subagents: BTreeMap<CallId, bool>,
    /// Those that have neither settled nor a result, and what was charged when each began.
    begun: BTreeMap<CallId, u64>,
    /// Those whose turn has not come.
    queued: BTreeSet<CallId>,
    /// The process is dead, and nobody has gone on since.
    is_dead: bool,
    /// The time of the run was over, and it was told so.
    is_over: bool,
}

impl RunClock {
    /// Takes in one more entry.
    pub fn read(&mut self, entry: &Entry) -> Result<(), String> {
        self.charged = self.charged_at(entry.at.0);
        self.at = self.at.max(entry.at.0);
        match &entry.body {
            Body::User(_) => {
                (self.begun, self.queued) = Default::default();
                (self.is_running, self.is_dead, self.charged) = (true, false, 0);
            }
            Body::Transition { .. } => (self.is_running, self.is_dead) = (true, false),
            Body::ApprovalRequested(asked) => drop(self.persons.insert(asked.call)),
            Body::ApprovalDecided(decision) => self.decide(decision.call),
            Body::CallEdited(call) => self.decide(call.id),
            Body::ToolResult(result) => {
                self.persons.remove(&result.call);
                // Whatever it does from here on, the run waits for it no more.
                self.subagents.remove(&result.call);
                self.begun.remove(&result.call);
            }
            Body::Change(Change::SubagentStarted { call }) if self.queued.remove(call) => {
                self.begun.insert(*call, self.charged);
            }
            Body::Change(Change::EscrowReserved(escrow)) => self.reserve(escrow)?,
            Body::Change(Change::SubagentWaits { call, waits }) => {
                self.subagents.entry(*call).and_modify(|waited| *waited = *waits);
            }
            Body::Change(Change::EscrowSettled(settled)) => self.settle(settled),
            Body::Change(Change::Budget { limit: Limit::WallTime, to }) => {
                self.most = self.most.map(|_| to * 1000);
            }
            Body::TurnEnded(ended) => self.end(ended)?,
            _ => {}
        }
        Ok(())
    }

    fn decide(&mut self, call: CallId) {
        self.persons.remove(&call);
        self.is_dead = false;
    }

    /// Whether time that passes now counts.
    fn counts(&self) -> bool {
        let waits_for_a_person = !self.persons.is_empty() || self.subagents.values().any(|waits| *waits);
        let works = self.subagents.values().any(|waits| !waits);
        self.is_running && !self.is_dead && (works || !waits_for_a_person)
    }

    /// Milliseconds of the run.
    fn charged_at(&self, now: u64) -> u64 {
        self.charged + if self.counts() { now.saturating_sub(self.at) } else { 0 }
    }

    /// Each may work for as long as the run has left, in whole seconds.
    fn reserve(&mut self, escrow: &Escrow) -> Result<(), String> {
        let left = self.most.map(|most| most.saturating_sub(self.charged) / 1000);
        let granted = escrow.limits.get(&Limit::WallTime).copied();
        if !escrow.is_elsewhere() && self.most.is_some() && granted != left {
            return Err(format!("{} may work for {granted:?} s, and {left:?} are left", escrow.call));
        }
        if !escrow.in_background && !escrow.waits && !escrow.is_elsewhere() {
            self.subagents.insert(escrow.call, false);
            self.begun.insert(escrow.call, self.charged);
        } else if !escrow.in_background && !escrow.is_elsewhere() {
            self.queued.insert(escrow.call);
        }
        Ok(())
    }

    /// The run took at least as long as it waited for it, also where a dead process wrote nothing of that.
    fn settle(&mut self, settled: &EscrowSettlement) {
        self.subagents.remove(&settled.call);
        if let Some(began) = self.begun.remove(&settled.call).filter(|_| !settled.is_assumed) {
            self.charged = self.charged.max(began + settled.spent.wall_ms);
        }
    }

    fn end(&mut self, ended: &TurnEnded) -> Result<(), String> {
        let charged = self.charged;
        if ended.wall_ms != charged {
            return Err(format!("the run took {charged} ms, and its end says {}", ended.wall_ms));
        }
        let is_by_time = ended.reason == Ending::WallTime;
        if is_by_time && self.most.is_some_and(|most| charged < most) {
            return Err(format!("the time is over after {charged} ms"));
        }
        if self.is_over && !is_by_time {
            return Err(format!("the time was over, and the run ends with {:?}", ended.reason));
        }
        (self.is_running, self.is_over) = (false, false);
        self.persons.clear();
        self.subagents.clear();
        Ok(())
    }

    /// Whatever worked died with the process, and the time until somebody goes on counts nowhere.
    pub fn dies(&mut self) {
        self.subagents.clear();
        (self.is_dead, self.is_over) = (true, false);
    }

    /// A branch begins: what worked belongs to the session that it was made from.
    pub fn leaves(&mut self) {
        self.dies();
        (self.begun, self.queued) = Default::default();
    }

    /// The time is over, and the loop is told; or a person stops the run, and it ends because of that.
    pub fn tell(&mut self, is_over: bool) {
        self.is_over = is_over;
    }
}

impl World {
    /// The limit is watched as long as time counts, to the millisecond; a run that is told to stop is left its time to settle.
    pub(crate) fn check_clock(&self) -> Result<(), String> {
        let clock = &self.log.clock;
        let Some(most) = clock.most else { return Ok(()) };
        let charged = clock.charged_at(self.now);
        if self.bounds.scene.is_some() && clock.is_running && charged > most + SETTLING_MS {
            return Err(format!("the run goes on after {charged} ms of {most}"));
        }
        let watches = clock.counts() && !self.agent.is_idle() && !self.agent.is_stopping();
        let due = watches.then(|| self.now + most.saturating_sub(charged));
        let mut watched = self.timers.iter().filter(|(timer, _)| self.agent.is_wall_time(**timer));
        let set = watched.next().map(|(_, due)| *due);
        if set == due {
            return Ok(());
        }
        Err(format!("at {} the time would be over at {due:?}, and is watched until {set:?}", self.now))
    }
}
