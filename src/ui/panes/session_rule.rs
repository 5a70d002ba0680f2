//! The rule that "always" would take: all of it, what it would have covered, how long it would hold and what is written for
//! that, and the keys that take it or not.

use ratatui::text::{Line, Span};

use crate::ledger::Scope;
use crate::ui::keymap::{KeyAction, KeyContext};
use crate::ui::local::OfferedRule;
use crate::ui::request::RuleLines;
use crate::ui::text::{fit, wrap};

use super::card_context::CardContext;
use super::words::{flow, keys, one_row};

/// Rows below which there is one row for all that is said of a rule.
const LOW: u16 = 15;

/// The rule in the pane of its call.
pub(super) fn lay(always: &OfferedRule, inner: usize, around: &CardContext<'_>) -> Vec<Line<'static>> {
    let theme = around.theme;
    let mut lines = wrap(&format!("always: {}", one_row(&always.rule)), inner, theme.accent);
    let key = around.keymap.first(KeyContext::Approval, KeyAction::Always, "a");
    let taking = key.map_or_else(|| "enter".to_owned(), |key| format!("{key} enter"));
    let most = usize::from(around.height / 4).clamp(1, 4);
    if around.height < LOW {
        // One row for what it is about: what was covered, or where it goes; the title and the command are above.
        let about = if always.scope == Scope::Session { covered(always, most) } else { file(always) };
        lines.push(Line::styled(fit(&about, inner), theme.text));
        let pairs = [(taking.as_str(), short(always.scope)), ("←→", "other"), ("esc", "")];
        lines.extend(flow(keys(&pairs, theme.accent, theme.text), 2, inner));
        return lines;
    }
    lines.extend(at_most(covered(always, most), most, inner, around));
    lines.push(scopes(always, inner, around));
    lines.extend(at_most(written(always), most, inner, around));
    let pairs = [
        (taking.as_str(), "add it"),
        ("← →", if inner < 46 { "where" } else { "for how long" }),
        ("esc", "back"),
    ];
    lines.extend(flow(keys(&pairs, theme.accent, theme.text), if inner < 46 { 2 } else { 3 }, inner));
    lines
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

/// How long it may hold, with the chosen one lit.
fn scopes(always: &OfferedRule, inner: usize, around: &CardContext<'_>) -> Line<'static> {
    let theme = around.theme;
    let mut spans = Vec::new();
    for (scope, words) in [
        (Scope::Session, "this session"),
        (Scope::Project, "this project"),
        (Scope::Everywhere, "everywhere"),
    ] {
        let is_chosen = scope == always.scope;
        let (sign, style) = if is_chosen { ("● ", theme.title) } else { ("○ ", theme.dim) };
        let words = if inner < 46 { short(scope) } else { words };
        let gap = if spans.is_empty() { "" } else { "  " };
        spans.push(Span::styled(format!("{gap}{sign}{words}"), style));
    }
    Line::from(spans)
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

/// Which file would be written to, where there is no room for the line.
fn file(always: &OfferedRule) -> String {
    match always.lines() {
        Some(Ok(RuleLines { file, .. })) => format!("→ {}", one_row(file)),
        _ => written(always),
    }
}

/// What would be written to which file; nothing for the session.
fn written(always: &OfferedRule) -> String {
    match always.lines() {
        _ if always.scope == Scope::Session => String::new(),
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
