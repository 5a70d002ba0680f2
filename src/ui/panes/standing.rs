//! How a call stands, in a symbol and words.

use ratatui::style::Style;

use crate::ledger::{Abort, Decider, EscrowSettlement, Outcome, Reach, TaskState, ToolResult, seconds};
use crate::tool::{ASK, SideEffect};
use crate::ui::text::{fit, grouped, width};
use crate::ui::theme::Theme;
use crate::view::{BackgroundShell, InBackground, Panel, PanelState, WAITS_FOR_TURN, exit, measure};

use super::card_context::CardContext;
use super::words::{duration, one_row};

/// Cells that what a call is about keeps beside how it stands, at least.
const LEAST_ABOUT: usize = 16;

/// Cells from which on an answer stands beside its question.
const LEAST_BESIDE: usize = 60;

/// How a call stands: a symbol, and always the words for it.
pub(super) struct CallStatus {
    pub(super) symbol: &'static str,
    pub(super) style: Style,
    pub(super) words: String,
    pub(super) words_style: Style,
    /// Shorter ways to say it, where what it is about has no room beside it; without one, its last parts are left out.
    pub(super) shorter: Vec<String>,
}

impl CallStatus {
    /// With no shorter way to say it than its first parts.
    pub(super) fn new(symbol: &'static str, style: Style, words: String, words_style: Style) -> Self {
        Self { symbol, style, words, words_style, shorter: Vec::new() }
    }

    /// With this shorter way to say it.
    #[must_use]
    pub(super) fn or(mut self, shorter: impl Into<String>) -> Self {
        self.shorter.push(shorter.into());
        self
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
        return warned("?", "its end is not recorded".to_owned()).or("end unknown");
    }
    if let Some(shell) = around.view.shell_of(panel) {
        return in_background(shell, around);
    }
    let quiet = |symbol, words: &str| CallStatus::new(symbol, theme.dim, words.to_owned(), theme.dim);
    if panel.in_background == Some(InBackground::Queued) {
        return quiet("◌", WAITS_FOR_TURN).or("waits");
    }
    match &panel.state {
        PanelState::Preparing | PanelState::Queued
            if panel.id().is_some_and(|call| around.view.starts_later(call)) =>
        {
            quiet("◌", WAITS_FOR_TURN).or("waits")
        }
        PanelState::Preparing => quiet("◌", "preparing"),
        PanelState::Waiting => quiet("◌", "waits for you"),
        PanelState::Queued => quiet("◌", "queued"),
        PanelState::Refused => quiet("⊘", "denied"),
        PanelState::Running { since, effect } => {
            let ms = around.now.since(*since);
            CallStatus::new("●", theme.accent, running_for(ms, *effect), theme.dim).or(running(ms))
        }
        PanelState::Done(_) if panel.was_stopped() => warned("■", "stopped".to_owned()),
        PanelState::Done(Outcome::Ok) => quiet("✓", "done"),
        PanelState::Done(Outcome::Invalid) => quiet("✗", "invalid arguments").or("invalid"),
        PanelState::Done(outcome) => quiet("✗", &outcome.as_str().replace('_', " ")),
        PanelState::Finished(_) if panel.asks_back() => warned("?", "asks back".to_owned()),
        PanelState::Finished(_) if panel.was_stopped() => {
            let ran_ms = panel.result().map_or(0, |result| result.duration_ms);
            warned("■", format!("stopped · {}", duration(ran_ms)))
        }
        PanelState::Finished(_) => panel.result().map_or_else(|| quiet("✓", ""), |r| finished(r, around)),
    }
}

/// How it stands with a command that went on in the background, and how it ended.
fn in_background(shell: &BackgroundShell, around: &CardContext<'_>) -> CallStatus {
    let (theme, id) = (around.theme, one_row(&shell.id));
    if shell.is_running {
        let since = running(around.now.since(shell.since));
        let words = format!("in the background · {id} · {since}");
        return CallStatus::new("●", theme.accent, words, theme.dim).or(format!("{id} · {since}"));
    }
    let (symbol, style) = match (shell.has_failed, shell.was_stopped) {
        (true, _) => ("✗", theme.error),
        (false, true) => ("■", theme.warning),
        (false, false) => ("✓", theme.dim),
    };
    let ended = one_row(&shell.words);
    CallStatus::new(symbol, style, format!("{id} · {ended}"), style).or(ended)
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
        state => format!("{} · {spent}", state.words()),
    };
    CallStatus::new(symbol, style, words, if is_good { theme.dim } else { style })
}

/// What it does to the world, and for how long: in whole seconds, since a clock that shows more would have to move all
/// the time.
pub(super) fn running_for(ms: u64, effect: SideEffect) -> String {
    format!("{} · {}", effect.as_str(), running(ms))
}

/// The same without what it does.
pub(super) fn running(ms: u64) -> String {
    format!("{} s", ms / 1_000)
}

fn finished(result: &ToolResult, around: &CardContext<'_>) -> CallStatus {
    let theme = around.theme;
    let time = duration(result.duration_ms);
    let bad = |symbol, style: Style, words: String| CallStatus::new(symbol, style, words, style);
    match &result.outcome {
        Outcome::Ok if result.name == ASK => {
            let answer = answer_beside(result, around).map(|answer| format!("→ {answer}"));
            let words = answer.unwrap_or_else(|| "answered".to_owned());
            CallStatus::new("✓", theme.success, words, theme.text).or("answered")
        }
        Outcome::Ok => {
            CallStatus::new("✓", theme.success, format!("{} · {time}", achieved(result)), theme.dim)
        }
        Outcome::Failed => {
            let Some(ended) = exit(result).0.map(one_row) else {
                return bad("✗", theme.error, format!("failed · {time}"));
            };
            let words = format!("failed · {ended} · {time}");
            bad("✗", theme.error, words).or(format!("failed · {ended}")).or(ended)
        }
        Outcome::Invalid => bad("✗", theme.error, "invalid arguments".to_owned()).or("invalid"),
        Outcome::UnknownTool => bad("✗", theme.error, "unknown tool".to_owned()).or("unknown"),
        Outcome::TimedOut => bad("✗", theme.error, format!("timed out · {time}")),
        Outcome::Denied(Decider::User) => bad("⊘", theme.warning, "denied by you".to_owned()).or("denied"),
        Outcome::Denied(by) => bad("⊘", theme.warning, format!("denied by {}", by.as_str())).or("denied"),
        Outcome::Aborted(Abort { ran_ms: None, .. }) => {
            bad("■", theme.warning, "was not started".to_owned()).or("not started")
        }
        Outcome::Aborted(abort @ Abort { ran_ms: Some(ms), .. }) => {
            let (came, after) = (abort.reach().words(), seconds(*ms));
            let words = format!("interrupted after {after} · {came}");
            // For how long it ran is said nowhere else; the end of the run says the rest in more words.
            match abort.reach() {
                Reach::CutShort => bad("■", theme.warning, words)
                    .or(format!("stopped after {after} · partial"))
                    .or(came)
                    .or("partial"),
                Reach::NothingStarted | Reach::NothingCut => {
                    bad("■", theme.warning, words).or(format!("stopped after {after}")).or("stopped")
                }
            }
        }
        Outcome::Lost { started: false } => bad("■", theme.warning, "lost · was not started".to_owned()),
        Outcome::Lost { started: true } => {
            bad("■", theme.warning, "lost · effects may be partial".to_owned())
        }
    }
}

/// The answer to a question, if it is so short that it stands beside it.
pub(super) fn answer_beside(result: &ToolResult, around: &CardContext<'_>) -> Option<String> {
    let room = usize::from(around.text_width());
    let answer = one_row(result.content.trim());
    (room >= LEAST_BESIDE && width(&answer) <= room / 3).then_some(answer)
}

/// What a call that went well brought.
fn achieved(result: &ToolResult) -> String {
    let brought = one_row(&measure(result));
    if result.cut_chars > 0 {
        format!("{brought}, {} characters cut", grouped(result.cut_chars))
    } else {
        brought
    }
}

/// How a call stands, in so much room for that and for what it is about, which needs `about` cells: in the longest words that leave it
/// whole, or a good part of it. What it is about is never lost: the shortest words are cut before.
pub(super) fn in_whole_parts(standing: &CallStatus, room: usize, about: usize) -> String {
    let beside = room.saturating_sub(about.min(LEAST_ABOUT.max(room / 2)));
    let ways = ways(standing);
    let whole = ways.iter().find(|way| width(way) <= beside).cloned();
    let shortest = || ways.last().map(|way| fit(way, beside.max(room * 2 / 3))).unwrap_or_default();
    whole.unwrap_or_else(shortest)
}

/// The ways to say how a call stands, the longest first.
fn ways(standing: &CallStatus) -> Vec<String> {
    let mut ways = vec![standing.words.clone()];
    let mut left = standing.words.as_str();
    while let Some((before, _)) = left.rsplit_once(" · ").or_else(|| left.rsplit_once(", "))
        && standing.shorter.is_empty()
    {
        ways.push(before.to_owned());
        left = before;
    }
    ways.extend(standing.shorter.iter().cloned());
    ways
}
