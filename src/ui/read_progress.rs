//! How much of a call that waits has been in sight: nobody allows what ends below the edge of its pane.

use std::time::Duration;

use crate::ledger::EntryId;

use super::in_sight::InSight;

/// How much of a call is in sight, in its pane or on its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadProgress {
    /// The request of the call.
    pub request: EntryId,
    /// The first line in sight.
    pub from: usize,
    /// Lines in sight.
    pub rows: usize,
    /// Lines in all.
    pub all: usize,
    /// Lines that have been in sight, counted from the first.
    pub seen: usize,
    /// Lines that must have been in sight before it can be allowed, counted from the first.
    pub must: usize,
    /// The person was told which lines have not been in sight, at the end of them.
    pub is_waived: bool,
    /// All of it was in sight on its page, and stood there when a key on that page asked for the rule that is shown now.
    pub was_read: bool,
    /// Whether it is the page that takes the whole screen.
    pub is_page: bool,
    /// Which lines have been in sight for long enough.
    pub sight: InSight,
}

impl ReadProgress {
    /// The last place that it can be scrolled to.
    const fn last(&self) -> usize {
        self.all.saturating_sub(self.rows)
    }

    /// Whether there is more than what is in sight.
    pub fn scrolls(&self) -> bool {
        self.last() > 0
    }

    /// Whether there is more than is laid out: then the last of these lines is not the end.
    pub fn goes_on(&self) -> bool {
        self.all == usize::MAX
    }

    /// Whether something that must be read has not been in sight yet.
    pub fn is_unread(&self) -> bool {
        self.seen < self.must && !self.is_waived && !self.was_read
    }

    /// A key on the page goes on to the pane: what was read there whole is not read there again. Lines that were jumped over were not
    /// read.
    pub(super) fn leaves_page(&mut self) {
        self.was_read |= self.is_page && self.seen >= self.must;
    }

    /// How many lines were jumped over on the way to the end, which is in sight.
    pub fn skipped(&self) -> Option<usize> {
        let end = self.must.min(self.all);
        (self.seen < self.from && self.from + self.rows >= end).then(|| self.from - self.seen)
    }

    /// Which of the lines that must be in sight have been: when more of them come into sight, it is another thing to read.
    pub fn known(&self) -> usize {
        if self.is_waived { self.must } else { self.seen.min(self.must) }
    }

    /// The same after a frame at this moment that shows these lines; what was seen of the same text stays seen. Not so where fewer lines fit
    /// now: what has gone out of sight with that may have been there for a moment only, and nobody scrolled past it. Nor has what was jumped
    /// over been in sight, or passed by faster than anybody reads.
    pub(super) fn after(before: Option<Self>, now: Self, at: Duration) -> Self {
        let same = before.filter(|b| (b.request, b.all, b.is_page) == (now.request, now.all, now.is_page));
        let same = same.filter(|before| before.rows <= now.rows);
        let shown = (now.from, now.seen);
        let sight = InSight::after(same.map(|before| before.sight), shown, at);
        let seen = sight.seen(shown);
        let was_read = before.is_some_and(|before| before.request == now.request && before.was_read);
        Self { seen, is_waived: same.is_some_and(|before| before.is_waived), was_read, sight, ..now }
    }

    /// Goes to the first line that has not been in sight.
    pub(super) fn go_on(&mut self) {
        self.from = self.seen.min(self.last());
    }

    /// Moves by so many lines.
    pub fn go(&mut self, by: i32) {
        let there = i64::try_from(self.from).unwrap_or(0) + i64::from(by);
        self.from = usize::try_from(there.max(0)).unwrap_or(0).min(self.last());
    }
}
