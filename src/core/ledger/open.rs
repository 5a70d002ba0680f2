//! The token that permits the one result of one call.

use super::delegation::Delegated;
use super::{CallId, ToolUse};

/// Permission to write the result of a call. Not `Clone`, made only by appending an assistant message,
/// consumed by [`super::Ledger::settle`]: at most one result, by the type system.
#[must_use = "a tool call must receive a result"]
#[derive(Debug)]
pub struct OpenCall {
    pub(super) id: CallId,
    pub(super) name: String,
    /// The task that was sent to another agent for it: its result is that task's end, too.
    pub(super) delegated: Option<Delegated>,
}

impl OpenCall {
    pub(super) fn mint(of: &ToolUse) -> Self {
        Self { id: of.id, name: of.name.clone(), delegated: None }
    }

    /// Whose result it permits.
    pub fn id(&self) -> CallId {
        self.id
    }

    /// Name of the tool that was called.
    pub fn name(&self) -> &str {
        &self.name
    }
}
