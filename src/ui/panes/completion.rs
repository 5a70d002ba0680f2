//! The commands that what is typed can still become, above the composer, with what they do.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::ui::local::Local;
use crate::ui::sending::completions;
use crate::ui::text::fit;
use crate::view::View;

use super::Screen;

/// Commands that are shown at once; typing narrows them.
const MOST: usize = 13;
/// Cells of the column of names.
const NAMES: usize = 13;

/// Rows that they would like to have.
pub(super) fn rows(local: &Local, view: &View) -> u16 {
    let count = completions(local, view).map_or(0, |all| all.len());
    u16::try_from(count.min(MOST)).unwrap_or(0)
}

/// Draws them; false when there are none.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) -> bool {
    let Some(offered) = completions(screen.local, screen.view).filter(|all| !all.is_empty()) else {
        return false;
    };
    let theme = screen.theme;
    let room = usize::from(area.width).saturating_sub(NAMES + 3);
    for (y, (name, words)) in (area.y..area.bottom()).zip(offered) {
        let line = Line::from(vec![
            Span::styled(format!("{name:NAMES$} "), theme.accent),
            Span::styled(fit(words, room), theme.dim),
        ]);
        frame.render_widget(line, Rect::new(area.x + 1, y, area.width.saturating_sub(2), 1));
    }
    true
}
