//! Words that an answer asks for: they are what was typed after their prompt.

use crate::ledger::{CallId, EntryId};

use super::approvals::Purpose;
use super::moment::Moment;

/// The line that is asked for: the words of an answer to a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct AskedWords {
    /// The request that they answer.
    pub(super) request: EntryId,
    /// The call that it is about.
    pub(super) call: CallId,
    /// What they are for.
    pub(super) purpose: Purpose,
    /// When they were asked for; `None` until the prompt is written.
    since: Option<Moment>,
}

impl AskedWords {
    pub(super) fn new(request: EntryId, call: CallId, purpose: Purpose) -> Self {
        Self { request, call, purpose, since: None }
    }

    /// Whether their prompt is still to be written.
    pub(super) fn is_new(self) -> bool {
        self.since.is_none()
    }

    /// The prompt is written next: what is typed from this moment on is typed behind it.
    pub(super) fn written(&mut self, moment: Moment) {
        self.since = Some(moment);
    }

    /// Asked for again, with a prompt of their own.
    pub(super) fn again(self) -> Self {
        Self { since: None, ..self }
    }

    /// Why a line of this moment is not what was asked for, if it cannot be.
    pub(super) fn not_yet(self, now: Moment) -> Option<&'static str> {
        match self.since {
            Some(since) if now.answers(since) => None,
            Some(since) if since.typed <= now.typed => {
                Some("not taken: the line came right after the prompt; type it again")
            }
            Some(_) | None => Some("not taken: the line was typed before the prompt; type it again"),
        }
    }
}
