//! A call that waits for a person: the true bytes of what it would do, why it asks, and the keys.

use std::path::Path;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use serde_json::json;

use crate::ledger::{ApprovalRequest, Preview, Sandboxing};
use crate::tool::{ASK, SideEffect};
use crate::ui::keymap::{KeyAction, KeyContext};
use crate::ui::local::OfferedRule;
use crate::ui::text::{fit, width, wrap, wrap_spans};
use crate::ui::theme::Theme;
use crate::view::Panel;

use super::card_context::CardContext;
use super::layouts::TranscriptRow;
use super::margin::MARGIN;
use super::words::{cells, flow, keys, one_row, titled};
use super::{action, boxes};

/// Most lines of a call whose turn it is not.
const MOST_GLIMPSED: usize = 6;

/// The panel of a call that waits.
pub(super) fn lay(panel: &Panel, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let Some((id, request)) = panel.request() else { return Vec::new() };
    let theme = around.theme;
    let total = usize::from(around.panel_width());
    let inner = total.saturating_sub(4).max(1);
    let chosen = around.chosen == Some(id);
    let has_keys = chosen && around.has_keys;
    let title = action::title(panel, request);
    let right = waits(around, id);
    let mut foot = Vec::new();
    if let Some(warning) = &request.warning {
        foot.extend(wrap(&format!("! {}", one_row(warning)), inner, theme.warning));
    }
    let is_grave = is_grave(request);
    if is_grave {
        let most = if chosen && around.height >= 15 { usize::from(around.height / 4) } else { 1 };
        foot.extend(explanation(request, inner, theme, most));
    }
    let warned = foot.len();
    let mut explained_to = warned;
    if chosen {
        let is_low = around.height < 15 && around.always.is_some_and(|a| a.request == id);
        let explained = if request.name == ASK || is_low || is_grave {
            Vec::new()
        } else {
            explanation(request, inner, theme, usize::from(around.height / 4).max(1))
        };
        foot.extend(explained);
        let explained = foot.len();
        foot.extend(answers(has_keys, id, request, inner, around));
        explained_to = explained;
    }
    let (title, head) = titles(&title, width(&right) + 8, total, request, theme);
    let from =
        around.reading.filter(|reading| reading.request == id && chosen).map_or(0, |reading| reading.from);
    let airy = chosen && around.height >= 15;
    let room = |foot: usize| usize::from(around.height).saturating_sub(2 + foot).max(1);
    let most = |foot: usize| {
        if chosen { room(foot).saturating_sub(usize::from(airy)).max(1) } else { glimpse(around) }
    };
    let laid = |most| action::shown(request, head.clone(), action::Room { inner, most, from }, theme);
    let (mut body, mut reach) = laid(most(foot.len()));
    if chosen && reach.rows < reach.all && room(foot.len()) < 3 {
        // What is decided about goes before why it asks, which the page of the call has too.
        foot.drain(warned..explained_to);
        (body, reach) = laid(most(foot.len()));
    }
    if airy && body.len() < most(foot.len()) {
        body.push(Line::default());
    }
    body.extend(foot);
    // What Tab would reach leads the eye, also while the keys are elsewhere.
    let border = if chosen { theme.border_waiting } else { theme.border };
    let right = Span::styled(right, if chosen { theme.accent } else { theme.dim });
    let lines = boxes::boxed(title, right, body, total, border).into_iter();
    let mut rows: Vec<TranscriptRow> = lines.map(|line| TranscriptRow::new(MARGIN, line)).collect();
    if let Some(row) = rows.first_mut() {
        row.reach = Some(reach);
    }
    rows
}

/// The title of the box, and the first lines in it: what counts of a title that has no room for it stands whole there,
/// and that the path is not written as it is used.
fn titles(
    title: &action::Title,
    beside: usize,
    total: usize,
    request: &ApprovalRequest,
    theme: &Theme,
) -> (Vec<Span<'static>>, Vec<Line<'static>>) {
    let inner = total.saturating_sub(4).max(1);
    let (name, about) = (one_row(&title.name), one_row(&title.about));
    let is_cut = width(&name) + 2 + width(&about) + beside > total;
    let moves = is_cut && title.counts && !about.is_empty();
    let mut head = Vec::new();
    if width(&name) + beside > total && request.name != ASK {
        head.extend(wrap(&name, inner, theme.strong));
    }
    if moves {
        head.extend(action::behind(inner, |room| wrap(&about, room, theme.strong)));
    }
    if matches!(request.preview, Preview::Diff(_)) {
        head.extend(action::written(request, inner, theme));
    }
    (titled(&name, if moves { "" } else { &about }, theme), head)
}

/// Lines of a call whose turn it is not: those that wait share half of the height, so that the chosen one stays in sight.
fn glimpse(around: &CardContext<'_>) -> usize {
    (usize::from(around.height) / 2 / around.waiting.len().max(1)).clamp(1, MOST_GLIMPSED)
}

fn waits(around: &CardContext<'_>, id: crate::ledger::EntryId) -> String {
    match around.waiting.iter().position(|w| *w == id) {
        Some(at) if around.waiting.len() > 1 => {
            format!("waits for you · {} of {}", at + 1, around.waiting.len())
        }
        Some(_) => "waits for you".to_owned(),
        None => "answered".to_owned(),
    }
}

/// Whether a person must see what it does before all else: it takes something away, changes who may do what, sends something,
/// or changes something outside the workspace.
fn is_grave(request: &ApprovalRequest) -> bool {
    let acts = request.risk != SideEffect::Reads.as_str();
    acts && leaves(request) || effects(request).iter().any(|effect| is_grave_effect(effect))
}

/// Whether its path leads out of the workspace: within it, paths are told from its folder.
fn leaves(request: &ApprovalRequest) -> bool {
    request.leads_to.as_deref().is_some_and(|to| Path::new(to).is_absolute())
}

fn effects(request: &ApprovalRequest) -> &[String] {
    if request.effects.is_empty() { std::slice::from_ref(&request.risk) } else { &request.effects }
}

fn is_grave_effect(effect: &str) -> bool {
    [SideEffect::Deletes, SideEffect::ChangesPermissions, SideEffect::Sends]
        .iter()
        .any(|grave| grave.as_str() == effect)
}

/// What it does and why it asks, in at most so many lines: the keys must stay in sight. What a person must not overlook is
/// not as quiet as the rest.
fn explanation(request: &ApprovalRequest, inner: usize, theme: &Theme, most: usize) -> Vec<Line<'static>> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    for effect in effects(request).iter().filter(|effect| !effect.is_empty()) {
        if !spans.is_empty() {
            spans.push(Span::styled(", ", theme.dim));
        }
        let style = if is_grave_effect(effect) { theme.warning } else { theme.text };
        spans.push(Span::styled(one_row(effect), style));
    }
    if !request.why.is_empty() {
        let style = if leaves(request) { theme.warning } else { theme.dim };
        spans.push(Span::styled(if spans.is_empty() { "" } else { " · " }, theme.dim));
        spans.push(Span::styled(one_row(&request.why), style));
    }
    let mut lines = wrap_spans(spans, inner, Vec::new());
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            let style = last.spans.last().map_or(theme.dim, |span| span.style);
            let said: String = last.spans.iter().map(|s| s.content.as_ref()).collect();
            if width(&said) + 2 > inner {
                *last = Line::styled(fit(&format!("{said} …"), inner), style);
            } else {
                last.spans.push(Span::styled(" …", style));
            }
        }
    }
    lines
}

/// The keys, or the reason that is being written.
fn answers(
    has_keys: bool,
    id: crate::ledger::EntryId,
    request: &ApprovalRequest,
    inner: usize,
    around: &CardContext<'_>,
) -> Vec<Line<'static>> {
    let theme = around.theme;
    let is_question = request.name == ASK;
    // Keys that decide are lit; those that do not yet are not.
    let lit = has_keys && around.is_ripe;
    let (key, word) = if lit { (theme.accent, theme.text) } else { (theme.dim, theme.dim) };
    let has_choices = request.arguments.get("choices").is_some_and(|choices| choices != &json!([]));
    if let Some(reason) = around.reason.filter(|r| r.request == id) {
        let (label, enter) =
            if reason.answers { ("answer: ", "enter answers") } else { ("reason: ", "enter denies") };
        return vec![
            reason_line(label, &reason.text, inner, around),
            Line::styled(fit(&format!("{enter} · esc back"), inner), theme.dim),
        ];
    }
    if let Some(always) = around.always.filter(|a| a.request == id && has_keys) {
        return rule_shown(always, inner, around);
    }
    if around.editing == Some(id) {
        let words = "editing below · enter reviews it again · esc cancels";
        return wrap(words, inner, theme.accent);
    }
    if is_question && !has_keys && around.height < 10 {
        let letters = if has_choices { "1-9 r n" } else { "r n" };
        return flow(led(vec![vec![Span::styled(letters, theme.dim)]], false, around), 2, inner);
    }
    if is_question {
        let pairs: &[(&str, &str)] = match (has_choices, inner < 46) {
            (true, false) => &[("1-9", "choose"), ("r", "answer in words"), ("n", "no answer")],
            (true, true) => &[("1-9", "choose"), ("r", "words"), ("n", "none")],
            (false, _) => &[("r", "answer"), ("n", "no answer")],
        };
        return flow(led(keys(pairs, key, word), has_keys, around), if inner < 46 { 2 } else { 3 }, inner);
    }
    if !has_keys && around.height < 10 {
        let always = if request.rule.is_some() { " a" } else { "" };
        let sandboxed = if request.sandboxing == Sandboxing::OnWish { " b" } else { "" };
        let letters = vec![vec![Span::styled(format!("y s{always}{sandboxed} n r e"), theme.dim)]];
        return flow(led(letters, false, around), 2, inner);
    }
    let rule = request.rule.as_deref().map(|rule| format!("always: {}", one_row(rule)));
    let sandboxed = if request.sandboxing == Sandboxing::OnWish { "once, in the sandbox" } else { "" };
    let always = rule.as_deref().unwrap_or("");
    let words = ["once", "this session", always, sandboxed, "deny", "deny with a reason", "edit"];
    let long = led(offered(around, words, (key, word)), has_keys, around);
    let needed: usize = long.iter().map(|g| cells(g) + 3).sum();
    if needed <= inner + 3 {
        return flow(long, 3, inner);
    }
    // Where one row is all, the key that denies must be in it.
    let always = if rule.is_some() && around.height >= 10 { "always" } else { "" };
    let sandboxed = if sandboxed.is_empty() || around.height < 10 { "" } else { "sandbox" };
    let why = if inner < 46 { "why" } else { "reason" };
    let words = ["once", "session", always, sandboxed, "deny", why, "edit"];
    let mut lines = flow(led(offered(around, words, (key, word)), has_keys, around), 2, inner);
    // On a low screen what is decided about goes before the last of the keys, which the help has too.
    lines.truncate(if around.height < 10 { 1 } else { lines.len() });
    lines
}

/// The rule that "always" would take, all of it, what it would have covered, and the keys that take it or not.
fn rule_shown(always: &OfferedRule, inner: usize, around: &CardContext<'_>) -> Vec<Line<'static>> {
    let theme = around.theme;
    let mut lines = wrap(&format!("always: {}", one_row(&always.rule)), inner, theme.accent);
    let most = usize::from(around.height / 4).clamp(1, 4);
    let covers = match always.covers.as_slice() {
        [] => "would not have matched any earlier call".to_owned(),
        calls => {
            let shown: Vec<String> = calls.iter().take(most).map(|call| one_row(call)).collect();
            let number = calls.len();
            let noun = if number == 1 { "call" } else { "calls" };
            format!("{number} earlier {noun} it would have matched: {}", shown.join(" · "))
        }
    };
    let mut told = wrap(&covers, inner, theme.text);
    if told.len() > most {
        told.truncate(most);
        if let Some(last) = told.last_mut() {
            let said: String = last.spans.iter().map(|s| s.content.as_ref()).collect();
            *last = Line::styled(fit(&format!("{said} …"), inner), theme.text);
        }
    }
    lines.extend(told);
    let key = around.keymap.first(KeyContext::Approval, KeyAction::Always, "a");
    let taking = key.map_or_else(|| "enter".to_owned(), |key| format!("{key} enter"));
    let pairs =
        [(taking.as_str(), if inner < 46 { "add it" } else { "add it for this session" }), ("esc", "back")];
    lines.extend(flow(keys(&pairs, theme.accent, theme.text), 3, inner));
    lines
}

/// The answers, each with the key that it has; one without words is not offered.
fn offered(
    around: &CardContext<'_>,
    words: [&str; 7],
    (key, word): (Style, Style),
) -> Vec<Vec<Span<'static>>> {
    let answers = [
        (KeyAction::Once, "y"),
        (KeyAction::Session, "s"),
        (KeyAction::Always, "a"),
        (KeyAction::Sandboxed, "b"),
        (KeyAction::Deny, "n"),
        (KeyAction::Reason, "r"),
        (KeyAction::Edit, "e"),
    ];
    let bound = answers.into_iter().zip(words).filter(|(_, word)| !word.is_empty()).filter_map(
        |((command, usual), word)| Some((around.keymap.first(KeyContext::Approval, command, usual)?, word)),
    );
    let bound: Vec<(String, &str)> = bound.collect();
    let pairs: Vec<(&str, &str)> = bound.iter().map(|(key, word)| (key.as_str(), *word)).collect();
    keys(&pairs, key, word)
}

/// The answers behind the key that gives them the keys, where they do not have them.
pub(super) fn led(
    answers: Vec<Vec<Span<'static>>>,
    has_keys: bool,
    around: &CardContext<'_>,
) -> Vec<Vec<Span<'static>>> {
    let tab = around.keymap.first(KeyContext::Everywhere, KeyAction::Focus, "tab").filter(|_| !has_keys);
    let lead = tab.map(|tab| {
        vec![Span::styled(tab, around.theme.accent), Span::styled(" to decide", around.theme.text)]
    });
    lead.into_iter().chain(answers).collect()
}

/// The end of the reason is what is being typed, so it stays in sight.
fn reason_line(label: &'static str, text: &str, inner: usize, around: &CardContext<'_>) -> Line<'static> {
    let theme = around.theme;
    let text = one_row(text);
    let room = inner.saturating_sub(width(label) + 1);
    let mut chars: Vec<char> = text.chars().collect();
    while width(&chars.iter().collect::<String>()) > room && !chars.is_empty() {
        chars.remove(0);
    }
    Line::from(vec![
        Span::styled(label, theme.accent),
        Span::styled(chars.into_iter().collect::<String>(), theme.text),
        Span::styled("▏", theme.accent),
    ])
}
