//! A session that begins like another one knows what its calls changed: the record of changes goes along, as far as the calls do.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use super::blobs;
use super::record::{Content, Hash};
use super::restore::{Snapshots, append, cannot_keep};
use crate::ledger::CallId;

impl Snapshots {
    /// Takes over from another session what these calls changed, up to the first change of another call, and what the files were.
    ///
    /// # Errors
    /// A sentence: the record cannot be read, or not be written.
    pub fn carry(&self, from: &Self, calls: &BTreeSet<CallId>) -> Result<(), String> {
        let mut changes = from.changes()?;
        let known = changes.iter().take_while(|change| change.call.is_none_or(|call| calls.contains(&call)));
        changes.truncate(known.count());
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
