//! Where keys go: to the composer, until the person gives the focus to something else.
//!
//! Nothing that waits takes the focus by itself, and it goes back to the composer with every decision. A key that did not
//! arrive as a person presses keys neither gives the focus nor decides: it is text.

use ratatui::crossterm::event::{KeyCode, KeyEventKind};

use crate::ledger::CallId;
use crate::view::{CardId, View};

use super::commands::sent;
use super::editing;
use super::gone_images;
use super::key_timing::{Press, types};
use super::keymap::KeyAction;
use super::local::{Focus, Local};
use super::short_hint::told;

/// Whether something that waits has the keys.
pub(super) fn waits(focus: Focus) -> bool {
    matches!(focus, Focus::Approval(_) | Focus::Stop)
}

/// A key of a burst, while something that waits has the focus: it was not pressed for that, so the composer gets it and
/// the focus.
pub(super) fn leave_to_text(local: &mut Local, view: &View, press: Press) {
    let is_text = types(press.key) || matches!(press.key.code, KeyCode::Tab | KeyCode::Enter);
    let is_held = press.key.kind == KeyEventKind::Repeat;
    if waits(local.focused(view)) && is_text && !is_held && !local.stand.is_meant(press) {
        local.focus = Focus::Composer;
        local.always = None;
    }
}

/// What is typed next belongs to a text: to the composer, into which one came whole from a paste or the user's editor, or to the words that
/// are looked for.
pub(super) fn to_text(local: &mut Local, view: &View) {
    if waits(local.focused(view)) {
        local.focus = Focus::Composer;
        local.always = None;
    }
}

/// Tab: the next thing gets the focus. In a burst it is a character of what is pasted.
pub(super) fn tab(local: &mut Local, view: &View, press: Press) {
    if local.is_editing() && press.alone {
        local.hint = Some("enter reviews what you changed · esc cancels it".to_owned());
    } else if press.alone {
        local.always = None;
        local.focus = next(local, view);
        if let Focus::Card(id) = local.focus {
            local.scroll.reveal = Some(id);
        } else if waits(local.focus) {
            local.scroll.top = None;
        }
    } else if local.focused(view) == Focus::Composer && !press.again {
        let tab = editing::with_marks(local, "\t");
        local.composer.paste(&tab);
    }
}

/// Composer, then all that waits, calls before a budget, then the panel of the sub-agent whose call was the last of those, then the
/// composer again. Where nothing waits, the last card that opens or has code.
fn next(local: &Local, view: &View) -> Focus {
    let waiting: Vec<CallId> = local.waiting(view).iter().map(|(_, r)| r.call).collect();
    let last = view.focusable().next_back().map(Focus::Card);
    let after_waiting = || last.unwrap_or(Focus::Composer);
    match local.focused(view) {
        Focus::Composer => first(local, view).unwrap_or_else(after_waiting),
        Focus::Approval(call) => {
            let at = waiting.iter().position(|c| *c == call);
            let next = at.and_then(|at| waiting.get(at + 1)).map(|c| Focus::Approval(*c));
            // The run can have been stopped while calls of sub-agents in the background wait.
            let next = next.or_else(|| local.stop(view).map(|_| Focus::Stop));
            // Behind the last call of a sub-agent comes the way into its session.
            let panel = || view.host_of(call).map(CardId::Call).filter(|id| view.is_there(*id));
            next.or_else(|| panel().map(Focus::Card)).unwrap_or(Focus::Composer)
        }
        Focus::Stop => after_waiting(),
        Focus::Card(_) => Focus::Composer,
    }
}

/// Gives the focus to the first thing that waits, from where no key can decide about it.
pub(super) fn give(local: &mut Local, view: &View) {
    match first(local, view) {
        Some(there) => {
            (local.focus, local.search) = (there, None);
            local.scroll.top = None;
            let words = "it has the keys now: press the key again";
            (local.hint, local.short_hint) = told(words, "it has the keys: press again");
        }
        None => local.hint = Some("nothing waits for you".to_owned()),
    }
}

/// The first thing that waits: the call that is shown whole.
fn first(local: &Local, view: &View) -> Option<Focus> {
    let call = local.chosen(view).map(|(_, asked)| Focus::Approval(asked.call));
    call.or_else(|| local.stop(view).map(|_| Focus::Stop))
}

/// An arrow key. False when it means nothing here but a move of the cursor.
pub(super) fn up_or_down(local: &mut Local, view: &View, command: KeyAction, press: Press) -> bool {
    let step: isize = if command == KeyAction::Up { -1 } else { 1 };
    match local.focused(view) {
        Focus::Approval(_) if scroll(local, i32::try_from(step).unwrap_or(0)) => {}
        Focus::Approval(call) => {
            let waiting: Vec<CallId> = local.waiting(view).iter().map(|(_, r)| r.call).collect();
            local.focus = Focus::Approval(neighbour(&waiting, call, step));
        }
        Focus::Stop => {}
        Focus::Card(id) => {
            let cards: Vec<CardId> = view.focusable().collect();
            let there = neighbour(&cards, id, step);
            local.focus = Focus::Card(there);
            local.scroll.reveal = Some(there);
        }
        Focus::Composer => return in_composer(local, view, step, press),
    }
    true
}

/// Earlier messages; down from an empty composer, which leads nowhere else, goes to what waits.
fn in_composer(local: &mut Local, view: &View, step: isize, press: Press) -> bool {
    let is_free = step > 0 && local.composer.is_empty() && !local.composer.is_browsing();
    if let Some(there) = first(local, view).filter(|_| is_free && local.edit.is_none()) {
        if press.alone {
            local.focus = there;
            local.scroll.top = None;
        }
        return true;
    }
    let sent = sent(view);
    let all: Vec<_> = local.earlier.iter().chain(&sent).collect();
    let is_shown = local.edit.is_none() && local.composer.browse(&all, step);
    if is_shown && local.composer.is_browsing() {
        gone_images::say(local);
    }
    is_shown
}

/// Scrolls the focused pane by so many lines; false when it shows all it has.
pub(super) fn scroll(local: &mut Local, by: i32) -> bool {
    let Some(reading) = local.reading.as_mut().filter(|reading| reading.scrolls()) else { return false };
    reading.go(by);
    if local.always.is_some() {
        // Beside the rule that is shown other rows of its call are another thing to read.
        local.stand.clear();
    }
    true
}

/// Scrolls the focused pane by so many of its pages; false when no pane has the focus, or it shows all it has.
pub(super) fn turn(local: &mut Local, view: &View, pages: i32) -> bool {
    if !matches!(local.focused(view), Focus::Approval(_)) {
        return false;
    }
    let rows = local.reading.map_or(1, |reading| reading.rows.max(1));
    scroll(local, i32::try_from(rows).unwrap_or(1).saturating_mul(pages))
}

/// The one before or after `here`, or itself at either end.
fn neighbour<T: Copy + PartialEq>(all: &[T], here: T, step: isize) -> T {
    let at = all.iter().position(|one| *one == here).and_then(|at| at.checked_add_signed(step));
    at.and_then(|at| all.get(at)).copied().unwrap_or(here)
}
