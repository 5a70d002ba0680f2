//! Keys for what lies on top: the reason of a denial, the ledger, the pages that scroll.

use ratatui::crossterm::event::KeyEvent;

use crate::view::{CardBody, CardId, View};

use super::approval_keys;
use super::commands::{Meaning, of_key};
use super::deciding::{choose, reason};
use super::effect::UiEffect;
use super::inspector::{self, InspectorAction};
use super::key_timing::Press;
use super::keymap::{KeyAction, KeyContext, lookup};
use super::local::{Focus, Local, Overlay};
use super::picker_keys::{self, Done};
use super::picker_source::Source;
use super::program_input;

/// One key, if something lies on top; `None` when nothing does.
pub(super) fn update(local: &mut Local, view: &View, press: Press) -> Option<Done> {
    let key = press.key;
    if local.reason.is_some() {
        return Some(Done::Acts(reason(local, press)));
    }
    if let Some(acts) = answered(local, view, press) {
        return Some(Done::Acts(acts));
    }
    let page = i32::from(local.page.max(2)) - 1;
    let key = usual(local, key);
    if !is_quit(key)
        && let Some(done) = picker_keys::update(local, Press { key, ..press }, page)
    {
        return Some(done);
    }
    on_top(local, view, key, page).map(Done::Acts)
}

/// One key in what lies on top and is no picker.
fn on_top(local: &mut Local, view: &View, key: KeyEvent, page: i32) -> Option<Vec<UiEffect>> {
    let (read_only, is_quit) = (local.read_only, is_quit(key));
    let overlay = local.overlay.as_mut()?;
    if is_quit {
        return Some(close(local, read_only));
    }
    if asks_for_help(overlay, key)
        && let Some(Meaning::Page(help)) = of_key(KeyAction::Help)
    {
        local.below.extend(local.overlay.replace(Overlay::Page(help.open(view))));
        return Some(Vec::new());
    }
    let types =
        matches!(overlay, Overlay::Output(..)) && lookup(KeyContext::Page, key) == Some(KeyAction::TypeInto);
    let closes = match overlay {
        Overlay::Ledger(it) => match inspector::update(it, view, key, page) {
            InspectorAction::None => false,
            InspectorAction::Close => true,
            InspectorAction::Copy(text) => return Some(vec![UiEffect::Copy(text)]),
            InspectorAction::CopyRecord(entry) => return Some(vec![UiEffect::CopyRecord(entry)]),
            InspectorAction::WalkIn(call) => return Some(vec![UiEffect::Enter(call)]),
            InspectorAction::Ask(request) => return Some(vec![UiEffect::Ask(request)]),
            InspectorAction::WhatIf(_) if read_only => {
                it.said = Some("a branch needs the app: `countersign whatif` makes one".to_owned());
                false
            }
            InspectorAction::WhatIf(picker) => {
                local.overlay = Some(Overlay::Picker(picker));
                return Some(Vec::new());
            }
            InspectorAction::Jump(card) => {
                jump(local, view, card);
                return Some(Vec::new());
            }
        },
        // A picker has had its key; to quit closes it.
        Overlay::Picker(_) => true,
        // The program has had its key.
        Overlay::Terminal(_) => false,
        Overlay::Page(open) => {
            let command = lookup(KeyContext::Page, key);
            if command == Some(KeyAction::Decide) && open.page.decides() {
                return Some(decide_from(local, view));
            }
            let list = command.and_then(|command| open.page.opens(command));
            if let Some(list) = list {
                return Some(list_over_page(local, view, list));
            }
            scroll(&mut open.scrolled, key, page)
        }
        Overlay::Output(_, at) | Overlay::Summary(_, at) => scroll(at, key, page),
    };
    if types {
        program_input::begin(local, view);
        return Some(Vec::new());
    }
    if closes {
        return Some(close(local, read_only));
    }
    let suspends = lookup(KeyContext::Everywhere, key) == Some(KeyAction::Suspend);
    Some(if suspends { vec![UiEffect::Suspend] } else { Vec::new() })
}

/// Whether a key opens the help over what lies on top; on the help itself it closes it, and where words are typed it may be one of them.
fn asks_for_help(overlay: &Overlay, key: KeyEvent) -> bool {
    let place = match overlay {
        Overlay::Ledger(inspector) if !inspector.typing => KeyContext::Ledger,
        Overlay::Page(open) if !open.page.is_help() => KeyContext::Page,
        Overlay::Output(..) | Overlay::Summary(..) => KeyContext::Page,
        Overlay::Ledger(_) | Overlay::Page(_) | Overlay::Terminal(_) | Overlay::Picker(_) => return false,
    };
    lookup(place, key) == Some(KeyAction::Help)
}

/// A list that a page opens: whoever leaves it is on the page again.
fn list_over_page(local: &mut Local, view: &View, list: Source) -> Vec<UiEffect> {
    let page = local.overlay.clone();
    let acts = picker_keys::open(local, view, list);
    if matches!(local.overlay, Some(Overlay::Picker(_))) {
        local.below.extend(page);
    }
    acts
}

/// The first call that waits, whole and with the keys that decide about it. Then the page is there again.
fn decide_from(local: &mut Local, view: &View) -> Vec<UiEffect> {
    match local.waiting(view).first().map(|(_, asked)| asked.call) {
        Some(call) => {
            local.below.extend(local.overlay.replace(Overlay::Output(call, 0)));
        }
        None => local.hint = Some("nothing waits for you".to_owned()),
    }
    Vec::new()
}

/// What lies on top goes; where there is nothing below it, so does the program.
fn close(local: &mut Local, read_only: bool) -> Vec<UiEffect> {
    if let Some(Overlay::Ledger(inspector)) = &local.overlay
        && inspector.walked_in
    {
        return vec![UiEffect::Back];
    }
    let below = local.below.pop();
    if read_only && below.is_none() {
        return vec![UiEffect::Quit];
    }
    local.overlay = below;
    Vec::new()
}

/// One key on the page of a call that waits: the keys that answer it do so there too. A burst answers nothing.
fn answered(local: &mut Local, view: &View, press: Press) -> Option<Vec<UiEffect>> {
    local.subject(view).filter(|_| matches!(local.overlay, Some(Overlay::Output(..))))?;
    if !local.stand.is_meant(press) {
        return None;
    }
    if let Some(acts) = choose(local, view, press) {
        return Some(acts);
    }
    let command = local.keymap.lookup(KeyContext::Approval, press.key)?;
    if !approval_keys::has_meaning(local, view, command) {
        return None;
    }
    approval_keys::answer(local, view, command, press)
}

/// Leaves the inspector for a card of the transcript. A session that is only looked at has no other page.
fn jump(local: &mut Local, view: &View, card: CardId) {
    if local.read_only {
        if let Some(Overlay::Ledger(inspector)) = &mut local.overlay {
            inspector.said = Some(
                "only the ledger is available here: `countersign resume` shows the \
                    transcript"
                    .to_owned(),
            );
        }
        return;
    }
    local.overlay = None;
    local.scroll.reveal = Some(card);
    let opens = |card: &crate::view::Card| {
        matches!(card.body, CardBody::Tool(_) | CardBody::Compacted(_)) || card.is_long_message()
    };
    if view.place(card).and_then(|at| view.card(at)).is_some_and(opens) {
        local.focus = Focus::Card(card);
    }
}

/// The key that the table has for what a person's key means here; what is typed into a line stays as it is.
fn usual(local: &Local, key: KeyEvent) -> KeyEvent {
    match &local.overlay {
        Some(Overlay::Ledger(inspector)) if inspector.typing => key,
        Some(Overlay::Ledger(_)) => local.keymap.usual(KeyContext::Ledger, key),
        Some(Overlay::Picker(_)) | None => key,
        Some(_) => local.keymap.usual(KeyContext::Page, key),
    }
}

fn is_quit(key: KeyEvent) -> bool {
    matches!(lookup(KeyContext::Everywhere, key), Some(KeyAction::ClearOrQuit | KeyAction::Leave))
}

/// A scrolled page after so many rows more or less.
pub(super) fn moved(at: u16, by: i32) -> u16 {
    u16::try_from((i32::from(at) + by).max(0)).unwrap_or(u16::MAX)
}

/// Says whether it is to be closed.
fn scroll(at: &mut u16, key: KeyEvent, page: i32) -> bool {
    match lookup(KeyContext::Page, key) {
        Some(KeyAction::Escape | KeyAction::Close | KeyAction::Help) => return true,
        Some(KeyAction::Up) => *at = moved(*at, -1),
        Some(KeyAction::Down) => *at = moved(*at, 1),
        Some(KeyAction::PageUp) => *at = moved(*at, -page),
        Some(KeyAction::PageDown) => *at = moved(*at, page),
        Some(KeyAction::Home) => *at = 0,
        Some(KeyAction::End) => *at = u16::MAX,
        _ => {}
    }
    false
}
