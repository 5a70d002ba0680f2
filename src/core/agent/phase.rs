//! Where the loop stands: two states (awaiting the model, dispatching tools) and the wait between attempts.
//!
//! A step takes the phase out whole and puts a whole new one back, so nothing of a turn leaks into the next.

use std::collections::{BTreeSet, VecDeque};

use crate::hooks::{HookId, PreTool};
use crate::ledger::{
    CallId, CompactionTrigger, CutBy, Ending, EntryId, Millis, ModelRef, OpenCall, Settlement, ToolUse,
    Transition,
};
use crate::model::Draft;
use crate::policy::Receipt;
use crate::tool::{Candidate, Preparation, SideEffect};

use super::TimerId;

/// Where the loop stands.
#[derive(Debug)]
pub(super) enum Phase {
    /// Nothing is under way.
    Idle,
    /// A model speaks.
    AwaitingModel(Awaiting),
    /// Calls are looked at, decided, run.
    Dispatching(Dispatching),
    /// A transient failure; the same call is made again when the timer fires.
    BackingOff(BackingOff),
    /// A model writes a summary of what was said.
    Compacting(Compacting),
    /// Hooks are asked, and nothing else is under way.
    Consulting(Consulting),
    /// Tools that come from elsewhere are waited for.
    Discovering(Discovering),
}

/// A model call under way.
#[derive(Debug)]
pub(super) struct Awaiting {
    /// Names the call: the entry its answer will be.
    pub(super) message: EntryId,
    /// The answer so far.
    pub(super) draft: Draft,
    /// Estimated tokens of the prompt, for a stream that ends before its usage.
    pub(super) estimated_input: u64,
    /// Attempts that failed before this one.
    pub(super) retries: u64,
    /// Who was asked.
    pub(super) model: ModelRef,
    /// Most tokens that were asked for as the answer.
    pub(super) asked_output: u64,
}

/// The calls of one message that have no result yet, in the model's order.
#[derive(Debug)]
pub(super) struct Dispatching {
    /// Unsettled calls; results leave at the front, so they are written in call order.
    pub(super) calls: VecDeque<Pending>,
    /// Whether any call of the message was started: path C rather than B.
    pub(super) started: bool,
    /// Runs of hooks that comment on results: the next turn waits for them.
    pub(super) told: BTreeSet<HookId>,
    /// A hook wants the run to end after these calls; says why.
    pub(super) prevented: Option<String>,
    /// The run is being stopped: it ends when its sub-agents have settled.
    pub(super) stopping: Option<Stopping>,
}

/// A run that stops as soon as its sub-agents have settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stopping {
    /// Who stops it.
    pub(super) by: CutBy,
    /// Since when.
    pub(super) since: Millis,
    /// When it stops whatever they do.
    pub(super) timer: TimerId,
}

/// How long after an Esc another one is still the same, in milliseconds: an editor's cancel comes by two ways, and a key is held.
const SAME_ESC_MS: u64 = 250;

impl Phase {
    /// Whether a run was told to stop, and waits for sub-agents to settle.
    pub(super) fn is_stopping(&self) -> bool {
        matches!(self, Self::Dispatching(dispatching) if dispatching.stopping.is_some())
    }

    /// Whether it was told to stop just now, and waits for sub-agents to settle.
    pub(super) fn was_just_stopped(&self, now: Millis) -> bool {
        let Self::Dispatching(Dispatching { stopping: Some(stopping), .. }) = self else { return false };
        now.since(stopping.since) < SAME_ESC_MS
    }
}

/// Waiting to try again.
#[derive(Debug)]
pub(super) struct BackingOff {
    /// Names the wait.
    pub(super) timer: TimerId,
    /// Attempts that failed.
    pub(super) retries: u64,
    /// The summary that is to be tried again; `None`: an answer.
    pub(super) summary: Option<WantedSummary>,
}

/// A summary that is wanted, and what for.
#[derive(Debug, Clone)]
pub(super) struct WantedSummary {
    /// What asked for it.
    pub(super) trigger: CompactionTrigger,
    /// Why the model is called afterwards; `None`: nothing was under way.
    pub(super) then: Option<Transition>,
    /// Attempts that failed before this one; each part of a summary has its own.
    pub(super) retries: u64,
    /// How often its request was refused as too long.
    pub(super) refused: u32,
    /// The parts so far; `None`: the conversation is summarised at once, if it fits.
    pub(super) parts: Option<Parts>,
}

/// How far a summary in parts has come.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    /// The summary of the parts so far.
    pub(super) summary: String,
    /// Bytes of the transcript that they cover.
    pub(super) done: usize,
    /// How many there are.
    pub(super) made: u32,
}

/// Hooks that are waited for.
#[derive(Debug)]
pub(super) struct Consulting {
    /// Names the run of the hooks.
    pub(super) hook: HookId,
    /// What they are asked.
    pub(super) question: Question,
}

/// A model call that waits for the tools that come from elsewhere.
#[derive(Debug, Clone, Copy)]
pub(super) struct Discovering {
    /// Why the model is called then.
    pub(super) reason: Transition,
    /// Attempts that failed before.
    pub(super) retries: u64,
}

/// What hooks are asked between calls.
#[derive(Debug)]
pub(super) enum Question {
    /// A session begins with this message.
    Start(String),
    /// May the model hear this message?
    Prompt(String),
    /// May the run end, and in this way?
    Stop(Ending),
}

/// A summary in the making.
#[derive(Debug)]
pub(super) struct Compacting {
    /// Names the call.
    pub(super) message: EntryId,
    /// The summary so far.
    pub(super) draft: Draft,
    /// What it is for.
    pub(super) wanted: WantedSummary,
    /// Who was asked.
    pub(super) model: ModelRef,
    /// Estimated tokens of the context.
    pub(super) tokens_before: u64,
    /// Estimated tokens of the request.
    pub(super) estimated_input: u64,
    /// Bytes of the transcript that are covered with it; `None`: it is the last part, or the only one.
    pub(super) covers: Option<usize>,
}

/// One call without a result.
#[derive(Debug)]
pub(super) struct Pending {
    /// What the model asked for.
    pub(super) call: ToolUse,
    /// The permission to write its one result.
    pub(super) token: OpenCall,
    /// What it does to the world.
    pub(super) effect: SideEffect,
    /// How far it is.
    pub(super) state: CallState,
    /// Runs that failed and were tried again.
    pub(super) attempts: u64,
    /// What the hooks said of it, once they were asked.
    pub(super) hooked: Option<PreTool>,
    /// What the last look at it found, once it was looked at.
    pub(super) looked: Option<Preparation>,
    /// Whether it was started.
    pub(super) ran: bool,
    /// Whether it runs in the sandbox.
    pub(super) sandboxed: bool,
    /// What exactly was allowed, once it was.
    pub(super) receipt: Option<Receipt>,
}

/// How far a call is.
#[derive(Debug)]
pub(super) enum CallState {
    /// Its paths and preview are being looked up.
    Preparing,
    /// Hooks are asked about it; what the look found is kept.
    Consulting(HookId, Preparation),
    /// A person must decide; the request is named, so that a stale answer is told apart.
    Waiting(EntryId),
    /// It came back with the session, and can be decided when it has been looked at again.
    Revisiting {
        /// What was asked about it; `None`: nobody was asked yet.
        request: Option<EntryId>,
        /// Whether the look is under way; else its tool is still looked for.
        is_looked_at: bool,
    },
    /// It may run, when it is its turn.
    Ready(Permission),
    /// It runs.
    Running(Millis),
    /// Its result is known and is written when those before it are.
    Over(Settlement),
}

/// Whether the allowing decision is in the ledger yet. A policy's is written when the call starts, so that after
/// a crash an allowed call counts as started only if it was.
#[derive(Debug)]
pub(super) enum Permission {
    /// Written.
    Recorded,
    /// To be written with the start.
    ByPolicy {
        /// Why, in words.
        reason: String,
        /// The rule that decided, if one did.
        rule: Option<String>,
        /// Whether it may run in the sandbox alone.
        sandboxed: bool,
    },
}

impl Dispatching {
    /// Calls that are dispatched now.
    pub(super) fn of(calls: VecDeque<Pending>) -> Self {
        Self { calls, started: false, told: BTreeSet::new(), prevented: None, stopping: None }
    }

    /// Whether this call runs.
    pub(super) fn runs(&self, call: CallId) -> bool {
        self.calls.iter().any(|p| p.call.id == call && matches!(p.state, CallState::Running(_)))
    }
}

impl Pending {
    /// A call at the gate.
    pub(super) fn new(call: ToolUse, token: OpenCall, effect: SideEffect, state: CallState) -> Self {
        Self {
            call,
            token,
            effect,
            state,
            attempts: 0,
            hooked: None,
            looked: None,
            ran: false,
            sandboxed: false,
            receipt: None,
        }
    }

    /// The request by which a person must decide about it, now or when it has been looked at again.
    pub(super) fn waits_since(&self) -> Option<EntryId> {
        match self.state {
            CallState::Waiting(request) => Some(request),
            CallState::Revisiting { request, .. } => request,
            CallState::Preparing
            | CallState::Consulting(..)
            | CallState::Ready(_)
            | CallState::Running(_)
            | CallState::Over(_) => None,
        }
    }

    /// As the scheduler sees it.
    pub(super) fn candidate(&self) -> Candidate {
        match self.state {
            CallState::Preparing
            | CallState::Consulting(..)
            | CallState::Waiting(_)
            | CallState::Revisiting { .. } => Candidate::Undecided,
            CallState::Ready(_) => Candidate::Ready(self.effect),
            CallState::Running(_) => Candidate::Running(self.effect),
            CallState::Over(_) => Candidate::Finished,
        }
    }
}
