//! What is kept for an undo held against its own hashes and against the books, for a check of a session.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::agreement::{Agreement, Disagreement, TOOLS};
use super::blobs;
use super::record::{Change, Content};
use super::restore::Snapshots;
use crate::ledger::{Body, CallId, Change as SessionChange, Entry, Outcome};

/// What changed files and is not on record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unrecorded {
    /// Calls that changed a file.
    pub calls: Vec<CallId>,
    /// How many times a file was restored by an undo.
    pub restored: usize,
}

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
        let mut of_files: BTreeMap<&Path, Vec<&Change>> = BTreeMap::new();
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
            let earlier = of_files.entry(&change.path).or_default();
            if let Some(why) = out_of_order(earlier, change) {
                faults.push(format!("line {} of the record of changes: {why}", at + 1));
            }
            earlier.push(change);
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

    /// What changed a file, as the books say, and is not on record: of a session that this one was made from, or whose record is gone.
    pub fn unrecorded(&self, entries: &[Arc<Entry>]) -> Unrecorded {
        let changes = self.changes().unwrap_or_default();
        let recorded: BTreeSet<CallId> = changes.iter().filter_map(|change| change.call).collect();
        let changed = entries.iter().filter_map(|entry| match &entry.body {
            Body::ToolResult(result) if result.outcome == Outcome::Ok && !result.facts.is_elsewhere => {
                TOOLS.contains(&result.name.as_str()).then_some(result.call)
            }
            _ => None,
        });
        let told = entries.iter().map(|entry| match &entry.body {
            Body::Change(SessionChange::FilesRestored(done)) => done.restored.len() + done.deleted.len(),
            _ => 0,
        });
        // One that could not be done is on record, too, and nobody tells of it.
        let undone = changes.iter().filter(|change| change.call.is_none()).count();
        Unrecorded {
            restored: told.sum::<usize>().saturating_sub(undone),
            calls: changed.filter(|call| !recorded.contains(call)).collect(),
        }
    }
}

/// Why a change of a file cannot come after these of the same file: calls change a file in the order of their names, and an undo restores what one
/// before it found.
fn out_of_order(earlier: &[&Change], change: &Change) -> Option<String> {
    let mut of_file = earlier.iter().rev();
    let path = change.path.display();
    match change.call {
        Some(call) => {
            let last = of_file.find_map(|one| one.call).filter(|last| *last > call)?;
            Some(format!("{call} is said to have changed {path} after {last}"))
        }
        None => {
            let is_found = of_file.any(|one| one.call.is_some() && one.before == change.after);
            (!is_found).then(|| format!("an undo restored {path} before anything changed it"))
        }
    }
}
