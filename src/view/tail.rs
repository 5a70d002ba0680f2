//! The last of a running tool's output, bounded however much it writes.

use std::collections::VecDeque;

/// The last lines of a text that comes in pieces: at most 200 lines and 64 KB.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tail {
    lines: VecDeque<String>,
    open: bool,
    /// A carriage return came last: what comes next starts the line again, unless it ends it.
    returned: bool,
    bytes: usize,
}

impl Tail {
    const MOST_LINES: usize = 200;
    const MOST_BYTES: usize = 64 * 1024;

    /// Takes in a piece. A carriage return starts its line again, as progress bars mean it; a form feed
    /// starts all of it again, as a screen that is shown anew.
    pub fn push(&mut self, piece: &str) {
        let piece = piece.rsplit_once('\u{c}').map_or(piece, |(_, screen)| {
            *self = Self::default();
            screen
        });
        for part in piece.split_inclusive('\n') {
            let (text, ends) = part.strip_suffix('\n').map_or((part, false), |text| (text, true));
            self.write(text.trim_end_matches('\r'));
            self.open = !ends;
            // A piece may end between a carriage return and what comes after it.
            self.returned = !ends && (text.ends_with('\r') || text.is_empty() && self.returned);
            self.forget();
        }
    }

    fn write(&mut self, text: &str) {
        let (restart, text) = match text.rsplit_once('\r') {
            Some((_, last)) => (true, last),
            None => (self.returned && !text.is_empty(), text),
        };
        if !self.open {
            self.lines.push_back(String::new());
        }
        let Some(line) = self.lines.back_mut() else { return };
        if restart {
            self.bytes -= line.len();
            line.clear();
        }
        line.push_str(text);
        self.bytes += text.len();
        self.cut_long_line();
    }

    /// A line without an end keeps its last part.
    fn cut_long_line(&mut self) {
        let Some(line) = self.lines.back_mut() else { return };
        if line.len() > Self::MOST_BYTES {
            let from = (line.len() - Self::MOST_BYTES / 2..line.len())
                .find(|at| line.is_char_boundary(*at))
                .unwrap_or(line.len());
            self.bytes -= from;
            line.drain(..from);
        }
    }

    fn forget(&mut self) {
        while self.lines.len() > Self::MOST_LINES || (self.bytes > Self::MOST_BYTES && self.lines.len() > 1) {
            if let Some(first) = self.lines.pop_front() {
                self.bytes -= first.len();
            }
        }
    }

    /// Whether nothing came yet.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The lines that are kept, oldest first; not yet safe for a screen.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.lines.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(tail: &Tail) -> Vec<&str> {
        tail.lines().collect()
    }

    #[test]
    fn a_form_feed_starts_anew() {
        let mut tail = Tail::default();
        tail.push("one\ntwo");
        tail.push("\u{c}three\n");
        assert_eq!(lines(&tail), ["three"]);
        tail.push("four\u{c}five\u{c}");
        assert!(tail.is_empty());
        assert_eq!(tail, Tail::default());
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
    }

    #[test]
    fn where_pieces_end_changes_nothing() {
        for text in ["10 %\r20 %\r\n", "a\r\nb\r\r\nc", "\rone\r\rtwo\n", "x\r", "bar\r\n\ry"] {
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
    fn it_stays_bounded() {
        let mut tail = Tail::default();
        for at in 0..1000 {
            tail.push(&format!("{at}\n"));
        }
        assert_eq!((tail.lines().len(), tail.lines().next()), (200, Some("800")));
        tail.push(&"é".repeat(100_000));
        assert!(tail.lines().map(str::len).sum::<usize>() <= Tail::MOST_BYTES);
    }
}
