//! What only the screen knows: what is typed, where the focus is, how far it is scrolled, what lies on top.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::ledger::{ApprovalRequest, CallId, EntryId, Millis, UserMessage};
use crate::view::{CardId, View};

use super::burst_text::BurstText;
pub use super::call_edit::Edit;
pub(super) use super::call_edit::EditedPart;
use super::composer::Composer;
use super::file_menu::FileMenu;
pub use super::host_reading::HostReading;
pub use super::inspector::Inspector;
pub use super::offered_rule::{OfferedRule, RuleReading, RuleToKeep};
use super::pages::OpenPage;
use super::picker::Picker;
pub use super::read_progress::ReadProgress;
use super::reading_files::ReadingFiles;
use super::rebinding::Keymap;
use super::replay_keys::Replay;
pub use super::scroll::{Anchor, FoundWords, Mark, Position, Scroll};
use super::search::Search;
use super::selection::Pointer;
pub use super::short_hint::ShortHint;
use super::status_line::StatusLine;
pub use super::unwritable::Unwritable;
use super::vim::Vim;
use super::visible_decision::{Shown, VisibleDecision};

/// The state of the screen.
#[derive(Debug, Clone)]
pub struct Local {
    /// What is typed.
    pub composer: Composer,
    /// What the user gave the focus to.
    pub focus: Focus,
    /// What lies on top of the transcript.
    pub overlay: Option<Overlay>,
    /// What is there again when what was opened from it is decided or closed; the last one first.
    pub below: Vec<Overlay>,
    /// The reason that is being written for a denial.
    pub reason: Option<Reason>,
    /// The rule that is shown in the pane of a call, to be taken or not.
    pub always: Option<OfferedRule>,
    /// Whether the last frame asked whole whether commands run although the sandbox cannot hide something.
    pub asks_anyway: bool,
    /// The rule that is written down when the decision is recorded.
    pub to_keep: Option<RuleToKeep>,
    /// The call that is being changed in the composer.
    pub edit: Option<Edit>,
    /// The call that was changed last: as long as it waits, it is the one that is shown whole.
    pub changed: Option<CallId>,
    /// Whether the image on the clipboard is being read, for what is typed now.
    pub image_comes: bool,
    /// The files of messages that are being read, since the screen began.
    pub reading_files: Option<ReadingFiles<Duration>>,
    /// The line of a command that is obeyed by what the last key asks for: it comes back if that is refused.
    pub obeyed: Option<String>,
    /// How far the transcript is scrolled.
    pub scroll: Scroll,
    /// Whether reasoning is unfolded.
    pub thinking_open: bool,
    /// One line that stands in the status line until the next key.
    pub hint: Option<String>,
    /// The same in fewer words, if it can be said so.
    pub short_hint: Option<ShortHint>,
    /// The line that says what waits for the end of a run: it goes when that has ended.
    pub hint_of_run: Option<String>,
    /// Whether Ctrl-C was pressed once on an empty composer.
    pub quit_armed: bool,
    /// The message to go back to before, once the undo since this call is recorded.
    pub rewind: Option<(CallId, EntryId)>,
    /// The last key decided or took something: held, or pressed twice, it does not send what is typed.
    pub key_is_spent: bool,
    /// In which bursts of keys the beginning of what is typed came.
    pub burst_text: BurstText,
    /// The last key was an Esc that did nothing: another one lists the messages to go back to.
    pub esc_armed: bool,
    /// Names that can follow a command.
    pub known_names: super::known_names::KnownNames,
    /// The model that was chosen, when another still answers.
    pub next_model: Option<super::pending_model::PendingModel>,
    /// Why nothing can be recorded, while that is so.
    pub shut: Option<Unwritable>,
    /// The line that the user's command writes.
    pub status_line: StatusLine,
    /// What to know before the first message.
    pub notice: Option<String>,
    /// All that there was to know since the screen began: the page of the session has it.
    pub told: Vec<String>,
    /// What was typed when the list of commands above it was closed.
    pub list_shut: Option<String>,
    /// Whether this only looks at a session.
    pub read_only: bool,
    /// How the session is played, if it is one of the past that is.
    pub replay: Option<Replay>,
    /// Requests that were answered here and whose decision has not come back yet.
    pub answered: BTreeSet<EntryId>,
    /// What the last frame showed to be decided, and since when: nothing else can be.
    pub stand: VisibleDecision,
    /// How much of the chosen call has been in sight.
    pub reading: Option<ReadProgress>,
    /// How much of the name of the host has been in sight that a key would allow.
    pub host_reading: Option<HostReading>,
    /// The command that the arrows have chosen among those that what is typed can become, and that text.
    pub menu: Option<(String, usize)>,
    /// The files that an `@` offers.
    pub files: FileMenu,
    /// The search in the transcript, while there is one.
    pub search: Option<Search>,
    /// What was sent in earlier sessions of this folder, oldest first.
    pub earlier: Vec<UserMessage>,
    /// They are still being read.
    pub is_reading_earlier: bool,
    /// The last rows that background commands have printed, by their ids, while their page is open.
    pub printed: BTreeMap<String, Vec<String>>,
    /// The last rows of those that ran here and have ended, by their ids and beginnings: their cards show them.
    pub printed_to_end: BTreeMap<(String, Millis), Vec<String>>,
    /// The card whose code was copied last, and which block of it.
    pub copied: Option<(CardId, usize)>,
    /// Rows of the transcript in the last frame.
    pub page: u16,
    /// Whether a sign moves while something goes on.
    pub motion: bool,
    /// The vim mode of the composer, if there is one.
    pub vim: Vim,
    /// When the next frame is drawn, since the screen began.
    pub now: Duration,
    /// What the keys mean.
    pub keymap: Keymap,
    /// What the mouse has done so far.
    pub pointer: Pointer,
    /// The sub-agents whose sessions lead to the one that is shown; empty: it is the first.
    pub lineage: Vec<String>,
}

/// What the user gave the focus to. Nothing takes it by itself: keys go to the composer until the person moves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    /// The composer.
    #[default]
    Composer,
    /// A call that waits.
    Approval(CallId),
    /// A budget stop that can be raised.
    Stop,
    /// A card that can be opened or copied: a call, a summary, an answer with code.
    Card(CardId),
}

/// What lies on top of the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Overlay {
    /// The ledger.
    Ledger(Inspector),
    /// A page that a command opened.
    Page(OpenPage),
    /// All of a call; scrolled by so many rows.
    Output(CallId, u16),
    /// The summary of a compaction, or a long message; scrolled by so many rows.
    Summary(EntryId, u16),
    /// The terminal of a command, which gets the keys.
    Terminal(Typing),
    /// A list to pick from.
    Picker(Picker),
}

impl Overlay {
    /// How many rows it is scrolled by, where it is one page of rows.
    pub fn scrolled(&mut self) -> Option<&mut u16> {
        match self {
            Self::Page(page) => Some(&mut page.scrolled),
            Self::Output(_, at) | Self::Summary(_, at) => Some(at),
            Self::Terminal(typing) => Some(&mut typing.at),
            Self::Ledger(_) | Self::Picker(_) => None,
        }
    }
}

/// The page of a command's terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Typing {
    /// Whose terminal.
    pub call: CallId,
    /// Rows above the window.
    pub at: u16,
    /// It was shown that the command is over.
    pub over: bool,
}

/// A reason or an answer in the making.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The request that will be denied or answered.
    pub request: EntryId,
    /// Its call.
    pub call: CallId,
    /// The words so far.
    pub text: String,
    /// Whether they answer a question; else they deny a call.
    pub answers: bool,
}

impl Default for Local {
    fn default() -> Self {
        Self::new()
    }
}

impl Local {
    /// What was found out meanwhile stands below what was known, until something is said.
    pub fn found(&mut self, said: &str) {
        self.told.push(said.to_owned());
        let known = self.notice.take().into_iter();
        self.notice = Some(known.chain([said.to_owned()]).collect::<Vec<_>>().join("\n\n"));
    }

    /// Whether a sign moves on the screen now: while something goes on, also beside what a person is waited for.
    pub fn moves(&self, view: &View) -> bool {
        let is_busy = view.status.is_busy() && view.goes_on();
        let works = is_busy
            || self.reading_files.is_some()
            || (!self.read_only && self.replay.is_none() && view.in_background() > 0);
        let stands = self.replay.as_ref().is_some_and(|replay| replay.paused || replay.is_over());
        self.motion && works && !stands && self.overlay.is_none()
    }

    /// Whether the transcript shows for how long a command has been going on in the background.
    pub fn counts(&self, view: &View) -> bool {
        let is_past = self.read_only || self.replay.is_some();
        !is_past && self.overlay.is_none() && view.shells().iter().any(|shell| shell.is_running)
    }

    /// Whether a page is open whose content changes by itself.
    pub(super) fn watches(&self, view: &View) -> bool {
        matches!(&self.overlay, Some(Overlay::Page(open)) if open.page.watches(view))
    }

    /// The state at the start.
    #[must_use]
    pub fn new() -> Self {
        Self {
            composer: Composer::default(),
            focus: Focus::Composer,
            overlay: None,
            below: Vec::new(),
            reason: None,
            always: None,
            asks_anyway: false,
            to_keep: None,
            printed: BTreeMap::new(),
            printed_to_end: BTreeMap::new(),
            edit: None,
            changed: None,
            image_comes: false,
            reading_files: None,
            obeyed: None,
            scroll: Scroll::default(),
            thinking_open: false,
            hint: None,
            short_hint: None,
            hint_of_run: None,
            quit_armed: false,
            rewind: None,
            key_is_spent: false,
            burst_text: BurstText::default(),
            esc_armed: false,
            known_names: super::known_names::KnownNames::default(),
            next_model: None,
            shut: None,
            status_line: StatusLine::default(),
            notice: None,
            told: Vec::new(),
            list_shut: None,
            read_only: false,
            replay: None,
            answered: BTreeSet::new(),
            stand: VisibleDecision::default(),
            reading: None,
            host_reading: None,
            menu: None,
            files: FileMenu::default(),
            search: None,
            earlier: Vec::new(),
            is_reading_earlier: false,
            copied: None,
            page: 10,
            motion: true,
            vim: Vim::default(),
            now: Duration::ZERO,
            keymap: Keymap::default(),
            pointer: Pointer::default(),
            lineage: Vec::new(),
        }
    }

    /// The requests that wait for a person and were not answered here yet, oldest first.
    pub fn waiting<'a>(&self, view: &'a View) -> Vec<(EntryId, &'a ApprovalRequest)> {
        let mut waiting = view.waiting();
        waiting.retain(|(request, _)| !self.answered.contains(request));
        waiting
    }

    /// The terminal that gets the keys, if one does.
    pub fn typing(&self) -> Option<Typing> {
        if let Some(Overlay::Terminal(typing)) = self.overlay { Some(typing) } else { None }
    }

    /// Whether the composer holds a call that is being changed.
    pub fn is_editing(&self) -> bool {
        self.edit.as_ref().is_some_and(Edit::is_open)
    }

    /// What holds what is typed for a message: the composer, or what it held before a call is changed in it.
    /// What comes back belongs there, and never into the arguments of a call.
    pub(super) fn message_composer(&mut self) -> &mut Composer {
        match &mut self.edit {
            Some(edit) if edit.is_open() => &mut edit.kept,
            Some(_) | None => &mut self.composer,
        }
    }

    /// What has the focus now: what the person gave it to, while that is there; else the composer. While a call is changed, nothing that
    /// waits can have it: a key that decides would decide about the call as it was.
    pub fn focused(&self, view: &View) -> Focus {
        if self.is_editing() {
            return Focus::Composer;
        }
        let stands = match self.focus {
            Focus::Composer => true,
            Focus::Approval(call) => self.waiting(view).iter().any(|(_, asked)| asked.call == call),
            Focus::Stop => self.stop(view).is_some(),
            Focus::Card(id) => view.is_there(id),
        };
        if stands { self.focus } else { Focus::Composer }
    }

    /// The call that keys decide about, and how it stands there: the focused one, or the one whose page is open.
    pub fn subject<'a>(&self, view: &'a View) -> Option<(EntryId, &'a ApprovalRequest, Shown)> {
        if self.is_editing() {
            return None;
        }
        let call = match (&self.overlay, self.focused(view)) {
            (Some(Overlay::Output(call, _)), _) => *call,
            (None, Focus::Approval(call)) => call,
            _ => return None,
        };
        let (request, asked) = self.waiting(view).into_iter().find(|(_, asked)| asked.call == call)?;
        Some((request, asked, self.stands_as(request)))
    }

    /// How a call stands on the screen, if it does.
    pub(super) fn stands_as(&self, request: EntryId) -> Shown {
        let read = self.reading.filter(|reading| reading.request == request);
        match &self.overlay {
            Some(Overlay::Output(_, at)) => Shown::Page(request, *at, read.map_or(0, |read| read.known())),
            _ => {
                if let Some(always) = self.always.as_ref().filter(|always| always.request == request) {
                    return always.shown();
                }
                let read = read.filter(|read| !read.is_page);
                Shown::Pane(request, read.map_or(0, |read| read.from), read.map_or(0, |read| read.known()))
            }
        }
    }

    /// Whether what has the keys has stood on the screen for long enough to be decided.
    pub fn is_ripe(&self, view: &View) -> bool {
        let shown = match self.focused(view) {
            Focus::Stop => self.stop(view).map(Shown::Stop),
            _ => self.subject(view).map(|(_, _, shown)| shown),
        };
        shown.is_some_and(|shown| self.stand.is_ripe(&shown, self.now))
    }

    /// The end of the run after which a limit can be raised, if that was not done here yet.
    pub fn stop(&self, view: &View) -> Option<EntryId> {
        let end = view.offer().and(view.last_end_id())?;
        (!self.answered.contains(&end)).then_some(end)
    }

    /// The waiting call whose panel is shown whole: the focused one, or the one that is being or was changed, or the oldest.
    pub fn chosen<'a>(&self, view: &'a View) -> Option<(EntryId, &'a ApprovalRequest)> {
        let waiting = self.waiting(view);
        let focused = match self.focused(view) {
            Focus::Approval(call) => waiting.iter().find(|(_, r)| r.call == call).copied(),
            Focus::Composer | Focus::Stop | Focus::Card(_) => None,
        };
        let edited = || {
            let edit = self.edit.as_ref().filter(|_| self.is_editing())?;
            waiting.iter().find(|(id, _)| *id == edit.request).copied()
        };
        let changed = || waiting.iter().find(|(_, asked)| self.changed == Some(asked.call)).copied();
        focused.or_else(edited).or_else(changed).or_else(|| waiting.first().copied())
    }
}
