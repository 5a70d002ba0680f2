//! The rule that "always" would take: all of it, what it would have covered, how long it would hold and what is written for
//! that, and the keys that take it or not.

use ratatui::text::{Line, Span};

use crate::ledger::Scope;
use crate::ui::keymap::{KeyAction, KeyContext};
use crate::ui::local::OfferedRule;
use crate::ui::request::RuleLines;
use crate::ui::session_rule::LOW;
use crate::ui::text::{fit, wrap};

use super::card_context::CardContext;
use super::words::{flow, keys, middle, one_row};

/// The rule in the pane of its call.
pub(super) fn lay(always: &OfferedRule, inner: usize, around: &CardContext<'_>) -> Vec<Line<'static>> {
    let theme = around.theme;
    // A key that would be refused is not lit.
    let lit = if always.can_be_taken() { theme.accent } else { theme.dim };
    let key = around.keymap.first(KeyContext::Approval, KeyAction::Always, "a");
    let taking = key.map_or_else(|| "enter".to_owned(), |key| format!("{key} enter"));
    let most = usize::from(around.height / 4).clamp(1, 4);
    if around.height < LOW {
        let mut lines = in_few_rows(always, inner, around);
        let mut spans = keys(&[(taking.as_str(), short(always.scope))], lit, theme.text);
        spans.extend(keys(&[("1-3", "other")], theme.accent, theme.text));
        spans.push(vec![Span::styled("esc", theme.accent)]);
        lines.extend(flow(spans, 2, inner).into_iter().take(1));
        return lines;
    }
    let mut lines = wrap(&format!("always: {}", one_row(&always.rule)), inner, theme.accent);
    lines.extend(at_most(covered(always, most), most, inner, around));
    lines.extend(scopes(always, inner, around));
    let mut spans = keys(&[("1-3", "add it for so long")], theme.accent, theme.text);
    spans.extend(keys(&[(taking.as_str(), "as marked")], lit, theme.text));
    spans.extend(keys(&[("← →", "mark"), ("esc", "back")], theme.accent, theme.text));
    lines.extend(flow(spans, if inner < 46 { 2 } else { 3 }, inner));
    lines
}

/// Where there is little room: the rule, all of it, and what it would have covered; or the file and the line that is written
/// there.
fn in_few_rows(always: &OfferedRule, inner: usize, around: &CardContext<'_>) -> Vec<Line<'static>> {
    let theme = around.theme;
    if let Some(Ok(RuleLines { file, lines })) = always.lines().filter(|_| always.scope != Scope::Session) {
        let file = middle(&format!("→ {}", one_row(file)), inner);
        let line = middle(&one_row(lines), inner);
        return vec![Line::styled(file, theme.accent), Line::styled(line, theme.text)];
    }
    let about = match always.scope {
        Scope::Session => covered(always, 1),
        scope => written(always, scope),
    };
    let mut rows = wrap(&format!("always: {}", one_row(&always.rule)), inner, theme.accent);
    rows.push(Line::styled(fit(&about, inner), theme.text));
    rows
}

/// What it would have covered, so many calls by name.
fn covered(always: &OfferedRule, most: usize) -> String {
    match always.covers.as_slice() {
        [] => "would not have matched any earlier call".to_owned(),
        calls => {
            let shown: Vec<String> = calls.iter().take(most).map(|call| one_row(call)).collect();
            let number = calls.len();
            let noun = if number == 1 { "call" } else { "calls" };
            format!("{number} earlier {noun} it would have matched: {}", shown.join(" · "))
        }
    }
}

/// How long it may hold, each with its number and what would be written for it; the marked one is lit.
fn scopes(always: &OfferedRule, inner: usize, around: &CardContext<'_>) -> Vec<Line<'static>> {
    let theme = around.theme;
    let mut lines = Vec::new();
    for (number, scope, words) in [
        (1, Scope::Session, "this session"),
        (2, Scope::Project, "this project"),
        (3, Scope::Everywhere, "everywhere"),
    ] {
        let is_chosen = scope == always.scope;
        let (sign, style) = if is_chosen { ("●", theme.title) } else { ("○", theme.dim) };
        let can = scope == Scope::Session || matches!(always.lines_for(scope), Some(Ok(_)));
        let key = if can { theme.accent } else { theme.dim };
        lines.push(Line::from(vec![
            Span::styled(format!("{sign} "), style),
            Span::styled(number.to_string(), key),
            Span::styled(format!(" {words}"), style),
        ]));
        let room = inner.saturating_sub(4).max(1);
        let below = at_most(written(always, scope), 2, room, around).into_iter();
        lines.extend(below.map(|line| {
            let mut spans = vec![Span::raw("    ")];
            spans.extend(line.spans);
            Line { spans, ..line }
        }));
    }
    lines
}

/// How long it holds, in a word.
fn short(scope: Scope) -> &'static str {
    match scope {
        Scope::Once => "once",
        Scope::Session => "session",
        Scope::Project => "project",
        Scope::Everywhere => "everywhere",
    }
}

/// What would be written to which file; nothing for the session.
fn written(always: &OfferedRule, scope: Scope) -> String {
    match always.lines_for(scope) {
        _ if scope == Scope::Session => String::new(),
        None => "reading the configuration…".to_owned(),
        Some(Ok(RuleLines { file, lines })) => format!("writes to {}: {}", one_row(file), one_row(lines)),
        Some(Err(why)) => one_row(why),
    }
}

/// A text on at most so many lines; the end of a longer one is left out.
fn at_most(text: String, most: usize, inner: usize, around: &CardContext<'_>) -> Vec<Line<'static>> {
    if text.is_empty() {
        return Vec::new();
    }
    let style = around.theme.text;
    let mut lines = wrap(&text, inner, style);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            let said: String = last.spans.iter().map(|s| s.content.as_ref()).collect();
            *last = Line::styled(fit(&format!("{said} …"), inner), style);
        }
    }
    lines
}
