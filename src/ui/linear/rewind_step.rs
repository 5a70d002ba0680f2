//! A way back to before a message that is not finished: the files go back first.

use crate::ledger::{CallId, EntryId};

/// A way back that is not finished.
#[derive(Debug, Default)]
pub(super) struct RewindStep {
    /// The message to go back to before, when the undo that is shown is done.
    pub(super) wanted: Option<EntryId>,
    /// The same, once the undo since this call is recorded.
    pub(super) due: Option<(CallId, EntryId)>,
}
