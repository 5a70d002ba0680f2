//! Where a session can be forked: where no call is open, and nothing comes back that was withdrawn.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Body, Entry, EntryId, resting_places};

/// Why no fork can end there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForkFault {
    /// Calls wait for their results.
    CallsAreOpen {
        /// The nearest entries at which a fork can end.
        nearest: Vec<EntryId>,
    },
    /// The fork would keep an entry that is withdrawn later.
    ComesBack {
        /// What would be kept.
        kept: EntryId,
        /// The entry that withdraws it.
        stone: EntryId,
        /// The nearest entries at which a fork can end.
        nearest: Vec<EntryId>,
    },
}

/// Whether a fork can end after the first `length` entries of a session.
///
/// # Errors
/// Why it cannot.
pub fn forkable(whole: &[Arc<Entry>], length: usize) -> Result<(), ForkFault> {
    let length = length.min(whole.len());
    let withdrawn = withdrawn(whole);
    let comes_back = withdrawn.iter().find(|(kept, stone)| *kept < length && length <= *stone);
    let comes_back = comes_back.and_then(|(kept, stone)| whole.get(*kept).zip(whole.get(*stone)));
    let is_at_rest = resting_places(whole.get(..length).unwrap_or_default()).last() == Some(&length);
    let nearest = || nearest(whole, &withdrawn, length);
    match comes_back {
        _ if !is_at_rest => Err(ForkFault::CallsAreOpen { nearest: nearest() }),
        Some((kept, stone)) => {
            Err(ForkFault::ComesBack { kept: kept.id, stone: stone.id, nearest: nearest() })
        }
        None => Ok(()),
    }
}

/// Where what is withdrawn stands, and what withdraws it.
fn withdrawn(whole: &[Arc<Entry>]) -> Vec<(usize, usize)> {
    let stones = whole.iter().enumerate().filter_map(|(at, entry)| match &entry.body {
        Body::Tombstone(stone) => Some((stone.target, at)),
        _ => None,
    });
    let stones: Vec<_> = stones.collect();
    if stones.is_empty() {
        return Vec::new();
    }
    let places: BTreeMap<EntryId, usize> =
        whole.iter().enumerate().map(|(at, entry)| (entry.id, at)).collect();
    stones.into_iter().filter_map(|(target, at)| Some((*places.get(&target)?, at))).collect()
}

/// The last entry before a place, and the first from there on, at which a fork can end.
fn nearest(whole: &[Arc<Entry>], withdrawn: &[(usize, usize)], length: usize) -> Vec<EntryId> {
    // How many withdrawn entries a fork of each length would keep, as steps up and down.
    let mut steps = vec![0_i64; whole.len() + 2];
    for &(kept, stone) in withdrawn {
        let ends = [(kept + 1, 1), (stone + 1, -1)];
        for (at, step) in ends {
            if let Some(place) = steps.get_mut(at) {
                *place += step;
            }
        }
    }
    let kept: Vec<i64> = steps
        .iter()
        .scan(0, |sum, step| {
            *sum += step;
            Some(*sum)
        })
        .collect();
    let can_end: Vec<usize> =
        resting_places(whole).into_iter().filter(|place| kept.get(*place) == Some(&0)).collect();
    let before = can_end.iter().rev().find(|place| **place < length);
    let after = can_end.iter().find(|place| **place > length);
    let places = [before, after].into_iter().flatten();
    places.filter_map(|place| whole.get(place.checked_sub(1)?)).map(|entry| entry.id).collect()
}
