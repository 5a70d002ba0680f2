//! Both sides of a diff beside each other: what was on the left, what will be on the right.

use ratatui::text::{Line, Span};

use super::page::{DiffPage, words};
use super::read::{DiffRow, Sign};
use crate::ui::text::tag::stop;
use crate::ui::text::width;

/// What stands between the sides.
const BETWEEN: &str = " │ ";

/// Removed rows against the added ones that take their place.
pub(super) fn change(
    removed: &[DiffRow<'_>],
    added: &[DiffRow<'_>],
    page: &DiffPage<'_>,
) -> Vec<Line<'static>> {
    let half = half(page);
    let mut lines = Vec::new();
    for at in 0..removed.len().max(added.len()) {
        let (before, after) = (removed.get(at), added.get(at));
        let side = |row: Option<&DiffRow<'_>>, other: Option<&DiffRow<'_>>| {
            row.map_or_else(Vec::new, |row| {
                page.row(row, &[row.before.or(row.after)], words(row, other, page.theme), half)
            })
        };
        lines.extend(joined(side(before, after), side(after, before), half, page));
    }
    lines
}

/// A row that is the same on both sides; what belongs to no side takes the whole width.
pub(super) fn same(row: &DiffRow<'_>, page: &DiffPage<'_>) -> Vec<Line<'static>> {
    if row.sign != Sign::Context {
        return page.unchanged(row);
    }
    let half = half(page);
    let side = |number| page.row(row, &[number], words(row, None, page.theme), half);
    joined(side(row.before), side(row.after), half, page)
}

/// The cells of one side.
fn half(page: &DiffPage<'_>) -> usize {
    (page.room.saturating_sub(width(BETWEEN)) / 2).max(1)
}

fn joined(
    left: Vec<Line<'static>>,
    right: Vec<Line<'static>>,
    half: usize,
    page: &DiffPage<'_>,
) -> Vec<Line<'static>> {
    let rows = left.len().max(right.len());
    let (mut left, mut right) = (left.into_iter(), right.into_iter());
    let mut lines = Vec::with_capacity(rows);
    for _ in 0..rows {
        let mut spans = left.next().unwrap_or_default().spans;
        let used: usize = spans.iter().map(|span| width(&span.content)).sum();
        spans.push(Span::raw(" ".repeat(half.saturating_sub(used))));
        spans.push(Span::styled(BETWEEN, page.theme.faint));
        spans.extend(right.next().unwrap_or_default().spans);
        stop(&mut spans);
        lines.push(Line::from(spans));
    }
    lines
}

#[cfg(test)]
mod tests {
    use crate::ui::text::diff::{DiffColours, LaidDiff};
    use crate::ui::text::highlight::Highlighter;
    use crate::ui::theme::Theme;

    fn lay(unified: &str, width: u16, theme: &Theme) -> LaidDiff {
        super::super::lay(
            unified,
            width,
            DiffColours { theme, language: "", highlighter: &Highlighter::off() },
        )
    }

    #[test]
    fn what_was_stands_beside_what_will_be() {
        let diff = "@@ -9,4 +9,3 @@\n one\n-let old = 1;\n-gone\n+let new = 1;\n two\n";
        let laid = lay(diff, 110, &Theme::plain());
        let shown: Vec<String> = laid.lines.iter().map(|l| l.to_string().trim_end().to_owned()).collect();
        let row = |left: &str, right: &str| format!("{left:<53} │ {right}").trim_end().to_owned();
        assert_eq!(
            shown,
            [
                "@@ -9,4 +9,3 @@".to_owned(),
                row(" 9   one", " 9   one"),
                row("10 - let old = 1;", "10 + let new = 1;"),
                row("11 - gone", ""),
                row("12   two", "11   two"),
            ]
        );
        assert_eq!(laid.first_change, Some(2));
    }

    #[test]
    fn one_side_alone_has_the_whole_width() {
        let laid = lay("@@ -0,0 +1,2 @@\n+one\n+two\n", 120, &Theme::plain());
        let shown: Vec<String> = laid.lines.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["@@ -0,0 +1,2 @@", "  1 + one", "  2 + two"]);
    }
}
