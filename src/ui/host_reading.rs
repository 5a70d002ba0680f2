//! How much of the name of a host has been in sight that a key would allow: nobody allows what ends below the edge of the window.

use std::time::Duration;

use crate::ledger::CallId;

use super::in_sight::InSight;

/// The rows of such a name, and how many of them have been in sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostReading {
    /// The call that was not let through to it.
    pub call: CallId,
    /// Its place among the hosts of that call.
    pub place: usize,
    /// Rows in all.
    pub all: usize,
    /// Rows of the window.
    pub height: u16,
    /// Rows that have been in sight, counted from the first.
    pub seen: usize,
    /// Whether the last one is in sight now.
    pub ends: bool,
    /// Which rows have been in sight for long enough.
    pub sight: InSight,
}

impl HostReading {
    /// The same after a frame at this moment that shows its rows from this one up to that one. What was seen of the same name stays seen, unless the window
    /// is lower now (see `ReadProgress`); rows that were jumped over have not been in sight.
    pub(super) fn after(before: Option<Self>, shown: (usize, usize), now: Self, at: Duration) -> Self {
        let is_same =
            |b: &Self| (b.call, b.place, b.all) == (now.call, now.place, now.all) && b.height <= now.height;
        let sight = InSight::after(before.filter(is_same).map(|before| before.sight), shown, at);
        Self { seen: sight.seen(shown), ends: shown.1 == now.all, sight, ..now }
    }

    /// Whether all of it has been in sight, and its end still is.
    pub fn is_read(&self) -> bool {
        self.seen >= self.all && self.ends
    }

    /// The first row that has not been in sight; of a name that was read, the last one.
    pub(super) fn next(&self) -> usize {
        self.seen.min(self.all.saturating_sub(1))
    }
}
