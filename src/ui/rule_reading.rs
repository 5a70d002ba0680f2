//! How much of a rule has been in sight where its pane has no room for all of it: nobody takes what ends below the edge.

/// How much of an offered rule, and of what is said about it, is in sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleReading {
    /// The first line in sight.
    pub from: usize,
    /// Lines in sight.
    pub rows: usize,
    /// Lines in all; nothing after another time to hold was chosen, until a frame shows what is said about that.
    pub all: usize,
    /// Lines of the rule itself, which are the first.
    pub head: usize,
    /// Lines that have been in sight, counted from the first.
    pub seen: usize,
}

impl RuleReading {
    /// The last place that it can be scrolled to.
    const fn last(&self) -> usize {
        self.all.saturating_sub(self.rows)
    }

    /// Whether there is more than what is in sight.
    pub(super) fn scrolls(&self) -> bool {
        self.last() > 0
    }

    /// Whether something of it has not been in sight yet.
    pub(super) fn is_unread(&self) -> bool {
        self.seen < self.all
    }

    /// The same after a frame that shows these lines. What was seen of the same text stays seen, unless fewer lines fit now (see
    /// `ReadProgress`); lines that were jumped over have not been in sight.
    pub(super) fn after(before: Option<Self>, now: Self) -> Self {
        let same = before.filter(|before| {
            before.head == now.head && before.rows <= now.rows && (before.all == now.all || before.all == 0)
        });
        let known = same.map_or(0, |before| before.seen);
        let seen = if now.from <= known { known.max(now.seen) } else { known };
        Self { seen: seen.min(now.all), ..now }
    }

    /// Something else is said about the rule from here on: of the rule itself, what was in sight for long enough stays seen.
    pub(super) fn turned(self, is_ripe: bool) -> Self {
        let seen = if is_ripe { self.seen.min(self.head) } else { 0 };
        Self { from: seen, rows: 0, all: 0, seen, ..self }
    }

    /// Goes to the first line that has not been in sight. Says whether that brings the last one there.
    pub(super) fn go_on(&mut self) -> bool {
        self.from = self.seen.min(self.last());
        self.from + self.rows >= self.all
    }

    /// Moves by so many lines, and not beyond what has been in sight.
    pub(super) fn go(&mut self, by: isize) {
        let there =
            if by < 0 { self.from.saturating_sub(by.unsigned_abs()) } else { self.from + by.unsigned_abs() };
        self.from = there.min(self.seen).min(self.last());
    }
}
