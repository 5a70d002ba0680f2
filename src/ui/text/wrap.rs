//! Breaks text into lines by the cells it takes, never inside a grapheme cluster.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::{tag, width};

/// What stands for a character that is wider than the whole line.
const TOO_WIDE: &str = "…";

/// Breaks a text between words; long words are broken inside, hard newlines and leading spaces are kept.
#[must_use]
pub fn wrap(text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    wrap_spans(vec![Span::styled(text.to_owned(), style)], width, Vec::new())
}

/// Breaks styled text between words; every line but the first starts with `hanging_indent`, which counts as part of
/// the width and is left out where it would leave no room.
#[must_use]
pub fn wrap_spans(
    spans: Vec<Span<'static>>,
    width: usize,
    hanging_indent: Vec<Span<'static>>,
) -> Vec<Line<'static>> {
    lay(&spans, width, hanging_indent, Breaks::Words)
}

/// Breaks styled text wherever the line is full, for code and other text whose columns carry meaning.
#[must_use]
pub fn cut_spans(
    spans: &[Span<'static>],
    width: usize,
    hanging_indent: Vec<Span<'static>>,
) -> Vec<Line<'static>> {
    lay(spans, width, hanging_indent, Breaks::Anywhere)
}

/// Where a line may end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Breaks {
    Words,
    Anywhere,
}

fn lay(
    spans: &[Span<'static>],
    limit: usize,
    hanging: Vec<Span<'static>>,
    breaks: Breaks,
) -> Vec<Line<'static>> {
    if limit == 0 {
        return vec![Line::default()];
    }
    let hanging_width: usize = hanging.iter().map(|span| width(&span.content)).sum();
    let (mut hanging, hanging_width) =
        if hanging_width < limit { (hanging, hanging_width) } else { (Vec::new(), 0) };
    hanging.iter_mut().for_each(|span| span.style = tag::ours(span.style));
    let mut page = WrapState { limit, hanging, hanging_width, ..WrapState::default() };
    for span in spans {
        for grapheme in span.content.graphemes(true) {
            match grapheme {
                "\n" | "\r\n" => {
                    page.place_word();
                    page.end_line();
                }
                " " if breaks == Breaks::Words => {
                    page.place_word();
                    page.spaces.push(" ", 1, span.style);
                }
                _ if breaks == Breaks::Anywhere => page.place(grapheme, grapheme.width(), span.style),
                _ => page.extend_word(grapheme, span.style),
            }
        }
    }
    page.place_word();
    page.end_line();
    page.lines
}

/// A run of styled text and the cells it takes.
#[derive(Default)]
struct Run {
    spans: Vec<Span<'static>>,
    width: usize,
}

impl Run {
    fn push(&mut self, text: &str, cells: usize, style: Style) {
        self.width += cells;
        match self.spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push_str(text),
            _ => self.spans.push(Span::styled(text.to_owned(), style)),
        }
    }

    fn append(&mut self, other: &mut Self) {
        self.width += other.width;
        other.width = 0;
        for span in other.spans.drain(..) {
            match self.spans.last_mut() {
                Some(last) if last.style == span.style => last.content.to_mut().push_str(&span.content),
                _ => self.spans.push(span),
            }
        }
    }

    fn clear(&mut self) {
        self.spans.clear();
        self.width = 0;
    }
}

/// The lines so far, the line being filled, and the word that has not found its line yet.
#[derive(Default)]
struct WrapState {
    limit: usize,
    hanging: Vec<Span<'static>>,
    hanging_width: usize,
    lines: Vec<Line<'static>>,
    line: Run,
    spaces: Run,
    word: Run,
    /// The last grapheme of the word ends where a line may break after it (ideographs have no spaces).
    may_break: bool,
}

impl WrapState {
    fn room(&self) -> usize {
        if self.lines.is_empty() { self.limit } else { self.limit - self.hanging_width }
    }

    fn extend_word(&mut self, grapheme: &str, style: Style) {
        let cells = grapheme.width();
        let is_wide = cells > 1;
        if (is_wide || self.may_break) && cells > 0 && !must_not_start(grapheme) {
            self.place_word();
        }
        self.word.push(grapheme, cells, style);
        self.may_break = is_wide && !must_not_end(grapheme);
    }

    /// Moves the word to the line, or to the next one when it does not fit.
    fn place_word(&mut self) {
        if self.word.spans.is_empty() {
            return;
        }
        self.may_break = false;
        if self.line.width + self.spaces.width + self.word.width <= self.room() {
            let (mut spaces, mut word) = (std::mem::take(&mut self.spaces), std::mem::take(&mut self.word));
            self.line.append(&mut spaces);
            self.line.append(&mut word);
            return;
        }
        if !self.line.spans.is_empty() {
            self.break_line(self.spaces.width);
        }
        self.spaces.clear();
        let mut word = std::mem::take(&mut self.word);
        if word.width <= self.room() {
            self.line.append(&mut word);
            return;
        }
        for span in word.spans {
            for grapheme in span.content.graphemes(true) {
                self.place(grapheme, grapheme.width(), span.style);
            }
        }
    }

    /// Puts one grapheme on the line, or on the next one when the line is full.
    fn place(&mut self, grapheme: &str, cells: usize, style: Style) {
        if self.line.width + cells > self.room() && !self.line.spans.is_empty() {
            self.break_line(0);
        }
        if cells > self.room() {
            self.line.push(TOO_WIDE, 1, style);
        } else {
            self.line.push(grapheme, cells, style);
        }
    }

    /// Finishes the line because it is full; so many spaces of the text are left out.
    fn break_line(&mut self, spaces: usize) {
        self.end_line();
        if let Some(line) = self.lines.last_mut() {
            tag::go_on(line, spaces);
        }
    }

    /// Finishes the line; spaces at its end are dropped.
    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.spaces.clear();
        let mut spans = if self.lines.is_empty() { Vec::new() } else { self.hanging.clone() };
        spans.extend(line.spans);
        self.lines.push(Line::from(spans));
    }
}

/// Closing marks that stay with what they close.
fn must_not_start(grapheme: &str) -> bool {
    matches!(
        grapheme,
        "、" | "。"
            | "，"
            | "．"
            | "："
            | "；"
            | "！"
            | "？"
            | "）"
            | "］"
            | "｝"
            | "」"
            | "』"
            | "】"
            | "〉"
            | "》"
            | "”"
            | "’"
            | "ー"
            | "々"
            | ")"
            | "]"
            | "}"
            | ","
            | "."
            | ":"
            | ";"
            | "!"
            | "?"
            | "…"
    )
}

/// Opening marks that stay with what they open.
fn must_not_end(grapheme: &str) -> bool {
    matches!(grapheme, "（" | "［" | "｛" | "「" | "『" | "【" | "〈" | "《")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, width: usize) -> Vec<String> {
        wrap(text, width, Style::new()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_move_to_the_next_line_whole() {
        assert_eq!(shown("the quick brown fox", 10), ["the quick", "brown fox"]);
        assert_eq!(shown("a b  c", 20), ["a b  c"]);
        assert_eq!(shown("  indented text here", 12), ["  indented", "text here"]);
    }

    #[test]
    fn long_words_are_broken_and_newlines_kept() {
        assert_eq!(shown("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(shown("a\n\nb", 4), ["a", "", "b"]);
        assert_eq!(shown("abcd\nefgh", 4), ["abcd", "efgh"]);
        assert_eq!(shown("", 4), [""]);
        assert_eq!(shown("abc", 0), [""]);
    }

    #[test]
    fn ideographs_break_anywhere_but_before_closing_marks() {
        assert_eq!(shown("漢字漢字漢字", 5), ["漢字", "漢字", "漢字"]);
        assert_eq!(shown("漢字漢。字", 6), ["漢字", "漢。字"]);
        assert_eq!(shown("漢", 1), ["…"]);
    }

    #[test]
    fn styles_and_hanging_indents_survive() {
        let bold = Style::new().add_modifier(ratatui::style::Modifier::BOLD);
        let spans = vec![Span::raw("- one "), Span::styled("two", bold), Span::raw("three four")];
        let lines = wrap_spans(spans, 10, vec![Span::raw("  ")]);
        let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
        assert_eq!(text, ["- one", "  twothree", "  four"]);
        assert_eq!(lines[1].spans[1], Span::styled("two", bold));
    }

    #[test]
    fn broken_rows_say_how_they_go_on() {
        let lines = wrap("one  two\nthreefour 漢字漢", 5, Style::new());
        let joins: Vec<_> = lines.iter().map(|line| (line.to_string(), tag::goes_on(line))).collect();
        let expected = [
            ("one", Some(2)),
            ("two", None),
            ("three", Some(0)),
            ("four", Some(1)),
            ("漢字", Some(0)),
            ("漢", None),
        ];
        assert_eq!(joins, expected.map(|(text, joined)| (text.to_owned(), joined)));
    }

    #[test]
    fn code_is_cut_where_the_line_is_full() {
        let lines = cut_spans(&[Span::raw("let  x = 1;")], 5, Vec::new());
        let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
        assert_eq!(text, ["let  ", "x = 1", ";"]);
    }
}
