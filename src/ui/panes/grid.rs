//! Rows of a command's terminal as lines: made safe, cut to columns, with the program's looks as the theme has them.

use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::tool::{CellStyle, Row};
use crate::ui::text::{sanitize, width};
use crate::ui::theme::Inks;

use super::words::one_row;

/// A row as pieces of a line, all of it.
pub(super) fn spans(row: &Row, inks: &Inks<'_>) -> Vec<Span<'static>> {
    row.runs().map(|(text, look)| Span::styled(one_row(text), inks.style(look, text))).collect()
}

/// So many cells of a row from a column on.
pub(super) fn line(row: &Row, from: usize, cells: usize, inks: &Inks<'_>) -> Line<'static> {
    let safe: Vec<(String, CellStyle)> = row.runs().map(|(text, look)| (one_row(text), look)).collect();
    let kept = columns(safe.iter().map(|(text, look)| (text.as_str(), *look)), from, cells);
    let spans = kept.into_iter().map(|(text, look)| {
        let style = inks.style(look, &text);
        Span::styled(text, style)
    });
    Line::from(spans.collect::<Vec<_>>())
}

/// A row in at most so many cells; what was cut off is told by an ellipsis.
pub(super) fn fitted(row: &Row, cells: usize, inks: &Inks<'_>) -> Line<'static> {
    let whole = line(row, 0, usize::MAX, inks);
    let Some(room) = cells.checked_sub(1).filter(|_| super::words::cells(&whole.spans) > cells) else {
        return whole;
    };
    let mut line = line(row, 0, room, inks);
    line.push_span(Span::styled("…", inks.style(CellStyle::default(), "…")));
    line
}

/// Cells that stand before a column of a row where it is drawn: characters that are not obeyed but shown take more.
pub(super) fn cells_before(row: Option<&Row>, column: usize) -> usize {
    let before = row.map(|row| columns(row.runs(), 0, column)).unwrap_or_default();
    let sum = |cells: fn(&str) -> usize| before.iter().map(|(text, _)| cells(text)).sum::<usize>();
    sum(|text| width(&sanitize(text))) + column.saturating_sub(sum(width))
}

/// So many cells of some pieces from a column on; of a wide character that the edge cuts, blanks.
fn columns<'a>(
    pieces: impl Iterator<Item = (&'a str, CellStyle)>,
    from: usize,
    cells: usize,
) -> Vec<(String, CellStyle)> {
    let (mut at, mut used, mut all) = (0, 0, Vec::new());
    for (text, look) in pieces {
        let mut kept = String::new();
        let mut is_full = false;
        for grapheme in text.graphemes(true) {
            let (begins, ends) = (at, at + width(grapheme));
            at = ends;
            if ends <= from && ends > begins {
                continue;
            }
            let in_sight = ends.saturating_sub(begins.max(from));
            is_full = used + in_sight > cells;
            if is_full {
                break;
            }
            used += in_sight;
            if begins < from {
                kept.push_str(&" ".repeat(in_sight));
                continue;
            }
            kept.push_str(grapheme);
        }
        if !kept.is_empty() {
            all.push((kept, look));
        }
        if is_full {
            break;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::Colour;

    fn red() -> CellStyle {
        CellStyle { foreground: Colour::Palette(1), ..CellStyle::default() }
    }

    #[test]
    fn columns_are_cells() {
        for (row, from, cells, kept) in [
            ("abcdef", 0, 3, "abc"),
            ("abcdef", 2, 3, "cde"),
            ("abcdef", 5, 9, "f"),
            ("abc", 7, 3, ""),
            ("漢字x", 0, 3, "漢"),
            ("漢字x", 1, 4, " 字x"),
            ("漢字x", 2, 4, "字x"),
        ] {
            let whole: String = columns([(row, CellStyle::default())].into_iter(), from, cells)
                .into_iter()
                .map(|(text, _)| text)
                .collect();
            assert_eq!(whole, kept, "{row} {from} {cells}");
            // However the same text falls into runs, the same cells are kept.
            let letters = row.graphemes(true).zip([CellStyle::default(), red()].into_iter().cycle());
            let parted: String = columns(letters, from, cells).into_iter().map(|(text, _)| text).collect();
            assert_eq!(parted, kept, "{row} {from} {cells}");
        }
    }

    #[test]
    fn what_is_cut_keeps_its_look() {
        let pieces = [("漢x", CellStyle::default()), ("字y", red()), ("z", CellStyle::default())];
        let cut = columns(pieces.into_iter(), 1, 5);
        assert_eq!(cut, [(" x".to_owned(), CellStyle::default()), ("字y".to_owned(), red())]);
        assert_eq!(columns(pieces.into_iter(), 4, 1), [(" ".to_owned(), red())], "half of a wide one");
        assert_eq!(
            columns(pieces.into_iter(), 0, 4),
            [("漢x".to_owned(), CellStyle::default())],
            "none is skipped"
        );
    }

    #[test]
    fn the_cursor_stands_behind_what_is_shown_and_not_obeyed() {
        let mut row = Row::from("漢");
        row.push("\u{202e}x", red());
        for (column, cells) in [(0, 0), (2, 10), (3, 11), (9, 17)] {
            assert_eq!(cells_before(Some(&row), column), cells, "{column}");
        }
        assert_eq!(cells_before(None, 7), 7);
    }
}
