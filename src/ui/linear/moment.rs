//! When something was said or typed in the session: an answer counts only for what was there to be read.

use std::time::Duration;

use super::super::visible_decision::DECIDABLE_AFTER;

/// A moment of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    /// How many questions stood on the terminal.
    pub(super) typed: u64,
    /// When it was, since the session began.
    pub(super) at: Duration,
}

impl Moment {
    /// Whether what is typed now can be an answer to what was said then.
    pub(super) fn answers(self, said: Self) -> bool {
        said.typed <= self.typed && self.at >= said.at + DECIDABLE_AFTER
    }
}
