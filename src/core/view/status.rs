//! What the agent is doing, in words.

use crate::hooks::HookPoint;
use crate::ledger::{CompactionTrigger, Millis, Transition};

/// Where the loop is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Phase {
    /// Nothing runs.
    #[default]
    Idle,
    /// The model was asked and has not finished its answer.
    AwaitingModel,
    /// The tools that come from elsewhere are waited for, before the model is asked.
    Discovering,
    /// Hooks are asked, and nothing else is under way.
    AskingHooks(HookPoint),
    /// Tools run.
    DispatchingTools,
    /// A person must decide.
    WaitingApproval,
    /// A summary is being written in the place of what was said.
    Compacting(CompactionTrigger),
    /// A failed model call will be made again.
    Retrying {
        /// Which retry, from 1.
        attempt: u64,
        /// At most this many.
        most: u64,
        /// When it is made.
        until: Millis,
        /// What failed.
        reason: String,
        /// The same without the facts of the answer behind it (status, code, request), if it has some.
        brief: Option<Box<str>>,
    },
}

/// The phase and how it came to it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    /// Where the loop is.
    pub phase: Phase,
    /// Model turn of the run, from 1; 0 before the first.
    pub turn: u32,
    /// When that began; zero when nothing runs.
    pub since: Millis,
    /// Why the model was last called.
    pub transition: Option<Transition>,
}

impl Status {
    /// Whether Esc has something to interrupt.
    pub fn is_busy(&self) -> bool {
        self.phase != Phase::Idle
    }

    /// The phase in words; a wait counts down to the moment at which the call is made again.
    pub fn words(&self, now: Millis) -> String {
        match &self.phase {
            Phase::Idle => "idle".to_owned(),
            Phase::AwaitingModel => "waiting for the model".to_owned(),
            Phase::Discovering => "waiting for MCP servers and agents".to_owned(),
            Phase::AskingHooks(_) => "asking hooks".to_owned(),
            Phase::DispatchingTools => "running tools".to_owned(),
            Phase::WaitingApproval => "waiting for approval".to_owned(),
            Phase::Compacting(_) => "summarizing the conversation".to_owned(),
            Phase::Retrying { attempt, most, until, .. } => match until.since(now).div_ceil(1_000) {
                0 => format!("retrying {attempt} of {most} now"),
                left => format!("retrying {attempt} of {most} in {left} s"),
            },
        }
    }

    /// Milliseconds after which [`Status::words`] says something else, if nothing happens before; `None` when it
    /// does not count.
    pub fn counts_in(&self, now: Millis) -> Option<u64> {
        let Phase::Retrying { until, .. } = self.phase else { return None };
        match until.since(now) {
            0 => None,
            left => Some((left - 1) % 1_000 + 1),
        }
    }
}
