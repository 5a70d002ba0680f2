//! Keys become intents: pure, so that every rule of the focus can be tested without a terminal.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_textarea::CursorMove;

use crate::agent::{Answer, Intent, Live};
use crate::ledger::CallId;
use crate::policy::Mode;
use crate::view::{CardId, View};

pub use super::act::Act;
use super::always;
use super::chord::Chord;
use super::composer::Composer;
use super::copying::copy;
use super::deciding::{choose, decide, is_question, write_reason};
use super::editing;
use super::keymap::{Command, Place};
use super::local::{Focus, Inspector, Local, Overlay, Position, sent};
use super::overlays;
use super::picking;
use super::replaying::{Paced, pace};
use super::search::{Found, Search};
use super::sending::{self, send, send_later};
use super::source::Source;
use super::typing;

/// One key. Returns what has to be done; everything else has happened to `local`.
pub fn update(local: &mut Local, view: &View, key: KeyEvent) -> Vec<Act> {
    settle(local, view);
    local.pointer.let_go();
    let was_armed = std::mem::take(&mut local.quit_armed);
    local.hint = None;
    if let Some(acts) = typing::update(local, view, key) {
        return acts;
    }
    if editing::settle(local, view) {
        local.hint = Some("the call that was being changed does not wait any more".to_owned());
        return Vec::new();
    }
    if let Some(acts) = overlays::update(local, view, key) {
        return acts;
    }
    match local.replay.as_mut().map_or(Paced::Elsewhere, |replay| pace(replay, key)) {
        Paced::Taken => return Vec::new(),
        Paced::Quit => return vec![Act::Quit],
        Paced::Elsewhere => {}
    }
    if let Some(acts) = always::press(local, view, key) {
        return acts;
    }
    if searching(local, view, key) {
        return Vec::new();
    }
    let focus = local.focused(view);
    let place = match focus {
        Focus::Approval(_) => Place::Approval,
        Focus::Card(_) => Place::Panel,
        Focus::Auto | Focus::Composer => Place::Composer,
    };
    if place == Place::Approval
        && let Some(acts) = choose(local, view, key)
    {
        return acts;
    }
    match local.keymap.lookup(place, key) {
        Some(command) => obey(local, view, command, key, was_armed),
        None => {
            edit(local, key);
            Vec::new()
        }
    }
}

/// Looks for the words that came with the command.
fn look(local: &mut Local, view: &View) {
    if let Some(search) = &mut local.search
        && let Found::Shows(card) = search.look(view, search.wanted.clone())
    {
        search.typing = search.wanted.is_empty();
        local.scroll.reveal = card;
    }
}

/// One key while the transcript is searched; false when it means what it always means.
fn searching(local: &mut Local, view: &View, key: KeyEvent) -> bool {
    let Some(search) = &mut local.search else { return false };
    match search.press(view, key) {
        Found::Shows(card) => local.scroll.reveal = card.or(local.scroll.reveal),
        Found::Over => local.search = None,
        Found::Not => return false,
    }
    true
}

/// News that concern the screen alone.
pub fn hear(local: &mut Local, live: &Live) {
    match live {
        Live::ModeChanged(mode) => local.mode = *mode,
        Live::Refused(why) => {
            local.answered.clear();
            editing::refused(local);
            local.hint = Some(why.clone());
        }
        // Before the first message nothing else says it.
        Live::Unreached(why) => local.found(why),
        Live::Answering { model, effort, waits, said, .. } => {
            local.effort = *effort;
            local.next_model = waits.then(|| model.to_string());
            local.hint = said.clone().or(local.hint.take());
        }
        Live::Waiting { steering, queued } => {
            local.steering.clone_from(steering);
            local.queued.clone_from(queued);
        }
        Live::Returned(texts) => local.composer.give_back(&texts.join("\n\n")),
        Live::Text { .. }
        | Live::Thinking { .. }
        | Live::Hosted { .. }
        | Live::CallForming { .. }
        | Live::Progress { .. }
        | Live::ToolOutput { .. }
        | Live::Screen { .. }
        | Live::ToolFinished { .. }
        | Live::Retrying { .. }
        | Live::Discovering
        | Live::Compacting(_) => {}
    }
}

/// Text that came whole: a bracketed paste. Returns what has to be done.
pub fn paste(local: &mut Local, view: &View, text: &str) -> Vec<Act> {
    let typed = typing::paste(local, view, text);
    typed.unwrap_or_else(|| {
        place(local, view, text, Composer::paste);
        Vec::new()
    })
}

/// A paste of nothing but the paths of images, as the mentions that stand for them.
pub fn mention(local: &mut Local, view: &View, words: &str) {
    place(local, view, words, Composer::mention);
}

fn place(local: &mut Local, view: &View, text: &str, compose: fn(&mut Composer, &str)) {
    settle(local, view);
    local.pointer.let_go();
    local.hint = None;
    local.quit_armed = false;
    if let Some(Overlay::Picker(picker)) = &mut local.overlay {
        picker.type_in(text);
    } else if let Some(search) = local.search.as_mut().filter(|search| search.typing) {
        let wanted = format!("{}{}", search.wanted, text.replace(['\n', '\r'], " "));
        if let Found::Shows(card) = search.look(view, wanted) {
            local.scroll.reveal = card;
        }
    } else if let Some(reason) = &mut local.reason {
        reason.text.push_str(&text.replace(['\n', '\r'], " "));
    } else if local.overlay.is_none() && !local.read_only && local.replay.is_none() {
        compose(&mut local.composer, text);
    }
}

/// Drops what names a request that is gone.
fn settle(local: &mut Local, view: &View) {
    let waiting = view.waiting();
    local.answered.retain(|request| waiting.iter().any(|(id, _)| id == request));
    if local.reason.as_ref().is_some_and(|r| !waiting.iter().any(|(id, _)| *id == r.request)) {
        local.reason = None;
    }
    if local.always.as_ref().is_some_and(|a| !waiting.iter().any(|(id, _)| *id == a.request)) {
        local.always = None;
    }
    if waiting.is_empty() && !matches!(local.focus, Focus::Card(_)) {
        local.focus = Focus::Auto;
    }
}

pub(super) fn obey(
    local: &mut Local,
    view: &View,
    command: Command,
    key: KeyEvent,
    was_armed: bool,
) -> Vec<Act> {
    match command {
        Command::Escape => return escape(local, view),
        Command::ClearOrQuit => return clear_or_quit(local, was_armed),
        Command::Leave if local.composer.is_empty() => return vec![Act::Quit],
        Command::Leave => local.composer.delete(),
        Command::Suspend => return vec![Act::Suspend],
        Command::Mode => return vec![Act::Send(Intent::SetMode(next_mode(local.mode)))],
        Command::Send => {
            let acts = send(local, view);
            look(local, view);
            return acts;
        }
        Command::Raise if local.composer.is_empty() && view.offer().is_some() => return raise(view),
        Command::Once | Command::Session | Command::Sandboxed | Command::Always | Command::Edit
            if is_question(local, view) => {}
        Command::Once => return decide(local, view, key, Answer::AllowOnce),
        Command::Session => return decide(local, view, key, Answer::AllowSession),
        Command::Sandboxed => return decide(local, view, key, Answer::AllowSandboxed),
        Command::Always => always::show(local, view),
        Command::Deny => return decide(local, view, key, Answer::Deny(String::new())),
        Command::Reason => write_reason(local, view),
        Command::Edit => editing::begin(local, view),
        Command::Empty => local.composer.clear(),
        Command::Newline => local.composer.newline(),
        Command::Later => return send_later(local, view),
        Command::Ledger => local.overlay = Some(Overlay::Ledger(Inspector::default())),
        Command::Budgets => local.overlay = Some(Overlay::Budgets(0)),
        Command::Palette => return picking::open(local, view, Source::Palette),
        Command::Editor => return vec![Act::Edit],
        Command::Search => local.search = Some(Search::new()),
        Command::Prompts => return picking::open(local, view, Source::Prompts),
        Command::Focus if sending::complete(local, view) => {}
        Command::Thinking => local.thinking_open = !local.thinking_open,
        Command::Focus => focus_next(local, view),
        Command::PageUp => local.scroll.wish -= i32::from(local.page.max(2)) - 1,
        Command::PageDown => local.scroll.wish += i32::from(local.page.max(2)) - 1,
        Command::Home => local.scroll.top = Some(Position::default()),
        Command::End if key.modifiers.contains(KeyModifiers::CONTROL) || local.composer.is_empty() => {
            (local.scroll.top, local.scroll.anchor) = (None, None);
        }
        Command::Help if !Chord::of(key).types() || local.composer.is_empty() => {
            local.overlay = Some(Overlay::Help(0));
        }
        Command::TypeInto => typing::begin(local, view),
        Command::Open => open(local, view),
        Command::Copy => return copy(local, view).map(Act::Copy).into_iter().collect(),
        Command::Up | Command::Down => up_or_down(local, view, command, key),
        Command::Raise | Command::End | Command::Help | Command::Filter | Command::Close => edit(local, key),
        Command::NextTab
        | Command::PreviousTab
        | Command::Kind
        | Command::NextMatch
        | Command::PreviousMatch
        | Command::JumpToCard
        | Command::CopyEntry
        | Command::CopyRecord
        | Command::ForkHere
        | Command::ExportWords => edit(local, key),
    }
    Vec::new()
}

/// Closes what lies on top, else interrupts; never touches what was typed.
fn escape(local: &mut Local, view: &View) -> Vec<Act> {
    if editing::cancel(local) {
        return Vec::new();
    }
    if view.status.is_busy() {
        return vec![Act::Abort];
    }
    if matches!(local.focused(view), Focus::Auto | Focus::Composer) {
        local.vim.escape(&mut local.composer);
    }
    local.focus = Focus::Auto;
    Vec::new()
}

fn clear_or_quit(local: &mut Local, was_armed: bool) -> Vec<Act> {
    if !local.composer.is_empty() {
        local.composer.clear();
    } else if was_armed {
        return vec![Act::Quit];
    } else {
        local.quit_armed = true;
        local.hint = Some("press ctrl-c again to quit".to_owned());
    }
    Vec::new()
}

fn raise(view: &View) -> Vec<Act> {
    view.offer()
        .map(|offer| Act::Send(Intent::Raise { limit: offer.limit, to: offer.to }))
        .into_iter()
        .collect()
}

fn next_mode(mode: Mode) -> Mode {
    match mode {
        Mode::Plan => Mode::Ask,
        Mode::Ask => Mode::Edit,
        Mode::Edit => Mode::Auto,
        Mode::Auto => Mode::Unrestricted,
        Mode::Unrestricted => Mode::Plan,
    }
}

fn focus_next(local: &mut Local, view: &View) {
    local.focus = next_focus(local, view);
    if let Focus::Card(id) = local.focus {
        local.scroll.reveal = Some(id);
    }
}

/// Composer, then every waiting call, then the last card that opens or has code, then the composer again.
fn next_focus(local: &Local, view: &View) -> Focus {
    let waiting: Vec<CallId> = local.waiting(view).iter().map(|(_, r)| r.call).collect();
    let last = view.focusable().next_back().map(Focus::Card);
    let after_waiting = || last.unwrap_or(Focus::Composer);
    match local.focused(view) {
        Focus::Auto | Focus::Composer => waiting.first().map_or_else(after_waiting, |c| Focus::Approval(*c)),
        Focus::Approval(call) => {
            let at = waiting.iter().position(|c| *c == call);
            at.and_then(|at| waiting.get(at + 1)).map_or(Focus::Composer, |c| Focus::Approval(*c))
        }
        Focus::Card(_) => Focus::Composer,
    }
}

fn up_or_down(local: &mut Local, view: &View, command: Command, key: KeyEvent) {
    let step: isize = if command == Command::Up { -1 } else { 1 };
    match local.focused(view) {
        Focus::Approval(call) => {
            let waiting: Vec<CallId> = local.waiting(view).iter().map(|(_, r)| r.call).collect();
            local.focus = Focus::Approval(neighbour(&waiting, call, step));
        }
        Focus::Card(id) => {
            let cards: Vec<CardId> = view.focusable().collect();
            let there = neighbour(&cards, id, step);
            local.focus = Focus::Card(there);
            local.scroll.reveal = Some(there);
        }
        Focus::Auto | Focus::Composer => {
            let all: Vec<&str> = local.earlier.iter().map(String::as_str).chain(sent(view)).collect();
            if local.edit.is_some() || !local.composer.browse(&all, step) {
                edit(local, key);
            }
        }
    }
}

/// The one before or after `here`, or itself at either end.
fn neighbour<T: Copy + PartialEq>(all: &[T], here: T, step: isize) -> T {
    let at = all.iter().position(|one| *one == here).and_then(|at| at.checked_add_signed(step));
    at.and_then(|at| all.get(at)).copied().unwrap_or(here)
}

fn open(local: &mut Local, view: &View) {
    local.overlay = match local.focused(view) {
        Focus::Approval(call) | Focus::Card(CardId::Call(call)) => Some(Overlay::Output(call, 0)),
        Focus::Card(CardId::Entry(entry)) => view.compaction(entry).map(|_| Overlay::Summary(entry, 0)),
        Focus::Auto | Focus::Composer | Focus::Card(CardId::Forming(..)) => None,
    };
}

/// A key that means nothing else edits the composer, and takes the focus there: what a person begins to type
/// must not be taken for answers half-way.
fn edit(local: &mut Local, key: KeyEvent) {
    if local.vim.takes(&mut local.composer, key) {
        local.focus = Focus::Auto;
        return;
    }
    let held = key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT);
    let composer = &mut local.composer;
    match (key.code, held) {
        (KeyCode::Char(c), KeyModifiers::NONE) => {
            if !composer.insert(c) {
                local.hint =
                    Some("the composer is full: send this, or paste the rest from a file".to_owned());
            }
            local.focus = Focus::Auto;
        }
        (KeyCode::Backspace, KeyModifiers::NONE) => composer.backspace(),
        (KeyCode::Backspace, _) | (KeyCode::Char('w'), KeyModifiers::CONTROL) => composer.delete_word(),
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
