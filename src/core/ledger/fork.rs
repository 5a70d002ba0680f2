//! Where a session can be forked: where no call is open, and nothing comes back that was withdrawn.

use std::sync::Arc;

use super::{Body, Entry, EntryId, resting_places};

/// Why no fork can end there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForkFault {
    /// Calls wait for their results; the nearest entries at which none does.
    CallsAreOpen(Vec<EntryId>),
    /// This entry withdraws an answer that the fork would keep.
    ComesBack(EntryId),
}

/// Whether a fork can end after the first `length` entries of a session.
///
/// # Errors
/// Why it cannot.
pub fn forkable(whole: &[Arc<Entry>], length: usize) -> Result<(), ForkFault> {
    let (beginning, later) = whole.split_at(length.min(whole.len()));
    let before = resting_places(beginning);
    if before.last() != Some(&beginning.len()) {
        let after = resting_places(whole).into_iter().find(|place| *place > length);
        let places = [before.last().copied(), after].into_iter().flatten();
        let entries = places.filter_map(|place| whole.get(place.checked_sub(1)?)).map(|entry| entry.id);
        return Err(ForkFault::CallsAreOpen(entries.collect()));
    }
    let comes_back = later.iter().find(|entry| match &entry.body {
        Body::Tombstone(stone) => beginning.iter().any(|kept| kept.id == stone.target),
        _ => false,
    });
    comes_back.map_or(Ok(()), |stone| Err(ForkFault::ComesBack(stone.id)))
}
