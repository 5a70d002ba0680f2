//! One entry: what it says in fields that are read, then as it is recorded.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::ledger::{Arguments, AssistantMessage, Body, ToolResult, Usage};
use crate::ui::panes::Screen;
use crate::ui::panes::margin::theirs;
use crate::ui::panes::words::{dollars, duration, one_row};
use crate::ui::text::{cut_spans, grouped, sanitize};
use crate::ui::theme::Theme;
use crate::view::{Mark, Row, one_line, synthetic};

use super::words::{field, section, time_of_day};

/// From so many characters on, what looks like base64 is taken for it.
const BASE64: usize = 120;

pub(super) fn lines(screen: &Screen<'_>, row: &Row, width: usize) -> Vec<Line<'static>> {
    let theme = screen.theme;
    let title = format!("{}  {}", row.entry.id, row.entry.body.kind());
    let mut lines = vec![Line::styled(title, theme.title)];
    lines.extend(field("time", &format!("{} UTC", time_of_day(row.entry.at)), width, theme.text, theme));
    for mark in &row.marks {
        let words = match mark {
            Mark::Tombstoned(reason) => format!("withdrawn: {reason}"),
            Mark::Synthetic => match &row.entry.body {
                Body::ToolResult(result) => {
                    format!("synthetic: {}", synthetic(result).unwrap_or_default())
                }
                _ => mark.word().to_owned(),
            },
            Mark::Interrupted => "interrupted: it was cut short here".to_owned(),
            Mark::Compacted => "compacted: requests have a summary instead".to_owned(),
            Mark::Late => "late: the call already had its result".to_owned(),
        };
        lines.extend(field("mark", &words, width, theme.warning, theme));
    }
    if screen.view.settings.is_imported(row.entry.id) {
        let words = "imported: nobody here saw this happen";
        lines.extend(field("mark", words, width, theme.warning, theme));
    }
    lines.extend(said(&row.entry.body, screen, row, width));
    lines.extend([Line::default(), Line::styled("as recorded", theme.title)]);
    for line in sanitize(&(screen.entry_json)(&row.entry)).lines() {
        let indent = line.len() - line.trim_start().len();
        let hanging = vec![Span::raw(" ".repeat(indent + 2))];
        lines.extend(cut_spans(&json(&without_base64(line), theme), width, hanging));
    }
    lines
}

/// The fields and texts of each kind.
fn said(body: &Body, screen: &Screen<'_>, row: &Row, width: usize) -> Vec<Line<'static>> {
    let theme = screen.theme;
    let one = |name: &str, value: &str| field(name, value, width, theme.text, theme);
    match body {
        Body::SessionStarted(started) => {
            let mut lines = one("model", &started.model.to_string());
            lines.extend(one("folder", &started.cwd));
            lines.extend(one("session", &started.session));
            lines.extend(section("system prompt", &started.system, width, theme));
            lines
        }
        Body::User(said) => section("words", &said.shown(), width, theme),
        Body::Assistant(said) => answer(said, width, theme),
        Body::ToolCall(call) | Body::Validation(call) | Body::Command(call) | Body::CallEdited(call) => {
            let mut lines = one("call", &call.id.to_string());
            lines.extend(one("tool", &call.name));
            lines.extend(arguments(&call.arguments, width, theme));
            lines
        }
        Body::ToolResult(result) => self::result(result, width, theme),
        Body::Injected(said) => {
            let mut lines = one("by", said.by.as_str());
            lines.extend(section("words", &said.shown(), width, theme));
            lines
        }
        Body::Compaction(made) => {
            let mut lines = one("asked by", made.trigger.as_str());
            lines.extend(one("replaces", &format!("everything up to {}", made.replaces_to)));
            let tokens =
                format!("{} before, {} after", grouped(made.tokens_before), grouped(made.tokens_after));
            lines.extend(one("tokens", &tokens));
            lines.extend(usage(made.usage, width, theme));
            lines.extend(section("summary", &made.summary, width, theme));
            lines
        }
        Body::TurnEnded(ended) => {
            let mut lines = one("reason", ended.reason.as_str());
            if ended.is_counted() {
                lines.extend(one("turns", &ended.turns.to_string()));
                lines.extend(one("tool calls", &ended.tool_calls.to_string()));
                lines.extend(one("took", &duration(ended.wall_ms)));
                lines.extend(usage(ended.usage, width, theme));
            }
            lines.extend(one("what next", ended.what_next()));
            lines
        }
        // Its receipt is on the page of approvals, but for what was asked.
        Body::ApprovalRequested(asked) => {
            let mut lines = one("call", &format!("{} {}", asked.call, asked.name));
            lines.extend(one("asked", &asked.why));
            lines.extend(one("effect", &asked.does()));
            if let Some(warning) = &asked.warning {
                lines.extend(one("warning", warning));
            }
            lines
        }
        _ => one("says", &one_line(&row.entry)),
    }
}

fn answer(said: &AssistantMessage, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = field("model", &said.model.to_string(), width, theme.text, theme);
    lines.extend(field("stopped by", said.stop.as_str(), width, theme.text, theme));
    lines.extend(usage(said.usage, width, theme));
    let (thinking, text) = (said.thinking(), said.text());
    if !thinking.is_empty() {
        lines.extend(section("reasoning", &thinking, width, theme));
    }
    if !text.is_empty() {
        lines.extend(section("words", &text, width, theme));
    }
    lines
}

fn arguments(arguments: &Arguments, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    match arguments {
        Arguments::Object(members) => {
            let mut lines = vec![Line::default(), Line::styled("arguments", theme.title)];
            for (name, value) in members {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let fields = field(&one_row(name), &value, width.saturating_sub(2), theme.text, theme);
                lines.extend(fields.into_iter().map(|line| Line::from(theirs(line.spans))));
            }
            lines
        }
        Arguments::Unusable(text) => section("arguments, unusable", text, width, theme),
    }
}

fn result(result: &ToolResult, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let one = |name: &str, value: &str| field(name, value, width, theme.text, theme);
    let mut lines = one("call", &format!("{} {}", result.call, result.name));
    lines.extend(one("outcome", result.outcome.as_str()));
    lines.extend(one("took", &duration(result.duration_ms)));
    if result.cut_chars > 0 {
        let words = format!("{} characters left out", grouped(result.cut_chars));
        lines.extend(field("cut", &words, width, theme.warning, theme));
    }
    lines.extend(section("content", &result.content, width, theme));
    lines
}

fn usage(usage: Usage, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    if usage == Usage::default() {
        return Vec::new();
    }
    let mut words = format!("{} in, {} out", grouped(usage.input), grouped(usage.output));
    for (n, what) in [(usage.cache_read, "from cache"), (usage.reasoning, "reasoning")] {
        if n > 0 {
            words.push_str(&format!(", {} {what}", grouped(n)));
        }
    }
    let mut lines = field("tokens", &words, width, theme.text, theme);
    if let Some(cost) = usage.cost {
        lines.extend(field("cost", &dollars(cost.0), width, theme.text, theme));
    }
    lines
}

/// What nobody can read is told by its length.
fn without_base64(line: &str) -> String {
    let (name, value) = match line.rsplit_once(": \"") {
        Some((name, value)) => (format!("{name}: "), value),
        None => (String::new(), line.trim_start().trim_start_matches('"')),
    };
    let value = value.trim_end_matches([',', '"']);
    let coded = |c: char| c.is_ascii_alphanumeric() || "+/=_-".contains(c);
    if value.len() < BASE64 || !value.chars().all(coded) {
        return line.to_owned();
    }
    let comma = if line.ends_with(',') { "," } else { "" };
    format!("{name}({} characters of base64 left out){comma}", grouped(value.len() as u64))
}

/// Names, texts and numbers in the colours of code.
fn json(line: &str, theme: &Theme) -> Vec<Span<'static>> {
    let indent = line.len() - line.trim_start().len();
    let (name, value) = match line.split_once("\": ") {
        Some((name, value)) if name.trim_start().starts_with('"') => (format!("{name}\": "), value),
        _ => (" ".repeat(indent), line.trim_start()),
    };
    let style: Style = match value.chars().next() {
        Some('"') => theme.syntax.string,
        Some('0'..='9' | '-') => theme.syntax.number,
        Some('t' | 'f' | 'n') => theme.syntax.constant,
        _ => theme.syntax.punctuation,
    };
    vec![Span::styled(name, theme.syntax.attribute), Span::styled(value.to_owned(), style)]
}
