//! The keys that answer a call that waits, as they fit into its pane; or the words that are written for it.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use serde_json::Value;

use crate::ledger::{ApprovalRequest, EntryId, Sandboxing};
use crate::tool::ASK;
use crate::ui::keymap::{KeyAction, KeyContext};
use crate::ui::text::{fit, width, wrap};
use crate::view::Panel;

use super::card_context::CardContext;
use super::words::{cells, flow, keys, one_row};

/// Whose session a key speaks of, in the box of a sub-agent's call.
pub(super) const ITS_SESSION: &str = "its session";

/// The keys, or the reason that is being written. `session`: whose session a key speaks of.
pub(super) fn lay(
    has_keys: bool,
    id: EntryId,
    (panel, request): (&Panel, &ApprovalRequest),
    (inner, session): (usize, &str),
    around: &CardContext<'_>,
) -> Vec<Line<'static>> {
    let theme = around.theme;
    let is_question = request.name == ASK;
    // The check of a goal is what was agreed on: another one would prove something else.
    let edit = if panel.is_goal_check() { "" } else { "edit" };
    // Keys that decide are lit; those that do not yet are not.
    let lit = has_keys && around.is_ripe;
    let (key, word) = if lit { (theme.accent, theme.text) } else { (theme.dim, theme.dim) };
    if let Some(reason) = around.reason.filter(|r| r.request == id) {
        let (label, enter) =
            if reason.answers { ("answer: ", "enter answers") } else { ("reason: ", "enter denies") };
        return vec![
            reason_line(label, &reason.text, inner, around),
            Line::styled(fit(&format!("{enter} · esc back"), inner), theme.dim),
        ];
    }
    if around.editing == Some(id) {
        let words = "editing below · enter reviews it again · esc cancels";
        return wrap(words, inner, theme.accent);
    }
    if is_question {
        return question_keys(has_keys, request, inner, around, (key, word));
    }
    if !has_keys && around.height < 10 {
        let letters = vec![vec![Span::styled(letters(request, !edit.is_empty()), theme.dim)]];
        return flow(led(letters, false, around), 2, inner);
    }
    let offers = Offers {
        always: request.rule.as_deref().map(|rule| format!("always: {}", one_row(rule))),
        session,
        is_sandboxed: request.sandboxing == Sandboxing::OnWish,
        is_anyway: !request.gaps.is_empty(),
        edit,
    };
    let mut lines = offers.in_rows(has_keys, inner, around, (key, word));
    if has_keys {
        // The key that gives the keys is gone: nothing moves for that.
        let before = offers.in_rows(false, inner, around, (key, word)).len();
        lines.resize(lines.len().max(before), Line::default());
    }
    lines
}

/// What can be answered to a call, in words.
struct Offers<'a> {
    /// With the rule that would be taken.
    always: Option<String>,
    /// Whose session a key speaks of.
    session: &'a str,
    is_sandboxed: bool,
    is_anyway: bool,
    edit: &'a str,
}

impl Offers<'_> {
    /// In the longest words that fit into one row. A low screen has one, in which no answer is missing; another one takes as many as they
    /// need.
    fn in_rows(
        &self,
        has_keys: bool,
        inner: usize,
        around: &CardContext<'_>,
        styles: (Style, Style),
    ) -> Vec<Line<'static>> {
        let mut all = Vec::new();
        for (words, space) in self.ways() {
            all = led(offered(around, words, styles), has_keys, around);
            if all.iter().map(|group| cells(group) + space).sum::<usize>() <= inner + space {
                return flow(all, space, inner);
            }
        }
        if around.height < 10 { flow(self.brief(around, styles), 2, inner) } else { flow(all, 2, inner) }
    }

    /// Each way to say them, with the cells between two of them.
    fn ways(&self) -> [([&str; 8], usize); 4] {
        let long = [
            "once",
            if self.is_anyway { "anyway, this session" } else { "" },
            self.session,
            self.always.as_deref().unwrap_or(""),
            "deny",
            if self.is_sandboxed { "once, in the sandbox" } else { "" },
            "deny with a reason",
            self.edit,
        ];
        [(long, 3), (self.shorter("reason"), 2), (self.shorter("why"), 2), (self.shorter("why"), 1)]
    }

    fn shorter<'w>(&'w self, why: &'w str) -> [&'w str; 8] {
        [
            "once",
            if self.is_anyway { "anyway" } else { "" },
            if self.session == ITS_SESSION { ITS_SESSION } else { "session" },
            if self.always.is_some() { "always" } else { "" },
            "deny",
            if self.is_sandboxed { "sandbox" } else { "" },
            why,
            self.edit,
        ]
    }

    /// Words for what decides at once, the letters alone for all else.
    fn brief(&self, around: &CardContext<'_>, styles: (Style, Style)) -> Vec<Vec<Span<'static>>> {
        let [once, anyway, session, always, deny, sandboxed, why, edit] = self.shorter("why");
        let letters = |words: [&str; 8]| {
            let keys =
                offered(around, words, styles).into_iter().filter_map(|group| group.into_iter().next());
            let keys: Vec<String> = keys.map(|key| key.content.into_owned()).collect();
            vec![Span::styled(keys.join(" "), styles.0)]
        };
        let mut groups = offered(around, [once, anyway, "", "", "", "", "", ""], styles);
        groups.push(letters(["", "", session, always, "", "", "", ""]));
        groups.extend(offered(around, ["", "", "", "", deny, "", "", ""], styles));
        groups.push(letters(["", "", "", "", "", sandboxed, why, edit]));
        groups.retain(|group| cells(group) > 0);
        groups
    }
}

/// The letters alone.
fn letters(request: &ApprovalRequest, edits: bool) -> String {
    let always = if request.rule.is_some() { " a" } else { "" };
    let sandboxed = if request.sandboxing == Sandboxing::OnWish { " b" } else { "" };
    let anyway = if request.gaps.is_empty() { "" } else { " g" };
    let edit = if edits { " e" } else { "" };
    format!("y{anyway} s{always} n{sandboxed} r{edit}")
}

/// The keys that answer a question.
fn question_keys(
    has_keys: bool,
    request: &ApprovalRequest,
    inner: usize,
    around: &CardContext<'_>,
    (key, word): (Style, Style),
) -> Vec<Line<'static>> {
    let theme = around.theme;
    let numbers = numbers(request);
    if !has_keys && around.height < 10 {
        let letters = format!("{numbers} r n").trim_start().to_owned();
        return flow(led(vec![vec![Span::styled(letters, theme.dim)]], false, around), 2, inner);
    }
    let number = (numbers.as_str(), "choose");
    let pairs: &[(&str, &str)] = match (numbers.is_empty(), inner < 46) {
        (false, false) => &[number, ("r", "answer in words"), ("n", "no answer")],
        (false, true) => &[number, ("r", "words"), ("n", "none")],
        (true, _) => &[("r", "answer"), ("n", "no answer")],
    };
    flow(led(keys(pairs, key, word), has_keys, around), if inner < 46 { 2 } else { 3 }, inner)
}

/// The numbers of the choices that a question offers; nothing, if it offers none.
fn numbers(request: &ApprovalRequest) -> String {
    match request.arguments.get("choices").and_then(Value::as_array).map_or(0, Vec::len) {
        0 => String::new(),
        1 => "1".to_owned(),
        // A number is one key.
        number => format!("1-{}", number.min(9)),
    }
}

/// The answers in the order in which they stand everywhere, each with the key that it has; one without words is not offered.
fn offered(
    around: &CardContext<'_>,
    words: [&str; 8],
    (key, word): (Style, Style),
) -> Vec<Vec<Span<'static>>> {
    let answers = [
        (KeyAction::Once, "y"),
        (KeyAction::Raise, "g"),
        (KeyAction::Session, "s"),
        (KeyAction::Always, "a"),
        (KeyAction::Deny, "n"),
        (KeyAction::Sandboxed, "b"),
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
    let room = inner.saturating_sub(width(label) + 1);
    // As many characters as could fit, and no more are looked at: what was pasted may be long.
    let last = text.char_indices().rev().take(4 * room + 4).last().map_or(0, |(at, _)| at);
    let text = one_row(text.get(last..).unwrap_or_default());
    let fits = |at: &usize| width(text.get(*at..).unwrap_or_default()) <= room;
    let begins = text.char_indices().map(|(at, _)| at).find(fits).unwrap_or(text.len());
    Line::from(vec![
        Span::styled(label, theme.accent),
        Span::styled(text.get(begins..).unwrap_or_default().to_owned(), theme.text),
        Span::styled("▏", theme.accent),
    ])
}
