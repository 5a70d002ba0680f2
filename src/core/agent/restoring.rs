//! The user takes back what was done to files. It is done outside the loop, which writes it into the books and tells
//! the model.

use std::sync::Arc;

use crate::ledger::{Body, Change, Entry, FilesRestored, Injected, Injector, Millis, Remark};

use super::Agent;

/// What was taken back and no model knows yet: read from the ledger, so that a resumed session tells it too.
#[derive(Debug, Clone, Default)]
pub(super) struct Undone {
    untold: Vec<String>,
}

impl Undone {
    /// Takes in one more entry.
    pub(super) fn read(&mut self, entry: &Entry) {
        if let Body::Change(Change::FilesRestored(done)) = &entry.body {
            self.untold.push(format!("File changes of your calls since {}: {}.", done.since, done.words()));
        }
        if matches!(&entry.body, Body::Injected(told) if told.by == Injector::Undo) {
            self.untold.clear();
        }
    }

    fn words(&self) -> Option<String> {
        (!self.untold.is_empty()).then(|| {
            format!(
                "The user undid some of your changes. {} Read a file again before you rely on its content.",
                self.untold.join(" ")
            )
        })
    }
}

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
