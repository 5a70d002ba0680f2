//! A line that was ended waits for a moment before it counts: a paste may come in pieces, and then its other
//! lines follow.

use std::time::Duration;

use super::super::linear::Line;

/// Lines closer together than this came together. A terminal may write a paste in pieces, and a slow line
/// carries them one by one; nobody reads, types and ends two lines in it.
pub(super) const TOGETHER: Duration = Duration::from_millis(150);

/// The line that waits.
#[derive(Debug, Default)]
pub(super) struct HeldLine(Option<Line>);

impl HeldLine {
    /// Takes a line as it was read. Returns those of which it is known how they came, the first one first.
    pub(super) fn take(&mut self, line: Line) -> Vec<Line> {
        let before = self.0.take().map(|held| {
            let alone = line.at >= held.at.saturating_add(TOGETHER);
            Line { alone, ..held }
        });
        let now = if line.alone {
            self.0 = Some(line);
            None
        } else {
            Some(line)
        };
        before.into_iter().chain(now).collect()
    }

    /// How long it waits yet; `now` is since reading began.
    pub(super) fn due_in(&self, now: Duration) -> Option<Duration> {
        self.0.as_ref().map(|line| line.at.saturating_add(TOGETHER).saturating_sub(now))
    }

    /// The line, if it has waited long enough and no other has come.
    pub(super) fn due(&mut self, now: Duration) -> Option<Line> {
        self.0.take_if(|line| now >= line.at.saturating_add(TOGETHER))
    }

    /// Something else has come: the line counts now. `ended`: nothing can follow it any more.
    pub(super) fn cut_short(&mut self, ended: bool) -> Option<Line> {
        self.0.take().map(|line| Line { alone: ended, ..line })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::linear::Echo;
    use super::*;

    fn line(text: &str, at: u64, alone: bool) -> Line {
        Line { text: text.to_owned(), typed: 0, echo: Echo::Shown, alone, at: Duration::from_millis(at) }
    }

    #[test]
    fn the_first_line_of_a_paste_that_comes_in_pieces_is_not_alone() {
        let mut held = HeldLine::default();
        assert_eq!(held.take(line("!touch x", 1_000, true)), []);
        assert_eq!(held.due_in(Duration::from_millis(1_060)), Some(Duration::from_millis(90)));
        assert_eq!(held.due(Duration::from_millis(1_149)), None);
        // The reader has seen that this one came right after another.
        let both = held.take(line("more", 1_060, false));
        assert_eq!(both, [line("!touch x", 1_000, false), line("more", 1_060, false)]);
        assert_eq!(held.due_in(Duration::from_millis(1_060)), None);
    }

    #[test]
    fn a_line_by_itself_counts_after_a_moment_and_what_comes_long_after_it_changes_nothing() {
        let mut held = HeldLine::default();
        assert_eq!(held.take(line("one", 1_000, true)), []);
        assert_eq!(held.due(Duration::from_millis(1_150)), Some(line("one", 1_000, true)));
        assert_eq!(held.due(Duration::from_millis(2_000)), None);
        assert_eq!(held.take(line("two", 3_000, true)), []);
        assert_eq!(held.take(line("three", 3_150, true)), [line("two", 3_000, true)]);
        assert_eq!(
            held.cut_short(false),
            Some(line("three", 3_150, false)),
            "nobody knows what would have followed"
        );
        assert_eq!(held.cut_short(false), None);
        assert_eq!(held.take(line("last", 5_000, true)), []);
        assert_eq!(held.cut_short(true), Some(line("last", 5_000, true)));
    }
}
