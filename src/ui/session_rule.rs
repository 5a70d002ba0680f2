//! The key a: the rule that "always" would take is shown, with the calls that it would have covered, before it can be taken.

use ratatui::crossterm::event::KeyCode;

use crate::agent::Answer;
use crate::view::{View, summary};

use super::deciding::{decide, is_allowed, show_rest};
use super::effect::UiEffect;
use super::key_timing::Press;
use super::keymap::{KeyAction, KeyContext};
use super::local::{Focus, Local, OfferedRule};

/// Why there is nothing to show, and what there is instead.
pub(super) const NO_RULE: &str = "no suitable rule to suggest · s allows exactly this call for the session";

/// Shows the rule that is offered for the call that has the focus, if the person has seen the call.
pub(super) fn show(local: &mut Local, view: &View, press: Press) {
    let Some((request, asked, shown)) = local.subject(view) else { return };
    if !is_allowed(local, &shown, press) || show_rest(local, request) {
        return;
    }
    let Some(rule) = asked.rule.clone() else {
        local.hint = Some(NO_RULE.to_owned());
        return;
    };
    let words = |call| {
        let arguments = view.panel(call).and_then(|panel| panel.arguments());
        format!("{call} {}", arguments.map(summary).unwrap_or_default())
    };
    let covers = view.covered(&rule, asked.call).into_iter().rev().map(words).collect();
    local.always = Some(OfferedRule { request, rule, covers });
    local.overlay = None;
    local.focus = Focus::Approval(asked.call);
    // The next key counts only when a frame has shown the rule for long enough.
    local.stand.clear();
}

/// One key while a rule is shown: a or Enter takes it, Esc puts it away. `None`: the key means what it means without it.
pub(super) fn press(local: &mut Local, view: &View, press: Press) -> Option<Vec<UiEffect>> {
    let key = press.key;
    let always = local.always.clone()?;
    let is_here = matches!(local.focused(view), Focus::Approval(_))
        && local.subject(view).is_some_and(|(request, ..)| request == always.request);
    let takes = key.code == KeyCode::Enter
        || local.keymap.lookup(KeyContext::Approval, key) == Some(KeyAction::Always);
    if is_here && takes {
        return Some(decide(local, view, press, Answer::Always(always.rule)));
    }
    let answers = local.keymap.lookup(KeyContext::Approval, key).is_some_and(|command| {
        matches!(
            command,
            KeyAction::Once
                | KeyAction::Session
                | KeyAction::Sandboxed
                | KeyAction::Deny
                | KeyAction::Reason
                | KeyAction::Edit
        )
    });
    // The other answers hold beside the rule, which goes with the call.
    if is_here && answers {
        return None;
    }
    local.always = None;
    (is_here && key.code == KeyCode::Esc).then(Vec::new)
}
