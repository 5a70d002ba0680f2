//! Keys become intents: pure, so that every rule of the focus can be tested without a terminal.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_textarea::CursorMove;

use crate::agent::{Intent, Live};
use crate::policy::Mode;
use crate::view::{CardId, View};

pub use super::act::Act;
use super::always;
use super::chord::Chord;
use super::coming::Coming;
use super::composer::Composer;
use super::copying::copy;
use super::deciding::choose;
use super::keymap::{Command, Place};
use super::local::{Focus, Inspector, Local, Overlay, Position};
use super::overlays;
use super::picking;
use super::replaying::{Paced, pace};
use super::rhythm::Press;
use super::search::{Found, Search};
use super::sending::{self, completions, send, send_later};
use super::source::Source;
use super::typing;
use super::{answering, editing, focusing};

/// One key. Returns what has to be done; everything else has happened to `local`.
pub fn update(local: &mut Local, view: &View, press: Press) -> Vec<Act> {
    let key = press.key;
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
    if let Some(acts) = overlays::update(local, view, press) {
        return acts;
    }
    match local.replay.as_mut().map_or(Paced::Elsewhere, |replay| pace(replay, key)) {
        Paced::Taken => return Vec::new(),
        Paced::Quit => return vec![Act::Quit],
        Paced::Elsewhere => {}
    }
    focusing::leave_to_text(local, view, press);
    if let Some(acts) = always::press(local, view, press) {
        return acts;
    }
    if searching(local, view, key) {
        return Vec::new();
    }
    let focus = local.focused(view);
    let place = match focus {
        Focus::Approval(_) | Focus::Stop => Place::Approval,
        Focus::Card(_) => Place::Panel,
        Focus::Composer => Place::Composer,
    };
    if place == Place::Approval
        && let Some(acts) = choose(local, view, press)
    {
        return acts;
    }
    match local.keymap.lookup(place, key) {
        Some(command) if answering::has_meaning(local, view, command) => {
            obey(local, view, command, press, was_armed)
        }
        Some(_) | None => {
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
        Live::Refused(why) => {
            local.answered.clear();
            editing::refused(local);
            local.hint = Some(why.clone());
        }
        // Before the first message nothing else says it.
        Live::Unreached(why) => local.found(why),
        Live::Answering { model, waits, said, .. } => {
            if !local.next_model.as_ref().is_some_and(|coming| coming.goes_on(model)) {
                local.next_model = waits.then(|| Coming::Next(model.to_string()));
            }
            local.hint = said.clone().or(local.hint.take());
        }
        Live::Returned(texts) => {
            // The books are shut: what was looked for is not taken either.
            local.next_model.take_if(|_| local.shut.is_some());
            local.composer.give_back(&texts.join("\n\n"));
        }
        Live::BooksShut { why, entries, said } => {
            local.shut = Some(super::local::Shut { why: why.clone(), entries: *entries, said: said.clone() });
        }
        Live::BooksOpen => {
            local.shut = None;
            local.hint = None;
        }
        Live::ModeChanged(_)
        | Live::Waiting { .. }
        | Live::Text { .. }
        | Live::Thinking { .. }
        | Live::Hosted { .. }
        | Live::CallForming { .. }
        | Live::Progress { .. }
        | Live::ToolOutput { .. }
        | Live::Screen { .. }
        | Live::ToolFinished { .. }
        | Live::Retrying { .. }
        | Live::Asked { .. }
        | Live::AskingHooks(_)
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
        focusing::follow_text(local, view);
    }
}

/// Drops what names a request that is gone.
fn settle(local: &mut Local, view: &View) {
    let waiting = view.waiting();
    let end = view.offer().and(view.last_end_id());
    local.answered.retain(|id| waiting.iter().any(|(request, _)| request == id) || end == Some(*id));
    if local.reason.as_ref().is_some_and(|r| !waiting.iter().any(|(id, _)| *id == r.request)) {
        local.reason = None;
    }
    if local.always.as_ref().is_some_and(|a| !waiting.iter().any(|(id, _)| *id == a.request)) {
        local.always = None;
    }
    local.focus = local.focused(view);
}

pub(super) fn obey(
    local: &mut Local,
    view: &View,
    command: Command,
    press: Press,
    was_armed: bool,
) -> Vec<Act> {
    if let Some(acts) = answering::answer(local, view, command, press) {
        return acts;
    }
    let key = press.key;
    match command {
        Command::Escape => return escape(local, view),
        Command::ClearOrQuit => return clear_or_quit(local, was_armed),
        Command::Leave if local.composer.is_empty() => return vec![Act::Quit],
        Command::Leave => {
            local.composer.delete();
            focusing::follow_text(local, view);
        }
        Command::Suspend => return vec![Act::Suspend],
        Command::Mode => return vec![Act::Send(Intent::SetMode(next_mode(view.session.mode)))],
        // The rest of what is pasted follows.
        Command::Send if press.more => local.composer.newline(),
        Command::Send => {
            let acts = send(local, view);
            look(local, view);
            return acts;
        }
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
        Command::Focus => focusing::tab(local, view, press),
        Command::PageUp if focusing::turn(local, view, -1) => {}
        Command::PageDown if focusing::turn(local, view, 1) => {}
        Command::End if focusing::turn(local, view, i32::MAX) => {}
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
        Command::Up | Command::Down if sending::choose(local, view, command == Command::Up) => {}
        Command::Up | Command::Down => {
            if !focusing::up_or_down(local, view, command, press) {
                edit(local, key);
            }
        }
        _ => edit(local, key),
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
    if completions(local, view).is_some_and(|all| !all.is_empty()) {
        // Until something else is typed.
        local.list_shut = local.composer.area().lines().first().cloned();
        return Vec::new();
    }
    if local.focused(view) == Focus::Composer {
        local.vim.escape(&mut local.composer);
    }
    local.focus = Focus::Composer;
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

fn next_mode(mode: Mode) -> Mode {
    match mode {
        Mode::Plan => Mode::Ask,
        Mode::Ask => Mode::Edit,
        Mode::Edit => Mode::Auto,
        // What takes every guard away is named, not passed on the way: `/mode unrestricted`.
        Mode::Auto | Mode::Unrestricted => Mode::Plan,
    }
}

fn open(local: &mut Local, view: &View) {
    local.overlay = match local.focused(view) {
        Focus::Approval(call) | Focus::Card(CardId::Call(call)) => Some(Overlay::Output(call, 0)),
        Focus::Card(CardId::Entry(entry)) => view.compaction(entry).map(|_| Overlay::Summary(entry, 0)),
        Focus::Composer | Focus::Stop | Focus::Card(CardId::Forming(..)) => None,
    };
}

/// A key that means nothing else edits the composer, and takes the focus there: what a person begins to type
/// must not be taken for answers half-way.
fn edit(local: &mut Local, key: KeyEvent) {
    if local.vim.takes(&mut local.composer, key) {
        local.focus = Focus::Composer;
        return;
    }
    if focusing::waits(local.focus) || matches!(key.code, KeyCode::Char(_)) {
        local.focus = Focus::Composer;
    }
    let held = key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT);
    let composer = &mut local.composer;
    match (key.code, held) {
        (KeyCode::Char(c), KeyModifiers::NONE) if composer.insert(c) => {}
        (KeyCode::Char(_), KeyModifiers::NONE) => {
            local.hint = Some("the composer is full: send this, or paste the rest from a file".to_owned());
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
