//! Marks on cells of a row: those that spell what a search looks for, and those that are selected.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::ui::theme::Theme;

/// Marks every place of the row at which these words stand.
pub(super) fn draw(frame: &mut Frame<'_>, row: Rect, wanted: &str, theme: &Theme) {
    let wanted: Vec<String> = wanted.chars().map(|c| c.to_lowercase().collect()).collect();
    if wanted.is_empty() {
        return;
    }
    let buffer = frame.buffer_mut();
    // A wide character is followed by a cell that says nothing.
    let cells: Vec<(u16, String)> = (row.x..row.right())
        .filter_map(|x| buffer.cell((x, row.y)).map(|cell| (x, cell.symbol().to_lowercase())))
        .filter(|(_, symbol)| !symbol.is_empty())
        .collect();
    for window in cells.windows(wanted.len()) {
        if !window.iter().zip(&wanted).all(|((_, symbol), letter)| symbol == letter) {
            continue;
        }
        for (x, _) in window {
            if let Some(cell) = buffer.cell_mut((*x, row.y)) {
                cell.set_style(theme.selection.add_modifier(Modifier::REVERSED));
            }
        }
    }
}

/// Marks the selected cells of a row, from the first to the last.
pub(super) fn select(frame: &mut Frame<'_>, row: Rect, (first, last): (u16, u16), theme: &Theme) {
    let left = row.x.saturating_add(first).min(row.right());
    let right = row.x.saturating_add(last).saturating_add(1).min(row.right());
    frame.buffer_mut().set_style(Rect::new(left, row.y, right - left, 1), theme.selection);
}
