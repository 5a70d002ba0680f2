//! A line that was ended waits for a moment before it counts: a paste may come in pieces, and then its other
//! lines follow. At a terminal, lines that came together are told together.

use std::time::Duration;

use super::super::linear::{Echo, Line};

/// Lines closer together than this came together. A terminal may write a paste in pieces, and a slow line
/// carries them one by one; nobody reads, types and ends two lines in it.
pub(super) const TOGETHER: Duration = Duration::from_millis(150);

/// Bytes of lines that wait together. Whoever has more writes without end: what is there counts.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// The marks that a terminal may put around a paste. We ask for none, as a terminal that edits lines would show them; a program
/// that ran before may have.
const BEGINS: &str = "\u{1b}[200~";
const ENDS: &str = "\u{1b}[201~";

/// The line that waits, or those that came together.
#[derive(Debug, Default)]
pub(super) struct HeldLine {
    lines: Vec<Line>,
    bytes: usize,
    /// The mark of a beginning was read, and none of an end since.
    is_marked: bool,
    /// More of it stands in the terminal and is not ended: it waits for that, however long.
    goes_on: bool,
}

impl HeldLine {
    /// Takes a line as it was read. Returns those of which it is known how they came, the first ones first; what came
    /// together at a terminal stands together.
    pub(super) fn take(&mut self, line: Line) -> Vec<Vec<Line>> {
        let is_piped = line.echo == Echo::Unseen;
        let was_open = self.is_marked || self.goes_on;
        let line = if is_piped { line } else { self.without_marks(line) };
        let is_near = |last: &Line| line.at < last.at.saturating_add(TOGETHER);
        if !self.lines.last().is_some_and(|last| was_open || is_near(last)) {
            let is_marked = self.is_marked;
            let before = self.end();
            self.is_marked = is_marked;
            let now = if is_piped && !line.alone { vec![line] } else { self.hold(line) };
            return told([before, now]);
        }
        self.lines.iter_mut().for_each(|held| held.alone = false);
        if is_piped {
            return vec![self.end(), vec![Line { alone: false, ..line }]];
        }
        // The line that was waited for came by itself: it is the last one.
        let is_last = self.goes_on && line.alone && !self.is_marked;
        self.goes_on = false;
        let over = self.hold(Line { alone: false, ..line });
        let last = if is_last { self.end() } else { Vec::new() };
        told([over, last])
    }

    /// Holds a line; returns all of them if they are too many to wait.
    fn hold(&mut self, line: Line) -> Vec<Line> {
        self.bytes += line.text.len() + 1;
        self.lines.push(line);
        if self.bytes > MOST_BYTES { self.end() } else { Vec::new() }
    }

    /// A line with a mark was pasted: it is none that came by itself.
    fn without_marks(&mut self, line: Line) -> Line {
        let (begins, ends) = (line.text.rfind(BEGINS), line.text.rfind(ENDS));
        if begins.is_none() && ends.is_none() {
            return line;
        }
        self.is_marked = begins > ends;
        let text = line.text.replace(BEGINS, "").replace(ENDS, "");
        Line { text, alone: false, ..line }
    }

    /// The lines that wait.
    pub(super) fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Whether the mark of the end of a paste is still to come.
    pub(super) fn is_marked(&self) -> bool {
        self.is_marked
    }

    /// Whether it waits for the end of its last line.
    pub(super) fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// The last line is not ended: the others wait for it.
    pub(super) fn wait_for_end(&mut self) {
        self.goes_on = true;
    }

    /// How long it waits yet; `now` is since reading began.
    pub(super) fn due_in(&self, now: Duration) -> Option<Duration> {
        let last = self.lines.last().filter(|_| !self.goes_on)?;
        Some(last.at.saturating_add(TOGETHER).saturating_sub(now))
    }

    /// Whether it has waited long enough and no other line has come.
    pub(super) fn is_due(&self, now: Duration) -> bool {
        self.due_in(now).is_some_and(|rest| rest.is_zero())
    }

    /// The lines, and nothing waits any more.
    pub(super) fn end(&mut self) -> Vec<Line> {
        std::mem::take(self).lines
    }

    /// Something else has come: the lines count now. `ended`: nothing can follow them any more.
    pub(super) fn cut_short(&mut self, ended: bool) -> Vec<Line> {
        let mut lines = self.end();
        if let [line] = lines.as_mut_slice() {
            line.alone = line.alone && ended;
        }
        lines
    }
}

/// Those that are any.
fn told(lines: [Vec<Line>; 2]) -> Vec<Vec<Line>> {
    lines.into_iter().filter(|lines| !lines.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, at: u64, alone: bool) -> Line {
        Line { text: text.to_owned(), typed: 0, echo: Echo::Shown, alone, at: Duration::from_millis(at) }
    }

    fn nothing() -> Vec<Vec<Line>> {
        Vec::new()
    }

    #[test]
    fn the_first_line_of_a_paste_that_comes_in_pieces_is_not_alone() {
        let mut held = HeldLine::default();
        assert_eq!(held.take(line("!touch x", 1_000, true)), nothing());
        assert_eq!(held.due_in(Duration::from_millis(1_060)), Some(Duration::from_millis(90)));
        assert!(!held.is_due(Duration::from_millis(1_149)));
        // The reader has seen that this one came right after another.
        assert_eq!(held.take(line("more", 1_060, false)), nothing());
        assert_eq!(held.due_in(Duration::from_millis(1_060)), Some(TOGETHER));
        assert!(held.is_due(Duration::from_millis(1_210)));
        assert_eq!(held.end(), [line("!touch x", 1_000, false), line("more", 1_060, false)]);
        assert_eq!(held.due_in(Duration::from_millis(1_210)), None);
    }

    #[test]
    fn a_line_by_itself_counts_after_a_moment_and_what_comes_long_after_it_changes_nothing() {
        let mut held = HeldLine::default();
        assert_eq!(held.take(line("one", 1_000, true)), nothing());
        assert!(held.is_due(Duration::from_millis(1_150)));
        assert_eq!(held.end(), [line("one", 1_000, true)]);
        assert!(!held.is_due(Duration::from_millis(2_000)));
        assert_eq!(held.take(line("two", 3_000, true)), nothing());
        assert_eq!(held.take(line("three", 3_150, true)), [vec![line("two", 3_000, true)]]);
        assert_eq!(
            held.cut_short(false),
            [line("three", 3_150, false)],
            "nobody knows what would have followed"
        );
        assert_eq!(held.cut_short(false), []);
        assert_eq!(held.take(line("last", 5_000, true)), nothing());
        assert_eq!(held.cut_short(true), [line("last", 5_000, true)]);
    }

    #[test]
    fn a_paste_waits_for_the_end_of_its_last_line_however_long() {
        let mut held = HeldLine::default();
        held.take(line("one", 1_000, false));
        held.take(line("", 1_001, false));
        held.wait_for_end();
        assert!(held.goes_on() && held.due_in(Duration::from_secs(60)).is_none());
        let all = [line("one", 1_000, false), line("", 1_001, false), line("two", 90_000, false)];
        assert_eq!(held.take(line("two", 90_000, true)), [all.to_vec()]);
        assert!(held.lines().is_empty());
        assert!(!held.goes_on());
    }

    #[test]
    fn marks_of_a_paste_hold_its_lines_together_and_are_no_part_of_them() {
        let mut held = HeldLine::default();
        assert_eq!(held.take(line("see \u{1b}[200~one", 1_000, true)), nothing());
        assert!(held.is_marked());
        assert_eq!(held.take(line("two", 9_000, true)), nothing(), "however slowly it comes");
        assert_eq!(held.take(line("three\u{1b}[201~ now", 20_000, true)), nothing());
        assert!(!held.is_marked() && held.is_due(Duration::from_millis(20_150)));
        let all =
            [line("see one", 1_000, false), line("two", 9_000, false), line("three now", 20_000, false)];
        assert_eq!(held.end(), all);
        // A single line that is marked decides nothing.
        held.take(line("\u{1b}[200~y\u{1b}[201~", 30_000, true));
        assert!(!held.is_marked());
        assert_eq!(held.end(), [line("y", 30_000, false)]);
    }

    #[test]
    fn lines_out_of_a_pipe_are_told_one_by_one() {
        let piped = |text: &str, at, alone| Line { echo: Echo::Unseen, ..line(text, at, alone) };
        let mut held = HeldLine::default();
        assert_eq!(held.take(piped("one", 1_000, false)), [vec![piped("one", 1_000, false)]]);
        assert_eq!(held.take(piped("two", 2_000, true)), nothing());
        let both = [vec![piped("two", 2_000, false)], vec![piped("three", 2_001, false)]];
        assert_eq!(held.take(piped("three", 2_001, false)), both);
        assert_eq!(held.take(piped("\u{1b}[200~", 3_000, false)), [vec![piped("\u{1b}[200~", 3_000, false)]]);
    }
}
