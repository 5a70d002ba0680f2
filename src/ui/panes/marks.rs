//! Marks on cells of a row: those that spell what a search looks for, and those that are selected.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use ratatui::text::Line;

use crate::ui::theme::Theme;

/// Marks every place of the row at which these words stand, the `shown` one of them in the accent colour.
pub(super) fn draw(frame: &mut Frame<'_>, row: Rect, wanted: &str, shown: Option<usize>, theme: &Theme) {
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
    let is_it =
        |window: &&[(u16, String)]| window.iter().zip(&wanted).all(|((_, symbol), letter)| symbol == letter);
    let ground = theme.background.unwrap_or(Color::Reset);
    let accent = theme.accent.bg(ground).add_modifier(Modifier::REVERSED | Modifier::BOLD);
    for (nth, window) in cells.windows(wanted.len()).filter(is_it).enumerate() {
        let other = theme.selection.add_modifier(Modifier::REVERSED);
        for (x, _) in window {
            if let Some(cell) = buffer.cell_mut((*x, row.y)) {
                cell.set_style(if shown == Some(nth) { accent } else { other });
            }
        }
    }
}

/// The line of a list that is chosen, in the ink that is legible on its ground, whatever its parts have elsewhere.
pub(super) fn chosen(mut line: Line<'static>, theme: &Theme) -> Line<'static> {
    let ink = theme.selection.fg;
    for span in &mut line.spans {
        span.style.fg = ink.or(span.style.fg);
        // Quiet words on a reversed ground are hardly there.
        span.style = span.style.remove_modifier(Modifier::DIM);
    }
    line.style(theme.selection)
}

/// Marks the selected cells of a row, from the first to the last.
pub(super) fn select(frame: &mut Frame<'_>, row: Rect, (first, last): (u16, u16), theme: &Theme) {
    let left = row.x.saturating_add(first).min(row.right());
    let right = row.x.saturating_add(last).saturating_add(1).min(row.right());
    frame.buffer_mut().set_style(Rect::new(left, row.y, right - left, 1), theme.selection);
}

#[cfg(test)]
mod tests {
    use ratatui::text::Span;

    use super::*;

    #[test]
    fn no_word_of_a_chosen_line_is_dim() {
        let theme = Theme::builtin("plain").unwrap();
        assert!(theme.dim.add_modifier.contains(Modifier::DIM), "it has no colours to be quiet with");
        let line = chosen(Line::from(vec![Span::styled("/model", theme.dim)]), &theme);
        assert!(line.spans.iter().all(|span| !span.style.add_modifier.contains(Modifier::DIM)));
    }
}
