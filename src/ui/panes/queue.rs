//! What was typed while a run is under way and has not been delivered yet: quiet lines above the composer.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::ledger::UserMessage;
use crate::ui::chip_text::with_chips;
use crate::ui::local::Local;
use crate::ui::text::{fit, width};
use crate::view::View;

use super::Screen;
use super::words::{cells, one_row};

/// Messages that are shown; how many more there are is said.
const MOST: usize = 3;
/// From this width on, there is room to say when in full.
const ROOMY: u16 = 60;

/// Rows that the queue would like to have.
pub(super) fn rows(local: &Local, view: &View) -> u16 {
    let session = &view.session;
    let count = unrecorded(local).len() + session.steering.len() + session.queued.len();
    u16::try_from(count.min(MOST + 1)).unwrap_or(0)
}

/// What was said and cannot be recorded.
fn unrecorded(local: &Local) -> &[UserMessage] {
    local.shut.as_ref().map_or(&[], |shut| &shut.said)
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let inner = Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), 1);
    let lines = lines(screen, usize::from(area.height), inner.width);
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        frame.render_widget(line, Rect { y, ..inner });
    }
}

fn lines(screen: &Screen<'_>, rows: usize, total: u16) -> Vec<Line<'static>> {
    let (theme, local, session) = (screen.theme, screen.local, &screen.view.session);
    let [kept, soon, later] = if total >= ROOMY {
        ["↳ when it can be recorded: ", "↳ with the next tool results: ", "↳ after this run: "]
    } else {
        ["↳ waits: ", "↳ next: ", "↳ after: "]
    };
    let steering = session.steering.iter().map(|said| (soon, said));
    let kept = unrecorded(local).iter().map(|said| (kept, said));
    let all: Vec<_> = kept.chain(steering).chain(session.queued.iter().map(|said| (later, said))).collect();
    let shown = if all.len() <= rows.min(MOST) { all.len() } else { rows.saturating_sub(1).clamp(1, MOST) };
    let more = all.len() - shown.min(all.len());
    let total = usize::from(total);
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (when, message) in all.into_iter().take(shown) {
        let room = total.saturating_sub(width(when));
        let said = fit(&one_row(with_chips(message, &screen.view.settings).trim()), room);
        lines.push(Line::from(vec![Span::styled(when, theme.dim), Span::styled(said, theme.text)]));
    }
    if more > 0 {
        let words = format!("{more} more");
        match lines.last_mut() {
            // With one row, the number stands behind the one message that is shown.
            Some(only) if rows <= 1 => {
                let room = total.saturating_sub(width(&words) + 3 + width(soon));
                if let Some(said) = only.spans.get_mut(1) {
                    *said = Span::styled(fit(&said.content, room), said.style);
                }
                debug_assert!(cells(&only.spans) <= total);
                only.spans.push(Span::styled(format!(" · {words}"), theme.dim));
            }
            Some(_) | None => lines.push(Line::styled(format!("  {words}"), theme.dim)),
        }
    }
    lines
}
