//! Changes of files that a person took back and no model knows of yet.

use crate::ledger::{Body, Change, Entry, Injector};

/// What was taken back and no model knows yet: read from the ledger, so that a resumed session tells it too.
#[derive(Debug, Clone, Default)]
pub(super) struct Undone {
    pub(super) untold: Vec<String>,
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

    pub(super) fn words(&self) -> Option<String> {
        (!self.untold.is_empty()).then(|| {
            format!(
                "The user undid some of your changes. {} Read a file again before you rely on its content.",
                self.untold.join(" ")
            )
        })
    }
}
