//! A task that is handed to an agent, and what must be known to take it back.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use tokio::sync::watch;

use super::agent_handle::{AgentHandle, ReadyAgent};
use crate::ledger::{CallId, TaskState};
use crate::runtime::ports::LateNews;
use crate::wire::a2a::Outgoing;

/// A task to hand over.
pub(super) struct Handover {
    pub(super) kept: Arc<AgentHandle>,
    pub(super) call: CallId,
    pub(super) message: Outgoing,
    pub(super) timeout_ms: u64,
    pub(super) max_chars: usize,
    /// Whom to tell what became of it when nobody waits any more.
    pub(super) late: Option<LateNews>,
}

/// What must be known to take a task back, whenever that is.
pub(super) struct TaskContext {
    /// Whether the message has begun to leave this machine.
    pub(super) sent: Arc<AtomicBool>,
    /// The way to the agent.
    pub(super) ready: OnceLock<Arc<ReadyAgent>>,
    /// What the agent calls the task, in its own letters, and how it stands.
    pub(super) task: watch::Sender<(Option<String>, TaskState)>,
}

impl TaskContext {
    /// Nothing is sent.
    pub(super) fn nothing() -> Self {
        Self {
            sent: Arc::default(),
            ready: OnceLock::new(),
            task: watch::Sender::new((None, TaskState::Unknown)),
        }
    }
}
