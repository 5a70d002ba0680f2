//! How far the calls of each run came, as the ends of runs that were interrupted tell it.

use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::{Body, Entry, EntryId, Reach, RunElsewhere, TurnEnded};

/// The fold: the run that is open, and the ends of those that were interrupted.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Reaches {
    now: Reach,
    at_the_end: BTreeMap<EntryId, Reach>,
    run: RunElsewhere,
    ended_elsewhere: BTreeSet<EntryId>,
}

impl Reaches {
    /// Takes in one entry. A message that steers an open run begins no new one; nor does a raised limit.
    pub(super) fn read(&mut self, entry: &Entry, run_is_open: bool) {
        match &entry.body {
            Body::User(_) if !run_is_open => self.now = Reach::NothingStarted,
            Body::ToolResult(result) => self.now = self.now.max(result.outcome.reach()),
            Body::TurnEnded(TurnEnded { reason, .. }) if reason.interrupted() => {
                self.at_the_end.insert(entry.id, self.now);
                if self.run.is_open() {
                    self.ended_elsewhere.insert(entry.id);
                }
            }
            _ => {}
        }
        self.run.read(&entry.body);
    }

    /// Whether the run that this entry ended was one of another program: how it ended nobody here knows.
    pub(super) fn is_elsewhere(&self, end: EntryId) -> bool {
        self.ended_elsewhere.contains(&end)
    }

    pub(super) fn at(&self, end: EntryId) -> Reach {
        self.at_the_end.get(&end).copied().unwrap_or(self.now)
    }
}
