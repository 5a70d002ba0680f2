//! How a run ended, as rows; a budget stop is a question and has a box.

use ratatui::text::{Line, Span};

use crate::ledger::{Ending, Entry, TurnEnded};
use crate::ui::text::{fit, sanitize, wrap};
use crate::view::View;

use super::boxes;
use super::cards::{Around, INDENT};
use super::layouts::Row;
use super::remarks::{amount, said};
use super::words::{count, duration, flow, keys};

/// The end of a run.
pub(super) fn lay(ended: &TurnEnded, entry: &Entry, around: &Around<'_>) -> Vec<Row> {
    let theme = around.theme;
    let spent = || {
        let turns = count(ended.turns as usize, "turn");
        let calls = count(ended.tool_calls as usize, "tool call");
        format!("{turns} · {calls} · {}", duration(ended.wall_ms))
    };
    match ended.reason {
        Ending::Completed | Ending::GoalReached => {
            let (what, style) = match ended.reason {
                Ending::GoalReached => ("goal reached", theme.success),
                _ => ("done", theme.faint),
            };
            let words = fit(&format!("✓ {what} · {}", spent()), usize::from(around.text_width()));
            vec![Row::new(INDENT, Line::styled(words, style))]
        }
        Ending::AbortedStreaming | Ending::AbortedTools => {
            let cut_short = ended.not_ok.iter().any(|(_, outcome)| outcome == "aborted");
            let what = match ended.reason {
                Ending::AbortedTools if cut_short => "interrupted · effects may be partial",
                Ending::AbortedTools => "interrupted · no call was cut short",
                _ => "interrupted · nothing was started",
            };
            let mut rows = said("■ ", what, theme.warning, theme.warning, around);
            rows.extend(said("  ", &ended.next_safe_action, theme.dim, theme.dim, around));
            rows
        }
        reason => match around.view.offer() {
            Some(offer) if is_last(entry, around.view) => budget_stop(ended, offer, around),
            _ => {
                let words = format!("stopped · {} · {}", reason.as_str(), spent());
                let mut rows = said("■ ", &words, theme.warning, theme.warning, around);
                rows.extend(said("  ", &ended.next_safe_action, theme.dim, theme.dim, around));
                rows
            }
        },
    }
}

fn is_last(entry: &Entry, view: &View) -> bool {
    let last = view.len().checked_sub(1).and_then(|at| view.card(at));
    last.is_some_and(|card| card.id == crate::view::CardId::Entry(entry.id))
}

/// A budget stop waits for a decision, so it has a box.
fn budget_stop(ended: &TurnEnded, offer: crate::view::Offer, around: &Around<'_>) -> Vec<Row> {
    let theme = around.theme;
    let total = usize::from(around.panel_width());
    let inner = total.saturating_sub(4).max(1);
    let now = around.view.meter().limits().get(offer.limit).unwrap_or(0);
    let reached = format!("{} reached: {}.", offer.limit.name(), amount(offer.limit, now));
    let mut body = if around.height < 8 { Vec::new() } else { wrap(&reached, inner, theme.text) };
    body.extend(wrap(&sanitize(&ended.next_safe_action), inner, theme.dim));
    let raise = format!("raise to {} and go on", amount(offer.limit, offer.to));
    body.extend(flow(keys(&[("g", raise.as_str())], theme.accent, theme.text), 3, inner));
    let title = vec![Span::styled("budget", theme.title)];
    let right = Span::styled(format!("stopped · {}", ended.reason.as_str()), theme.warning);
    boxes::boxed(title, right, body, total, theme.border_waiting)
        .into_iter()
        .map(|line| Row::new(1, line))
        .collect()
}
