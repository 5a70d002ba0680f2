//! What is kept for an undo held against its own hashes and against the books, for a check of a session.

use std::collections::BTreeSet;

use super::agreement::Agreement;
use super::blobs;
use super::record::Content;
use super::restore::Snapshots;

impl Snapshots {
    /// What is wrong with the record of changes and with the contents that are kept, a sentence each. Reads them, and changes
    /// nothing. Nothing is wrong where nothing was kept.
    pub fn faults(&self, books: &Agreement) -> Vec<String> {
        let (folder, changes) = match self.folder().and_then(|folder| Ok((folder, self.changes()?))) {
            Ok(both) => both,
            Err(why) => return vec![why],
        };
        let mut faults = Vec::new();
        let mut seen = BTreeSet::new();
        for (at, change) in changes.iter().enumerate() {
            if !books.has(change) {
                let path = change.path.display();
                faults.push(format!(
                    "line {} of the record of changes: no call that was allowed changed {path}",
                    at + 1
                ));
            }
            if let Content::Known(hash) = &change.before
                && seen.insert(hash)
                && let Err(why) = blobs::get(&folder, hash)
            {
                let path = change.path.display();
                faults.push(format!(
                    "line {} of the record of changes: what {path} was cannot be restored: {why}",
                    at + 1
                ));
            }
        }
        faults
    }
}
