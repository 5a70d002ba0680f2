//! The user goes back to before one of their messages. That is in the books before another session is made; this one stays.

use crate::ledger::{Body, Change, EntryId, Remark};

use super::phase::Phase;
use super::step::Step;
use super::{Agent, Live};

impl Agent {
    /// Writes it down, between two runs: what is said next belongs to the other session.
    pub(super) fn rewind(&mut self, step: &mut Step, phase: &Phase, message: EntryId, branch: String) {
        let is_said = |id: EntryId| {
            let entries = self.history.ledger.entries().iter();
            entries.rev().any(|entry| entry.id == id && matches!(entry.body, Body::User(_)))
        };
        let refusal = if !matches!(phase, Phase::Idle) {
            Some("not rewound: a turn is running; interrupt it first".to_owned())
        } else if is_said(message) {
            None
        } else {
            Some(format!("not rewound: {message} is not a message of yours"))
        };
        match refusal {
            Some(why) => step.emit(Live::Refused(why)),
            None => {
                let change = Change::Rewound { message, branch };
                self.history.ledger.remark(step.now, Remark::Change(change));
            }
        }
    }
}
