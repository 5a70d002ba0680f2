//! A change as the call that made it tells it: texts and what takes their places, of whose lines nobody has kept the numbers.

use similar::{Algorithm, ChangeTag, capture_diff_slices, group_diff_ops};

use super::read::{DiffRow, Sign};
use super::{DiffColours, LaidDiff, lay_rows};
use crate::tool::{changes, numbered};
use crate::ui::text::wrap;

/// More lines than anybody reads at once.
const MOST_ROWS: usize = 400;
/// Bytes of texts that are compared with what takes their places; behind these, lines are gone or new.
const MOST_COMPARED: usize = 16 * 1024;
/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// One part of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MadePart<'a> {
    /// A file that is new, with this content.
    Created(&'a str),
    /// A text and what takes its place.
    Replaced {
        /// What was.
        old: &'a str,
        /// What is.
        new: &'a str,
        /// Whether this is so wherever the text stood.
        everywhere: bool,
    },
}

/// Lays out a change that was made, on lines of at most `width` cells.
#[must_use]
pub fn lay_made(parts: &[MadePart<'_>], width: u16, colours: DiffColours<'_>) -> LaidDiff {
    let mut rows = Rows { rows: Vec::new(), more: 0, compared: 0 };
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            rows.push(Sign::Note, "…", None);
        }
        match *part {
            MadePart::Created(content) => {
                for (number, line) in (1..).zip(content.lines()) {
                    rows.push(Sign::Add, line, Some(number));
                }
            }
            MadePart::Replaced { old, new, everywhere } => {
                if everywhere {
                    rows.push(Sign::Note, "everywhere:", None);
                }
                rows.replace(old, new);
            }
        }
    }
    let more = rows.more;
    let mut laid = lay_rows(rows.rows, width, colours);
    if more > 0 {
        let more = if more == 1 { "… 1 more line".to_owned() } else { format!("… {more} more lines") };
        laid.lines.extend(wrap(&more, usize::from(width).max(1), colours.theme.dim));
    }
    laid
}

/// Rows, and how many more there would be.
struct Rows<'a> {
    rows: Vec<DiffRow<'a>>,
    more: usize,
    compared: usize,
}

impl<'a> Rows<'a> {
    fn push(&mut self, sign: Sign, text: &'a str, after: Option<usize>) {
        if self.rows.len() < MOST_ROWS {
            self.rows.push(DiffRow::new(sign, text, None, after));
        } else {
            self.more += 1;
        }
    }

    /// What differs between two texts. A tool keeps the line ends of its file, so that these say nothing.
    fn replace(&mut self, old: &'a str, new: &'a str) {
        self.compared = self.compared.saturating_add(old.len()).saturating_add(new.len());
        if self.compared > MOST_COMPARED {
            old.lines().for_each(|line| self.push(Sign::Remove, line, None));
            new.lines().for_each(|line| self.push(Sign::Add, line, None));
            return;
        }
        let (were, are): (Vec<&'a str>, Vec<&'a str>) = (old.lines().collect(), new.lines().collect());
        let (numbers_were, numbers_are) = numbered(&were, &are);
        let steps = capture_diff_slices(Algorithm::Myers, &numbers_were, &numbers_are);
        for (at, group) in group_diff_ops(steps, CONTEXT).iter().enumerate() {
            if at > 0 {
                self.push(Sign::Note, "…", None);
            }
            for (tag, line) in changes(group, &were, &are) {
                let sign = match tag {
                    ChangeTag::Equal => Sign::Context,
                    ChangeTag::Delete => Sign::Remove,
                    ChangeTag::Insert => Sign::Add,
                };
                self.push(sign, line, None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::text::highlight::Highlighter;
    use crate::ui::theme::Theme;

    fn shown(parts: &[MadePart<'_>]) -> Vec<String> {
        let (theme, highlighter) = (Theme::plain(), Highlighter::off());
        let colours = DiffColours { theme: &theme, language: "rs", highlighter: &highlighter };
        lay_made(parts, 40, colours).lines.iter().map(ToString::to_string).collect()
    }

    fn replaced<'a>(old: &'a str, new: &'a str) -> MadePart<'a> {
        MadePart::Replaced { old, new, everywhere: false }
    }

    #[test]
    fn texts_stand_against_what_takes_their_places_without_numbers() {
        let everywhere = MadePart::Replaced { old: "x", new: "", everywhere: true };
        assert_eq!(
            shown(&[replaced("a\nb\r\nc\n", "a\nB\nc"), everywhere]),
            ["  a", "- b", "+ B", "  c", "…", "everywhere:", "- x"]
        );
    }

    #[test]
    fn a_new_file_has_numbers_and_an_end() {
        assert_eq!(shown(&[MadePart::Created("a\n\x1b[1mb\n")]), ["  1 + a", "  2 + ^[[1mb"]);
        let long = "a line\n".repeat(MOST_ROWS + 7);
        let shown = shown(&[MadePart::Created(&long)]);
        assert_eq!(shown.len(), MOST_ROWS + 1);
        assert_eq!(shown.last().unwrap(), "… 7 more lines");
    }

    #[test]
    fn long_texts_are_not_compared() {
        let old = "the same\n".repeat(MOST_COMPARED / 12);
        assert_eq!(shown(&[replaced(&old, &old)])[0], "- the same");
        assert_eq!(shown(&[replaced("same", "same")]), Vec::<String>::new());
    }
}
