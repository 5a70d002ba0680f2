//! The commands that what is typed can still become, above the composer, with what they do.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::ui::command_menu::{completions, marked};
use crate::ui::local::Local;
use crate::ui::text::{fit, width};
use crate::view::View;

use super::words::{both_ends, middle, one_row};
use super::{Screen, marks};

/// Least cells of the column of names.
const NAMES: usize = 13;

/// Rows that they would like to have.
pub(super) fn rows(local: &Local, view: &View) -> u16 {
    let count = completions(local, view).map_or(0, |all| all.len());
    u16::try_from(count).unwrap_or(0)
}

/// Draws them; false when there are none.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) -> bool {
    let Some(offered) = completions(screen.local, screen.view).filter(|all| !all.is_empty()) else {
        return false;
    };
    let theme = screen.theme;
    let widest = offered.iter().map(|row| width(row.word())).max().unwrap_or(0);
    let names = widest.clamp(NAMES, (usize::from(area.width) / 2).max(NAMES));
    let room = usize::from(area.width).saturating_sub(names + 5);
    let (height, chosen) = (usize::from(area.height), marked(screen.local, &offered));
    // The chosen one stays in sight, and the last row says how many are out of it.
    let after = usize::from(height > 1);
    let top = chosen.map_or(0, |at| (at + 1 + after).saturating_sub(height));
    let top = top.min(offered.len().saturating_sub(height));
    let below = offered.len().saturating_sub(top + height);
    for (at, row) in offered.iter().enumerate().skip(top).take(height) {
        let y = area.y + u16::try_from(at - top).unwrap_or(u16::MAX);
        let is_chosen = chosen == Some(at);
        let more = if at + 1 == top + height && below > 0 {
            format!("\u{2193} {below} more")
        } else {
            String::new()
        };
        // It says nothing of the command beside it, and stands apart from its words.
        let taken = if more.is_empty() { 0 } else { width(&more) + 2 };
        let left = vec![
            Span::styled(if is_chosen { "› " } else { "  " }, theme.accent),
            Span::styled(column(row.word(), names), theme.accent),
            Span::styled(fit(row.help(), room.saturating_sub(taken)), theme.dim),
        ];
        let total = usize::from(area.width.saturating_sub(2));
        let line = both_ends(left, vec![Span::styled(more, theme.dim)], total);
        let line = if is_chosen { marks::chosen(line, theme) } else { line };
        // The names stand above what is typed.
        frame.render_widget(line, Rect::new(area.x + 1, y, area.width.saturating_sub(2), 1));
    }
    true
}

/// A word in a column of so many cells, and a blank.
fn column(word: &str, cells: usize) -> String {
    // Commands of a project may share a long beginning.
    let word = middle(&one_row(word), cells);
    format!("{word}{} ", " ".repeat(cells.saturating_sub(width(&word))))
}
