//! Keys for what lies on top: the reason of a denial, the ledger, the pages that scroll.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use unicode_segmentation::UnicodeSegmentation;

use crate::agent::{Answer, Intent};
use crate::view::View;

use super::keymap::{Command, Place, lookup};
use super::local::{Inspector, Local, Overlay};
use super::update::{Act, moved};

/// One key, if something lies on top; `None` when nothing does.
pub(super) fn update(local: &mut Local, view: &View, key: KeyEvent) -> Option<Vec<Act>> {
    if local.reason.is_some() {
        return Some(reason(local, key));
    }
    let page = i32::from(local.page.max(2)) - 1;
    let key = usual(local, key);
    let (read_only, is_quit) = (local.read_only, is_quit(key));
    let overlay = local.overlay.as_mut()?;
    if is_quit && read_only {
        return Some(vec![Act::Quit]);
    }
    if is_quit {
        local.overlay = None;
        return Some(Vec::new());
    }
    let closes = match overlay {
        Overlay::Ledger(inspector) => ledger(inspector, view, key, page),
        Overlay::Help(at) | Overlay::Output(_, at) | Overlay::Summary(_, at) | Overlay::Budgets(at) => {
            scroll(at, key, page)
        }
    };
    if closes && read_only {
        return Some(vec![Act::Quit]);
    }
    if closes {
        local.overlay = None;
    }
    let suspends = lookup(Place::Everywhere, key) == Some(Command::Suspend);
    Some(if suspends { vec![Act::Suspend] } else { Vec::new() })
}

/// The key that the table has for what a person's key means here; what is typed into a line stays as it is.
fn usual(local: &Local, key: KeyEvent) -> KeyEvent {
    match &local.overlay {
        Some(Overlay::Ledger(inspector)) if inspector.filtering => key,
        Some(Overlay::Ledger(_)) => local.keymap.usual(Place::Ledger, key),
        Some(_) => local.keymap.usual(Place::Page, key),
        None => key,
    }
}

fn is_quit(key: KeyEvent) -> bool {
    matches!(lookup(Place::Everywhere, key), Some(Command::ClearOrQuit | Command::Leave))
}

fn reason(local: &mut Local, key: KeyEvent) -> Vec<Act> {
    let Some(reason) = &mut local.reason else { return Vec::new() };
    let plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    match key.code {
        KeyCode::Esc => local.reason = None,
        KeyCode::Enter => {
            let answer = Answer::Deny(reason.text.trim().to_owned());
            let (request, call) = (reason.request, reason.call);
            local.reason = None;
            local.answered.insert(request);
            return vec![Act::Send(Intent::Decide { request, call, answer })];
        }
        KeyCode::Backspace => cut_last(&mut reason.text),
        KeyCode::Char('u') if !plain => reason.text.clear(),
        KeyCode::Char('c') if !plain => local.reason = None,
        KeyCode::Char(c) if plain => reason.text.push(c),
        _ => {}
    }
    Vec::new()
}

fn cut_last(text: &mut String) {
    let cut = text.graphemes(true).next_back().map_or(0, str::len);
    text.truncate(text.len() - cut);
}

/// Says whether it is to be closed.
fn scroll(at: &mut u16, key: KeyEvent, page: i32) -> bool {
    match lookup(Place::Page, key) {
        Some(Command::Escape | Command::Close | Command::Help) => return true,
        Some(Command::Up) => *at = moved(*at, -1),
        Some(Command::Down) => *at = moved(*at, 1),
        Some(Command::PageUp) => *at = moved(*at, -page),
        Some(Command::PageDown) => *at = moved(*at, page),
        Some(Command::Home) => *at = 0,
        Some(Command::End) => *at = u16::MAX,
        _ => {}
    }
    false
}

/// Says whether it is to be closed.
fn ledger(inspector: &mut Inspector, view: &View, key: KeyEvent, page: i32) -> bool {
    if inspector.filtering {
        filter(inspector, key);
        return false;
    }
    match lookup(Place::Ledger, key) {
        Some(Command::Escape) if inspector.open => inspector.open = false,
        Some(Command::Escape) if !inspector.filter.is_empty() => {
            inspector.filter.clear();
            inspector.selected = None;
        }
        Some(Command::Escape | Command::Close) => return true,
        Some(Command::Open) => inspector.open = !inspector.open,
        Some(Command::Filter) => {
            inspector.filtering = true;
            inspector.open = false;
        }
        Some(Command::PageUp) if inspector.open => inspector.scroll = moved(inspector.scroll, -page),
        Some(Command::PageDown) if inspector.open => inspector.scroll = moved(inspector.scroll, page),
        Some(Command::Up) => select(inspector, view, -1),
        Some(Command::Down) => select(inspector, view, 1),
        Some(Command::PageUp) => select(inspector, view, -page),
        Some(Command::PageDown) => select(inspector, view, page),
        Some(Command::Home) => select(inspector, view, i32::MIN / 2),
        Some(Command::End) => select(inspector, view, i32::MAX / 2),
        _ => {}
    }
    false
}

/// The last row is followed rather than held, so that new entries come into sight.
fn select(inspector: &mut Inspector, view: &View, by: i32) {
    let count = inspector.count(view);
    let here = i64::try_from(inspector.place(count)).unwrap_or(0);
    let there = usize::try_from((here + i64::from(by)).max(0)).unwrap_or(0);
    inspector.selected = (there + 1 < count).then_some(there);
    inspector.scroll = 0;
}

fn filter(inspector: &mut Inspector, key: KeyEvent) {
    match key.code {
        KeyCode::Enter => inspector.filtering = false,
        KeyCode::Esc => {
            inspector.filtering = false;
            inspector.filter.clear();
        }
        KeyCode::Backspace => cut_last(&mut inspector.filter),
        KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => inspector.filter.clear(),
        KeyCode::Char(c) => inspector.filter.push(c),
        _ => {}
    }
    inspector.selected = None;
    inspector.scroll = 0;
}
