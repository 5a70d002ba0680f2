//! What waits to be said to the model.

use std::collections::VecDeque;

use crate::ledger::{CallId, UserMessage};

use super::Settings;

/// What waits to be said to the model.
#[derive(Debug)]
pub(super) struct Inbox {
    /// What the user said meanwhile: delivered with the next tool results.
    pub(super) steering: Vec<UserMessage>,
    /// What the user wants to say after the run.
    pub(super) queued: VecDeque<UserMessage>,
    /// The command without whose success nothing that is queued is said.
    pub(super) needs_success: Option<CallId>,
    /// What the model must be told before the user's next message.
    pub(super) news: Vec<String>,
    /// What hooks want the model to read with the next turn or message.
    pub(super) from_hooks: Vec<String>,
}

impl Inbox {
    /// What a process begins with: the facts of its environment.
    pub(super) fn new(settings: &Settings) -> Self {
        let environment = Some(settings.environment.clone()).filter(|text| !text.is_empty());
        Self {
            steering: Vec::new(),
            queued: VecDeque::new(),
            needs_success: None,
            news: environment.into_iter().collect(),
            from_hooks: Vec::new(),
        }
    }
}
