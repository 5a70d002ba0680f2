//! What the screen knows while the session cannot be written.

use crate::ledger::UserMessage;

/// The books cannot be written: nothing acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwritable {
    /// What fails.
    pub why: String,
    /// How many entries wait.
    pub entries: usize,
    /// What the user said and is not recorded.
    pub said: Vec<UserMessage>,
}
