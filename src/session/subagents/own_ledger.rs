//! The ledger of a sub-agent, as whoever takes up the session above it may believe it.

use std::path::Path;
use std::sync::Arc;

use crate::ledger::Entry;
use crate::runtime::SessionStore;
use crate::runtime::store::find;

/// What its own file has, and no other that begins like it. What is wrong with its lines may be wrong with what it spent: then nothing
/// of it is believed, and all that was set aside counts.
pub(super) fn entries_of(state: &Path, session: &str) -> Option<Vec<Arc<Entry>>> {
    let path = find(state, session).ok()?;
    let is_it = path.file_stem().and_then(|stem| stem.to_str()) == Some(session);
    let (file, damage) = is_it.then(|| SessionStore::audited(&path).ok()).flatten()?;
    damage.is_none().then_some(file.entries)
}
