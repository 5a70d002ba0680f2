//! The history of files by the recorded changes: which the books agree with, and what each of them found and made.

use crate::ledger::ToolUse;

use super::super::tools::{compare, repeat};
use super::agreement::Agreement;
use super::blobs;
use super::record::{Change, Content, Hash};
use super::restore::Snapshots;

impl Snapshots {
    /// The changes on record that the books agree with, oldest first.
    ///
    /// # Errors
    /// As [`Self::changes`].
    pub fn agreed(&self, books: &Agreement) -> Result<Vec<Change>, String> {
        Ok(self.changes()?.into_iter().filter(|change| books.has(change)).collect())
    }

    /// A content that is kept here.
    ///
    /// # Errors
    /// A sentence: it is not kept, or damaged.
    pub fn content(&self, hash: &Hash) -> Result<Vec<u8>, String> {
        blobs::get(&self.folder()?, hash).map_err(|why| why.to_string())
    }
}

impl Change {
    /// What a call made of the file, by its arguments and what was there before. Only what has the recorded hash counts.
    pub fn repeated(&self, call: &ToolUse, before: Option<&[u8]>) -> Option<Vec<u8>> {
        let Content::Known(hash) = &self.after else { return None };
        repeat(call, before).filter(|made| Hash::of(made) == *hash)
    }
}

/// A unified diff of bounded length with the lines added and removed; `None` where one side is not text.
pub fn difference_of(name: &str, before: Option<&[u8]>, after: &[u8]) -> Option<(String, usize, usize)> {
    let before = before.map(std::str::from_utf8).transpose().ok()?;
    let found = compare(name, before, std::str::from_utf8(after).ok()?);
    Some((found.text, found.added, found.removed))
}
