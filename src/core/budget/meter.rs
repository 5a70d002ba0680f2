//! What was spent: a fold over entries.

use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::{
    Body, CallId, Change, Entry, EntryId, Escrow, Goal, Millis, Outcome, Spent, ToolResult, Transition, Usage,
};

use super::wall_clock::WallClock;
use super::{Bound, Limit, Limits};

/// Counts what a session and its current run have spent, by reading its entries in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meter {
    limits: Limits,
    /// The limits without those of the goal that is pursued.
    without_goal: Option<Limits>,
    /// The limits that the goal has brought along, each as large as it began.
    of_goal: BTreeMap<Limit, u64>,
    session: Usage,
    run: Run,
    waiting: BTreeSet<CallId>,
    running: BTreeSet<CallId>,
    retries: u64,
    /// Failed runs of the calls that run now.
    failed_runs: BTreeMap<CallId, u64>,
    longest_result: u64,
    context: u64,
    /// Whether a provider counted it, and no compaction has made it another one since.
    is_counted: bool,
    /// What is set aside for sub-agents that are not over, in this run or an earlier one.
    escrows: BTreeMap<CallId, Escrow>,
    /// The last entry that a fork has of the other session.
    forked_at: Option<EntryId>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Run {
    turns: u64,
    tool_calls: u64,
    hosted_tools: u64,
    usage: Usage,
    clock: WallClock,
    /// A branch begins in its midst, and nobody has gone on yet.
    is_left: bool,
    /// What one request of the run may cost, as the user said.
    accepted_price: Option<u64>,
    /// What sub-agents have spent that ended in the run; its tokens are in `usage` too.
    subagents: Spent,
}

/// One budget: what was used of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gauge {
    /// Name in the configuration.
    pub name: &'static str,
    /// Used so far, in the limit's own unit.
    pub used: u64,
    /// The limit; `None` when there is none.
    pub limit: Option<u64>,
    /// Set aside of it for sub-agents that are at work.
    pub set_aside: u64,
}

impl Meter {
    /// A meter at zero.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            without_goal: None,
            session: Usage::default(),
            of_goal: BTreeMap::new(),
            run: Run::default(),
            waiting: BTreeSet::new(),
            running: BTreeSet::new(),
            retries: 0,
            failed_runs: BTreeMap::new(),
            longest_result: 0,
            context: 0,
            is_counted: false,
            escrows: BTreeMap::new(),
            forked_at: None,
        }
    }

    /// Takes in one entry. Entries must come in ledger order.
    pub fn read(&mut self, entry: &Entry) {
        match &entry.body {
            Body::User(_) => self.begin(entry.at),
            Body::Transition { turn, reason } => {
                self.run.is_left = false;
                self.run.clock.go(entry.at);
                self.run.turns = u64::from(*turn);
                self.retries = if *reason == Transition::TransientRetry { self.retries + 1 } else { 0 };
            }
            Body::Assistant(m) => {
                self.spend(m.usage);
                self.run.hosted_tools += m.hosted().filter(|block| block.is_use()).count() as u64;
                // What a request cost at most that nobody heard an answer of is no count of the context.
                if m.usage.input > 0 && !m.is_unheard() {
                    self.context = m.usage.input.saturating_add(m.usage.output);
                    self.is_counted = true;
                }
            }
            Body::Compaction(c) => {
                self.spend(c.usage);
                self.context = c.tokens_after;
                self.is_counted = false;
                self.retries = 0;
            }
            Body::ToolCall(_) => self.run.tool_calls += 1,
            Body::ApprovalRequested(r) => {
                self.waiting.insert(r.call);
                self.keep_time(entry.at);
            }
            Body::CallEdited(u) => self.go_on(u.id, entry.at),
            Body::ApprovalDecided(d) => {
                if d.allow {
                    self.running.insert(d.call);
                }
                self.go_on(d.call, entry.at);
            }
            Body::ToolResult(r) => self.result(r, entry.at),
            Body::Change(change) => self.changed(change, entry.at),
            Body::Goal(goal) => self.tighten(goal),
            Body::TurnEnded(ended) => {
                self.end(entry.at);
                // Of a run that a dead process left, the end is written when another one takes it up: it says how long it ran.
                self.run.clock.spent_ms = ended.wall_ms;
            }
            Body::Note(note) => self.failed_runs.extend(note.failed_run()),
            Body::SessionStarted(started) => self.forked_at = started.forked_at(),
            Body::DelegationRequested(_)
            | Body::DelegationAnswered(_)
            | Body::Injected(_)
            | Body::Tombstone(_)
            // The validation command of a goal is bounded by its checkpoints, not by the calls a model may make; a command of
            // the user is no call of the model's.
            | Body::Validation(_)
            | Body::Command(_)
            | Body::Checkpoint(_)
            | Body::Progress(_)
            | Body::Handoff { .. }
            | Body::ProviderLimit(_)
            | Body::Error { .. } => {}
        }
        if self.forked_at == Some(entry.id) {
            self.leave(entry.at);
        }
    }

    fn begin(&mut self, at: Millis) {
        self.limits = self.without_goal.take().unwrap_or_else(|| self.limits.clone());
        self.of_goal.clear();
        self.run = Run::default();
        self.run.clock.go(at);
    }

    /// A branch begins in the midst of a run, long after it: the time between them counts nowhere.
    fn leave(&mut self, at: Millis) {
        self.run.clock.stand(at);
        self.run.is_left = true;
    }

    fn changed(&mut self, change: &Change, at: Millis) {
        match change {
            Change::PriceAccepted { up_to } => self.run.accepted_price = Some(*up_to),
            Change::Budget { limit, to } => self.raise(*limit, *to),
            Change::EscrowReserved(escrow) => self.set_aside_for(escrow.clone(), at),
            Change::SubagentStarted { call } => {
                if let Some(escrow) = self.escrows.remove(call) {
                    self.set_aside_for(Escrow { waits: false, ..escrow }, at);
                }
            }
            Change::EscrowSettled(settled) => {
                self.escrows.remove(&settled.call);
                // Of one that belongs to the session that a branch was made from, and of a guess, no time is known.
                if self.running.contains(&settled.call) && !self.run.is_left && !settled.is_assumed {
                    self.run.clock.has_waited(settled.call, settled.spent.wall_ms, at);
                }
                self.run.subagents = self.run.subagents.plus(settled.spent);
                self.spend(settled.spent.usage);
                // Its result may have to wait for that of another call, and nobody waits for a person meanwhile.
                self.decided(settled.call, at);
            }
            Change::SubagentWaits { call, waits: true } => {
                self.waiting.insert(*call);
                self.keep_time(at);
            }
            Change::SubagentWaits { call, waits: false } => self.decided(*call, at),
            _ => {}
        }
        if !self.waiting.is_empty() {
            self.keep_time(at);
        }
    }

    fn set_aside_for(&mut self, escrow: Escrow, at: Millis) {
        if escrow.takes_time() {
            self.run.clock.begins(escrow.call, at);
        }
        self.escrows.insert(escrow.call, escrow);
    }

    fn result(&mut self, result: &ToolResult, at: Millis) {
        self.running.remove(&result.call);
        self.failed_runs.remove(&result.call);
        self.decided(result.call, at);
        if result.outcome == Outcome::Ok {
            self.longest_result = self.longest_result.max(result.content.chars().count() as u64);
        }
    }

    fn end(&mut self, at: Millis) {
        self.run.clock.stand(at);
        self.waiting.clear();
        self.running.clear();
        self.failed_runs.clear();
    }

    fn spend(&mut self, usage: Usage) {
        self.run.usage = self.run.usage.plus(usage);
        self.session = self.session.plus(usage);
    }

    fn raise(&mut self, raised: Limit, to: u64) {
        self.limits.set(raised, to);
        // What was raised for a goal never lowers what holds without it.
        if let Some(limits) = &mut self.without_goal
            && limits.get(raised).is_some_and(|most| most < to)
        {
            limits.set(raised, to);
        }
    }

    /// A goal may have a budget of its own, for its run alone; it only tightens.
    fn tighten(&mut self, goal: &Goal) {
        self.without_goal.get_or_insert_with(|| self.limits.clone());
        for (limit, most) in &goal.budget {
            let most = self.limits.get(*limit).map_or(*most, |in_force| in_force.min(*most));
            self.limits.set(*limit, most);
            self.of_goal.insert(*limit, most);
        }
    }

    /// Somebody decides about a call, or changes it: whoever took the run up goes on with it.
    fn go_on(&mut self, call: CallId, at: Millis) {
        let was_left = std::mem::take(&mut self.run.is_left);
        if self.waiting.remove(&call) || was_left {
            self.keep_time(at);
        }
    }

    fn decided(&mut self, call: CallId, at: Millis) {
        if self.waiting.remove(&call) {
            self.keep_time(at);
        }
    }

    /// The clock stands still while a person is waited for and nothing works meanwhile. A sub-agent that was given up may still
    /// settle: the run does not wait for it.
    fn keep_time(&mut self, at: Millis) {
        let is_awaited = |call: &CallId| self.running.contains(call) && !self.waiting.contains(call);
        let works = |escrow: &Escrow| escrow.takes_time() && is_awaited(&escrow.call);
        let counts = self.waiting.is_empty() || self.escrows.values().any(works);
        match counts && !self.run.is_left {
            true => self.run.clock.go(at),
            false => self.run.clock.stand(at),
        }
    }

    /// How large a limit was before anybody raised it, if the goal that is pursued has brought it along.
    pub fn size_by_goal(&self, limit: Limit) -> Option<u64> {
        self.of_goal.get(&limit).copied()
    }

    /// What is set aside for sub-agents that are not over.
    pub(super) fn escrows(&self) -> &BTreeMap<CallId, Escrow> {
        &self.escrows
    }

    /// The limits in force, raises included.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Model turns of the run.
    pub fn turns(&self) -> u64 {
        self.run.turns
    }

    /// Tool calls of the run.
    pub fn tool_calls(&self) -> u64 {
        self.run.tool_calls
    }

    /// Uses of the provider's own tools in the run. No limit of ours stops one; they cost tokens, which are limited.
    pub fn hosted_tools(&self) -> u64 {
        self.run.hosted_tools
    }

    /// What one request of the run may cost, in micro-dollars, if the user has said so.
    pub fn accepted_price(&self) -> Option<u64> {
        self.run.accepted_price
    }

    /// Tokens of the run.
    pub fn usage(&self) -> Usage {
        self.run.usage
    }

    /// Tokens and cost of the session.
    pub fn session_usage(&self) -> Usage {
        self.session
    }

    /// Tokens in the context after the last answer, or, by our estimate, after a compaction.
    pub fn context_tokens(&self) -> u64 {
        self.context
    }

    /// Tokens in the context as a provider counted them with the last answer; 0 where none has since the last compaction.
    pub fn counted_context(&self) -> u64 {
        if self.is_counted { self.context } else { 0 }
    }

    /// Milliseconds of the run, without the time spent waiting for people.
    pub fn wall_ms(&self, now: Millis) -> u64 {
        self.run.clock.read(now)
    }

    /// Whether the clock runs: a run is under way and waits for nobody.
    pub fn is_ticking(&self) -> bool {
        self.run.clock.running_since.is_some()
    }

    /// What was used of a limit, in the limit's own unit.
    pub fn used(&self, limit: Limit, now: Millis) -> u64 {
        match limit {
            Limit::Turns => self.run.turns + self.run.subagents.turns,
            Limit::ToolCalls => self.run.tool_calls + self.run.subagents.tool_calls,
            Limit::WallTime => self.wall_ms(now) / 1000,
            Limit::InputTokens => self.run.usage.input,
            Limit::OutputTokens | Limit::Tokens => self.run.usage.output,
            Limit::Cost => self.session.cost.unwrap_or_default().0,
        }
    }

    /// The first limit that forbids another model call. A limit of N tool calls is passed by the N+1st call,
    /// so that the model can still answer after the Nth; every other limit is passed when it is used up.
    pub fn exhausted(&self, now: Millis) -> Option<Limit> {
        Limit::forbidding().find(|limit| match self.limits.get(*limit) {
            None => false,
            Some(most) if *limit == Limit::ToolCalls => self.taken(*limit, now) > most,
            Some(most) => self.taken(*limit, now) >= most,
        })
    }

    /// Milliseconds until the wall-time limit; `None` when there is no limit.
    pub fn wall_left_ms(&self, now: Millis) -> Option<u64> {
        let most = self.limits.get(Limit::WallTime)?.saturating_mul(1000);
        Some(most.saturating_sub(self.wall_ms(now)))
    }

    /// What is left of a limit; `None` when there is no limit.
    pub fn left(&self, limit: Limit, now: Millis) -> Option<u64> {
        self.limits.get(limit).map(|most| most.saturating_sub(self.taken(limit, now)))
    }

    /// What was used of a limit, and what is set aside of it for sub-agents.
    pub fn taken(&self, limit: Limit, now: Millis) -> u64 {
        self.used(limit, now).saturating_add(self.set_aside(limit))
    }

    /// What the busiest call, or those that run now, have used of a bound.
    fn used_of(&self, bound: Bound) -> u64 {
        match bound {
            Bound::ParallelCalls => self.running.len() as u64,
            Bound::ResultChars => self.longest_result,
            Bound::ModelRetries => self.retries,
            Bound::ToolRetries => self.failed_runs.values().copied().max().unwrap_or(0),
        }
    }

    /// All ten, in the order of the design: a limit, then the bounds that are listed after it.
    pub fn gauges(&self, now: Millis) -> Vec<Gauge> {
        let mut gauges = Vec::new();
        for limit in Limit::forbidding() {
            let (used, most) = (self.used(limit, now), self.limits.get(limit));
            gauges.push(Gauge { name: limit.name(), used, limit: most, set_aside: self.set_aside(limit) });
            let bounds = Bound::ALL.iter().filter(|bound| bound.row().after == limit);
            gauges.extend(bounds.map(|bound| {
                let most = Some(self.limits.bound(*bound));
                Gauge { name: bound.name(), used: self.used_of(*bound), limit: most, set_aside: 0 }
            }));
        }
        gauges
    }
}
