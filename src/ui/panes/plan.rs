//! The model's to-do list: a quiet line while it is unfinished. `ui/pages/plan.rs` has the page with all of it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::ui::text::fit;
use crate::view::PlanProgress;

use super::Screen;
use super::words::one_row;

/// `▸ plan 3/7 · write the tests`, where there is a row for it.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let PlanProgress { done, all, current: Some(item) } = PlanProgress::of(screen.view.plan()) else {
        return;
    };
    if area.height == 0 {
        return;
    }
    let place = Rect { x: area.x + 1, width: area.width.saturating_sub(2), height: 1, ..area };
    let words = format!("▸ plan {done}/{all} · {}", one_row(&item.text));
    frame.render_widget(Line::styled(fit(&words, usize::from(place.width)), screen.theme.dim), place);
}
