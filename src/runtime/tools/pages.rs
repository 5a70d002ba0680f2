//! Some lines out of a reader of any length, in bounded memory.

use std::io::{self, BufRead};

use super::stop::Stop;

/// Longer lines are generated ones; their start says which.
const MOST_LINE_BYTES: usize = 8000;

/// The lines asked for.
pub(super) struct Page {
    /// Without their ends; overlong ones cut.
    pub(super) lines: Vec<String>,
    /// How many lines there are in all; `None` when reading stopped before the end.
    pub(super) total: Option<u64>,
    /// Whether something on the page is not valid UTF-8.
    pub(super) is_lossy: bool,
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
    stop: &Stop,
) -> io::Result<Page> {
    let mut page = Page { lines: Vec::new(), total: None, is_lossy: false };
    let mut line = Line::default();
    let mut number = 1;
    loop {
        let is_past = number >= first.saturating_add(count);
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            let has_partial = line.bytes > 0;
            if has_partial && number >= first && !is_past {
                page.push(&line);
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
                page.push(&line);
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
}

impl Line {
    fn add(&mut self, piece: &[u8], keep: bool) {
        self.bytes += piece.len() as u64;
        if keep {
            let room = MOST_LINE_BYTES.saturating_sub(self.kept.len());
            self.kept.extend(piece.iter().take(room));
        }
    }

    fn clear(&mut self) {
        self.kept.clear();
        self.bytes = 0;
    }
}

impl Page {
    fn push(&mut self, line: &Line) {
        let more = line.bytes - line.kept.len() as u64;
        let text = String::from_utf8_lossy(&line.kept);
        // A cut can fall into a character; only a whole line can be called invalid.
        self.is_lossy |= more == 0 && std::str::from_utf8(&line.kept).is_err();
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        let text = if self.lines.is_empty() { text.trim_start_matches('\u{feff}') } else { text };
        self.lines.push(match more {
            0 => text.to_owned(),
            more => format!("{text}… ({more} more bytes in this line)"),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &[u8], first: u64, count: u64, count_all: bool) -> Page {
        scan(text, first, count, count_all, &Stop::default()).unwrap()
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
    fn an_endless_line_stays_small() {
        let long = page(&vec![b'x'; 1 << 20], 1, 1, false);
        assert_eq!(long.lines[0].len(), MOST_LINE_BYTES + "… (1040576 more bytes in this line)".len());
        assert!(page(b"ab\xff\n", 1, 1, true).is_lossy);
    }
}
