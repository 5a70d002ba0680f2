//! A call of a sub-agent that waits for a person, as a card of the view above its session.

use crate::agent::SubagentPath;
use crate::ledger::{ApprovalRequest, CallId, EntryId};

use super::card::{Card, CardId};

/// What a guest is at home: the calls that lead to its session, the request there, and the call.
pub(super) type AtHome = (SubagentPath, EntryId, CallId);

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Guest {
    /// The calls that lead to its session.
    pub(super) path: SubagentPath,
    /// The request there, and the call.
    pub(super) entry: EntryId,
    pub(super) call: CallId,
    /// As it is shown here.
    pub(super) card: Card,
}

impl Guest {
    pub(super) fn id(&self) -> CardId {
        self.card.id
    }

    pub(super) fn request(&self) -> Option<(EntryId, &ApprovalRequest)> {
        self.card.panel()?.request()
    }
}
