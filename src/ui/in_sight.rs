//! How many rows of a text have been in sight for long enough to be seen, whoever scrolls, and by whichever key.

use std::time::Duration;

/// A row that goes out of sight sooner was not seen: keys that are held, or come in a burst, move on faster.
const SEEN_AFTER: Duration = Duration::from_millis(100);

/// The rows of a text that were seen, counted from the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InSight {
    /// Those that stood for long enough.
    stood: usize,
    /// How many there will be when those have stood for long enough that were in sight then.
    next: (usize, Duration),
}

impl InSight {
    /// The same after a frame at this moment, which shows the rows from this one up to that one.
    pub(super) fn after(before: Option<Self>, (from, to): (usize, usize), at: Duration) -> Self {
        let mut now = before.unwrap_or(Self { stood: 0, next: (to, at) });
        let (rows, since) = now.next;
        if at.saturating_sub(since) >= SEEN_AFTER {
            now = Self { stood: now.stood.max(rows), next: (to, at) };
        }
        // What was jumped over is not seen, nor is anything behind it.
        if from > now.stood {
            now.next = (now.stood, at);
        } else if now.next.0 <= now.stood {
            now.next = (to, at);
        }
        now
    }

    /// Nobody sees the last frame any more: what it showed for too short a time was not seen.
    pub(super) fn out_of_sight(&mut self) {
        self.next.0 = self.stood;
    }

    /// How many have been seen with those that are in sight, which a key decides only when they have stood there.
    pub(super) fn seen(self, (from, to): (usize, usize)) -> usize {
        if from <= self.stood { self.stood.max(to) } else { self.stood }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many rows are seen after windows of so many rows begin at these rows: the first stands for a while, and the others come one
    /// every so many milliseconds.
    fn seen(rows: usize, every: u64, from: impl IntoIterator<Item = usize>) -> usize {
        let (mut sight, mut last) = (None, (0, 0));
        for (at, from) in from.into_iter().enumerate() {
            last = (from, from + rows);
            let at = if at == 0 { 0 } else { 500 + every * at as u64 };
            sight = Some(InSight::after(sight, last, Duration::from_millis(at)));
        }
        sight.map_or(0, |sight: InSight| sight.seen(last))
    }

    #[test]
    fn pages_count_if_each_stands_for_a_moment() {
        let pages = || (0..70).map(|page| page * 10);
        assert_eq!(seen(10, 200, pages()), 700);
        assert_eq!(seen(10, 100, pages()), 700);
        assert_eq!(seen(10, 33, pages()), 10, "a key that is held");
        assert_eq!(seen(10, 2, pages()), 10, "keys in a burst");
        assert_eq!(seen(10, 500, [0, 690]), 10, "a jump to the end");
    }

    #[test]
    fn rows_that_pass_by_slowly_count() {
        assert_eq!(seen(10, 33, 0..690), 699, "each row is there for a third of a second");
        assert!(seen(3, 33, 0..690) < 20, "for a tenth at most");
        assert!(seen(10, 2, 0..690) < 20, "in a burst");
    }

    #[test]
    fn going_back_to_what_was_not_seen_counts_it() {
        let pages = (0..70).map(|page| page * 10);
        let back = [0, 10, 20, 30].into_iter().flat_map(|from| std::iter::repeat_n(from, 4));
        assert_eq!(seen(10, 33, pages.chain(back)), 40);
    }

    #[test]
    fn a_text_that_is_first_seen_in_its_middle_was_not_read() {
        assert_eq!(seen(10, 500, [20, 20, 20]), 0);
    }
}
