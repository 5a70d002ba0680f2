//! What keys ask of the world outside the screen: done here, one after the other.

use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::Instant;

use crate::agent::Intent;
use crate::ledger::{CallId, EntryId, UserMessage};
use crate::tool::{MOST_TYPED, Typed};

use super::super::clipboard;
use super::super::editing::{for_editor, with_marks};
use super::super::effect::UiEffect;
use super::super::focus::to_text;
use super::super::local::Overlay;
use super::super::outcome::UiOutcome;
use super::super::panes::selected;
use super::super::picker::Picker;
use super::super::picker_keys::lay;
use super::super::picker_source::Source;
use super::super::request::Request;
use super::super::status_line::StatusFacts;
use super::super::terminal::{redraw_all, tell};
use super::super::unsent::{not_sent, undecided};
use super::lineage::refused_below;
use super::screen_loop::ScreenLoop;
use crate::ui::commands::STOPS_WORK;

/// Waits until the agent takes another wish, or none any more.
pub(super) async fn room(requests: &mpsc::Sender<Request>) {
    drop(requests.reserve().await);
}

impl ScreenLoop {
    /// What is not done here or now, and says so.
    fn refused_here(&mut self, act: &UiEffect) -> bool {
        let leaves = match act {
            UiEffect::New | UiEffect::Resume(_) | UiEffect::UndoAndRewind(_) => true,
            UiEffect::Ask(request) => request.leaves(),
            _ => false,
        };
        if leaves && self.view.in_background() > 0 {
            self.local.give_back_obeyed();
            self.local.hint = Some(STOPS_WORK.to_owned());
            return true;
        }
        if self.is_for_the_first(act) {
            self.local.give_back_obeyed();
            self.local.hint = Some("this is a sub-agent's session: ← goes back to yours".to_owned());
            return true;
        }
        refused_below(&mut self.local, &self.view, act)
    }

    pub(super) fn act(&mut self, act: UiEffect) {
        if self.refused_here(&act) {
            return;
        }
        match act {
            UiEffect::Enter(call) => self.enter(call),
            UiEffect::Back => self.leave(),
            UiEffect::Abort if !self.behind.is_empty() => self.send(Intent::Abort),
            UiEffect::Quit => self.outcome = Some(UiOutcome::Quit),
            UiEffect::Abort => {
                self.pace.expect(Instant::now());
                // A full channel holds an Esc already.
                if let Err(TrySendError::Closed(())) = self.app.abort.try_send(()) {
                    self.agent_gone();
                }
            }
            UiEffect::New => self.outcome = Some(UiOutcome::New),
            UiEffect::Send(intent) => self.send(intent),
            UiEffect::Type(call, keys) => self.keep_typed(call, keys),
            UiEffect::Resume(id) => {
                self.outcome = Some(UiOutcome::Resume { id, draft: UserMessage::default() })
            }
            UiEffect::Pick(source) => self.pick(source),
            UiEffect::Undo(since) => self.plan_undo(since, None),
            UiEffect::UndoAndRewind(message) => self.plan_undo(Some(message), Some(message)),
            UiEffect::Ask(request) => self.ask(request),
            UiEffect::SetTheme(name) => self.set_theme(&name),
            UiEffect::Edit => {
                self.local.out_of_sight();
                self.guard.lend();
                self.edits_call = self.local.is_editing();
                self.editing = Some((self.errands.editor)(for_editor(&self.local)));
            }
            UiEffect::Copy(text) => self.copy(&text),
            UiEffect::CopyRecord(entry) => {
                let record = self.view.row(entry).map(|row| (self.entry_json)(&row.entry));
                match record {
                    Some(record) => self.copy(&record),
                    None => {
                        debug_assert!(false, "{entry} is not in the ledger that is shown");
                        self.local.hint = Some(format!("{entry} cannot be found, so nothing was copied"));
                    }
                }
            }
            UiEffect::CopySelected => {
                let now = (self.app.now)();
                let Self { layouts, view, local, theme, highlighter, .. } = self;
                let text = selected(layouts, view, local, theme, highlighter, now);
                if !text.is_empty() {
                    self.copy(&text);
                }
            }
            UiEffect::Suspend => {
                self.outside.forget();
                self.layouts.pictures.forget();
                // The shell has the terminal meanwhile.
                self.local.out_of_sight();
                let back = self.guard.suspend().and_then(|()| redraw_all(&mut self.terminal));
                if back.is_err() {
                    self.outcome = Some(UiOutcome::TerminalGone);
                }
            }
        }
    }

    fn set_theme(&mut self, name: &str) {
        match (self.errands.theme)(name) {
            Ok(theme) => self.wear(theme),
            Err(why) => {
                self.local.give_back_obeyed();
                self.local.hint = Some(format!("{why} · /theme lists them all"));
            }
        }
    }

    /// Asks what an undo would do: since a message, it is a step of going back to before that.
    fn plan_undo(&mut self, since: Option<EntryId>, rewinds: Option<EntryId>) {
        self.ask_for(Source::Undo, Request::PlanUndo(since));
        if let Some(Overlay::Picker(picker)) = &mut self.local.overlay {
            (picker.rewinds, picker.is_rewind) = (rewinds, since.is_some());
        }
    }

    /// Opens a list whose lines keys cannot fill.
    fn pick(&mut self, source: Source) {
        match source {
            Source::Rewind => lay(&mut self.local, Picker::rewind(&self.view, (self.app.now)())),
            Source::Sessions => self.ask_for(source, Request::ListSessions),
            Source::Models => self.ask_for(source, Request::ListModels(self.view.session.model.clone())),
            Source::Themes => self.errands.pick_theme(&mut self.local, &self.theme.name),
            // The screen fills these itself.
            Source::Palette
            | Source::Prompts
            | Source::Grants
            | Source::Modes
            | Source::Efforts
            | Source::Shells
            | Source::Fleet
            | Source::FleetStop
            | Source::Undo
            | Source::Otherwise
            | Source::RewindWay => {}
        }
    }

    /// The program is to end, if the key was not the editor's.
    pub(super) fn interrupted(&mut self) {
        if self.editing.is_none() {
            self.outcome = Some(UiOutcome::Signalled);
        }
    }

    /// The editor is closed: the screen comes back, with what was written in it.
    pub(super) fn edited(&mut self, edited: Result<String, String>) {
        self.editing = None;
        self.dirty = true;
        self.layouts.pictures.forget();
        if self.guard.take_back().and_then(|()| redraw_all(&mut self.terminal)).is_err() {
            self.outcome = Some(UiOutcome::TerminalGone);
        }
        match edited {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) if self.edits_call => {
                let text = with_marks(&mut self.local, &text);
                self.local.composer.hold(&text);
            }
            Ok(text) => {
                // A change that was refused meanwhile has the composer.
                self.local.message_composer().hold_edited(&text);
                to_text(&mut self.local, &self.view);
            }
            Err(why) => self.local.hint = Some(why),
        }
    }

    fn copy(&mut self, text: &str) {
        let (said, copied) = clipboard::sequence(text, std::env::var_os("TMUX").is_some());
        if tell(&said).is_err() {
            self.outcome = Some(UiOutcome::TerminalGone);
        }
        self.local.hint = Some(clipboard::report(text, copied));
    }

    /// Keys leave as soon as the agent has room for them, those that came together as one: fast typing loses none.
    fn keep_typed(&mut self, call: CallId, Typed(keys): Typed) {
        let (of, Typed(kept)) = self.typed.get_or_insert_with(|| (call, Typed::default()));
        if *of != call {
            (*of, *kept) = (call, Vec::new());
        }
        if kept.len() + keys.len() <= MOST_TYPED {
            kept.extend(keys);
        } else {
            self.local.hint = Some("not typed: too much for a command at once".to_owned());
        }
    }

    /// Sends what was typed; without room it is kept still.
    pub(super) fn pass_typed(&mut self) {
        let Some((call, typed)) = self.typed.take() else { return };
        let intent = self.addressed(Intent::TypeInto { call, typed: typed.clone() });
        match self.app.requests.try_send(Request::Intent(intent)) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => self.typed = Some((call, typed)),
            Err(TrySendError::Closed(_)) => self.agent_gone(),
        }
    }

    pub(super) fn send(&mut self, intent: Intent) {
        let decided =
            if let Intent::Decide { request, call, .. } = &intent { Some((*request, *call)) } else { None };
        let is_sent = match self.view.at_home(intent) {
            Some(intent) => {
                let intent = self.addressed(intent);
                self.passes(Request::Intent(intent))
            }
            None => {
                self.local.hint = Some("that call is no longer waiting: nothing was decided".to_owned());
                self.local.answered.clear();
                false
            }
        };
        if let Some((request, call)) = decided.filter(|_| !is_sent) {
            undecided(&mut self.local, request, call);
        }
    }

    /// Lays an empty list on top and asks for what is in it.
    fn ask_for(&mut self, source: Source, request: Request) {
        self.local.overlay = Some(Overlay::Picker(Picker::awaited(source)));
        self.ask(request);
    }

    /// Nobody has asked for it, so nobody is told when there is no room for the question.
    pub(super) fn ask_for_the_status_line(&mut self) {
        let Self { local, view, app, .. } = self;
        let asked = local.status_line.ask(|| StatusFacts::of(view), local.now);
        if let Some(facts) = asked
            && app.requests.try_send(Request::StatusLine(facts)).is_err()
        {
            local.status_line.not_asked();
        }
    }

    pub(super) fn ask(&mut self, request: Request) {
        self.passes(request);
    }

    /// Passes a request on. Says whether there was room for it.
    fn passes(&mut self, request: Request) -> bool {
        let request = match self.local.obeyed.take() {
            Some(line) => request.typed(line, self.behind.len()),
            None => request,
        };
        match self.app.requests.try_send(request) {
            Ok(()) => return true,
            Err(TrySendError::Closed(_)) => self.agent_gone(),
            Err(TrySendError::Full(request)) => not_sent(&mut self.local, &self.view, request),
        }
        false
    }
}
