//! The user gives the session a name, at any time: lists show it instead of the first message.

use crate::ledger::{Change, Remark};

use super::step::Step;
use super::{Agent, Live};

impl Agent {
    /// Writes it down. Before the first message there is nothing that could have a name.
    pub(super) fn rename(&mut self, step: &mut Step, name: String) {
        if self.history.ledger.entries().is_empty() {
            step.emit(Live::Refused("not renamed: send a message first".to_owned()));
        } else {
            self.history.ledger.remark(step.now, Remark::Change(Change::Renamed { name }));
        }
    }
}
