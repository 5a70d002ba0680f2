//! The user takes back what was done to files. It is done outside the loop, which writes it into the books and tells
//! the model.

use std::sync::Arc;

use crate::ledger::{Change, Entry, FilesRestored, Injected, Injector, Millis, Remark};

use super::Agent;

impl Agent {
    /// Files were put back: it goes into the books. Before the call that is named there was nothing to put back.
    pub(super) fn files_restored(&mut self, now: Millis, done: FilesRestored) {
        let is_of = |entry: &Arc<Entry>| entry.body.call() == Some(done.since);
        if self.history.ledger.entries().iter().rev().any(is_of) {
            self.history.ledger.remark(now, Remark::Change(Change::FilesRestored(done)));
        }
    }

    /// Tells the model what was taken back.
    pub(super) fn tell_undone(&mut self, now: Millis) {
        if let Some(words) = self.history.undone().words() {
            // While a call is open nothing can be said: then it is told later.
            drop(self.history.ledger.inject(now, Injected::text(Injector::Undo, words)));
        }
    }
}
