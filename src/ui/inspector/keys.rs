//! The keys of the inspector: what they change in it, and what they ask of the rest of the screen.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use unicode_segmentation::UnicodeSegmentation;

use crate::ledger::{Body, CallId, Entry, EntryId, resting_places};
use crate::policy::shell::shell_word;
use crate::ui::keymap::{KeyAction, KeyContext, lookup};
use crate::ui::picker::Picker;
use crate::ui::request::Request;
use crate::view::{CardId, View, WAITS_FOR_TURN};

use super::state::Inspector;
use super::tab::{Group, Tab};
use super::what_if;

/// What a key asks of the rest of the screen.
#[derive(Debug, Clone, PartialEq)]
pub enum InspectorAction {
    /// Nothing.
    None,
    /// To be closed.
    Close,
    /// This text in the clipboard.
    Copy(String),
    /// This entry as it is recorded in the clipboard.
    CopyRecord(EntryId),
    /// The inspector of the sub-agent that this call started.
    WalkIn(CallId),
    /// The transcript, with this card in sight.
    Jump(CardId),
    /// What could go otherwise at this entry, to pick from.
    WhatIf(Picker),
    /// The session is asked for this.
    Ask(Request),
}

/// One key; `page` is how many rows a page has.
pub fn update(inspector: &mut Inspector, view: &View, key: KeyEvent, page: i32) -> InspectorAction {
    inspector.said = None;
    if inspector.typing {
        write(inspector, view, key);
        return InspectorAction::None;
    }
    inspector.catch_up(view);
    let Some(command) = lookup(KeyContext::Ledger, key) else { return InspectorAction::None };
    match command {
        KeyAction::Escape => return escape(inspector),
        KeyAction::Close => return InspectorAction::Close,
        KeyAction::WhatIf => return what_if(inspector, view),
        KeyAction::Open if inspector.open && inspector.tab != Tab::Branches => return jump(inspector, view),
        KeyAction::Open => return open(inspector),
        KeyAction::Filter => look(inspector),
        KeyAction::Kind => narrow(inspector),
        KeyAction::NextMatch => find(inspector, view, true),
        KeyAction::PreviousMatch => find(inspector, view, false),
        KeyAction::NextTab => return turn(inspector, view, inspector.tab.next()),
        KeyAction::PreviousTab => return turn(inspector, view, inspector.tab.previous()),
        KeyAction::JumpToCard => return jump(inspector, view),
        KeyAction::WalkIn => return walk_in(inspector, view),
        KeyAction::CopyEntry => return copy(inspector, view),
        KeyAction::CopyRecord => {
            return inspector.entry(view).map_or(InspectorAction::None, InspectorAction::CopyRecord);
        }
        KeyAction::ForkHere => return fork(inspector, view),
        KeyAction::ExportWords => return export(inspector, view),
        _ => walk(inspector, view, command, page),
    }
    InspectorAction::None
}

/// From the innermost outwards: the entry, what is looked for, the filter, the inspector.
fn escape(inspector: &mut Inspector) -> InspectorAction {
    if inspector.open {
        inspector.open = false;
        inspector.scroll = 0;
    } else if !inspector.query.is_empty() {
        inspector.query.clear();
    } else if inspector.group != Group::All && inspector.tab == Tab::Ledger {
        inspector.group = Group::All;
        inspector.selected.remove(&Tab::Ledger);
    } else {
        return InspectorAction::Close;
    }
    InspectorAction::None
}

/// Chooses a line of the list, counted from its first one.
pub fn choose(inspector: &mut Inspector, view: &View, line: usize) {
    inspector.said = None;
    hold(inspector, inspector.count(view), line);
}

/// Opens what the chosen line is about.
pub fn open(inspector: &mut Inspector) -> InspectorAction {
    match inspector.tab {
        Tab::Branches => return compare(inspector),
        Tab::Budgets => {}
        _ => inspector.open = true,
    }
    InspectorAction::None
}

/// Opens a page of the inspector. The tree is read from other files, which takes a moment.
pub fn turn(inspector: &mut Inspector, view: &View, tab: Tab) -> InspectorAction {
    inspector.tab = tab;
    inspector.open = false;
    inspector.scroll = 0;
    inspector.catch_up(view);
    if tab == Tab::Branches { InspectorAction::Ask(Request::ListBranches) } else { InspectorAction::None }
}

/// The next filter of the page.
fn narrow(inspector: &mut Inspector) {
    match inspector.tab {
        Tab::Ledger => inspector.group = inspector.group.next(),
        Tab::ModelSees => inspector.side = inspector.side.next(),
        Tab::Approvals => inspector.asked = !inspector.asked,
        Tab::Timeline | Tab::Budgets | Tab::Branches => return,
    }
    inspector.selected.remove(&inspector.tab);
    inspector.scroll = 0;
}

fn walk(inspector: &mut Inspector, view: &View, command: KeyAction, page: i32) {
    let by = match command {
        KeyAction::Up => -1,
        KeyAction::Down => 1,
        KeyAction::PageUp => -page,
        KeyAction::PageDown => page,
        KeyAction::Home => i32::MIN / 2,
        KeyAction::End => i32::MAX / 2,
        _ => return,
    };
    let pages = matches!(command, KeyAction::PageUp | KeyAction::PageDown);
    let scrolls = inspector.tab == Tab::Budgets || (inspector.open && inspector.tab == Tab::Branches);
    if scrolls || (inspector.open && pages) {
        let there = i32::from(inspector.scroll).saturating_add(by).max(0);
        inspector.scroll = u16::try_from(there).unwrap_or(u16::MAX);
    } else {
        select(inspector, view, by);
    }
}

/// The last line is followed rather than held, so that new entries come into sight.
fn select(inspector: &mut Inspector, view: &View, by: i32) {
    let count = inspector.count(view);
    let here = i64::try_from(inspector.place(count)).unwrap_or(0);
    let there = usize::try_from((here + i64::from(by)).max(0)).unwrap_or(0);
    hold(inspector, count, there);
}

fn hold(inspector: &mut Inspector, count: usize, line: usize) {
    if line + 1 < count {
        inspector.selected.insert(inspector.tab, line);
    } else {
        inspector.selected.remove(&inspector.tab);
    }
    inspector.scroll = 0;
}

/// Begins to look for something, which is done in the table.
fn look(inspector: &mut Inspector) {
    inspector.tab = Tab::Ledger;
    inspector.typing = true;
    inspector.open = false;
    inspector.query.clear();
}

fn write(inspector: &mut Inspector, view: &View, key: KeyEvent) {
    let held = key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    match key.code {
        KeyCode::Enter => inspector.typing = false,
        KeyCode::Esc => {
            inspector.typing = false;
            inspector.query.clear();
        }
        KeyCode::Backspace => {
            let cut = inspector.query.graphemes(true).next_back().map_or(0, str::len);
            inspector.query.truncate(inspector.query.len() - cut);
        }
        KeyCode::Char('u') if held => inspector.query.clear(),
        KeyCode::Char(c) if !held => inspector.query.push(c),
        _ => {}
    }
    inspector.catch_up(view);
    if !inspector.query.is_empty() {
        nearest(inspector, view);
    }
}

/// While it is written: the match at or before the chosen line, else the first after it.
fn nearest(inspector: &mut Inspector, view: &View) {
    let here = inspector.row_at(inspector.place(inspector.count(view))).unwrap_or(0);
    let matches = inspector.books.matches();
    let after = matches.partition_point(|row| *row <= here);
    let found = after.checked_sub(1).and_then(|at| matches.get(at)).or_else(|| matches.first());
    if let Some(row) = found.copied() {
        go(inspector, view, row);
    }
}

/// The next match, around the end.
fn find(inspector: &mut Inspector, view: &View, forward: bool) {
    if inspector.query.is_empty() || inspector.tab != Tab::Ledger {
        inspector.said = Some("no search yet: / starts one".to_owned());
        return;
    }
    let here = inspector.row_at(inspector.place(inspector.count(view))).unwrap_or(0);
    let matches = inspector.books.matches();
    let found = if forward {
        matches.get(matches.partition_point(|row| *row <= here)).or_else(|| matches.first())
    } else {
        let before = matches.partition_point(|row| *row < here);
        before.checked_sub(1).and_then(|at| matches.get(at)).or_else(|| matches.last())
    };
    match found.copied() {
        Some(row) => go(inspector, view, row),
        None => inspector.said = Some("no entry contains that".to_owned()),
    }
}

/// Chooses the line of a row.
fn go(inspector: &mut Inspector, view: &View, row: usize) {
    let line = inspector.books.shown(inspector.group).map_or(Some(row), |rows| rows.binary_search(&row).ok());
    if let Some(line) = line {
        hold(inspector, inspector.count(view), line);
    }
}

/// The chosen branch beside this session, on the whole screen.
fn compare(inspector: &mut Inspector) -> InspectorAction {
    let Some(branch) = inspector.branch() else { return InspectorAction::None };
    if branch.is_own {
        inspector.said = Some("this is the session that is open; choose another one".to_owned());
        return InspectorAction::None;
    }
    let id = branch.id.clone();
    (inspector.open, inspector.scroll, inspector.beside) = (true, 0, None);
    InspectorAction::Ask(Request::Beside(id))
}

/// What could go otherwise at the entry, to pick from.
fn what_if(inspector: &mut Inspector, view: &View) -> InspectorAction {
    let Some(entry) = inspector.entry(view) else { return InspectorAction::None };
    match what_if::picker(view, entry) {
        Ok(picker) => InspectorAction::WhatIf(picker),
        Err(why) => {
            inspector.said = Some(why);
            InspectorAction::None
        }
    }
}

/// The transcript at the card of the entry, or at the last card before it.
fn jump(inspector: &mut Inspector, view: &View) -> InspectorAction {
    let Some(entry) = inspector.entry(view) else { return InspectorAction::None };
    let at = view.rows().iter().position(|row| row.entry.id == entry).unwrap_or(0);
    let before = view.rows().get(..=at).unwrap_or_default();
    let card = |entry: &Entry| {
        let id = entry.body.call().map_or(CardId::Entry(entry.id), CardId::Call);
        view.place(id).map(|_| id)
    };
    // What has no card stands near one: a few entries back, or there is none.
    match before.iter().rev().take(12).find_map(|row| card(&row.entry)) {
        Some(card) => InspectorAction::Jump(card),
        None => {
            inspector.said = Some(format!("{entry} has no card in the transcript"));
            InspectorAction::None
        }
    }
}

/// The ledger of the sub-agent that the entry is about.
fn walk_in(inspector: &mut Inspector, view: &View) -> InspectorAction {
    match inspector.subagent(view) {
        Some(call) => InspectorAction::WalkIn(call),
        None => {
            let call = inspector.entry(view).and_then(|id| view.row(id)?.entry.body.call());
            inspector.said = Some(match call.filter(|call| view.starts_later(*call)) {
                Some(call) => format!("the sub-agent of {call} {WAITS_FOR_TURN} and has no session yet"),
                None => "this entry is about no sub-agent".to_owned(),
            });
            InspectorAction::None
        }
    }
}

fn copy(inspector: &Inspector, view: &View) -> InspectorAction {
    let row = inspector.entry(view).and_then(|id| view.row(id));
    row.map_or(InspectorAction::None, |row| InspectorAction::Copy(words(&row.entry)))
}

/// What an entry says, whole.
fn words(entry: &Entry) -> String {
    match &entry.body {
        Body::User(said) => said.shown(),
        Body::Assistant(said) => said.text(),
        Body::Injected(said) => said.shown(),
        Body::ToolResult(result) => result.shown(),
        Body::Compaction(made) => made.summary.clone(),
        Body::Handoff { text } => text.clone(),
        Body::Note(note) => note.for_people().to_owned(),
        Body::ProviderLimit(learned) => learned.lesson.sentence(),
        Body::Error { message, next } => format!("{message}\n{next}"),
        _ => crate::view::one_line(entry),
    }
}

fn session(view: &View) -> Option<&str> {
    match &view.rows().first()?.entry.body {
        Body::SessionStarted(started) => Some(&started.session),
        _ => None,
    }
}

/// The command that forks at the entry, or at the first place after it where a session can end.
fn fork(inspector: &mut Inspector, view: &View) -> InspectorAction {
    let (Some(entry), Some(session)) = (inspector.entry(view), session(view)) else {
        return InspectorAction::None;
    };
    let entries: Vec<_> = view.rows().iter().map(|row| row.entry.clone()).collect();
    let wanted = entries.iter().position(|other| other.id == entry).map_or(1, |at| at + 1);
    let rest = resting_places(&entries).into_iter().find(|length| *length >= wanted);
    let Some(last) = rest.and_then(|length| entries.get(length.checked_sub(1)?)) else {
        inspector.said = Some("calls are open: fork when they have finished".to_owned());
        return InspectorAction::None;
    };
    let command = format!("countersign sessions fork {} --at {}", shell_word(session), last.id);
    inspector.said = Some(if last.id == entry {
        format!("copied: {command}")
    } else {
        format!("copied: {command}  ({entry} has open calls; {} is the nearest entry without)", last.id)
    });
    InspectorAction::Copy(command)
}

fn export(inspector: &mut Inspector, view: &View) -> InspectorAction {
    let Some(session) = session(view) else { return InspectorAction::None };
    let command = format!("countersign sessions export {} --json", shell_word(session));
    inspector.said = Some(format!("copied: {command}"));
    InspectorAction::Copy(command)
}
