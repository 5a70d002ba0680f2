//! How far the arguments of a call are laid out on its page. A model may write megabytes of them: they are laid out over several frames, so
//! that none of these holds up a key.

use crate::ledger::CallId;
use crate::ui::text::split_before;

/// Bytes of arguments that are laid out for one frame.
const MOUTHFUL: usize = 64 * 1024;
/// Bytes that are laid out at once. A line that is longer is broken there.
const PIECE: usize = 16 * 1024;
/// Rows after which no more are laid out: a page cannot be scrolled further.
const MOST_ROWS: usize = 65_000;

/// What arguments are laid out for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArgumentsShape {
    pub call: CallId,
    pub inner: u16,
    pub theme: String,
    /// Whether they stand under their names.
    pub is_named: bool,
    /// Whether one of them is a command, whose white space counts.
    pub is_command: bool,
}

/// The arguments of a call, as far as they are laid out.
#[derive(Debug)]
pub(super) struct LaidArguments {
    pub shape: ArgumentsShape,
    pub text: String,
    /// Where its rows begin on the page, and how many there are.
    pub at: usize,
    pub rows: usize,
    /// Bytes of the text that are laid out.
    taken: usize,
}

impl LaidArguments {
    /// None of it is laid out.
    pub(super) fn new(shape: ArgumentsShape, text: String) -> Self {
        Self { shape, text, at: 0, rows: 0, taken: 0 }
    }

    /// How far this frame may go.
    pub(super) fn until(&self) -> usize {
        self.taken.saturating_add(MOUTHFUL)
    }

    /// The next piece for this frame, where so many rows are laid out already.
    pub(super) fn next_piece(&mut self, until: usize, rows: usize) -> Option<&str> {
        if self.taken >= until || rows >= MOST_ROWS {
            return None;
        }
        let from = self.taken;
        let next = piece(self.text.get(from..).unwrap_or_default());
        self.taken = from + next.len();
        Some(next).filter(|next| !next.is_empty())
    }

    /// Whether the next piece begins within a line.
    pub(super) fn is_within_line(&self) -> bool {
        let before = self.text.get(..self.taken).unwrap_or_default();
        !before.is_empty() && !before.ends_with('\n')
    }

    /// Whether all of it is laid out.
    pub(super) fn is_whole(&self) -> bool {
        self.taken >= self.text.len()
    }

    /// Whether the next frame lays out more.
    pub(super) fn is_behind(&self) -> bool {
        !self.is_whole() && self.rows < MOST_ROWS
    }

    /// What stands for the rest, if there is one.
    pub(super) fn left(&self) -> Option<String> {
        let left = self.text.len().saturating_sub(self.taken);
        match (self.is_whole(), self.is_behind()) {
            (true, _) => None,
            (false, true) => Some("…".to_owned()),
            (false, false) => Some(format!("{left} more bytes have no room on this page")),
        }
    }
}

/// The first lines of a text, at most so many bytes; of a longer line its beginning.
fn piece(text: &str) -> &str {
    let (most, rest) = split_before(text, PIECE);
    let lines = most.rfind('\n').filter(|_| !rest.is_empty());
    lines.and_then(|end| most.get(..=end)).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(text: &str) -> LaidArguments {
        let shape = ArgumentsShape {
            call: CallId(1),
            inner: 80,
            theme: String::new(),
            is_named: true,
            is_command: true,
        };
        LaidArguments::new(shape, text.to_owned())
    }

    #[test]
    fn each_frame_takes_a_bounded_part_in_pieces_that_end_with_lines() {
        let line = "x".repeat(PIECE - 1);
        for text in
            [String::new(), "é".repeat(PIECE * 9), "a line\n".repeat(PIECE * 9), format!("{line}\nend")]
        {
            let (mut laid, mut all) = (laid(&text), String::new());
            let mut frames = 0;
            while !laid.is_whole() {
                let (until, before) = (laid.until(), all.len());
                while let Some(next) = laid.next_piece(until, 0) {
                    assert!(next.len() <= PIECE);
                    all.push_str(next);
                }
                assert!(all.len() > before && all.len() - before <= MOUTHFUL + PIECE);
                frames += 1;
            }
            assert_eq!(all, text);
            assert!(frames <= text.len() / (MOUTHFUL / 2) + 1, "{frames}");
        }
        assert!(piece(&"a line\n".repeat(PIECE)).ends_with('\n'));
    }

    #[test]
    fn a_piece_of_a_long_line_goes_on_in_it() {
        let mut laid = laid(&format!("command: {}\n  end\nbackground: true", "x".repeat(PIECE * 2)));
        let mut begins = Vec::new();
        loop {
            let goes_on = laid.is_within_line();
            let Some(piece) = laid.next_piece(usize::MAX, 0) else { break };
            begins.push((goes_on, piece.get(..3).unwrap_or_default().to_owned()));
        }
        let begins: Vec<(bool, &str)> = begins.iter().map(|(goes_on, text)| (*goes_on, &**text)).collect();
        assert_eq!(begins, [(false, "com"), (true, "xxx"), (true, "xxx")]);
    }

    #[test]
    fn no_more_rows_are_laid_out_than_a_page_can_be_scrolled_over() {
        let mut laid = laid(&"\n".repeat(MOUTHFUL * 2));
        assert_eq!(laid.next_piece(usize::MAX, MOST_ROWS), None);
        laid.rows = MOST_ROWS;
        assert!(!laid.is_whole() && !laid.is_behind());
        assert_eq!(laid.left(), Some(format!("{} more bytes have no room on this page", MOUTHFUL * 2)));
    }
}
