//! How long a run has taken, without the time that people take.

use crate::ledger::Millis;

/// A clock that stands still while a person is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct WallClock {
    /// Since when it runs, if it does.
    pub(super) running_since: Option<Millis>,
    /// Milliseconds before that.
    pub(super) spent_ms: u64,
}

impl WallClock {
    /// Runs, if it did not.
    pub(super) fn go(&mut self, now: Millis) {
        self.running_since.get_or_insert(now);
    }

    /// Stands still.
    pub(super) fn stand(&mut self, now: Millis) {
        self.spent_ms = self.read(now);
        self.running_since = None;
    }

    /// Milliseconds so far.
    pub(super) fn read(&self, now: Millis) -> u64 {
        self.spent_ms + self.running_since.map_or(0, |since| now.since(since))
    }
}
