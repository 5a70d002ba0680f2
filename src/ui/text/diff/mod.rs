//! Unified diffs with line numbers: signs stay text, colour only repeats them, and changed words stand out.

mod read;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use similar::{ChangeTag, TextDiff};
use unicode_segmentation::UnicodeSegmentation;

use self::read::{Row, Sign, rows};
use super::{cut_spans, width, wrap};
use crate::ui::theme::Theme;

/// Cells that the text must have beside the line numbers; with fewer, the numbers are left out.
const ROOM_FOR_TEXT: usize = 16;

/// Bytes of a line beyond which changed words are not looked for.
const LONGEST_PAIR: usize = 1_000;

/// The share of a line that must be unchanged for its words to be compared; below it, all has changed.
const ALIKE: f32 = 0.4;

/// Lays out a unified diff, untrusted as it is, on lines of at most `width` cells. Lines that belong to no hunk are
/// shown as they are.
#[must_use]
pub fn render(unified: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let rows = rows(unified);
    let room = usize::from(width);
    if room == 0 {
        return Vec::new();
    }
    let digits = rows.iter().filter_map(Row::last_number).max().unwrap_or(0).to_string().len();
    let digits = if room < 2 * digits + 4 + ROOM_FOR_TEXT { 0 } else { digits };
    let mut lines = Vec::new();
    let mut rest = rows.as_slice();
    while let Some((row, after)) = rest.split_first() {
        if row.sign != Sign::Remove {
            lines.extend(lay(row, words(row, None, theme), digits, room, theme));
            rest = after;
            continue;
        }
        let removed = rest.iter().take_while(|row| row.sign == Sign::Remove).count();
        let (removed, after) = rest.split_at(removed);
        let added = after.iter().take_while(|row| row.sign == Sign::Add).count();
        let (added, after) = after.split_at(added);
        for (side, other) in [(removed, added), (added, removed)] {
            for (index, row) in side.iter().enumerate() {
                lines.extend(lay(row, words(row, other.get(index), theme), digits, room, theme));
            }
        }
        rest = after;
    }
    lines
}

/// The text of a row, with the words set off that differ from the row it stands against.
fn words(row: &Row<'_>, other: Option<&Row<'_>>, theme: &Theme) -> Vec<Span<'static>> {
    let style = style(row.sign, theme);
    let whole = vec![Span::styled(row.text.to_string(), style)];
    let (Some(other), Some(changed)) = (other, changed_style(row.sign, theme)) else { return whole };
    if row.text.len() > LONGEST_PAIR || other.text.len() > LONGEST_PAIR {
        return whole;
    }
    let before: Vec<&str> = other.text.split_word_bounds().collect();
    let after: Vec<&str> = row.text.split_word_bounds().collect();
    let diff = TextDiff::from_slices(&before, &after);
    if diff.ratio() < ALIKE {
        return whole;
    }
    let mut spans: Vec<Span<'static>> = Vec::new();
    for change in diff.iter_all_changes() {
        let style = match change.tag() {
            ChangeTag::Equal => style,
            ChangeTag::Insert => changed,
            ChangeTag::Delete => continue,
        };
        match spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push_str(change.value()),
            _ => spans.push(Span::styled(change.value().to_owned(), style)),
        }
    }
    spans
}

/// A row on as many lines as it needs; the gutter of the further ones is empty.
fn lay(
    row: &Row<'_>,
    text: Vec<Span<'static>>,
    digits: usize,
    room: usize,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let style = style(row.sign, theme);
    let sign = match row.sign {
        Sign::Add => "+",
        Sign::Remove => "-",
        Sign::Context => " ",
        Sign::Header | Sign::Note => return wrap(&row.text, room, style),
    };
    let number = |number: Option<usize>| match number {
        _ if digits == 0 => String::new(),
        Some(number) => format!("{number:>digits$} "),
        None => " ".repeat(digits + 1),
    };
    let numbers = format!("{}{}", number(row.before), number(row.after));
    let hanging = vec![Span::raw(" ".repeat(width(&numbers) + 2))];
    let mut spans = vec![Span::styled(numbers, theme.faint), Span::styled(format!("{sign} "), style)];
    spans.extend(text);
    cut_spans(&spans, room, hanging)
}

const fn style(sign: Sign, theme: &Theme) -> Style {
    match sign {
        Sign::Add => theme.diff_add,
        Sign::Remove => theme.diff_remove,
        Sign::Context => theme.diff_context,
        Sign::Header => theme.diff_hunk,
        Sign::Note => theme.dim,
    }
}

const fn changed_style(sign: Sign, theme: &Theme) -> Option<Style> {
    match sign {
        Sign::Add => Some(theme.diff_add_word),
        Sign::Remove => Some(theme.diff_remove_word),
        Sign::Context | Sign::Header | Sign::Note => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -9,3 +9,4 @@ fn main()\n one\n-let old = 1;\n\
                        +let new = 1;\n+more\n three\n\\ No newline at end of file\n";

    fn shown(unified: &str, width: u16) -> Vec<String> {
        let theme = Theme::plain();
        render(unified, width, &theme).iter().map(ToString::to_string).collect()
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
    fn changed_words_stand_out() {
        let theme = Theme::builtin("countersign-dark").unwrap();
        let lines = render(DIFF, 40, &theme);
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
