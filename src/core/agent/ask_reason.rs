//! Why a person is asked about a call.

use crate::ledger::Sandboxing;

/// Why a person is asked about a call, and where it runs once it is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AskReason {
    /// In words.
    pub(super) why: String,
    /// Whether it is only that no rule covers the call.
    pub(super) is_usual: bool,
    /// Where the call runs.
    pub(super) sandboxing: Sandboxing,
    /// What the words say of gaps in the sandbox.
    pub(super) gaps: Vec<String>,
}

impl AskReason {
    /// A reason of its own.
    pub(super) fn of(why: String, sandboxing: Sandboxing) -> Self {
        Self { why, is_usual: false, sandboxing, gaps: Vec::new() }
    }
}
