//! How long a run has taken, without the time that people take.

use std::collections::BTreeMap;

use crate::ledger::{CallId, Millis};

/// A clock that stands still while a person is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WallClock {
    /// Since when it runs, if it does.
    pub(super) running_since: Option<Millis>,
    /// Milliseconds before that.
    pub(super) spent_ms: u64,
    /// What it said when each sub-agent began that the run waits for.
    begun: BTreeMap<CallId, u64>,
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
        self.spent_ms.saturating_add(self.running_since.map_or(0, |since| now.since(since)))
    }

    /// The run waits for a sub-agent from now on.
    pub(super) fn begins(&mut self, call: CallId, now: Millis) {
        self.begun.insert(call, self.read(now));
    }

    /// A sub-agent that the run waited for has worked for so many milliseconds, as its own ledger says. The run took at least as long: a
    /// process that dies meanwhile leaves no entry that says so.
    pub(super) fn has_waited(&mut self, call: CallId, worked_ms: u64, now: Millis) {
        if let Some(began) = self.begun.remove(&call) {
            let more = began.saturating_add(worked_ms).saturating_sub(self.read(now));
            self.spent_ms = self.spent_ms.saturating_add(more);
        }
    }
}
