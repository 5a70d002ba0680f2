//! How a call stands, in a symbol and words.

use ratatui::style::Style;

use crate::ledger::{Abort, Decider, EscrowSettlement, Outcome, TaskState, ToolResult, seconds};
use crate::tool::SideEffect;
use crate::ui::text::{fit, width};
use crate::ui::theme::Theme;
use crate::view::{InBackground, Panel, PanelState, WAITS_FOR_TURN, exit, measure};

use super::card_context::CardContext;
use super::words::{duration, one_row};

/// Cells that what a failed call is about keeps beside how it failed.
const LEAST_ABOUT: usize = 16;

/// How a call stands: a symbol, and always the words for it.
pub(super) struct CallStatus {
    pub(super) symbol: &'static str,
    pub(super) style: Style,
    pub(super) words: String,
    pub(super) words_style: Style,
    /// Shorter ways to say it, where what it is about has no room beside it.
    pub(super) shorter: Vec<String>,
}

impl CallStatus {
    /// With no shorter way to say it.
    pub(super) fn new(symbol: &'static str, style: Style, words: String, words_style: Style) -> Self {
        Self { symbol, style, words, words_style, shorter: Vec::new() }
    }
}

/// How a call stands that does not wait for a person.
pub(super) fn standing(panel: &Panel, around: &CardContext<'_>) -> CallStatus {
    let theme = around.theme;
    if let Some(InBackground::Over(settled)) = &panel.in_background {
        return over(settled, theme);
    }
    let warned = |symbol, words| CallStatus::new(symbol, theme.warning, words, theme.warning);
    if panel.in_background == Some(InBackground::Unsettled) {
        return warned("?", "its end is not recorded".to_owned());
    }
    let quiet = |symbol, words: &str| CallStatus::new(symbol, theme.dim, words.to_owned(), theme.dim);
    match &panel.state {
        PanelState::Preparing | PanelState::Queued
            if panel.id().is_some_and(|call| around.view.starts_later(call)) =>
        {
            quiet("◌", WAITS_FOR_TURN)
        }
        PanelState::Preparing => quiet("◌", "preparing"),
        PanelState::Waiting => quiet("◌", "waits for you"),
        PanelState::Queued => quiet("◌", "queued"),
        PanelState::Refused => quiet("⊘", "denied"),
        PanelState::Running { since, effect } => {
            CallStatus::new("●", theme.accent, running_for(around.now.since(*since), *effect), theme.dim)
        }
        PanelState::Done(_) if panel.was_stopped() => warned("■", "stopped".to_owned()),
        PanelState::Done(Outcome::Ok) => quiet("✓", "done"),
        PanelState::Done(Outcome::Invalid) => quiet("✗", "invalid arguments"),
        PanelState::Done(outcome) => quiet("✗", &outcome.as_str().replace('_', " ")),
        PanelState::Finished(_) if panel.asks_back() => warned("?", "asks back".to_owned()),
        PanelState::Finished(_) if panel.was_stopped() => {
            let ran_ms = panel.result().map_or(0, |result| result.duration_ms);
            warned("■", format!("stopped · {}", duration(ran_ms)))
        }
        PanelState::Finished(_) => panel.result().map_or_else(|| quiet("✓", ""), |r| finished(r, around)),
    }
}

/// How a sub-agent in the background came to its end.
fn over(settled: &EscrowSettlement, theme: &Theme) -> CallStatus {
    let is_good = settled.state == TaskState::Completed;
    let turns = if settled.spent.turns == 1 { "turn" } else { "turns" };
    let cost = settled.spent.usage.cost.map(|cost| format!(" · {cost}")).unwrap_or_default();
    let spent = format!("{} {turns}{cost} · {}", settled.spent.turns, duration(settled.spent.wall_ms));
    let (symbol, style) = match settled.state {
        TaskState::Completed => ("✓", theme.success),
        TaskState::Canceled => ("■", theme.warning),
        _ => ("✗", theme.error),
    };
    let words = match settled.state {
        TaskState::Completed => spent,
        TaskState::Canceled => format!("stopped · {spent}"),
        state => format!("{} · {spent}", state.as_str()),
    };
    CallStatus::new(symbol, style, words, if is_good { theme.dim } else { style })
}

/// What it does to the world, and for how long: in whole seconds, since a clock that shows more would have to move all
/// the time.
pub(super) fn running_for(ms: u64, effect: SideEffect) -> String {
    format!("{} · {} s", effect.as_str(), ms / 1_000)
}

fn finished(result: &ToolResult, around: &CardContext<'_>) -> CallStatus {
    let theme = around.theme;
    let time = duration(result.duration_ms);
    let bad = |symbol, style: Style, words: String| CallStatus::new(symbol, style, words, style);
    match &result.outcome {
        Outcome::Ok => {
            CallStatus::new("✓", theme.success, format!("{} · {time}", achieved(result)), theme.dim)
        }
        Outcome::Failed => {
            let Some(ended) = exit(result).0.map(one_row) else {
                let shorter = vec!["failed".to_owned()];
                return CallStatus { shorter, ..bad("✗", theme.error, format!("failed · {time}")) };
            };
            let shorter = vec![format!("failed · {ended}"), ended.clone()];
            CallStatus { shorter, ..bad("✗", theme.error, format!("failed · {ended} · {time}")) }
        }
        Outcome::Invalid => bad("✗", theme.error, "invalid arguments".to_owned()),
        Outcome::UnknownTool => bad("✗", theme.error, "unknown tool".to_owned()),
        Outcome::TimedOut => bad("✗", theme.error, format!("timed out · {time}")),
        Outcome::Denied(Decider::User) => bad("⊘", theme.warning, "denied by you".to_owned()),
        Outcome::Denied(by) => bad("⊘", theme.warning, format!("denied by {}", by.as_str())),
        Outcome::Aborted(Abort { ran_ms: None, .. }) => {
            bad("■", theme.warning, "interrupted · was not started".to_owned())
        }
        Outcome::Aborted(abort @ Abort { ran_ms: Some(ms), .. }) => {
            let came = abort.reach().words();
            bad("■", theme.warning, format!("interrupted after {} · {came}", seconds(*ms)))
        }
        Outcome::Lost { started: false } => bad("■", theme.warning, "lost · was not started".to_owned()),
        Outcome::Lost { started: true } => {
            bad("■", theme.warning, "lost · effects may be partial".to_owned())
        }
    }
}

/// What a call that went well brought.
fn achieved(result: &ToolResult) -> String {
    let brought = one_row(&measure(result));
    if result.cut_chars > 0 { format!("{brought}, {} characters cut", result.cut_chars) } else { brought }
}

/// How a call stands, in so much room: of one that went well, a part that has no room is left out and not cut. One that failed says so in
/// fewer words where they would hide what it is about.
pub(super) fn in_whole_parts(standing: &CallStatus, room: usize, about: usize) -> String {
    let mut words = standing.words.as_str();
    while standing.symbol == "✓"
        && width(words) > room
        && let Some((before, _)) = words.rsplit_once(" · ")
    {
        words = before;
    }
    let beside = room.saturating_sub(about.min(LEAST_ABOUT));
    let ways = || standing.shorter.iter().map(String::as_str);
    if width(words) > beside
        && let Some(shorter) = ways().find(|way| width(way) <= beside).or(ways().next_back())
    {
        words = shorter;
    }
    fit(words, room)
}
