//! The last line: what it is doing, and the keys that matter now.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::ui::text::{fit, width};
use crate::view::Phase;

use super::Screen;
use super::words::{both_ends, cells, duration, keys, one_row};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let theme = screen.theme;
    let total = usize::from(area.width).saturating_sub(2);
    let (says, style) = match &screen.local.hint {
        Some(hint) => (vec![one_row(hint)], theme.warning),
        None => (doing(screen), theme.status),
    };
    let keys = keys(&offered(screen), theme.text, theme.dim);
    let (left, right) = fitting(&says, keys, total);
    let line = both_ends(vec![Span::styled(left, style)], right, total);
    frame.render_widget(line, Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), 1));
}

/// Gives up keys from the last to the second, then words, then cuts: the first key is how to stop.
fn fitting(says: &[String], mut keys: Vec<Vec<Span<'static>>>, total: usize) -> (String, Vec<Span<'static>>) {
    let full = says.first().map_or(0, |words| width(words));
    loop {
        let right = keys.join(&Span::raw("   "));
        let room = total.saturating_sub(cells(&right) + 2);
        if full > room && keys.len() > 1 {
            keys.pop();
            continue;
        }
        let said = says.iter().find(|words| width(words) <= room).or(says.last());
        return (said.map_or_else(String::new, |words| fit(words, room)), right);
    }
}

/// `dispatching tools · turn 3 (next_turn)`, and shorter ways to say it.
fn doing(screen: &Screen<'_>) -> Vec<String> {
    let status = &screen.view.status;
    let mut words = one_row(&status.words());
    if let Phase::Retrying { wait_ms, .. } = status.phase {
        words.push_str(&format!(" · wait {}", duration(wait_ms)));
    }
    let mut says = vec![words.clone()];
    if status.is_busy() && status.turn > 0 {
        says.insert(0, format!("{words} · turn {}", status.turn));
        if let Some(reason) = status.transition {
            says.insert(0, format!("{words} · turn {} ({})", status.turn, reason.as_str()));
        }
    }
    says
}

/// The keys that matter now, the most important one first.
fn offered(screen: &Screen<'_>) -> Vec<(&'static str, &'static str)> {
    let mut pairs = Vec::new();
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
    pairs
}
