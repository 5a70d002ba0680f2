//! The key a: the rule that "always" would take is shown, with the calls that it would have covered, before it can be taken.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use crate::agent::Answer;
use crate::view::{View, summary};

use super::act::Act;
use super::deciding::decide;
use super::keymap::{Command, Place};
use super::local::{Always, Focus, Local};

/// Why there is nothing to show, and what there is instead.
pub(super) const NO_RULE: &str =
    "no rule is both narrow and of use here · s allows this exact action for the session";

/// Shows the rule that is offered for the call that has the focus, if the person has seen the call.
pub(super) fn show(local: &mut Local, view: &View) {
    let Some((request, asked)) = local.chosen(view).filter(|(id, _)| local.shown == Some(*id)) else {
        local.scroll.top = None;
        return;
    };
    let Some(rule) = asked.rule.clone() else {
        local.hint = Some(NO_RULE.to_owned());
        return;
    };
    let words = |call| {
        let arguments = view.panel(call).and_then(|panel| panel.arguments());
        format!("{call} {}", arguments.map(summary).unwrap_or_default())
    };
    let covers = view.covered(&rule, asked.call).into_iter().rev().map(words).collect();
    local.always = Some(Always { request, rule, covers });
    // The next key counts only when a frame has shown the rule.
    local.shown = None;
}

/// One key while a rule is shown: a or Enter takes it, Esc puts it away. `None`: the key means what it means without it.
pub(super) fn press(local: &mut Local, view: &View, key: KeyEvent) -> Option<Vec<Act>> {
    let always = local.always.take()?;
    let is_here = matches!(local.focused(view), Focus::Approval(_))
        && local.chosen(view).is_some_and(|(request, _)| request == always.request);
    let takes =
        key.code == KeyCode::Enter || local.keymap.lookup(Place::Approval, key) == Some(Command::Always);
    match key.code {
        _ if !is_here => None,
        KeyCode::Esc => Some(Vec::new()),
        _ if takes => {
            let acts = decide(local, view, key, Answer::Always(always.rule.clone()));
            if acts.is_empty() {
                local.always = Some(always);
            }
            Some(acts)
        }
        _ => None,
    }
}
