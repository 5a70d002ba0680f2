//! How long the calls of a run waited for people: its time is counted without that, also where something else ran meanwhile.

use crate::budget::Meter;
use crate::ledger::{Body, EntryId};

use super::View;

impl View {
    /// Milliseconds for which the clock of a run stood still because calls waited for people; `end` is the entry that ended it.
    pub fn waited_ms(&self, end: EntryId) -> u64 {
        let Some(rows) = self.row_of.get(&end).and_then(|at| self.rows.get(..=*at)) else { return 0 };
        let begins = rows.iter().rposition(|row| matches!(row.entry.body, Body::User(_)));
        let run = begins.and_then(|at| rows.get(at..)).unwrap_or_default();
        if !run.iter().any(|row| matches!(row.entry.body, Body::ApprovalRequested(_))) {
            return 0;
        }
        let mut meter = Meter::new(self.meter.limits().clone());
        let (mut waited, mut since, mut is_over) = (0, None, false);
        for entry in run.iter().map(|row| &row.entry) {
            waited += since.map_or(0, |since| entry.at.since(since));
            meter.read(entry);
            // After an end it stands still, too, until the run goes on, and no call waits for anybody.
            is_over = matches!(entry.body, Body::TurnEnded(_)) || (is_over && !meter.is_ticking());
            since = (!is_over && !meter.is_ticking()).then_some(entry.at);
        }
        waited
    }
}
