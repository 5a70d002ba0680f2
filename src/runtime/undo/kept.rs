//! What is kept for an undo held against its own hashes and against the books, for a check of a session.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::agreement::{Agreement, Disagreement, TOOLS};
use super::blobs;
use super::record::Content;
use super::restore::Snapshots;
use crate::ledger::{Body, CallId, Entry, Outcome};

impl Snapshots {
    /// What is wrong with the record of changes and with the contents that are kept, a sentence each. Reads them, and changes
    /// nothing. Nothing is wrong where nothing was kept.
    pub fn faults(&self, books: &Agreement) -> Vec<String> {
        let (folder, changes) = match self.folder().and_then(|folder| Ok((folder, self.changes()?))) {
            Ok(both) => both,
            Err(why) => return vec![why],
        };
        let mut faults = Vec::new();
        let (mut seen, mut recorded) = (BTreeSet::new(), BTreeSet::new());
        for (at, change) in changes.iter().enumerate() {
            if let Some(why) = books.against(change) {
                let path = change.path.display();
                let why = match why {
                    Disagreement::NoCall => format!("no call that was allowed changed {path}"),
                    Disagreement::OtherContent => {
                        format!("the session says that {path} was something else before or after this change")
                    }
                };
                faults.push(format!("line {} of the record of changes: {why}", at + 1));
            }
            if let Some(call) = change.call.filter(|call| !recorded.insert((*call, &change.path))) {
                let path = change.path.display();
                faults.push(format!(
                    "line {} of the record of changes: {call} is said to have changed {path} twice",
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

    /// The calls that changed a file, as the books say, and are not on record: those of a session that this one was made from, or whose
    /// record is gone.
    pub fn unrecorded(&self, entries: &[Arc<Entry>]) -> Vec<CallId> {
        let changes = self.changes().unwrap_or_default();
        let recorded: BTreeSet<CallId> = changes.iter().filter_map(|change| change.call).collect();
        let changed = entries.iter().filter_map(|entry| match &entry.body {
            Body::ToolResult(result) if result.outcome == Outcome::Ok && !result.facts.is_elsewhere => {
                TOOLS.contains(&result.name.as_str()).then_some(result.call)
            }
            _ => None,
        });
        changed.filter(|call| !recorded.contains(call)).collect()
    }
}
