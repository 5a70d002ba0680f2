//! The model's to-do list: a quiet line while it is unfinished, and the page with all of it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::ui::text::{MEASURE, fit, wrap};
use crate::ui::theme::Theme;
use crate::view::{PlanItem, PlanProgress, PlanStatus};

use super::Screen;
use super::output::Laid;
use super::words::one_row;

/// Cells before an item's words: its sign, and how it stands.
const HEAD: usize = 8;

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

/// The page, on lines of at most `inner` cells.
pub(super) fn lay(screen: &Screen<'_>, inner: u16) -> Laid {
    let (items, theme, inner) = (screen.view.plan(), screen.theme, usize::from(inner));
    if items.is_empty() {
        let none = "the model has made no plan, or a finished one is over";
        return ("plan".to_owned(), wrap(none, inner.max(1), theme.dim), Vec::new());
    }
    let PlanProgress { done, all, .. } = PlanProgress::of(items);
    let lines = items.iter().flat_map(|item| lines(item, inner.min(MEASURE), theme)).collect();
    (format!("plan · {done} of {all} done"), lines, Vec::new())
}

/// One item: `✓ done  read the parser`, broken where it must be.
fn lines(item: &PlanItem, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let (sign, style, words) = standing(item.status, theme);
    let head = format!("{sign} {:width$}", item.status.word(), width = HEAD - 2);
    let heads = std::iter::once(head).chain(std::iter::repeat(" ".repeat(HEAD)));
    let broken = wrap(&one_row(&item.text), inner.saturating_sub(HEAD).max(1), words);
    let with_head = |(head, line): (String, Line<'static>)| {
        Line::from_iter(std::iter::once(Span::styled(head, style)).chain(line.spans))
    };
    heads.zip(broken).map(with_head).collect()
}

/// Its sign, and what the sign and the words look like.
fn standing(status: PlanStatus, theme: &Theme) -> (&'static str, Style, Style) {
    match status {
        PlanStatus::Completed => ("✓", theme.success, theme.dim),
        PlanStatus::InProgress => ("▸", theme.accent, theme.text),
        PlanStatus::Pending => ("·", theme.dim, theme.text),
    }
}
