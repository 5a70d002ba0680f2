//! A call that waits for a person: the true bytes of what it would do, why it asks, and the keys.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::ledger::{ApprovalRequest, Preview};
use crate::ui::keymap::{Command, Place};
use crate::ui::text::{diff, fit, sanitize, width, wrap};
use crate::view::{Panel, summary};

use super::boxes;
use super::cards::Around;
use super::layouts::Row;
use super::words::{cells, count, flow, keys, one_row, titled};

/// The panel of a call that waits.
pub(super) fn lay(panel: &Panel, around: &Around<'_>) -> Vec<Row> {
    let Some((id, request)) = panel.request() else { return Vec::new() };
    let theme = around.theme;
    let total = usize::from(around.panel_width());
    let inner = total.saturating_sub(4).max(1);
    let chosen = around.chosen == Some(id);
    let has_keys = chosen && around.has_keys;
    let mut foot = Vec::new();
    if chosen {
        foot.extend(explanation(request, inner, theme.dim, usize::from(around.height / 4).max(1)));
        foot.extend(answers(has_keys, id, inner, around));
    }
    let room = usize::from(around.height).saturating_sub(2 + foot.len()).max(1);
    let airy = chosen && around.height >= 15;
    let most = if chosen { room.saturating_sub(usize::from(airy)).max(1) } else { 1 };
    let mut body = shown(panel, request, inner, most, around);
    if airy && body.len() < most {
        body.push(Line::default());
    }
    body.extend(foot);
    let border = if has_keys { theme.border_waiting } else { theme.border };
    let about = match &request.preview {
        Preview::Diff(_) => panel.arguments().map(summary).unwrap_or_default(),
        Preview::Command(_) | Preview::None => String::new(),
    };
    let title = titled(&request.name, &about, theme);
    let right = Span::styled(waits(around, id), if chosen { theme.accent } else { theme.dim });
    boxes::boxed(title, right, body, total, border).into_iter().map(|line| Row::new(1, line)).collect()
}

fn waits(around: &Around<'_>, id: crate::ledger::EntryId) -> String {
    match around.waiting.iter().position(|w| *w == id) {
        Some(at) if around.waiting.len() > 1 => {
            format!("waits for you · {} of {}", at + 1, around.waiting.len())
        }
        Some(_) => "waits for you".to_owned(),
        None => "answered".to_owned(),
    }
}

/// The action itself, in at most so many lines; what is left out is told, and `o` shows it.
fn shown(
    panel: &Panel,
    request: &ApprovalRequest,
    inner: usize,
    most: usize,
    around: &Around<'_>,
) -> Vec<Line<'static>> {
    let (mut lines, first_change) = action(panel, request, inner, around);
    let all = lines.len();
    if all > most {
        // Where there is no room for all of it, what changes goes before where it stands.
        let hidden = first_change.filter(|first| first + 1 >= most).unwrap_or(0);
        lines.drain(..hidden);
        lines.truncate(most.saturating_sub(1));
        let left = count(all - lines.len(), "more line");
        let words = fit(&format!("… {left} · o shows all"), inner);
        lines.push(Line::styled(words, around.theme.warning));
    }
    lines
}

/// The action itself, whole, and where its first change begins, if it is one.
fn action(
    panel: &Panel,
    request: &ApprovalRequest,
    inner: usize,
    around: &Around<'_>,
) -> (Vec<Line<'static>>, Option<usize>) {
    let theme = around.theme;
    match &request.preview {
        Preview::Command(command) => {
            let wide = inner.saturating_sub(2).max(1);
            let mut lines = wrap(&sanitize(command), wide, theme.strong);
            for (at, line) in lines.iter_mut().enumerate() {
                line.spans.insert(0, Span::styled(if at == 0 { "$ " } else { "  " }, theme.dim));
            }
            (lines, None)
        }
        Preview::Diff(unified) => {
            let laid = diff::lay(hunks(unified), u16::try_from(inner).unwrap_or(u16::MAX), theme);
            (laid.lines, laid.first_change)
        }
        Preview::None => {
            let about = panel.arguments().map(summary).unwrap_or_default();
            (wrap(&sanitize(&about), inner, theme.strong), None)
        }
    }
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

/// What it does and why it asks, in at most so many lines: the keys must stay in sight.
fn explanation(request: &ApprovalRequest, inner: usize, style: Style, most: usize) -> Vec<Line<'static>> {
    let words: Vec<&str> =
        [request.risk.as_str(), request.why.as_str()].into_iter().filter(|w| !w.is_empty()).collect();
    let words = sanitize(&words.join(" · ")).into_owned();
    let mut lines = wrap(&words, inner, style);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            let said: String = last.spans.iter().map(|s| s.content.as_ref()).collect();
            *last = Line::styled(fit(&format!("{said} …"), inner), style);
        }
    }
    lines
}

/// The keys, or the reason that is being written.
fn answers(
    has_keys: bool,
    id: crate::ledger::EntryId,
    inner: usize,
    around: &Around<'_>,
) -> Vec<Line<'static>> {
    let theme = around.theme;
    if let Some(reason) = around.reason.filter(|r| r.request == id) {
        return vec![
            reason_line(&reason.text, inner, around),
            Line::styled(fit("enter denies · esc back", inner), theme.dim),
        ];
    }
    if !has_keys {
        return vec![Line::styled(fit("tab to answer: y n s r", inner), theme.dim)];
    }
    let long = offered(around, ["once", "this session", "deny", "deny with a reason"]);
    let needed: usize = long.iter().map(|g| cells(g) + 3).sum();
    if needed <= inner + 3 {
        return flow(long, 3, inner);
    }
    flow(offered(around, ["once", "session", "deny", "why"]), 2, inner)
}

/// The four answers, each with the key that it has.
fn offered(around: &Around<'_>, words: [&str; 4]) -> Vec<Vec<Span<'static>>> {
    let answers =
        [(Command::Once, "y"), (Command::Session, "s"), (Command::Deny, "n"), (Command::Reason, "r")];
    let bound = answers.into_iter().zip(words).filter_map(|((command, usual), word)| {
        Some((around.keymap.first(Place::Approval, command, usual)?, word))
    });
    let bound: Vec<(String, &str)> = bound.collect();
    let pairs: Vec<(&str, &str)> = bound.iter().map(|(key, word)| (key.as_str(), *word)).collect();
    keys(&pairs, around.theme.accent, around.theme.text)
}

/// The end of the reason is what is being typed, so it stays in sight.
fn reason_line(text: &str, inner: usize, around: &Around<'_>) -> Line<'static> {
    let theme = around.theme;
    let text = one_row(text);
    let room = inner.saturating_sub(width("reason: ") + 1);
    let mut chars: Vec<char> = text.chars().collect();
    while width(&chars.iter().collect::<String>()) > room && !chars.is_empty() {
        chars.remove(0);
    }
    Line::from(vec![
        Span::styled("reason: ", theme.accent),
        Span::styled(chars.into_iter().collect::<String>(), theme.text),
        Span::styled("▏", theme.accent),
    ])
}
