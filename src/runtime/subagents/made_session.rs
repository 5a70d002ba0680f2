//! The session of a sub-agent as it is made: by whom, what it is, and what comes after its end.

use std::sync::Arc;

use tokio::task::JoinHandle;

use crate::agent::{Effect, Intent, SubagentStart};
use crate::runtime::{Driver, Handles};

/// Puts the session of a sub-agent together.
pub trait MakeSession: Send + Sync {
    /// Makes it. May block.
    ///
    /// # Errors
    /// A sentence that says why it cannot be made.
    fn make(&self, start: &SubagentStart) -> Result<MadeSession, String>;

    /// Begins to make it before its start is on record, and says how the rest is made; `None`: making it has a consequence. Nothing of it
    /// stays if that is dropped, or what it makes. Does not block: what makes it may.
    fn foresee(self: Arc<Self>, _start: &SubagentStart) -> Option<MakeRest> {
        None
    }
}

/// Makes the rest of a session. May block.
pub type MakeRest = Box<dyn FnOnce() -> Result<MadeSession, String> + Send>;

/// A session that is being made, on another thread.
pub(super) type Making = JoinHandle<Result<MadeSession, String>>;

/// A session that is ready to run.
pub struct MadeSession {
    /// Its loop.
    pub driver: Driver,
    /// The loop's other ends.
    pub handles: Handles,
    /// What it does first.
    pub first: Vec<Effect>,
    /// Its task.
    pub task: Intent,
    /// What is done after its end; what it says is added to the report.
    pub after: Option<AfterEnd>,
}

/// What is done after the end of a session. May block.
pub type AfterEnd = Box<dyn FnOnce() -> Option<String> + Send>;
