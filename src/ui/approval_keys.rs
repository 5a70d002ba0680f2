//! The keys that answer what waits, in its pane and on its page.

use crate::agent::{Answer, Intent};
use crate::tool::ASK;
use crate::view::{Panel, View};

use super::deciding::{decide, is_allowed, raise, write_reason};
use super::effect::UiEffect;
use super::key_timing::Press;
use super::keymap::KeyAction;
use super::local::{Focus, Local, OfferedRule};
use super::short_hint::told;
use super::{editing, session_rule};

/// What a key does that answers what has the focus; `None` when the command is no answer.
pub(super) fn answer(
    local: &mut Local,
    view: &View,
    command: KeyAction,
    press: Press,
) -> Option<Vec<UiEffect>> {
    let answer = match command {
        KeyAction::Once => Answer::AllowOnce,
        KeyAction::Session => Answer::AllowSession,
        KeyAction::Sandboxed => Answer::AllowSandboxed,
        KeyAction::Deny => Answer::Deny(String::new()),
        KeyAction::Always => return Some(session_rule::show(local, view, press)),
        KeyAction::Reason => {
            write_reason(local, view, press);
            return Some(Vec::new());
        }
        KeyAction::Edit if checks_a_goal(local, view) => {
            let words = "the check of a goal cannot be changed: n denies it";
            (local.hint, local.short_hint) = told(words, "it stays as it is: n denies it");
            return Some(Vec::new());
        }
        KeyAction::Edit => {
            editing::begin(local, view, press);
            return Some(Vec::new());
        }
        KeyAction::Raise if waits_for_a_gap(local, view) => return Some(run_anyway(local, view, press)),
        KeyAction::Raise => return Some(raise(local, view, press)),
        _ => return None,
    };
    Some(decide(local, view, press, answer))
}

/// Whether the call in focus checks a goal.
fn checks_a_goal(local: &Local, view: &View) -> bool {
    let panel = local.subject(view).and_then(|(_, asked, _)| view.panel(asked.call));
    panel.is_some_and(Panel::is_goal_check)
}

/// Whether the question about the call in focus names what the sandbox cannot hide from it.
fn waits_for_a_gap(local: &Local, view: &View) -> bool {
    local.subject(view).is_some_and(|(_, asked, _)| !asked.gaps.is_empty())
}

/// Accepts for the session what this call names, so that no later command is asked about because of it, and allows this call. What
/// others name nobody has read yet.
fn run_anyway(local: &mut Local, view: &View, press: Press) -> Vec<UiEffect> {
    let Some((request, asked, shown)) = local.subject(view) else { return Vec::new() };
    // What stands in this question, and nothing of one that comes before the answer arrives.
    let accepts = Intent::AcceptGaps { call: Some(asked.call), gaps: asked.gaps.clone() };
    // The page of the call has all of it.
    let is_page = local.overlay.is_some();
    let offered = local.always.as_ref().filter(|offered| offered.request == request && !offered.is_rule());
    let is_unread = offered.map(OfferedRule::is_unread);
    if !is_page && is_unread.unwrap_or(!local.asks_anyway) {
        if is_allowed(local, &shown, press) {
            if is_unread.is_some() {
                session_rule::read_on(local);
            } else {
                // The pane says itself whether there is more to read.
                local.always = Some(OfferedRule::of_gaps(request, &asked.gaps));
                local.stand.clear();
            }
        }
        return Vec::new();
    }
    let decided = decide(local, view, press, Answer::AllowOnce);
    let accepts = (!decided.is_empty()).then_some(UiEffect::Send(accepts));
    accepts.into_iter().chain(decided).collect()
}

/// Whether a command means something for what has the focus, or on the page of a call; a key of one that does not is text.
pub(super) fn has_meaning(local: &mut Local, view: &View, command: KeyAction) -> bool {
    let subject = local.subject(view);
    let is_question = subject.as_ref().is_some_and(|(_, asked, _)| asked.name == ASK);
    let is_stop = subject.is_none() && local.focused(view) == Focus::Stop;
    let allows = matches!(
        command,
        KeyAction::Once | KeyAction::Session | KeyAction::Sandboxed | KeyAction::Always | KeyAction::Edit
    );
    if allows && is_question {
        let words = "a question: tab, then a number picks, r answers in words, n declines";
        (local.hint, local.short_hint) = told(words, "a number picks, r words, n none");
        return false;
    }
    match command {
        KeyAction::Raise => subject.is_none() || waits_for_a_gap(local, view),
        KeyAction::Deny | KeyAction::Reason | KeyAction::Open => !is_stop,
        _ => !(allows && is_stop),
    }
}
