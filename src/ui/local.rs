//! What only the screen knows: what is typed, where the focus is, how far it is scrolled, what lies on top.

use std::collections::BTreeSet;

use crate::ledger::{ApprovalRequest, Body, CallId, EntryId, Injector};
use crate::policy::Mode;
use crate::view::{CardId, View, ViewSettings, one_line};

use super::composer::Composer;
use super::rebinding::Keymap;
use super::vim::Vim;

/// The state of the screen.
#[derive(Debug, Clone)]
pub struct Local {
    /// What is typed.
    pub composer: Composer,
    /// What the user gave the focus to.
    pub focus: Focus,
    /// What lies on top of the transcript.
    pub overlay: Option<Overlay>,
    /// The reason that is being written for a denial.
    pub reason: Option<Reason>,
    /// How far the transcript is scrolled.
    pub scroll: Scroll,
    /// Whether reasoning is unfolded.
    pub thinking_open: bool,
    /// One line that stands in the status line until the next key.
    pub hint: Option<String>,
    /// Messages that will be delivered with the next tool results.
    pub steering: Vec<String>,
    /// Messages that wait for the end of the run.
    pub queued: Vec<String>,
    /// Whether Ctrl-C was pressed once on an empty composer.
    pub quit_armed: bool,
    /// The mode as last heard of.
    pub mode: Mode,
    /// What to know before the first message.
    pub notice: Option<String>,
    /// Whether this only looks at a session.
    pub read_only: bool,
    /// Requests that were answered here and whose decision has not come back yet.
    pub answered: BTreeSet<EntryId>,
    /// The request that the last frame showed with the focus: no other can be answered.
    pub shown: Option<EntryId>,
    /// Rows of the transcript in the last frame.
    pub page: u16,
    /// The vim mode of the composer, if there is one.
    pub vim: Vim,
    /// What the keys mean.
    pub keymap: Keymap,
}

/// What the user gave the focus to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    /// Nothing: a waiting call has it while the composer is empty, else the composer.
    #[default]
    Auto,
    /// The composer.
    Composer,
    /// A call that waits.
    Approval(CallId),
    /// A card that can be opened: a call, or a summary.
    Card(CardId),
}

/// What lies on top of the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Overlay {
    /// The ledger.
    Ledger(Inspector),
    /// The keys; scrolled by so many rows.
    Help(u16),
    /// All of a call; scrolled by so many rows.
    Output(CallId, u16),
    /// The summary of a compaction; scrolled by so many rows.
    Summary(EntryId, u16),
    /// The budgets; scrolled by so many rows.
    Budgets(u16),
}

/// The state of the ledger inspector.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inspector {
    /// The selected row among those that fit the filter; `None` follows the last.
    pub selected: Option<usize>,
    /// What rows must contain.
    pub filter: String,
    /// Whether the filter is being written.
    pub filtering: bool,
    /// Whether the entry has the whole screen.
    pub open: bool,
    /// Rows by which the entry is scrolled.
    pub scroll: u16,
}

/// A reason in the making.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The request that will be denied.
    pub request: EntryId,
    /// Its call.
    pub call: CallId,
    /// The words so far.
    pub text: String,
}

/// Where the transcript's window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scroll {
    /// The first row of the window; `None` follows the end.
    pub top: Option<Position>,
    /// Rows to move by in the next frame, which alone knows how high the cards are.
    pub wish: i32,
    /// How many cards there were when the end was last in sight.
    pub seen: usize,
    /// A card that the next frame must bring into sight.
    pub reveal: Option<CardId>,
}

/// A row of the transcript, named by its card: cards above may be of unknown height.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    /// Which card.
    pub card: usize,
    /// Which of its rows, the empty one before it included.
    pub row: usize,
}

impl Local {
    /// The state at the start.
    pub fn new(settings: &ViewSettings) -> Self {
        Self {
            composer: Composer::default(),
            focus: Focus::Auto,
            overlay: None,
            reason: None,
            scroll: Scroll::default(),
            thinking_open: false,
            hint: None,
            steering: Vec::new(),
            queued: Vec::new(),
            quit_armed: false,
            mode: settings.mode,
            notice: None,
            read_only: false,
            answered: BTreeSet::new(),
            shown: None,
            page: 10,
            vim: Vim::default(),
            keymap: Keymap::default(),
        }
    }

    /// The requests that wait for a person and were not answered here yet, oldest first.
    pub fn waiting<'a>(&self, view: &'a View) -> Vec<(EntryId, &'a ApprovalRequest)> {
        let mut waiting = view.waiting();
        waiting.retain(|(request, _)| !self.answered.contains(request));
        waiting
    }

    /// What has the focus now. A waiting call takes it while the composer is empty; a call that is gone loses it.
    pub fn focused(&self, view: &View) -> Focus {
        let waiting = self.waiting(view);
        let first = waiting.first().map(|(_, r)| r.call);
        match self.focus {
            Focus::Composer => Focus::Composer,
            Focus::Approval(call) if waiting.iter().any(|(_, r)| r.call == call) => Focus::Approval(call),
            Focus::Card(id) if stands(view, id) => Focus::Card(id),
            Focus::Auto | Focus::Approval(_) | Focus::Card(_) => match first {
                Some(call) if self.composer.is_empty() => Focus::Approval(call),
                Some(_) | None => Focus::Composer,
            },
        }
    }

    /// The waiting call whose panel is shown whole: the focused one, or the oldest.
    pub fn chosen<'a>(&self, view: &'a View) -> Option<(EntryId, &'a ApprovalRequest)> {
        let waiting = self.waiting(view);
        let focused = match self.focused(view) {
            Focus::Approval(call) => waiting.iter().find(|(_, r)| r.call == call).copied(),
            Focus::Auto | Focus::Composer | Focus::Card(_) => None,
        };
        focused.or_else(|| waiting.first().copied())
    }
}

impl Inspector {
    /// How many rows fit the filter.
    pub fn count(&self, view: &View) -> usize {
        if self.filter.is_empty() { view.rows().len() } else { self.fitting(view).len() }
    }

    /// The positions of the rows that fit the filter; not asked for when there is none.
    pub fn fitting(&self, view: &View) -> Vec<usize> {
        let wanted = self.filter.to_lowercase();
        let fits = |at: usize| {
            view.rows().get(at).is_some_and(|row| {
                row.entry.body.kind().contains(&wanted)
                    || row.entry.id.to_string() == wanted
                    || row.marks.iter().any(|m| m.word().contains(&wanted))
                    || one_line(&row.entry).to_lowercase().contains(&wanted)
            })
        };
        (0..view.rows().len()).filter(|at| wanted.is_empty() || fits(*at)).collect()
    }

    /// The selected row's place among those that fit.
    pub fn place(&self, count: usize) -> usize {
        let last = count.saturating_sub(1);
        self.selected.map_or(last, |at| at.min(last))
    }
}

/// Whether a card that had the focus is still there.
fn stands(view: &View, id: CardId) -> bool {
    match id {
        CardId::Call(call) => view.panel(call).is_some(),
        CardId::Entry(entry) => view.compaction(entry).is_some(),
        CardId::Forming(..) => false,
    }
}

/// What the user has sent so far, oldest first.
pub fn sent(view: &View) -> Vec<&str> {
    let words = view.rows().iter().map(|row| match &row.entry.body {
        Body::User(message) => Some(message.content.as_str()),
        Body::Injected(said) if said.by == Injector::Steering => Some(said.text.as_str()),
        _ => None,
    });
    words.flatten().collect()
}
