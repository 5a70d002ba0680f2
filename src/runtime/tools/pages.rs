//! Some lines out of a reader of any length, in bounded memory.

use std::io::{self, BufRead};

use super::stop::StopFlag;

/// Longer lines are generated ones; their start says which.
const MOST_LINE_BYTES: usize = 8000;

/// The lines asked for.
#[derive(Default)]
pub(super) struct TextPage {
    /// Without their ends; overlong ones cut.
    pub(super) lines: Vec<String>,
    /// Bytes of these lines that are left out.
    pub(super) cut_bytes: u64,
    /// How many lines there are in all; `None` when reading stopped before the end.
    pub(super) total: Option<u64>,
    /// Whether something on the page is not valid UTF-8.
    pub(super) is_lossy: bool,
    /// Whether the file begins with a byte order mark, which is not shown; known on the first page alone.
    pub(super) has_mark: bool,
    /// How many lines of the page end with CR LF.
    pub(super) with_return: usize,
    /// How many end with LF alone.
    pub(super) with_feed: usize,
}

/// Reads `count` lines from line `first` (from 1) on. Goes on to the end to count, if `count_all`.
///
/// # Errors
/// The reader's.
pub(super) fn scan(
    mut reader: impl BufRead,
    first: u64,
    count: u64,
    count_all: bool,
    stop: &StopFlag,
) -> io::Result<TextPage> {
    let mut page = TextPage::default();
    let mut line = Line::default();
    let mut number = 1;
    loop {
        let is_past = number >= first.saturating_add(count);
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            let has_partial = line.bytes > 0;
            if has_partial && number >= first && !is_past {
                page.push(&line, number);
            }
            page.total = Some(number - 1 + u64::from(has_partial));
            return Ok(page);
        }
        if stop.is_set() || (is_past && !count_all) {
            return Ok(page);
        }
        let piece = buffer.split_inclusive(|byte| *byte == b'\n').next().unwrap_or(buffer);
        let used = piece.len();
        let ends = piece.ends_with(b"\n");
        line.add(piece, number >= first && !is_past);
        reader.consume(used);
        if ends {
            if number >= first && !is_past {
                page.push(&line, number);
            }
            line.clear();
            number += 1;
        }
    }
}

#[derive(Default)]
struct Line {
    kept: Vec<u8>,
    bytes: u64,
    ended_in_return: bool,
    ends_with_return: bool,
    ends_with_feed: bool,
}

impl Line {
    fn add(&mut self, piece: &[u8], keep: bool) {
        self.bytes += piece.len() as u64;
        let last = |at: usize| piece.len().checked_sub(at).and_then(|at| piece.get(at)).copied();
        // Of a CR LF that two pieces share, the CR was the end of the first.
        self.ends_with_return = match (last(2), last(1)) {
            (Some(b'\r'), Some(b'\n')) => true,
            (None, Some(b'\n')) => self.ended_in_return,
            _ => false,
        };
        self.ended_in_return = last(1) == Some(b'\r');
        self.ends_with_feed = last(1) == Some(b'\n');
        if keep {
            let room = MOST_LINE_BYTES.saturating_sub(self.kept.len());
            self.kept.extend(piece.iter().take(room));
        }
    }

    fn clear(&mut self) {
        self.kept.clear();
        *self = Self { kept: std::mem::take(&mut self.kept), ..Self::default() };
    }
}

impl TextPage {
    fn push(&mut self, line: &Line, number: u64) {
        self.with_return += usize::from(line.ends_with_return);
        self.with_feed += usize::from(line.ends_with_feed && !line.ends_with_return);
        let more = line.bytes - line.kept.len() as u64;
        self.cut_bytes += more;
        let text = String::from_utf8_lossy(&line.kept);
        // A cut can fall into a character; only a whole line can be called invalid.
        self.is_lossy |= more == 0 && std::str::from_utf8(&line.kept).is_err();
        let text = text.strip_suffix('\n').unwrap_or(&text);
        // A CR that no LF follows belongs to the line.
        let text = text.strip_suffix('\r').filter(|_| line.ends_with_return).unwrap_or(text);
        let unmarked = text.strip_prefix('\u{feff}').filter(|_| number == 1);
        self.has_mark |= unmarked.is_some();
        let text = unmarked.unwrap_or(text);
        self.lines.push(match more {
            0 => text.to_owned(),
            more => format!("{text}… ({more} more bytes in this line)"),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &[u8], first: u64, count: u64, count_all: bool) -> TextPage {
        scan(text, first, count, count_all, &StopFlag::default()).unwrap()
    }

    #[test]
    fn pages_start_and_end_where_they_were_asked_to() {
        let all = page(b"a\r\nb\n\nd", 1, 10, true);
        assert_eq!(
            (all.lines, all.total),
            (vec!["a".into(), "b".into(), String::new(), "d".into()], Some(4))
        );
        let middle = page(b"a\nb\nc\nd\n", 2, 2, true);
        assert_eq!((middle.lines, middle.total), (vec!["b".to_owned(), "c".to_owned()], Some(4)));
        assert_eq!(page(b"a\nb\nc\n", 1, 2, false).total, None);
        assert_eq!(page(b"a\nb\n", 1, 2, false).total, Some(2));
        assert_eq!(page(b"", 1, 2, true).total, Some(0));
    }

    #[test]
    fn line_ends_are_counted_and_a_mark_is_taken_off_once() {
        let mixed = page("\u{feff}a\r\nb\n\u{feff}c\rd\r\ne\r".as_bytes(), 1, 10, true);
        assert_eq!(mixed.lines, ["a", "b", "\u{feff}c\rd", "e\r"]);
        assert_eq!((mixed.with_return, mixed.with_feed, mixed.has_mark), (2, 1, true));
        let second = page("\u{feff}a\n\u{feff}b\n".as_bytes(), 2, 1, true);
        assert_eq!((second.lines, second.has_mark), (vec!["\u{feff}b".to_owned()], false));
        // A reader that gives one byte at a time tears every CR LF.
        let torn = scan(io::BufReader::with_capacity(1, &b"a\r\nb\n"[..]), 1, 9, true, &StopFlag::default())
            .unwrap();
        assert_eq!((torn.lines, torn.with_return, torn.with_feed), (vec!["a".into(), "b".into()], 1, 1));
    }

    #[test]
    fn an_endless_line_stays_small() {
        let long = page(&vec![b'x'; 1 << 20], 1, 1, false);
        assert_eq!(long.lines[0].len(), MOST_LINE_BYTES + "… (1040576 more bytes in this line)".len());
        assert!(page(b"ab\xff\n", 1, 1, true).is_lossy);
    }
}
