//! What to know about the session, while there is a transcript: quiet lines above the composer, until something is said.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::ui::local::Local;
use crate::ui::text::{sanitize, wrap};
use crate::view::View;

use super::Screen;

/// Rows that it has at most.
const MOST: usize = 8;

/// Rows that it would like to have. An empty session shows it in the middle.
pub(super) fn rows(local: &Local, view: &View, width: u16) -> u16 {
    let said = local.notice.as_deref().filter(|_| !view.is_empty());
    u16::try_from(said.map_or(0, |said| broken(said, width).len().min(MOST))).unwrap_or(0)
}

/// Draws it at the top of an area, and returns what is left below.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) -> Rect {
    let wanted = rows(screen.local, screen.view, area.width).min(area.height);
    let rest = Rect { y: area.y + wanted, height: area.height - wanted, ..area };
    let (Some(said), 1..) = (&screen.local.notice, wanted) else { return rest };
    let mut lines = broken(said, area.width);
    let hidden = lines.len().saturating_sub(usize::from(wanted));
    lines.truncate(usize::from(wanted));
    if let Some(last) = lines.last_mut().filter(|_| hidden > 0) {
        *last = more_lines(hidden + 1);
    }
    for (y, line) in (area.y..).zip(lines) {
        let row = Rect { x: area.x + 1, y, width: area.width.saturating_sub(2), height: 1 };
        frame.render_widget(Line::styled(line, screen.theme.dim), row);
    }
    rest
}

/// Where lines are to be read that do not fit.
pub(super) fn more_lines(hidden: usize) -> String {
    format!("{hidden} more lines: `countersign doctor`")
}

fn broken(said: &str, width: u16) -> Vec<String> {
    let room = usize::from(width.saturating_sub(2)).max(1);
    let paragraphs = said.lines().filter(|line| !line.trim().is_empty());
    let lines = paragraphs.flat_map(|line| wrap(&sanitize(line), room, ratatui::style::Style::new()));
    lines.map(|line| line.to_string()).collect()
}
