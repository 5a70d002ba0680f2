//! Cards as rows: what was said, remarked, failed and ended. Calls are in `tools` and `approval`.

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::budget::Limit;
use crate::ledger::{Body, Ending, Entry, EntryId, Millis, TurnEnded};
use crate::ui::local::{Focus, Local, Reason};
use crate::ui::text::highlight::Highlighter;
use crate::ui::text::{fit, markdown, sanitize, wrap};
use crate::ui::theme::Theme;
use crate::view::{Card, CardBody, PanelState, View};

use super::layouts::{Row, Version};
use super::words::{clock, count, dollars, duration, flow, keys, one_row, short};
use super::{approval, boxes, tools};

/// Cells left free before and after text.
pub(super) const INDENT: u16 = 3;

/// What cards borrow from outside themselves.
pub(super) struct Around<'a> {
    pub view: &'a View,
    pub theme: &'a Theme,
    pub now: Millis,
    pub width: u16,
    pub height: u16,
    pub thinking_open: bool,
    /// The requests that wait, oldest first.
    pub waiting: Vec<EntryId>,
    /// The request whose panel is shown whole.
    pub chosen: Option<EntryId>,
    /// Whether it has the keys.
    pub has_keys: bool,
    pub reason: Option<&'a Reason>,
}

impl<'a> Around<'a> {
    pub(super) fn new(view: &'a View, local: &'a Local, theme: &'a Theme, area: Rect, now: Millis) -> Self {
        Self {
            view,
            theme,
            now,
            width: area.width,
            height: area.height,
            thinking_open: local.thinking_open,
            waiting: local.waiting(view).iter().map(|(request, _)| *request).collect(),
            chosen: local.chosen(view).map(|(request, _)| request),
            has_keys: matches!(local.focused(view), Focus::Approval(_)),
            reason: local.reason.as_ref(),
        }
    }

    /// The width of text.
    pub(super) fn text_width(&self) -> u16 {
        self.width.saturating_sub(2 * INDENT).max(1)
    }

    /// What a card's lines depend on besides the card.
    pub(super) fn version(&self, card: &Card) -> Version {
        let Some(panel) = card.panel() else { return Version::default() };
        match &panel.state {
            PanelState::Running { since } => Version {
                clock: 1 + self.now.since(*since) / 1_000,
                height: self.height,
                ..Version::default()
            },
            PanelState::Waiting => Version {
                focus: self.focus_of(panel.request().map(|r| r.0)),
                height: self.height,
                ..Version::default()
            },
            _ => Version::default(),
        }
    }

    /// One number for all that a waiting panel shows of the focus; never 0, which is "not waiting".
    fn focus_of(&self, request: Option<EntryId>) -> u64 {
        let at = self.waiting.iter().position(|id| Some(*id) == request).map_or(0, |at| at + 1) as u64;
        let chosen = request.is_some() && request == self.chosen;
        let mut number = 1 + at * 4 + u64::from(chosen) * 2 + u64::from(chosen && self.has_keys);
        number = number * 1_000 + self.waiting.len() as u64;
        if let Some(reason) = self.reason.filter(|r| Some(r.request) == request) {
            number += 1 << 40;
            for byte in reason.text.bytes() {
                number = (number ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        number
    }
}

/// Lays out one card. Of an answer that grows only what stands before its text.
pub(super) fn lay(
    card: &Card,
    view: &View,
    theme: &Theme,
    highlighter: &Highlighter,
    around: &Around<'_>,
) -> Vec<Row> {
    let width = around.text_width();
    match &card.body {
        CardBody::User(entry) => match &entry.body {
            Body::User(message) => user(&message.content, width, theme),
            _ => Vec::new(),
        },
        CardBody::Assistant(entry) => match &entry.body {
            Body::Assistant(message) => {
                let text = message.text();
                let mut rows = thinking(&message.thinking(), text.trim().is_empty(), around);
                rows.extend(indented(markdown::render(text.trim(), width, theme, highlighter)));
                rows
            }
            _ => Vec::new(),
        },
        CardBody::Growing => view
            .live()
            .map_or_else(Vec::new, |live| thinking(&live.thinking, live.text.trim().is_empty(), around)),
        CardBody::Forming(forming) => tools::forming(forming, around),
        CardBody::Tool(panel) if panel.state == PanelState::Waiting => approval::lay(panel, around),
        CardBody::Tool(panel) => tools::lay(panel, around),
        CardBody::Injected(entry) | CardBody::Note(entry) | CardBody::Raised(entry) => remark(entry, around),
        CardBody::Error(entry) => match &entry.body {
            Body::Error { message, next } => failure(message, next, around),
            _ => Vec::new(),
        },
        CardBody::TurnEnded(entry) => match &entry.body {
            Body::TurnEnded(ended) => turn_ended(ended, entry, around),
            _ => Vec::new(),
        },
    }
}

fn indented(lines: Vec<Line<'static>>) -> Vec<Row> {
    lines.into_iter().map(|line| Row::new(INDENT, line)).collect()
}

fn user(text: &str, width: u16, theme: &Theme) -> Vec<Row> {
    let mut rows = indented(wrap(&sanitize(text), usize::from(width), theme.user));
    if let Some(first) = rows.first_mut() {
        first.indent = INDENT - 2;
        first.line.spans.insert(0, Span::styled("› ", theme.accent));
    }
    rows
}

/// Reasoning: one quiet line, or all of it. `alone` when no text follows yet.
fn thinking(text: &str, alone: bool, around: &Around<'_>) -> Vec<Row> {
    let text = text.trim();
    if text.is_empty() {
        return Vec::new();
    }
    let words = count(text.split_whitespace().count(), "word");
    let (sign, key) = if around.thinking_open { ("▾", "folds") } else { ("▸", "unfolds") };
    let head = format!("{sign} thinking · {words} · ctrl-t {key}");
    let width = usize::from(around.text_width());
    let mut lines = vec![Line::styled(fit(&head, width), around.theme.dim)];
    if around.thinking_open {
        for line in wrap(&sanitize(text), width.saturating_sub(2).max(1), around.theme.dim) {
            let mut spans = vec![Span::styled("│ ", around.theme.faint)];
            spans.extend(line.spans);
            lines.push(Line::from(spans));
        }
    }
    if !alone {
        lines.push(Line::default());
    }
    indented(lines)
}

/// One quiet line for what neither side said.
fn remark(entry: &Entry, around: &Around<'_>) -> Vec<Row> {
    let words = match &entry.body {
        Body::Injected(injected) => {
            format!("↳ {}: {}", injected.by.as_str().replace('_', " "), injected.text)
        }
        Body::Note(note) => format!("· note on {}: {}", note.about, note.text),
        Body::BudgetRaised { name, limit } => {
            let limit = Limit::parse(name).map_or_else(|| limit.to_string(), |l| amount(l, *limit));
            format!("↑ {name} raised to {limit}")
        }
        _ => return Vec::new(),
    };
    let line = fit(&one_row(&words), usize::from(around.text_width()));
    vec![Row::new(INDENT, Line::styled(line, around.theme.dim))]
}

/// A limit's value in its own unit.
pub(super) fn amount(limit: Limit, value: u64) -> String {
    match limit {
        Limit::Turns => count(usize::try_from(value).unwrap_or(usize::MAX), "turn"),
        Limit::ToolCalls => count(usize::try_from(value).unwrap_or(usize::MAX), "call"),
        Limit::WallTime => clock(value),
        Limit::InputTokens | Limit::OutputTokens => format!("{} tokens", short(value)),
        Limit::Cost => dollars(value),
    }
}

fn failure(message: &str, next: &str, around: &Around<'_>) -> Vec<Row> {
    let theme = around.theme;
    let mut rows = said("✗ ", &format!("error · {message}"), theme.error, theme.error, around);
    rows.extend(said("  ", next, theme.dim, theme.dim, around));
    rows
}

/// Wrapped words behind a sign.
fn said(sign: &'static str, words: &str, sign_style: Style, style: Style, around: &Around<'_>) -> Vec<Row> {
    let width = usize::from(around.text_width()).saturating_sub(2).max(1);
    let mut rows: Vec<Row> =
        wrap(&sanitize(words), width, style).into_iter().map(|l| Row::new(INDENT + 2, l)).collect();
    if let Some(first) = rows.first_mut() {
        first.indent = INDENT;
        first.line.spans.insert(0, Span::styled(sign, sign_style));
    }
    rows
}

fn turn_ended(ended: &TurnEnded, entry: &Entry, around: &Around<'_>) -> Vec<Row> {
    let theme = around.theme;
    let spent = || {
        let turns = count(ended.turns as usize, "turn");
        let calls = count(ended.tool_calls as usize, "tool call");
        format!("{turns} · {calls} · {}", duration(ended.wall_ms))
    };
    match ended.reason {
        Ending::Completed | Ending::GoalReached => {
            let words = fit(&format!("✓ done · {}", spent()), usize::from(around.text_width()));
            vec![Row::new(INDENT, Line::styled(words, theme.faint))]
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
    let total = usize::from(around.width.saturating_sub(2));
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
