//! Unified diffs with line numbers: signs stay text, colour only repeats them, and changed words stand out.

mod beside;
mod code;
mod made;
mod page;
mod read;
mod spoken;
mod white_space;

use ratatui::text::Line;

pub use self::code::{DiffColours, language};
pub use self::made::{MadePart, lay_made};
use self::page::DiffPage;
use self::read::{DiffRow, Sign, leading, rows};
pub use self::spoken::spoken;

/// Cells that the text must have beside the line numbers; with fewer, the numbers are left out.
const ROOM_FOR_TEXT: usize = 16;

/// Cells from which on both sides of a diff may stand beside each other: what a box of 110 has inside. They do where that takes no more
/// lines than one below the other: lines that wrap in half of the room are hard to read.
const SIDE_BY_SIDE: usize = 106;

/// Cells from which on they always do: what a box of 150 has inside.
const ALWAYS_SIDE_BY_SIDE: usize = 146;

/// A diff as lines.
#[derive(Debug, Clone, PartialEq)]
pub struct LaidDiff {
    /// The lines, none wider than asked.
    pub lines: Vec<Line<'static>>,
    /// Where among them the first change begins, if anything is changed.
    pub first_change: Option<usize>,
}

/// The lines of [`lay`] alone.
#[must_use]
pub fn render(unified: &str, width: u16, colours: DiffColours<'_>) -> Vec<Line<'static>> {
    lay(unified, width, colours).lines
}

/// The same without the lines before the first hunk, which name the file: for where its name stands above already.
#[must_use]
pub fn render_hunks(unified: &str, width: u16, colours: DiffColours<'_>) -> Vec<Line<'static>> {
    let mut rows = rows(unified);
    let names = |row: &&DiffRow<'_>| row.sign == Sign::Header && !row.text.starts_with("@@");
    let head = rows.iter().take_while(names).count();
    lay_rows(rows.split_off(head), width, colours).lines
}

/// Lays out a unified diff, untrusted as it is, on lines of at most `width` cells: what was and what will be side by
/// side where both have room, else one below the other. Lines that belong to no hunk are shown as they are.
#[must_use]
pub fn lay(unified: &str, width: u16, colours: DiffColours<'_>) -> LaidDiff {
    lay_rows(rows(unified), width, colours)
}

fn lay_rows(mut rows: Vec<DiffRow<'_>>, width: u16, colours: DiffColours<'_>) -> LaidDiff {
    code::paint(&mut rows, colours);
    white_space::show(&mut rows);
    let room = usize::from(width);
    if room == 0 {
        return LaidDiff { lines: Vec::new(), first_change: None };
    }
    let last = rows.iter().filter_map(DiffRow::last_number).max();
    let digits = last.map_or(0, |last| last.to_string().len());
    let digits = if room < 2 * digits + 4 + ROOM_FOR_TEXT { 0 } else { digits };
    // A file that is new or gone has but one side.
    let has = |sign| rows.iter().any(|row| row.sign == sign);
    let page = DiffPage { room, digits, theme: colours.theme };
    if room < SIDE_BY_SIDE || !has(Sign::Add) || !has(Sign::Remove) {
        return laid(&rows, &page, false);
    }
    let beside = laid(&rows, &page, true);
    if room >= ALWAYS_SIDE_BY_SIDE {
        return beside;
    }
    let below = laid(&rows, &page, false);
    if beside.lines.len() <= below.lines.len() { beside } else { below }
}

/// All rows, both sides beside each other or one below the other.
fn laid(rows: &[DiffRow<'_>], page: &DiffPage<'_>, is_beside: bool) -> LaidDiff {
    let mut laid = LaidDiff { lines: Vec::new(), first_change: None };
    let mut rest = rows;
    while let Some((row, others)) = rest.split_first() {
        let (removed, after) = leading(Sign::Remove, rest);
        let (added, after) = leading(Sign::Add, after);
        if removed.is_empty() && added.is_empty() {
            laid.lines.extend(if is_beside { beside::same(row, page) } else { page.unchanged(row) });
            rest = others;
            continue;
        }
        laid.first_change.get_or_insert(laid.lines.len());
        laid.lines.extend(if is_beside {
            beside::change(removed, added, page)
        } else {
            page.change(removed, added)
        });
        rest = after;
    }
    laid
}

/// How many lines a unified diff adds and removes.
#[must_use]
pub fn counts(unified: &str) -> (usize, usize) {
    let rows = rows(unified);
    let of = |sign| rows.iter().filter(|row| row.sign == sign).count();
    (of(Sign::Add), of(Sign::Remove))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::text::highlight::Highlighter;
    use crate::ui::text::width;
    use crate::ui::theme::Theme;

    const DIFF: &str = "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -9,3 +9,4 @@ fn main()\n one\n-let old = 1;\n\
                        +let new = 1;\n+more\n three\n\\ No newline at end of file\n";

    fn plain<'a>(theme: &'a Theme, highlighter: &'a Highlighter) -> DiffColours<'a> {
        DiffColours { theme, language: "rs", highlighter }
    }

    fn shown(unified: &str, width: u16) -> Vec<String> {
        let theme = Theme::plain();
        render(unified, width, plain(&theme, &Highlighter::off())).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lines_carry_their_numbers_and_signs() {
        assert_eq!(
            shown(DIFF, 40),
            [
                "--- a/src/lib.rs",
                "+++ b/src/lib.rs",
                "@@ -9,3 +9,4 @@ fn main()",
                " 9  9   one",
                "10    - let old = 1;",
                "   10 + let new = 1;",
                "   11 + more",
                "11 12   three",
                "\\ No newline at end of file",
            ]
        );
    }

    #[test]
    fn where_the_file_is_named_above_the_first_hunk_comes_first() {
        let (theme, highlighter) = (Theme::plain(), Highlighter::off());
        let shown = |unified: &str| -> Vec<String> {
            let lines = render_hunks(unified, 40, plain(&theme, &highlighter));
            lines.iter().map(ToString::to_string).collect()
        };
        assert_eq!(shown(DIFF)[..2], ["@@ -9,3 +9,4 @@ fn main()", " 9  9   one"]);
        let inside = "--- a.sql\n+++ a.sql\n@@ -1 +1 @@\n--- x\n+++ y\n";
        assert_eq!(shown(inside), ["@@ -1 +1 @@", "1   - -- x", "  1 + ++ y"]);
        assert!(shown("").iter().all(String::is_empty));
    }

    #[test]
    fn changed_words_stand_out() {
        let theme = Theme::builtin("countersign-dark").unwrap();
        let lines = render(DIFF, 40, plain(&theme, &Highlighter::off()));
        let word = |line: usize, style| {
            lines[line]
                .spans
                .iter()
                .filter(|span| span.style == style)
                .map(|span| span.content.to_string())
                .collect()
        };
        let (old, new): (Vec<String>, Vec<String>) =
            (word(4, theme.diff_remove_word), word(5, theme.diff_add_word));
        assert_eq!((old, new), (vec!["old".to_owned()], vec!["new".to_owned()]));
    }

    #[test]
    fn code_has_the_colours_of_its_side_on_a_tint_that_fills_the_row() {
        let theme = Theme::builtin("countersign-dark").unwrap();
        let highlighter = Highlighter::immediate();
        let diff = "@@ -1,2 +1,2 @@\n fn one() {}\n-let a = 1; // old\n+let a = 2; /* new\n";
        let lines = render(diff, 40, plain(&theme, &highlighter));
        let style = |line: usize, word: &str| {
            let found = lines[line]
                .spans
                .iter()
                .find(|span| span.content.contains(word) && span.style.underline_color.is_none());
            found.unwrap_or_else(|| panic!("{word} in {line}")).style
        };
        assert_eq!(style(1, "fn").fg, theme.syntax.keyword.fg, "what is on both sides");
        assert_eq!(style(1, "fn").bg, None);
        assert_eq!((style(2, "let").fg, style(2, "let").bg), (theme.syntax.keyword.fg, theme.diff_remove.bg));
        assert_eq!((style(3, "let").fg, style(3, "let").bg), (theme.syntax.keyword.fg, theme.diff_add.bg));
        assert_eq!((style(3, "2").fg, style(3, "2").bg), (theme.syntax.number.fg, theme.diff_add_word.bg));
        assert_eq!(style(2, "-").fg, theme.diff_remove.fg, "the sign keeps its own");
        for line in [2, 3] {
            let cells: usize = lines[line].spans.iter().map(|span| width(&span.content)).sum();
            assert_eq!(cells, 40);
        }
        // Without a tint the colour of a line says what it is.
        let sixteen = Theme::builtin("sixteen").unwrap();
        let lines = render(diff, 40, plain(&sixteen, &highlighter));
        assert!(lines[2].spans.iter().skip(1).all(|span| span.style.fg == sixteen.diff_remove.fg));
    }

    #[test]
    fn a_row_that_goes_on_hangs_under_its_indent_on_its_tint() {
        let diff = "@@ -1,2 +1,2 @@\n     same words that need two rows\n-    let old = total(prices, counts);\n\
                    +    let new = total(prices, counts);\n";
        assert_eq!(
            shown(diff, 30)[1..],
            [
                "1 1       same words that need",
                "          two rows",
                "2   -     let old =",
                "          total(prices,",
                "          counts);",
                "  2 +     let new =",
                "          total(prices,",
                "          counts);",
            ]
        );
        // Its tint begins at the sign.
        let theme = Theme::builtin("countersign-dark").unwrap();
        let lines = render(diff, 30, plain(&theme, &Highlighter::off()));
        let goes_on = &lines[4].spans;
        let at: String = goes_on.iter().take(2).map(|span| span.content.as_ref()).collect();
        assert_eq!((at.as_str(), goes_on[1].style.bg), ("      ", theme.diff_remove.bg));
        assert!(
            goes_on
                .iter()
                .skip(1)
                .filter(|span| !span.content.is_empty())
                .all(|span| span.style.bg.is_some())
        );
    }

    #[test]
    fn narrow_diffs_drop_the_numbers_and_hang() {
        assert_eq!(shown("@@ -1 +1 @@\n+abcdefghijkl\n", 8), ["@@ -1 +1", "@@", "+ abcdef", "  ghijkl"]);
    }

    #[test]
    fn a_removed_line_that_looks_like_a_header_is_a_removed_line() {
        assert_eq!(
            shown("@@ -1,2 +1 @@\n--- a comment\n-x\n+++ y\n", 40)[1..],
            ["1   - -- a comment", "2   - x", "  1 + ++ y"]
        );
    }

    #[test]
    fn a_cut_diff_keeps_its_signs() {
        assert_eq!(
            shown("@@ -1,9 +1,9 @@\n a\n[40 lines cut]\n+b\n c", 40)[2..],
            ["[40 lines cut]", "    + b", " c"]
        );
    }

    #[test]
    fn a_carriage_return_is_shown_where_it_is_a_change() {
        assert_eq!(shown("@@ -1 +1 @@\n-a\r\n+a\n", 40)[1..], ["1   - a^M", "  1 + a"]);
        assert_eq!(shown("@@ -1 +1 @@\n-a\r\n+b\r\n", 40)[1..], ["1   - a", "  1 + b"]);
    }

    #[test]
    fn escape_sequences_are_shown() {
        assert_eq!(shown("@@ -0,0 +1 @@\n+\x1b[31mred\n", 40)[1], "  1 + ^[[31mred");
    }
}
