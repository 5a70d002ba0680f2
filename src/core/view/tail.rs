//! The last of a running tool's output, bounded however much it writes.

use std::collections::VecDeque;

use crate::tool::{Console, Row};

/// The last lines of a text that comes in pieces, as a terminal would show them: at most 200 that are over and 48 KB of
/// them, and the one that is being written. A line of thousands of cells stands in several rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tail {
    rows: VecDeque<Row>,
    /// Bytes of their text.
    bytes: usize,
    console: Console,
    open: Option<Row>,
}

impl Tail {
    const MOST_LINES: usize = 200;
    const MOST_BYTES: usize = 48 * 1024;

    /// Takes in a piece, which may end anywhere: within a line, a sequence, a colour.
    pub fn push(&mut self, piece: &str) {
        let (rows, bytes) = (&mut self.rows, &mut self.bytes);
        self.console.push(piece, |row, _| {
            *bytes += row.text().len();
            rows.push_back(row);
            while rows.len() > Self::MOST_LINES || (*bytes > Self::MOST_BYTES && rows.len() > 1) {
                let Some(first) = rows.pop_front() else { return };
                *bytes -= first.text().len();
            }
        });
        self.open = self.console.open();
    }

    /// Whether nothing came yet that is seen.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.open.is_none()
    }

    /// The rows that are kept, oldest first; not yet safe for a screen.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &Row> {
        self.rows.iter().chain(&self.open)
    }

    /// The same without their looks.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.rows().map(Row::text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(tail: &Tail) -> Vec<&str> {
        tail.lines().collect()
    }

    #[test]
    fn pieces_join_into_lines() {
        let mut tail = Tail::default();
        for piece in ["one\ntw", "o\r\nthr", "ee"] {
            tail.push(piece);
        }
        assert_eq!(lines(&tail), ["one", "two", "three"]);
        tail.push(" 10 %\rthree 20 %");
        assert_eq!(lines(&tail), ["one", "two", "three 20 %"]);
        tail.push("\x1b[2K\r\x1b[32mdone\x1b[0m\n");
        assert_eq!(lines(&tail), ["one", "two", "done"]);
    }

    #[test]
    fn where_pieces_end_changes_nothing() {
        for text in [
            "10 %\r20 %\r\n",
            "a\r\nb\r\r\nc",
            "\rone\r\rtwo\n",
            "x\r",
            "bar\r\n\ry",
            "\x1b[1;31mred\x1b[0m\x1b]0;t\x07\n\x1b[",
        ] {
            let (mut whole, mut pieces) = (Tail::default(), Tail::default());
            whole.push(text);
            text.split_inclusive(|_| true).for_each(|piece| pieces.push(piece));
            assert_eq!(whole, pieces, "{text:?}");
        }
        let mut tail = Tail::default();
        ["10 %\r", "20 %\r", "30 %\r", "\ndone"].iter().for_each(|piece| tail.push(piece));
        assert_eq!(lines(&tail), ["30 %", "done"]);
    }

    #[test]
    fn what_shows_nothing_is_nothing() {
        let mut tail = Tail::default();
        tail.push("\x1b]0;a title\x07\x1b[?25l\x07");
        assert!(tail.is_empty());
    }

    #[test]
    fn it_stays_bounded() {
        let mut tail = Tail::default();
        for at in 0..1000 {
            tail.push(&format!("{at}\n"));
        }
        assert_eq!((tail.lines().count(), tail.lines().next()), (200, Some("800")));
        tail.push(&"é".repeat(100_000));
        assert!(tail.lines().map(str::len).sum::<usize>() <= 64 * 1024);
    }
}
