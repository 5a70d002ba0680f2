//! A sub-agent at work, as a box: what it did last and what it does now. One that only waits is a row.

use ratatui::text::{Line, Span};

use crate::ledger::{CallId, Limit};
use crate::ui::text::{fit, width};
use crate::view::{Activity, PanelState, View, subject};

use super::boxes;
use super::card_context::CardContext;
use super::layouts::TranscriptRow;
use super::margin::MARGIN;
use super::words::{cost_until_now, one_row, titled};

/// Calls of the sub-agent that stand in its box, on a high screen, and on a low one or beside a call that waits.
const CALLS: (usize, usize) = (4, 1);

/// Cells of the upper edge that are neither the name nor the figures.
const EDGES: usize = 10;

/// The box of one that works. Its border is quiet: only that of the call which is decided about stands out.
pub(super) fn lay(
    call: CallId,
    (name, task): (&str, &str),
    child: &View,
    around: &CardContext<'_>,
) -> Vec<TranscriptRow> {
    let theme = around.theme;
    let total = usize::from(around.panel_width());
    let inner = total.saturating_sub(4);
    let waits = child.waiting_everywhere();
    let mut body = calls(child, around, inner);
    if waits > 0 {
        // The call itself stands below all else, with the keys that decide about it.
        body.push(Line::styled(fit("waits for you below", inner), theme.dim));
    } else if !matches!(child.activity().0, Activity::Running { .. }) {
        body.push(Line::styled(fit(&format!("{}…", one_row(&child.stands())), inner), theme.dim));
    }
    let all = figures(call, child, around);
    // On a narrow screen the name matters more than all the figures.
    let room = total.saturating_sub(width(name) + EDGES);
    let shown = all.iter().find(|figures| width(figures) <= room).cloned().unwrap_or_default();
    let right = Span::styled(shown, theme.dim);
    boxes::boxed(titled(name, task, theme), right, body, total, theme.border_live)
        .into_iter()
        .map(|line| TranscriptRow::new(MARGIN, line))
        .collect()
}

/// Turns of those that it may make, tokens, time; and shorter ways to say it.
fn figures(call: CallId, child: &View, around: &CardContext<'_>) -> [String; 3] {
    let meter = child.meter();
    let turns = match meter.limits().get(Limit::Turns) {
        Some(most) => format!("turn {}/{most}", meter.turns()),
        None => format!("turn {}", meter.turns()),
    };
    let cost = cost_until_now(child);
    let since = around.view.panel(call).map(|panel| match &panel.state {
        PanelState::Running { since, .. } => around.now.since(*since) / 1_000,
        // Its call is over: it works in the background, or is shown after its end.
        _ => child.worked_ms(around.now) / 1_000,
    });
    let since = since.unwrap_or(0);
    if child.waits_for_turn() {
        return Default::default();
    }
    [format!("{turns} · {cost} · {since} s"), format!("{turns} · {since} s"), format!("{since} s")]
}

/// Its last calls, each in a row.
fn calls(child: &View, around: &CardContext<'_>, inner: usize) -> Vec<Line<'static>> {
    let theme = around.theme;
    let most = if around.height >= 15 && !around.is_someone_waiting() { CALLS.0 } else { CALLS.1 };
    let mut last: Vec<CallId> = child.calls().rev().take(most).collect();
    last.reverse();
    let row = |call: CallId| {
        let panel = child.panel(call)?;
        let (symbol, style) = match &panel.state {
            PanelState::Running { .. } => ("●", theme.accent),
            PanelState::Waiting => ("?", theme.warning),
            PanelState::Refused => ("⊘", theme.warning),
            PanelState::Done(_) | PanelState::Finished(_) if panel.was_stopped() => ("■", theme.warning),
            PanelState::Done(outcome) if outcome.is_error() => ("✗", theme.error),
            PanelState::Finished(_) if panel.result().is_some_and(|result| result.outcome.is_error()) => {
                ("✗", theme.error)
            }
            PanelState::Done(_) | PanelState::Finished(_) => ("✓", theme.success),
            PanelState::Preparing | PanelState::Queued => ("◌", theme.dim),
        };
        let room = inner.saturating_sub(2);
        // Who or what denied it has no card here.
        let denial = panel.denial().map(|denial| format!(" · {}", one_row(&denial))).unwrap_or_default();
        let denial = fit(&denial, room * 2 / 3);
        let words = one_row(&format!("{} {}", panel.name(), subject(panel)));
        let words = format!("{}{denial}", fit(&words, room.saturating_sub(width(&denial))));
        Some(Line::from(vec![Span::styled(format!("{symbol} "), style), Span::styled(words, theme.dim)]))
    };
    last.into_iter().filter_map(row).collect()
}
