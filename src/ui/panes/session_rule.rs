//! The rule that "always" would take: all of it, what it would have covered, how long it would hold and what is written for
//! that, and the keys that take it or not.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::ledger::Scope;
use crate::ui::keymap::{KeyAction, KeyContext};
use crate::ui::local::{OfferedRule, RuleReading};
use crate::ui::reply::RuleLines;
use crate::ui::text::{fit, width, wrap};

use super::card_context::CardContext;
use super::words::{cells, flow, keys, one_row};

/// Rows of a pane from which on there is room for everything.
const ROOMY: u16 = 15;

/// How long a rule may hold, each with its number.
const SCOPES: [(u8, Scope, &str); 3] = [
    (1, Scope::Session, "this session"),
    (2, Scope::Project, "this project"),
    (3, Scope::Everywhere, "everywhere"),
];

/// What stands in the place of a reason that stands above it.
const ALIKE: &str = "for the same reason";

/// Rows that a rule needs at least: one of it, how much of it that is, and the keys.
pub(super) const LEAST: usize = 3;

/// A rule as it is laid out.
pub(super) struct LaidRule {
    /// Its lines and its keys.
    pub lines: Vec<Line<'static>>,
    /// How much of it that is.
    pub reading: RuleReading,
    /// Whether they show what would be written to which file, or why nothing, for each time that it may hold.
    pub names_files: bool,
}

/// Whether so many rows show what would be written for each of them, all of it, beside the rule.
fn names_files(always: &OfferedRule, rule: usize, inner: usize, rows: usize) -> bool {
    always.scope == Scope::Session
        && rule + SCOPES.len() <= rows
        && SCOPES.iter().all(|(number, scope, words)| {
            let taken = width(&key_of(*number)) + width(in_short(words)) + 1;
            taken + width(&about(always, *scope)) <= inner
        })
}

fn key_of(number: u8) -> String {
    format!("{number} ")
}

fn in_short(words: &'static str) -> &'static str {
    words.trim_start_matches("this ")
}

/// The rule in so many rows of the pane of its call, or in fewer.
pub(super) fn lay(always: &OfferedRule, inner: usize, rows: usize, around: &CardContext<'_>) -> LaidRule {
    let what = if always.leaves_sandbox { "always, without the sandbox" } else { "always" };
    let named = wrap(&format!("{what}: {}", one_row(&always.rule)), inner, around.theme.accent);
    let head = named.len();
    let below = match around.height < ROOMY {
        true if names_files(always, head, inner, rows) => SCOPES
            .iter()
            .map(|(number, scope, words)| {
                in_a_row(always, *scope, &key_of(*number), in_short(words), inner, around)
            })
            .collect(),
        true => return in_few_rows(always, named, (inner, rows), around),
        false => {
            // Of earlier calls fewer are named where what is decided about needs the rows.
            let most = usize::from(around.height / 4).clamp(1, 4);
            let long = at_length(always, inner, most, around);
            if head + long.len() > rows { at_length(always, inner, 1, around) } else { long }
        }
    };
    // Its beginning would be above the edge of the screen.
    if head + below.len() > rows.max(LEAST) {
        return in_few_rows(always, named, (inner, rows), around);
    }
    let now = RuleReading { from: 0, rows: head, all: head, head, seen: head };
    let lines = named.into_iter().chain(below).collect();
    LaidRule { lines, reading: RuleReading::after(always.reading, now), names_files: true }
}

/// What it would have covered, what would be written for each time that it may hold, and the keys.
fn at_length(
    always: &OfferedRule,
    inner: usize,
    most: usize,
    around: &CardContext<'_>,
) -> Vec<Line<'static>> {
    let theme = around.theme;
    let mut lines = at_most(covered(always, most), (most, inner), theme.text);
    lines.extend(scopes(always, inner, around));
    let taking = taking(around);
    let mut spans = Vec::new();
    for (number, scope, words) in SCOPES {
        let key = if can_hold(always, scope) { theme.accent } else { theme.dim };
        spans.extend(keys(&[(number.to_string().as_str(), in_short(words))], key, theme.text));
    }
    spans.extend(keys(&[(taking.as_str(), "as marked")], lit(always, around), theme.text));
    spans.extend(keys(&[("↑↓", "choose"), ("esc", "back")], theme.accent, theme.text));
    let in_one = spans.iter().map(|group| cells(group) + 3).sum::<usize>() <= inner + 3;
    lines.extend(flow(spans, if in_one { 3 } else { 2 }, inner));
    lines
}

/// Whether it is refused for this time for the reason that stands above it, for the time before.
fn is_refused_alike(always: &OfferedRule, scope: Scope) -> bool {
    let both = (always.lines_for(Scope::Project), always.lines_for(Scope::Everywhere));
    scope == Scope::Everywhere && matches!(both, (Some(Err(before)), Some(Err(why))) if before == why)
}

/// Whether it can hold for so long, as far as that is known.
fn can_hold(always: &OfferedRule, scope: Scope) -> bool {
    scope == Scope::Session || matches!(always.lines_for(scope), Some(Ok(_)))
}

/// The keys that take it.
fn taking(around: &CardContext<'_>) -> String {
    let key = around.keymap.first(KeyContext::Approval, KeyAction::Always, "a");
    key.map_or_else(|| "enter".to_owned(), |key| format!("{key} enter"))
}

/// A key that would be refused is not lit.
fn lit(always: &OfferedRule, around: &CardContext<'_>) -> Style {
    if always.can_be_taken() { around.theme.accent } else { around.theme.dim }
}

/// How long it may hold, with its number, and what that matches or writes, on one row.
fn in_a_row(
    always: &OfferedRule,
    scope: Scope,
    key: &str,
    words: &str,
    inner: usize,
    around: &CardContext<'_>,
) -> Line<'static> {
    let theme = around.theme;
    let can = can_hold(always, scope);
    let about = fit(&about(always, scope), inner.saturating_sub(width(key) + width(words) + 1));
    let (lit, said) = if can { (theme.accent, theme.text) } else { (theme.dim, theme.dim) };
    Line::from(vec![
        Span::styled(key.to_owned(), lit),
        Span::styled(format!("{words} "), said),
        Span::styled(about, theme.dim),
    ])
}

/// What it matches, or what would be written to which file, or why nothing; in as few words as that can be said.
fn about(always: &OfferedRule, scope: Scope) -> String {
    match (scope, always.lines_for(scope)) {
        (Scope::Session, _) => earlier(always),
        (_, None) => "reading…".to_owned(),
        _ if is_refused_alike(always, scope) => ALIKE.to_owned(),
        (_, Some(Ok(RuleLines { file, lines }))) => format!("{}: {}", one_row(file), one_row(lines)),
        (_, Some(Err(why))) => one_row(why),
    }
}

/// Where there is too little room for that: the rule, and what it would have covered or the file and the line that is written
/// there; as much of that as there are rows for. The keys go on until all of it was in sight.
fn in_few_rows(
    always: &OfferedRule,
    mut lines: Vec<Line<'static>>,
    (inner, rows): (usize, usize),
    around: &CardContext<'_>,
) -> LaidRule {
    let theme = around.theme;
    let head = lines.len();
    lines.extend(said_below(always, inner, around));
    let (mut lines, reading) = in_sight(always, (lines, head), (inner, rows), around);
    let (key, word) = match reading.is_unread() {
        true => (theme.accent, "read on"),
        false => (lit(always, around), short(always.scope)),
    };
    let mut spans = keys(&[(taking(around).as_str(), word)], key, theme.text);
    spans.extend(keys(&[("1-3", "other")], theme.accent, theme.text));
    spans.push(vec![Span::styled("esc", theme.accent)]);
    lines.extend(flow(spans, 2, inner).into_iter().take(1));
    LaidRule { lines, reading, names_files: false }
}

/// As many of these lines, the first of which are what is taken, as there are rows for above the keys, and how much that is.
pub(super) fn in_sight(
    always: &OfferedRule,
    (lines, head): (Vec<Line<'static>>, usize),
    (inner, rows): (usize, usize),
    around: &CardContext<'_>,
) -> (Vec<Line<'static>>, RuleReading) {
    let (all, most) = (lines.len(), rows.saturating_sub(1));
    let is_whole = all <= most;
    let rows = if is_whole { all } else { most.saturating_sub(1).max(1) };
    let from = always.reading.map_or(0, |reading| reading.from).min(all.saturating_sub(rows));
    let now = RuleReading { from, rows, all, head, seen: from + rows };
    let mut lines: Vec<Line<'static>> = lines.into_iter().skip(from).take(rows).collect();
    if !is_whole {
        let place = format!("rows {}–{} of {all}", from + 1, from + rows);
        let ways = [" · pgup pgdn scroll", " · pgup pgdn", ""];
        let way = ways.into_iter().find(|way| width(&place) + width(way) <= inner).unwrap_or_default();
        lines.push(Line::styled(fit(&format!("{place}{way}"), inner), around.theme.warning));
    }
    (lines, RuleReading::after(always.reading, now))
}

/// What stands below the rule there.
fn said_below(always: &OfferedRule, inner: usize, around: &CardContext<'_>) -> Vec<Line<'static>> {
    let theme = around.theme;
    let about = match (always.scope, always.lines()) {
        (Scope::Session, _) if always.covers.is_empty() => "matches no earlier call".to_owned(),
        (Scope::Session, _) => covered(always, 1),
        (_, Some(Ok(RuleLines { file, lines }))) => {
            // None of what is written, and where, is left out.
            let (bare, led) = (one_row(file), format!("→ {}", one_row(file)));
            let mut said = wrap(if width(&led) > inner { &bare } else { &led }, inner, theme.accent);
            said.extend(wrap(&one_row(lines), inner, theme.text));
            return said;
        }
        (scope, _) => return wrap(&written(always, scope), inner, theme.text),
    };
    vec![Line::styled(fit(&about, inner), theme.text)]
}

/// How many earlier calls it would have matched.
fn earlier(always: &OfferedRule) -> String {
    match always.covers.len() {
        0 => "like no earlier call".to_owned(),
        1 => "like 1 earlier call".to_owned(),
        number => format!("like {number} earlier calls"),
    }
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
    for (number, scope, words) in SCOPES {
        let is_chosen = scope == always.scope;
        let (sign, style) = if is_chosen { ("●", theme.title) } else { ("○", theme.text) };
        let key = if can_hold(always, scope) { theme.accent } else { theme.dim };
        lines.push(Line::from(vec![
            Span::styled(format!("{sign} "), if is_chosen { style } else { theme.dim }),
            Span::styled(number.to_string(), key),
            Span::styled(format!(" {words}"), style),
        ]));
        // No brighter than the words above it.
        let style = if is_chosen { theme.text } else { theme.dim };
        let room = inner.saturating_sub(4).max(1);
        // What is written, and where, is decided about: none of it is left out, nor of why that cannot be.
        let said = if is_refused_alike(always, scope) { ALIKE.to_owned() } else { written(always, scope) };
        let below = at_most(said, (usize::MAX, room), style).into_iter();
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
fn at_most(text: String, (most, inner): (usize, usize), style: Style) -> Vec<Line<'static>> {
    if text.is_empty() {
        return Vec::new();
    }
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
