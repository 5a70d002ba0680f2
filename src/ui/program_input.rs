//! Typing into the terminal of a running command: while its page is open every key is the program's, but for the one
//! that leaves it. When the command is over the page stays, and keys go nowhere until that one is pressed: what was
//! meant for a program reaches neither the composer nor a call that waits.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tool::{KeyModes, Typed};
use crate::view::View;

use super::effect::UiEffect;
use super::keymap::{KeyAction, KeyContext};
use super::local::{Local, Overlay, Typing};
use super::rebinding::Keymap;
use super::xterm;

/// The key that opens and leaves the page, unless a person has bound another. Programs hardly need it, and plain
/// terminals send a byte of its own for it.
pub(super) const CHORD: &str = "ctrl-]";

/// Opens the page of the command that runs on a terminal now. One that has ended just before the key has its page too:
/// what is typed without looking then goes nowhere.
pub(super) fn begin(local: &mut Local, view: &View) {
    let last = view.calls().next_back();
    let over =
        last.filter(|call| view.panel(*call).is_some_and(|p| p.has_terminal() && p.result().is_some()));
    let wanted = view.typable().or(over).filter(|_| !local.read_only && local.replay.is_none());
    match wanted {
        Some(call) => local.overlay = Some(Overlay::Terminal(Typing { call, at: 0, over: false })),
        None => local.hint = Some("no running command has a terminal that accepts keys".to_owned()),
    }
}

/// One key, if the page is open.
pub(super) fn update(local: &mut Local, view: &View, key: KeyEvent) -> Option<Vec<UiEffect>> {
    let typing = local.typing()?;
    if leaves(&local.keymap, key) {
        local.overlay = None;
        return Some(Vec::new());
    }
    // An Esc right before it, read together with it, is reported as alt held down.
    let alone = KeyEvent { modifiers: key.modifiers - KeyModifiers::ALT, ..key };
    if key.modifiers.contains(KeyModifiers::ALT) && leaves(&local.keymap, alone) {
        local.overlay = None;
        return Some(send(typing, view, |_| b"\x1b".to_vec()));
    }
    Some(send(typing, view, |modes| xterm::key(key, modes)))
}

/// A paste, if the page is open.
pub(super) fn paste(local: &Local, view: &View, text: &str) -> Option<Vec<UiEffect>> {
    local.typing().map(|typing| send(typing, view, |modes| xterm::paste(text, modes)))
}

/// The key that leaves the page, as it is shown there.
pub(super) fn chord(keymap: &Keymap) -> String {
    keymap.first(KeyContext::Everywhere, KeyAction::TypeInto, CHORD).unwrap_or_else(|| CHORD.to_owned())
}

/// Without a key of its own the usual one leaves still: there is always a way out.
fn leaves(keymap: &Keymap, key: KeyEvent) -> bool {
    let is_bound = keymap.first(KeyContext::Everywhere, KeyAction::TypeInto, CHORD).is_some();
    let is_usual = matches!(key.code, KeyCode::Char(']' | '5')) && key.modifiers == KeyModifiers::CONTROL;
    keymap.lookup(KeyContext::Everywhere, key) == Some(KeyAction::TypeInto) || (!is_bound && is_usual)
}

/// Keys for the command, if it runs still and no frame has said otherwise.
fn send(typing: Typing, view: &View, written: impl FnOnce(KeyModes) -> Vec<u8>) -> Vec<UiEffect> {
    let panel = view.panel(typing.call).filter(|panel| panel.takes_keys() && !typing.over);
    let Some(panel) = panel else { return Vec::new() };
    let bytes = written(panel.screen.as_ref().map(|screen| screen.keys).unwrap_or_default());
    if bytes.is_empty() { Vec::new() } else { vec![UiEffect::Type(typing.call, Typed(bytes))] }
}
