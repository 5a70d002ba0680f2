//! What a key of the table does.

use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use tui_textarea::CursorMove;

use crate::agent::Intent;
use crate::policy::Mode;
use crate::view::{CardId, View};

use super::blocked_host;
use super::chord::Chord;
use super::command_menu::{self, completions};
use super::commands;
use super::commands::sent;
use super::copying::copy;
use super::effect::UiEffect;
use super::key_timing::Press;
use super::keymap::KeyAction;
use super::local::{Focus, Local, Overlay, Position};
use super::pasted_words;
use super::picker_keys;
use super::picker_source::Source;
use super::program_input;
use super::request::Request;
use super::search::{Search, SearchStep};
use super::submit::{self, send, send_later};
use super::{approval_keys, editing, focus};

/// Does it, unless it is the end of a paste and would let calls do more.
pub(super) fn obey(
    local: &mut Local,
    view: &View,
    command: KeyAction,
    press: Press,
    was_armed: bool,
) -> Vec<UiEffect> {
    let sends = matches!(command, KeyAction::Send | KeyAction::Later) && !press.alone;
    if sends && !press.breaks_pasted_line() && pasted_words::lets_more(local, view) {
        local.hint = Some(pasted_words::ALONE.to_owned());
        return Vec::new();
    }
    act(local, view, command, press, was_armed)
}

fn act(local: &mut Local, view: &View, command: KeyAction, press: Press, was_armed: bool) -> Vec<UiEffect> {
    if let Some(acts) = approval_keys::answer(local, view, command, press) {
        return acts;
    }
    let key = press.key;
    match command {
        KeyAction::Escape => return escape(local, view),
        KeyAction::ClearOrQuit => return clear_or_quit(local, was_armed),
        KeyAction::Leave if local.composer.is_empty() => return vec![UiEffect::Quit],
        KeyAction::Leave => {
            local.composer.delete();
            focus::to_text(local, view);
        }
        KeyAction::Suspend => return vec![UiEffect::Suspend],
        KeyAction::Mode => return vec![UiEffect::Send(Intent::SetMode(next_mode(view.session.mode)))],
        KeyAction::Send if is_part_of_text(local, press) => local.composer.newline(),
        KeyAction::Send => return enter(local, view),
        KeyAction::Empty
        | KeyAction::Undo
        | KeyAction::Redo
        | KeyAction::Yank
        | KeyAction::Unfold
        | KeyAction::PasteImage => return change(local, command),
        KeyAction::Newline => local.composer.newline(),
        KeyAction::Later => return send_later(local, view),
        KeyAction::Ledger | KeyAction::Budgets => return run_key(local, view, command),
        KeyAction::Palette => return picker_keys::open(local, view, Source::Palette),
        KeyAction::Editor => return vec![UiEffect::Edit],
        KeyAction::Search => {
            focus::to_text(local, view);
            local.search = Some(Search::new());
        }
        KeyAction::Prompts => return picker_keys::open(local, view, Source::Prompts),
        KeyAction::Focus if command_menu::complete(local, view) => {}
        KeyAction::Thinking => local.thinking_open = !local.thinking_open,
        KeyAction::Focus => focus::tab(local, view, press),
        KeyAction::Home | KeyAction::End if goes_in_edit(local, command, key.modifiers) => {}
        KeyAction::PageUp if focus::turn(local, view, -1) => {}
        KeyAction::PageDown if focus::turn(local, view, 1) => {}
        KeyAction::End if focus::turn(local, view, i32::MAX) => {}
        KeyAction::PageUp => local.scroll.wish -= i32::from(local.page.max(2)) - 1,
        KeyAction::PageDown => local.scroll.wish += i32::from(local.page.max(2)) - 1,
        KeyAction::Home => local.scroll.top = Some(Position::default()),
        KeyAction::End if key.modifiers.contains(KeyModifiers::CONTROL) || local.composer.is_empty() => {
            (local.scroll.top, local.scroll.anchor) = (None, None);
        }
        KeyAction::Help if !Chord::of(key).types() || local.composer.is_empty() => {
            return run_key(local, view, command);
        }
        KeyAction::TypeInto => program_input::begin(local, view),
        KeyAction::Open => return open(local, view),
        KeyAction::AllowHost => return blocked_host::allow(local, view, press),
        KeyAction::Copy => return copy(local, view).map(UiEffect::Copy).into_iter().collect(),
        KeyAction::Up | KeyAction::Down if command_menu::choose(local, view, command == KeyAction::Up) => {}
        KeyAction::Up | KeyAction::Down if focus::up_or_down(local, view, command, press) => {}
        _ => edit(local, press),
    }
    Vec::new()
}

/// What changes all that is typed, or puts something in.
fn change(local: &mut Local, command: KeyAction) -> Vec<UiEffect> {
    match command {
        KeyAction::Empty => local.composer.kill(),
        KeyAction::Undo => local.composer.undo(),
        KeyAction::Redo => local.composer.redo(),
        KeyAction::Yank if local.is_editing() => local.composer.yank(),
        KeyAction::Yank => local.composer.yank_text(),
        KeyAction::Unfold => unfold(local),
        KeyAction::PasteImage if local.edit.is_some() => {
            local.hint = Some("an image cannot be part of a call".to_owned());
        }
        KeyAction::PasteImage => {
            local.image_comes = true;
            local.hint = Some("reading the image on the clipboard…".to_owned());
            return vec![UiEffect::Ask(Request::PasteImage)];
        }
        _ => {}
    }
    Vec::new()
}

/// Opens a folded paste.
fn unfold(local: &mut Local) {
    // Into a call goes what was pasted, and nothing else.
    let is_call = local.is_editing();
    let opened = if is_call { local.composer.open_paste() } else { local.composer.open_text() };
    match opened {
        Ok(true) => {}
        Ok(false) => local.hint = Some("there is no folded paste to open".to_owned()),
        Err(why) => local.hint = Some(why),
    }
}

/// Whether Enter ends a line of what is pasted. A command of the user's own runs by a key of its own only.
fn is_part_of_text(local: &Local, press: Press) -> bool {
    press.breaks_pasted_line() || !press.alone && local.composer.runs_a_command()
}

/// Sends or obeys what is typed.
fn enter(local: &mut Local, view: &View) -> Vec<UiEffect> {
    let acts = send(local, view);
    look(local, view);
    // What was typed before an earlier message was taken up is there again.
    local.key_is_spent |= (!acts.is_empty() || local.search.is_some()) && !local.composer.is_empty();
    acts
}

/// Looks for the words that came with the command.
fn look(local: &mut Local, view: &View) {
    if let Some(search) = &mut local.search
        && let SearchStep::Shows(card) = search.look(view, search.wanted.clone())
    {
        search.typing = search.wanted.is_empty();
        local.scroll.reveal = card;
    }
}

/// Closes what lies on top, else interrupts; never touches what was typed.
fn escape(local: &mut Local, view: &View) -> Vec<UiEffect> {
    if editing::cancel(local) {
        return Vec::new();
    }
    // A message that is on its way would begin a run right after the one that is stopped.
    let image = std::mem::take(&mut local.image_comes);
    if image {
        local.hint = Some("no image is attached: you stopped the reading of the clipboard".to_owned());
    }
    let is_read = image || local.reading_files.is_some();
    let read = is_read.then_some(UiEffect::Ask(Request::StopReading));
    let run = view.status.is_busy().then_some(UiEffect::Abort);
    if read.is_some() || run.is_some() {
        return run.into_iter().chain(read).collect();
    }
    if completions(local, view).is_some_and(|all| !all.is_empty()) {
        // Until something else is typed.
        local.list_shut = local.composer.area().lines().first().cloned();
        return Vec::new();
    }
    if local.focused(view) == Focus::Composer {
        local.vim.escape(&mut local.composer);
    }
    local.focus = Focus::Composer;
    esc_twice(local, view)
}

/// A second Esc with nothing to close lists the messages to go back to.
fn esc_twice(local: &mut Local, view: &View) -> Vec<UiEffect> {
    // The conversation of a sub-agent is not gone back in.
    if !local.lineage.is_empty()
        || !local.composer.is_empty()
        || local.vim.word().is_some()
        || sent(view).is_empty()
    {
        return Vec::new();
    }
    if std::mem::take(&mut local.esc_armed) {
        return vec![UiEffect::Pick(Source::Rewind)];
    }
    local.esc_armed = true;
    local.hint = Some("esc again: go back to an earlier message".to_owned());
    Vec::new()
}

fn clear_or_quit(local: &mut Local, was_armed: bool) -> Vec<UiEffect> {
    if !local.composer.is_empty() {
        local.composer.kill();
    } else if was_armed {
        return vec![UiEffect::Quit];
    } else {
        local.quit_armed = true;
        local.hint = Some("press ctrl-c again to quit".to_owned());
    }
    Vec::new()
}

fn next_mode(mode: Mode) -> Mode {
    match mode {
        Mode::Plan => Mode::Ask,
        Mode::Ask => Mode::Edit,
        Mode::Edit => Mode::Auto,
        // What takes every guard away is named, not passed on the way: `/mode unrestricted`.
        Mode::Auto | Mode::Unrestricted => Mode::Plan,
    }
}

fn open(local: &mut Local, view: &View) -> Vec<UiEffect> {
    if let Focus::Card(CardId::Call(call)) = local.focused(view)
        && view.subagent_session(call).is_some()
    {
        return vec![UiEffect::Enter(call)];
    }
    local.overlay = match local.focused(view) {
        Focus::Approval(call) | Focus::Card(CardId::Call(call)) => Some(Overlay::Output(call, 0)),
        Focus::Card(CardId::Entry(entry)) => {
            let opens = view.compaction(entry).is_some() || view.has_long_message(entry);
            opens.then_some(Overlay::Summary(entry, 0))
        }
        Focus::Composer | Focus::Stop | Focus::Card(CardId::Forming(..)) => None,
    };
    Vec::new()
}

/// A key that means nothing else edits the composer, and takes the focus there: what a person begins to type
/// must not be taken for answers half-way.
pub(super) fn edit(local: &mut Local, press: Press) {
    let key = press.key;
    if local.vim.takes(&mut local.composer, key) {
        local.focus = Focus::Composer;
        return;
    }
    if focus::waits(local.focus) || matches!(key.code, KeyCode::Char(_)) {
        local.focus = Focus::Composer;
    }
    let held = key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT);
    if let (KeyCode::Char(c), KeyModifiers::NONE) = (key.code, held) {
        if !local.is_editing() {
            local.burst_text.takes(&mut local.composer, press.burst, c);
        }
        if !local.composer.insert(c) {
            local.hint = Some("the composer is full: send this, or put the rest into a file".to_owned());
        }
        return;
    }
    let composer = &mut local.composer;
    match (key.code, held) {
        (KeyCode::Backspace, KeyModifiers::NONE) => composer.backspace(),
        (KeyCode::Backspace, _) | (KeyCode::Char('w'), KeyModifiers::CONTROL) => composer.delete_word(),
        (KeyCode::Char('d'), KeyModifiers::ALT) => composer.delete_next_word(),
        (KeyCode::Delete, _) => composer.delete(),
        (KeyCode::Char('k'), KeyModifiers::CONTROL) => composer.delete_to_end(),
        (KeyCode::Left, KeyModifiers::NONE) => composer.left(),
        (KeyCode::Right, KeyModifiers::NONE) => composer.right(),
        (KeyCode::Left, _) | (KeyCode::Char('b'), KeyModifiers::ALT) => composer.go(CursorMove::WordBack),
        (KeyCode::Right, _) | (KeyCode::Char('f'), KeyModifiers::ALT) => composer.go(CursorMove::WordForward),
        (KeyCode::Up, _) => composer.go(CursorMove::Up),
        (KeyCode::Down, _) => composer.go(CursorMove::Down),
        (KeyCode::Home, _) | (KeyCode::Char('a'), KeyModifiers::CONTROL) => composer.go(CursorMove::Head),
        (KeyCode::End, _) | (KeyCode::Char('e'), KeyModifiers::CONTROL) => composer.go(CursorMove::End),
        _ => {}
    }
}

/// While a call is changed, its text is what has a beginning and an end: goes there. Says whether it did.
fn goes_in_edit(local: &mut Local, command: KeyAction, held: KeyModifiers) -> bool {
    if !local.is_editing() || local.focus != Focus::Composer {
        return false;
    }
    if command == KeyAction::Home {
        local.composer.go(CursorMove::Jump(0, 0));
        return true;
    }
    let is_to_end = held.contains(KeyModifiers::CONTROL);
    if is_to_end {
        local.composer.go(CursorMove::Bottom);
        local.composer.go(CursorMove::End);
    }
    is_to_end
}

/// Does what a command means that has this key.
fn run_key(local: &mut Local, view: &View, key: KeyAction) -> Vec<UiEffect> {
    commands::of_key(key).map_or_else(Vec::new, |meaning| submit::obey(local, view, meaning))
}
