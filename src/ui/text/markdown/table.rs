//! Tables that fit: columns shrink and cells wrap; where even that is too narrow, each row becomes a short list.

use pulldown_cmark::Alignment;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::ui::text::tag::{ours, stop};
use crate::ui::text::{cut_spans, width, wrap_spans};
use crate::ui::theme::Theme;

/// What stands between two columns.
const BETWEEN: &str = " │ ";

/// Stands where a cell is cut.
const CUT: &str = "…";

/// Cells below which a column cannot be read.
const NARROWEST: usize = 5;

/// One cell: its styled text.
pub(super) type Cell = Vec<Span<'static>>;

/// A table as it was read.
#[derive(Debug, Default)]
pub(super) struct MarkdownTable {
    pub(super) alignments: Vec<Alignment>,
    pub(super) head: Vec<Cell>,
    pub(super) rows: Vec<Vec<Cell>>,
    /// Its last row is still being written.
    pub(super) is_open: bool,
}

impl MarkdownTable {
    /// The table on lines of at most `room` cells.
    pub(super) fn lay(&self, room: usize, theme: &Theme) -> Vec<Line<'static>> {
        let whole = self.rows.len().saturating_sub(usize::from(self.is_open));
        match self.columns(room, whole) {
            Some(columns) => {
                let wider = self.columns(room, self.rows.len());
                let wider = wider.filter(|_| whole < self.rows.len());
                self.grid(&columns, wider.as_deref().unwrap_or(&columns), theme)
            }
            None => self.list(room, theme),
        }
    }

    /// How wide each column becomes with so many rows: as wide as its text, or an equal share of what the narrow ones leave.
    fn columns(&self, room: usize, rows: usize) -> Option<Vec<usize>> {
        let count = self.head.len();
        let free = room.checked_sub(width(BETWEEN) * count.saturating_sub(1))?;
        let wanted: Vec<usize> = (0..count).map(|column| self.wanted(column, rows)).collect();
        if wanted.iter().sum::<usize>() <= free {
            return Some(wanted);
        }
        let narrow_than = |share: usize| wanted.iter().filter(move |wanted| **wanted <= share);
        let mut share = free.checked_div(count)?;
        loop {
            let wide = count - narrow_than(share).count();
            let left = free.checked_sub(narrow_than(share).sum::<usize>())?;
            let next = left.checked_div(wide).unwrap_or(share);
            if next <= share {
                break;
            }
            share = next;
        }
        (share >= NARROWEST).then(|| wanted.iter().map(|wanted| (*wanted).min(share)).collect())
    }

    /// The widest line of any cell in a column.
    fn wanted(&self, column: usize, rows: usize) -> usize {
        let rows = self.rows.iter().take(rows);
        let cells = std::iter::once(&self.head).chain(rows).filter_map(|row| row.get(column));
        cells
            .map(|cell| text_of(cell).split('\n').map(width).max().unwrap_or_default())
            .max()
            .unwrap_or_default()
            .max(1)
    }

    /// The table with columns of these widths. `wider` is how wide they become with the row that is being written: until it has
    /// its end, what has no room in it is cut, so that no word that comes moves the rows above it.
    fn grid(&self, columns: &[usize], wider: &[usize], theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = self.row(&self.head, columns, theme);
        let rules: Vec<String> = columns.iter().map(|width| "─".repeat(*width)).collect();
        lines.push(Line::styled(rules.join("─┼─"), theme.faint));
        let mut above: Option<RowShape> = None;
        for (index, row) in self.rows.iter().enumerate() {
            let is_open = self.is_open && index + 1 == self.rows.len();
            let cut = if is_open { shortened(row, columns, wider) } else { row.clone() };
            let laid = self.row(&cut, columns, theme);
            let first = cut.first().map(Vec::as_slice).unwrap_or_default();
            // Of a row that is being written the first cell may be on its way: no line comes and goes for that.
            let is_named = is_open || !text_of(first).trim().is_empty();
            let name = wrap_spans(first.to_vec(), columns.first().copied().unwrap_or(1), Vec::new());
            let shape = RowShape { lines: laid.len(), is_named: is_named && name.len() == 1 };
            // Rows above this line stay where they are.
            if above.is_some_and(|above| above.runs_into(shape)) {
                let rules: Vec<String> = columns.iter().map(|width| "┄".repeat(*width)).collect();
                lines.push(Line::styled(rules.join("┄┼┄"), theme.faint));
            }
            above = Some(shape);
            lines.extend(laid);
        }
        lines
    }

    fn row(&self, cells: &[Cell], columns: &[usize], theme: &Theme) -> Vec<Line<'static>> {
        let wrapped: Vec<Vec<Line<'static>>> = columns
            .iter()
            .enumerate()
            .map(|(column, width)| {
                wrap_spans(cells.get(column).cloned().unwrap_or_default(), *width, Vec::new())
            })
            .collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or_default();
        (0..height)
            .map(|index| {
                let mut spans: Vec<Span<'static>> = Vec::new();
                for (column, (cell, width)) in wrapped.iter().zip(columns).enumerate() {
                    if column > 0 {
                        spans.push(Span::styled(BETWEEN, theme.faint));
                    }
                    let line = cell.get(index).cloned().unwrap_or_default();
                    spans.extend(padded(line.spans, *width, self.alignments.get(column)));
                    stop(&mut spans);
                }
                Line::from(spans)
            })
            .collect()
    }

    /// Each row as lines of `column: value`.
    fn list(&self, room: usize, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            if index > 0 {
                lines.push(Line::default());
            }
            for (column, cell) in row.iter().enumerate() {
                let mut spans = self.head.get(column).cloned().unwrap_or_default();
                if !spans.is_empty() {
                    spans.push(Span::styled(": ", theme.dim));
                }
                spans.extend(cell.iter().cloned());
                lines.extend(wrap_spans(spans, room, vec![Span::raw("  ")]));
            }
        }
        if self.rows.is_empty() {
            for cell in &self.head {
                lines.extend(wrap_spans(cell.clone(), room, Vec::new()));
            }
        }
        lines
    }
}

/// What tells a row from the next one.
#[derive(Clone, Copy)]
struct RowShape {
    lines: usize,
    /// Its first cell stands in its first line alone: below it the column is empty until the next row begins.
    is_named: bool,
}

impl RowShape {
    /// Whether nobody could see where this row ends and the one below it begins.
    fn runs_into(self, below: Self) -> bool {
        (self.lines > 1 || below.lines > 1) && !(self.is_named && below.is_named)
    }
}

/// A row that is being written: cells that make their columns wider are cut to one line.
fn shortened(row: &[Cell], columns: &[usize], wider: &[usize]) -> Vec<Cell> {
    let widths = columns.iter().zip(wider);
    let cells = row.iter().zip(widths).map(|(cell, (column, wider))| {
        let is_cut = wider > column && text_of(cell).split('\n').any(|line| width(line) > *column);
        if !is_cut {
            return cell.clone();
        }
        let room = column.saturating_sub(width(CUT)).max(1);
        let mut cut = cut_spans(cell, room, Vec::new()).into_iter().next().unwrap_or_default().spans;
        stop(&mut cut);
        cut.push(Span::styled(CUT, ours(Style::new())));
        cut
    });
    cells.collect()
}

fn text_of(cell: &[Span<'static>]) -> String {
    cell.iter().map(|span| span.content.as_ref()).collect()
}

/// Fills a line of a cell up to the width of its column.
fn padded(mut spans: Cell, column: usize, alignment: Option<&Alignment>) -> Cell {
    let used: usize = spans.iter().map(|span| width(&span.content)).sum();
    let free = column.saturating_sub(used);
    let before = match alignment {
        Some(Alignment::Right) => free,
        Some(Alignment::Center) => free / 2,
        Some(Alignment::Left | Alignment::None) | None => 0,
    };
    if before > 0 {
        spans.insert(0, Span::styled(" ".repeat(before), Style::new()));
    }
    if free > before {
        spans.push(Span::styled(" ".repeat(free - before), Style::new()));
    }
    spans
}
