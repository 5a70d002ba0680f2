//! Plain text in pieces, whole or while it is still being written, so that a long one is laid out only where it is in sight.

use ratatui::style::Style;
use ratatui::text::Line;

use super::{sanitize, split_before, wrap};

/// Lines after which a piece ends.
const MOST_LINES: usize = 32;
/// Bytes after which a piece ends with the line it is in.
const MOST_BYTES: usize = 4 * 1024;
/// Bytes after which it ends inside a line.
const LONGEST_LINE: usize = 16 * 1024;

/// A text that nothing in it formats, in pieces of whole lines. Its text decides where they end, at any width and however
/// it came.
#[derive(Debug, Default)]
pub struct Plain {
    text: String,
    /// Where each piece begins.
    begins: Vec<usize>,
    /// Lines that have ended in the last piece.
    lines: usize,
    /// The last piece takes no more.
    is_full: bool,
    words: usize,
    is_in_word: bool,
}

impl Plain {
    /// A text that is all there.
    #[must_use]
    pub fn whole(text: &str) -> Self {
        let mut plain = Self::default();
        plain.push(text);
        plain
    }

    /// Takes what came next: it costs what that costs.
    pub fn push(&mut self, delta: &str) {
        for c in delta.chars() {
            self.words += usize::from(!self.is_in_word && !c.is_whitespace());
            self.is_in_word = !c.is_whitespace();
        }
        for line in delta.split_inclusive('\n') {
            let mut rest = line;
            while !rest.is_empty() {
                rest = self.append(rest);
            }
        }
    }

    /// Puts as much of a line into the last piece as goes there, and gives back what is left.
    fn append<'l>(&mut self, line: &'l str) -> &'l str {
        if self.is_full || self.begins.is_empty() {
            self.begins.push(self.text.len());
            (self.lines, self.is_full) = (0, false);
        }
        let taken = self.text.len() - self.begins.last().copied().unwrap_or_default();
        let (head, tail) = split_before(line, LONGEST_LINE.saturating_sub(taken));
        self.text.push_str(head);
        if head.ends_with('\n') {
            self.lines += 1;
            self.is_full = self.lines >= MOST_LINES || taken + head.len() >= MOST_BYTES;
        } else {
            self.is_full = !tail.is_empty();
        }
        tail
    }

    /// How many words there are.
    #[must_use]
    pub const fn words(&self) -> usize {
        self.words
    }

    /// How many pieces there are; none of an empty text.
    #[must_use]
    pub const fn pieces(&self) -> usize {
        self.begins.len()
    }

    /// The text of a piece.
    #[must_use]
    pub fn source(&self, at: usize) -> &str {
        let Some(begin) = self.begins.get(at) else { return "" };
        let end = self.begins.get(at + 1).copied().unwrap_or(self.text.len());
        self.text.get(*begin..end).unwrap_or_default()
    }

    /// The lines of a piece, each at most `width` cells wide.
    #[must_use]
    pub fn lines(&self, at: usize, width: usize, style: Style) -> Vec<Line<'static>> {
        let source = self.source(at);
        let is_last = at + 1 >= self.begins.len();
        let source = if is_last { source.trim_end() } else { source.strip_suffix('\n').unwrap_or(source) };
        wrap(&sanitize(source), width, style)
    }

    /// The same where what stands from byte `ends` of the whole text on is nobody's words: it begins with a line of its own, and has
    /// the look `behind`.
    #[must_use]
    pub fn lines_in_two(
        &self,
        at: usize,
        width: usize,
        style: Style,
        (ends, behind): (usize, Style),
    ) -> Vec<Line<'static>> {
        let begin = self.begins.get(at).copied().unwrap_or_default();
        let cut = ends.saturating_sub(begin);
        let Some((words, rest)) = self.source(at).split_at_checked(cut).filter(|(_, rest)| !rest.is_empty())
        else {
            return self.lines(at, width, style);
        };
        // No words at all are an empty line, as everywhere.
        let is_behind = cut == 0 && at > 0;
        let mut lines = if is_behind { Vec::new() } else { wrap(&sanitize(words), width, style) };
        let rest = rest.strip_prefix('\n').unwrap_or(rest).trim_end();
        if !rest.is_empty() {
            lines.extend(wrap(&sanitize(rest), width, behind));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Modifier;

    use super::*;

    fn texts() -> Vec<String> {
        let long = "é a word ".repeat(6_000);
        vec![
            String::new(),
            " ".to_owned(),
            "one".to_owned(),
            "one\n\ntwo  words\n".to_owned(),
            "line\n".repeat(MOST_LINES * 3),
            format!("{}\nshort\n", "x".repeat(MOST_BYTES)),
            format!("begins\n{long}\nends"),
        ]
    }

    #[test]
    fn what_is_behind_the_words_has_its_own_look() {
        let (words, notes) = ("one\n".repeat(40) + "two", "\n[a note]\n[another]");
        let plain = Plain::whole(&format!("{words}{notes}"));
        let (style, behind) = (Style::new(), Style::new().add_modifier(Modifier::DIM));
        let pieces = 0..plain.pieces();
        let lines: Vec<Line<'static>> =
            pieces.clone().flat_map(|at| plain.lines_in_two(at, 40, style, (words.len(), behind))).collect();
        let whole: Vec<Line<'static>> = pieces.flat_map(|at| plain.lines(at, 40, style)).collect();
        assert_eq!(
            lines.iter().map(Line::to_string).collect::<Vec<_>>(),
            whole.iter().map(Line::to_string).collect::<Vec<_>>()
        );
        let looks = lines.iter().map(|line| line.spans.iter().all(|span| span.style == behind));
        assert_eq!(looks.filter(|is_behind| *is_behind).count(), 2);
        // Only a note, as of a message that is an image alone.
        let alone = Plain::whole("\n[a note]").lines_in_two(0, 40, style, (0, behind));
        assert_eq!(alone.iter().map(Line::to_string).collect::<Vec<_>>(), ["", "[a note]"]);
    }

    #[test]
    fn pieces_are_the_text_and_bounded() {
        for text in texts() {
            let plain = Plain::whole(&text);
            let pieces: Vec<&str> = (0..plain.pieces()).map(|at| plain.source(at)).collect();
            assert_eq!(pieces.concat(), text);
            assert_eq!(plain.words(), text.split_whitespace().count());
            for piece in &pieces {
                assert!(!piece.is_empty() && piece.len() <= 16_384 && piece.lines().count() <= 32);
            }
        }
    }

    #[test]
    fn how_a_text_came_makes_no_difference() {
        for text in texts() {
            let whole = Plain::whole(&text);
            let mut grown = Plain::default();
            for c in text.chars() {
                grown.push(c.encode_utf8(&mut [0; 4]));
            }
            assert_eq!((grown.begins, grown.words), (whole.begins, whole.words));
        }
    }

    #[test]
    fn pieces_below_each_other_read_as_one_text() {
        let text = "line\n".repeat(100);
        let plain = Plain::whole(&text);
        let lines: Vec<String> = (0..plain.pieces())
            .flat_map(|at| plain.lines(at, 40, Style::new()))
            .map(|line| line.to_string())
            .collect();
        assert_eq!(lines, vec!["line"; 100]);
    }
}
