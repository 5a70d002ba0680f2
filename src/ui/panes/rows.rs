//! Draws rows that were laid out, of the transcript or of a page.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::ui::selection::Surface;

use super::{Screen, marks};

/// Draws the rows, what is searched for and what is selected set off.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let window = &screen.layouts.window;
    for (at, (y, row)) in (area.y..area.bottom()).zip(&window.rows).enumerate() {
        let x = area.x.saturating_add(row.indent).min(area.right());
        let place = Rect::new(x, y, area.right() - x, 1);
        frame.render_widget(&row.line, place);
        if let (Some(search), Surface::Transcript) = (&screen.local.search, window.surface) {
            marks::draw(frame, place, &search.wanted, screen.theme);
        }
        if let Some(cells) = window.selected.get(at).copied().flatten() {
            marks::select(frame, Rect::new(area.x, y, area.width, 1), cells, screen.theme);
        }
    }
}
