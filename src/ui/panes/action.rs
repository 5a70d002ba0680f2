//! What a call that waits would do, by its kind: the true bytes, and nothing left out without a word.

use ratatui::text::{Line, Span};
use serde_json::Value;

use crate::ledger::{ApprovalRequest, Preview};
use crate::policy::{page, server};
use crate::tool::{ASK, delegate, mcp};
use crate::ui::text::tag::ours;
use crate::ui::text::{diff, fit, sanitize, width, wrap, wrap_spans};
use crate::ui::theme::Theme;
use crate::view::{Panel, summary};

use super::layouts::Reach;
use super::margin::{margin, theirs};
use super::words::{count, one_row};

/// Cells of the column of names before arguments, at most.
const NAMES: usize = 16;

/// The name of the action and what it is about, as the title of its box.
pub(super) fn title(panel: &Panel, request: &ApprovalRequest) -> (String, String) {
    if let Some((server, tool)) = mcp(&request.name) {
        return (tool.to_owned(), format!("of the MCP server {server}"));
    }
    if request.name == ASK {
        return ("the model asks you".to_owned(), String::new());
    }
    if let Some(agent) = delegate(&request.name) {
        return (format!("→ {agent}"), "a task for another agent".to_owned());
    }
    let about = match &request.preview {
        Preview::Diff(_) => panel.arguments().map(summary).unwrap_or_default(),
        Preview::Command(_) | Preview::Recipient(_) | Preview::None => String::new(),
    };
    let edited = if panel.is_edited() { "changed by you" } else { "" };
    let about = [about.as_str(), edited].into_iter().filter(|words| !words.is_empty());
    (request.name.clone(), about.collect::<Vec<_>>().join(" · "))
}

/// What an action is laid out into.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// Cells of a line.
    pub inner: usize,
    /// Most lines.
    pub most: usize,
    /// The first line in sight.
    pub from: usize,
}

/// The action itself under its `head`, as much as there is room for, and how much that is; what is left out is told, and
/// `o` shows it. A change is decided about by its file and what of it is in sight; of everything else the end counts too.
pub(super) fn shown(
    request: &ApprovalRequest,
    head: Vec<Line<'static>>,
    room: Room,
    theme: &Theme,
) -> (Vec<Line<'static>>, Reach) {
    let Room { inner, most, from } = room;
    let (mut lines, first_change) = action(request, inner, theme);
    let heads = head.len();
    let total = heads + lines.len();
    if total > most {
        // Where there is no room for all of it, what changes goes before where it stands.
        let hidden = first_change.filter(|first| first + 1 >= most.saturating_sub(heads)).unwrap_or(0);
        lines.drain(..hidden);
    }
    let lines: Vec<Line<'static>> = head.into_iter().chain(lines).collect();
    let all = lines.len();
    let must = if matches!(request.preview, Preview::Diff(_)) { heads } else { all };
    if total <= most {
        return (lines, Reach { from: 0, rows: all, all, must });
    }
    // The last row says what is out of sight, where it is not the only one.
    let rows = if most > 1 { most - 1 } else { 1 };
    let from = from.min(all.saturating_sub(rows));
    let mut shown: Vec<Line<'static>> = lines.into_iter().skip(from).take(rows).collect();
    if most > 1 {
        let words = match from {
            0 => format!("… {} · o shows all", count(total - rows, "more line")),
            _ => format!("lines {}–{} of {all} · o shows all", from + 1, from + rows),
        };
        shown.push(Line::styled(fit(&words, inner), theme.warning));
    }
    (shown, Reach { from, rows, all, must })
}

/// The action itself, whole, and where its first change begins, if it is one.
fn action(request: &ApprovalRequest, inner: usize, theme: &Theme) -> (Vec<Line<'static>>, Option<usize>) {
    match &request.preview {
        Preview::Command(command) => {
            let wide = inner.saturating_sub(2).max(1);
            let mut lines = wrap(&sanitize(command), wide, theme.strong);
            for (at, line) in lines.iter_mut().enumerate() {
                line.spans.insert(0, Span::styled(if at == 0 { "$ " } else { "  " }, ours(theme.dim)));
            }
            let beside = request.beside_command().into_iter();
            let told: Vec<String> =
                beside.map(|(name, value)| one_row(&format!("{name}: {value}")).to_string()).collect();
            if !told.is_empty() {
                lines.extend(behind(inner, |room| wrap(&told.join(" · "), room, theme.warning)));
            }
            (lines, None)
        }
        Preview::Diff(unified) => {
            let laid = diff::lay(hunks(unified), u16::try_from(inner).unwrap_or(u16::MAX), theme);
            (laid.lines, laid.first_change)
        }
        Preview::Recipient(to) => {
            let mut lines = arguments(request, inner, theme);
            lines.extend(wrap(&format!("sent to {}", one_row(to)), inner, theme.dim));
            (lines, None)
        }
        Preview::None => (arguments(request, inner, theme), None),
    }
}

/// What others wrote, in the room that is left of `inner` cells behind a margin: our own lines in the same box, such as
/// the keys, begin before it.
fn behind(inner: usize, lay: impl FnOnce(usize) -> Vec<Line<'static>>) -> Vec<Line<'static>> {
    let lines = lay(inner.saturating_sub(2).max(1)).into_iter();
    lines.map(|line| Line { spans: theirs(line.spans), ..line }).collect()
}

/// What a call would be made with.
fn arguments(request: &ApprovalRequest, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let members = match &request.arguments {
        Value::Object(members) if request.name == ASK => {
            return behind(inner, |room| question(members, room, theme));
        }
        Value::Object(members) => members,
        other => return behind(inner, |room| wrap(&sanitize(&other.to_string()), room, theme.strong)),
    };
    let alone = |name: &str| members.get(name).and_then(Value::as_str).filter(|_| members.len() == 1);
    match (alone("url"), alone("task").filter(|_| delegate(&request.name).is_some())) {
        (Some(url), _) => fetched(url, inner, theme),
        (None, Some(task)) => behind(inner, |room| wrap(&sanitize(task), room, theme.strong)),
        (None, None) if members.is_empty() => vec![Line::styled("without arguments", theme.dim)],
        (None, None) => behind(inner, |room| named(members, room, theme)),
    }
}

/// The question, and its choices under their numbers.
fn question(members: &serde_json::Map<String, Value>, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let asked = members.get("question").map(text).unwrap_or_default();
    let mut lines = wrap(&sanitize(&asked), inner, theme.strong);
    let choices = members.get("choices").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (number, choice) in (1..).zip(choices) {
        let wide = inner.saturating_sub(3).max(1);
        for (at, mut line) in wrap(&sanitize(&text(choice)), wide, theme.text).into_iter().enumerate() {
            let mark = if at == 0 { format!("{number}  ") } else { "   ".to_owned() };
            line.spans.insert(0, Span::styled(mark, ours(theme.accent)));
            lines.push(line);
        }
    }
    lines
}

/// Who is asked first, then the whole address, both as they are requested: a long one can hide where it leads, and what the
/// model wrote can look like another. That is said where it differs.
fn fetched(url: &str, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let page = match page(url) {
        Ok(page) => page,
        Err(why) => {
            let from = server(url).map(|server| format!("from {server}")).unwrap_or_default();
            let mut lines = wrap(&one_row(&from), inner, theme.strong);
            lines.extend(behind(inner, |room| wrap(&sanitize(url), room, theme.text)));
            lines.extend(wrap(&one_row(&why), inner, theme.warning));
            return lines;
        }
    };
    let mut lines = wrap(&format!("from {}", one_row(&page.server)), inner, theme.strong);
    lines.extend(behind(inner, |room| wrap(&sanitize(&page.whole), room, theme.text)));
    if page.whole.trim_end_matches('/') != url.trim().trim_end_matches('/') {
        let words = format!("the model wrote {}", one_row(url.trim()));
        lines.extend(wrap_spans(vec![Span::styled(words, theme.warning)], inner, margin()));
    }
    lines
}

/// Every argument under its name, whole.
fn named(members: &serde_json::Map<String, Value>, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let names: Vec<String> = members.keys().map(|name| fit(&one_row(name), NAMES.min(inner / 3))).collect();
    let column = names.iter().map(|name| width(name)).max().unwrap_or(0) + 2;
    let mut lines = Vec::new();
    for (name, value) in names.iter().zip(members.values()) {
        let text = value.as_str().map_or_else(|| format!("{value:#}"), str::to_owned);
        let wide = inner.saturating_sub(column).max(1);
        for (at, mut line) in wrap(&sanitize(&text), wide, theme.strong).into_iter().enumerate() {
            let name = if at == 0 { name.as_str() } else { "" };
            let pad = " ".repeat(column.saturating_sub(width(name)));
            line.spans.insert(0, Span::styled(format!("{name}{pad}"), ours(theme.dim)));
            lines.push(line);
        }
    }
    lines
}

/// A diff without the two lines that name its file, which the title names: every row counts here. A diff of
/// several files keeps them.
fn hunks(unified: &str) -> &str {
    let files = unified.lines().filter(|l| l.starts_with("+++ ")).count();
    match unified.find("@@") {
        Some(at) if files <= 1 => unified.get(at..).unwrap_or(unified),
        Some(_) | None => unified,
    }
}
