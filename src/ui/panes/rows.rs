//! Draws rows that were laid out, of the transcript or of a page.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;
use unicode_width::UnicodeWidthChar as _;

use crate::ui::selection::Surface;

use super::margin::MARGIN;
use super::{Screen, marks};

/// Draws the rows, what is searched for and what is selected set off.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let window = &screen.layouts.window;
    for (at, (y, row)) in (area.y..area.bottom()).zip(&window.rows).enumerate() {
        let x = area.x.saturating_add(row.indent).min(area.right());
        let place = Rect::new(x, y, area.right() - x, 1);
        frame.render_widget(&row.line, place);
        settle_marks(frame.buffer_mut(), place);
        if let Some((sign, style)) = row.mark {
            let margin = Rect { x: area.x, y, width: row.indent.min(area.width), height: 1 };
            let at = Rect { x: margin.x + MARGIN, width: 1, ..margin }.intersection(margin);
            frame.render_widget(Span::styled(sign, style), at);
        }
        if let (Some(search), Surface::Transcript) = (&screen.local.search, window.surface) {
            let shown = window.found.filter(|(row, _)| *row == at).map(|(_, nth)| nth);
            marks::draw(frame, place, &search.wanted, shown, screen.theme);
        }
        if let Some(cells) = window.selected.get(at).copied().flatten() {
            marks::select(frame, Rect::new(area.x, y, area.width, 1), cells, screen.theme);
        }
    }
}

/// A mark that begins a cell would be set on the cell before it, which may be one of the margin: it is left out.
fn settle_marks(buffer: &mut Buffer, place: Rect) {
    for x in place.left()..place.right() {
        let Some(cell) = buffer.cell_mut((x, place.y)) else { continue };
        let is_mark = |c: char| c.width() == Some(0);
        if cell.symbol().starts_with(is_mark) {
            let rest = cell.symbol().trim_start_matches(is_mark).to_owned();
            cell.set_symbol(if rest.is_empty() { " " } else { &rest });
        }
    }
}
