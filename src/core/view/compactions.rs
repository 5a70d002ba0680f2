//! Compactions among the entries of a view, and what each has replaced.

use crate::ledger::{Body, Compaction, EntryId};

use super::{Mark, View};

impl View {
    /// The compaction of this entry, if it is one.
    pub fn compaction(&self, id: EntryId) -> Option<&Compaction> {
        match &self.rows.get(*self.row_of.get(&id)?)?.entry.body {
            Body::Compaction(made) => Some(made),
            _ => None,
        }
    }

    /// How many entries a compaction has taken out of what a model sees, those of earlier ones not counted.
    pub fn replaced_by(&self, id: EntryId) -> usize {
        let before = self.row_of.get(&id).and_then(|at| self.rows.get(..*at)).unwrap_or(&[]);
        let mut summaries = before.iter().rev().filter(|row| matches!(row.entry.body, Body::Compaction(_)));
        let from = summaries.next().map_or(0, |earlier| self.end_of(earlier.entry.id));
        let replaced = self.rows.get(from..self.end_of(id)).unwrap_or_default().iter();
        let said = replaced.filter(|row| !matches!(row.entry.body, Body::Compaction(_)));
        said.filter(|row| row.marks.contains(&Mark::Compacted)).count()
    }

    /// The number of the first row that a compaction does not replace.
    fn end_of(&self, id: EntryId) -> usize {
        let made = self.compaction(id);
        made.and_then(|made| self.row_of.get(&made.replaces_to)).map_or(0, |at| at + 1)
    }
}
