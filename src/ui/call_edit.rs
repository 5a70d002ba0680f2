//! A change of a call in the making, and what of the call the composer holds for it.

use crate::ledger::EntryId;

use super::composer::Composer;

/// What of a call the composer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EditedPart {
    /// The command line, as it is, with marks for tabs.
    Command,
    /// What a file will hold: all but blank ends, which stay, and with marks for tabs.
    Content,
    /// What the only replacement of an edit puts into the file, in the same way.
    Replacement,
    /// All arguments, as JSON.
    Arguments,
}

impl EditedPart {
    /// The argument that it is; none where it is all of them, or lies deeper.
    pub(super) fn argument(self) -> Option<&'static str> {
        match self {
            Self::Command => Some("command"),
            Self::Content => Some("content"),
            Self::Replacement | Self::Arguments => None,
        }
    }
}

/// A change of a call in the making.
#[derive(Debug, Clone)]
pub struct Edit {
    /// The request about what is changed.
    pub request: EntryId,
    /// The tool.
    pub tool: String,
    /// What of the call the composer holds.
    pub(super) part: EditedPart,
    /// What was being typed before.
    pub(super) kept: Composer,
    /// What was sent to the loop, and comes back if it is refused.
    pub(super) sent: Option<Composer>,
}

impl Edit {
    /// Whether it is in the composer now.
    pub fn is_open(&self) -> bool {
        self.sent.is_none()
    }
}
