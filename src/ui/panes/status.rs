//! The last line: what it is doing, and the keys that matter now.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::ui::text::fit;
use crate::view::Phase;

use super::Screen;
use super::words::{both_ends, cells, duration, keys, one_row};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let theme = screen.theme;
    let total = usize::from(area.width).saturating_sub(2);
    let right = offered(screen, total);
    let room = total.saturating_sub(cells(&right) + 2);
    let (words, style) = match &screen.local.hint {
        Some(hint) => (one_row(hint), theme.warning),
        None => (doing(screen), theme.status),
    };
    let left = vec![Span::styled(fit(&words, room), style)];
    let line = both_ends(left, right, total);
    frame.render_widget(line, Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), 1));
}

/// `dispatching tools · turn 3 (next_turn)`
fn doing(screen: &Screen<'_>) -> String {
    let status = &screen.view.status;
    let mut words = status.words();
    if let Phase::Retrying { wait_ms, .. } = status.phase {
        words.push_str(&format!(" · wait {}", duration(wait_ms)));
    }
    if status.is_busy()
        && status.turn > 0
        && let Some(reason) = status.transition
    {
        words.push_str(&format!(" · turn {} ({})", status.turn, reason.as_str()));
    }
    one_row(&words)
}

/// The keys that matter now, the most important ones when there is little room.
fn offered(screen: &Screen<'_>, total: usize) -> Vec<Span<'static>> {
    let theme = screen.theme;
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    if screen.view.status.is_busy() {
        pairs.push(("esc", "interrupt"));
    } else if !screen.local.composer.is_blank() {
        pairs.push(("enter", "send"));
        pairs.push(("ctrl-j", "new line"));
    }
    pairs.push(("ctrl-o", "ledger"));
    if screen.local.composer.is_empty() {
        pairs.push(("?", "keys"));
    }
    let mut groups = keys(&pairs, theme.text, theme.dim);
    let most = if screen.local.hint.is_some() { total / 3 } else { total / 2 + 4 };
    loop {
        let joined = groups.join(&Span::raw("   "));
        if groups.len() <= 1 || cells(&joined) <= most {
            return joined;
        }
        groups.pop();
    }
}
