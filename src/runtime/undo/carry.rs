//! A session that begins like another one knows what its calls changed: the record of changes goes along, as far as the calls do.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use super::agreement::Agreement;
use super::blobs;
use super::journal::cannot_keep;
use super::record::{Change, Content, Hash};
use super::restore::{Snapshots, append};
use crate::ledger::CallId;

impl Snapshots {
    /// Takes over from another session what these calls changed, up to the first change of another call, and what the files were.
    ///
    /// # Errors
    /// A sentence: the record cannot be read, or not be written.
    pub fn carry(&self, from: &Self, calls: &BTreeSet<CallId>) -> Result<(), String> {
        self.take_over(from, changes_of(from, calls)?)
    }

    /// The same for a session that works in a copy of the other one's folder: each change is of the file in the copy. One that the books
    /// of the copy do not agree with stays out, with all others of its file, as where a call names its file by its whole path.
    ///
    /// # Errors
    /// As [`Self::carry`].
    pub fn carry_into(
        &self,
        from: &Self,
        calls: &BTreeSet<CallId>,
        (old, new): (&Path, &Path),
        books: &Agreement,
    ) -> Result<(), String> {
        let (mut moved, mut without) = (Vec::new(), BTreeSet::new());
        for change in changes_of(from, calls)? {
            match change.moved(old, new) {
                Some(change) if books.has(&change) => moved.push(change),
                Some(change) => drop(without.insert(change.path)),
                None => {}
            }
        }
        moved.retain(|change| !without.contains(&change.path));
        self.take_over(from, moved)
    }

    fn take_over(&self, from: &Self, changes: Vec<Change>) -> Result<(), String> {
        // What was restored before anything of this was changed is nothing here.
        if changes.iter().all(|change| change.call.is_none()) {
            return Ok(());
        }
        let (there, here) = (from.folder()?, self.folder()?);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&here).map_err(cannot_keep)?;
        for change in &changes {
            if let Content::Known(hash) = &change.before {
                take(&there, &here, hash)?;
            }
        }
        append(&here, &changes).map_err(cannot_keep)
    }
}

/// What these calls changed, up to the first change of another one.
fn changes_of(from: &Snapshots, calls: &BTreeSet<CallId>) -> Result<Vec<Change>, String> {
    let mut changes = from.changes()?;
    let known = changes.iter().take_while(|change| change.call.is_none_or(|call| calls.contains(&call)));
    changes.truncate(known.count());
    Ok(changes)
}

/// A content is never written again, so both sessions can have the same file. One that is damaged or gone is so for both.
fn take(there: &Path, here: &Path, hash: &Hash) -> Result<(), String> {
    let (old, new) = (there.join(hash.as_str()), here.join(hash.as_str()));
    if new.exists() || fs::hard_link(&old, &new).is_ok() {
        return Ok(());
    }
    match blobs::get(there, hash) {
        Ok(content) => blobs::put(here, &content).map(drop).map_err(cannot_keep),
        Err(_gone) => Ok(()),
    }
}
