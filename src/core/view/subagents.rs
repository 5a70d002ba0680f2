//! The sessions of sub-agents, each a view of its own beside the panel that started it. Facts of the process: a ledger keeps
//! what was set aside and what came of it, and the sub-agent's own ledger keeps the rest.

use std::sync::Arc;

use crate::agent::{Event, SubagentPath};
use crate::ledger::{
    ApprovalRequest, Body, CallId, Change, Entry, EntryId, Escrow, EscrowSettlement, TaskState,
    results_left_open,
};

use super::panel::InBackground;
use super::session::Whose;
use super::{PanelState, Phase, View};

/// A call that waits: the calls that lead to its session, the request's entry there, and what is asked.
pub type WaitingCall<'v> = (SubagentPath, EntryId, &'v ApprovalRequest);

impl View {
    /// Makes a view for a sub-agent that starts.
    pub(super) fn subagent_starts(&mut self, escrow: &Escrow) {
        self.escrows.insert(escrow.call, escrow.clone());
        if escrow.is_elsewhere() {
            return;
        }
        self.subagents.insert(escrow.call, self.empty_below(escrow));
        let (in_background, waits) = (escrow.in_background, escrow.waits);
        self.change_panel(escrow.call, |panel| {
            panel.is_subagent = !in_background;
            let stands = if waits { InBackground::Queued } else { InBackground::AtWork };
            panel.in_background = in_background.then_some(stands);
        });
    }

    /// One that waited for its turn starts.
    pub(super) fn turn_comes(&mut self, call: CallId) {
        if let Some(view) = self.subagents.get_mut(&call) {
            view.waits_for_turn = false;
        }
        self.change_panel(call, |panel| panel.in_background = Some(InBackground::AtWork));
    }

    /// The session above heard this while this one, which that call started, is shown by itself. Says whether
    /// its turn comes with it.
    pub fn hear_above(&mut self, call: CallId, event: &Event) -> bool {
        let starts = Body::Change(Change::SubagentStarted { call });
        let comes = matches!(event, Event::Appended(entry) if entry.body == starts);
        comes && std::mem::take(&mut self.waits_for_turn)
    }

    /// Whether this session is that of a sub-agent which starts when another one is over.
    pub fn waits_for_turn(&self) -> bool {
        self.waits_for_turn
    }

    /// A view of a session with these limits, in which nothing has happened.
    fn empty_below(&self, escrow: &Escrow) -> Self {
        let mut settings = self.settings.clone();
        for limit in crate::ledger::Limit::ALL {
            settings.limits.set(*limit, escrow.limits.get(limit).copied());
        }
        settings.token_budget = None;
        let mut view = Self::new(settings);
        view.waits_for_turn = escrow.waits;
        view.whose = Whose::Subagents;
        view
    }

    /// The worktree of a sub-agent that begins with this, if it has one: it works in another folder than this session, or this one is in a
    /// worktree already.
    fn worktree_below(&self, event: &Event) -> Option<String> {
        let Event::Appended(entry) = event else { return None };
        let Body::SessionStarted(began) = &entry.body else { return None };
        let own = self.rows().first().map(|row| &row.entry.body);
        let is_here = matches!(own, Some(Body::SessionStarted(own)) if own.cwd == began.cwd);
        (!is_here || self.worktree.is_some()).then(|| began.cwd.clone())
    }

    fn works_in(&mut self, worktree: Option<String>) {
        if let Some(folder) = worktree {
            self.settings.cwd.clone_from(&folder);
            self.settings.branch = None;
            self.worktree = Some(folder);
        }
    }

    /// What was folded so far is of an earlier process: none of its sub-agents works any more.
    pub(super) fn forsake_subagents(&mut self) {
        for call in std::mem::take(&mut self.subagents).into_keys() {
            self.change_panel(call, |panel| {
                if matches!(panel.in_background, Some(InBackground::AtWork | InBackground::Queued)) {
                    panel.in_background = Some(InBackground::Unsettled);
                }
            });
        }
    }

    /// The id of the session of the sub-agent that this call started, if it started one.
    pub fn subagent_session(&self, call: CallId) -> Option<&str> {
        self.escrow_here(call).map(|escrow| escrow.session.as_str())
    }

    /// What is set aside for a sub-agent, which is no agent elsewhere.
    fn escrow_here(&self, call: CallId) -> Option<&Escrow> {
        self.escrows.get(&call).filter(|escrow| !escrow.is_elsewhere())
    }

    /// The session of a sub-agent as its ledger tells it, after the process in which it worked.
    pub fn past_subagent(&self, call: CallId, entries: Vec<Arc<Entry>>) -> Option<Self> {
        let mut view = self.empty_below(self.escrow_here(call)?);
        view.whose = Whose::PastSubagents;
        let first = entries.first().map(|entry| Event::Appended(Arc::clone(entry)));
        view.works_in(first.and_then(|first| self.worktree_below(&first)));
        // Of a ledger that is not sound nobody knows what became of its calls.
        let results = results_left_open(&entries).unwrap_or_default();
        entries.into_iter().for_each(|entry| view.fold(&Event::Appended(entry)));
        view.close_calls(results);
        view.resume();
        Some(view)
    }

    /// Nobody decides any more, and nothing runs: each open call shows what became of it. That is in no file, so the rows do not have it.
    fn close_calls(&mut self, results: Vec<Arc<Entry>>) {
        for call in std::mem::take(&mut self.asks) {
            self.change_panel(call, |panel| panel.state = PanelState::Preparing);
        }
        for entry in results {
            if let Body::ToolResult(result) = &entry.body {
                self.change_panel(result.call, |panel| panel.finish(Arc::clone(&entry)));
            }
        }
        self.invite();
    }

    /// Whether this session is that of a sub-agent which is done: nobody in it takes anything any more.
    pub fn is_over_below(&self) -> bool {
        match self.whose {
            Whose::Persons => false,
            Whose::Subagents => !self.is_at_work() && self.has_ended(),
            Whose::PastSubagents => true,
        }
    }

    /// Whether this session is that of a sub-agent.
    pub fn is_below(&self) -> bool {
        self.whose != Whose::Persons
    }

    /// Whether a run of it has ended, whatever was written after that.
    fn has_ended(&self) -> bool {
        self.rows().iter().rev().any(|row| matches!(row.entry.body, Body::TurnEnded(_)))
    }

    /// One is over: of one in the background nothing else says it, and the result of another may have to wait.
    pub(super) fn report(&mut self, settled: &EscrowSettlement) {
        // One that was stopped before its turn came has no session to be seen.
        if self.subagents.get(&settled.call).is_some_and(Self::waits_for_turn) {
            self.subagents.remove(&settled.call);
        }
        self.change_panel(settled.call, |panel| {
            panel.is_stopped = settled.state == TaskState::Canceled;
            if panel.in_background.is_some() {
                panel.in_background = Some(InBackground::Over(Box::new(settled.clone())));
            }
        });
    }

    /// How many sub-agents work in the background.
    pub fn in_background(&self) -> usize {
        let works = |(call, view): &(CallId, &Self)| {
            let is_background =
                || self.panel(*call).is_some_and(|panel| panel.in_background == Some(InBackground::AtWork));
            view.last_end().is_none() && is_background()
        };
        self.subagents().filter(works).count()
    }

    /// Whether a path leads to a sub-agent that works in the background, or below one.
    pub fn is_below_background(&self, path: &[CallId]) -> bool {
        let panel = path.first().and_then(|call| self.panel(*call));
        panel.is_some_and(|panel| panel.in_background == Some(InBackground::AtWork))
    }

    /// Something happened in the session of a sub-agent.
    pub(super) fn subagent_event(&mut self, call: CallId, event: &Event) {
        let clock = self.clock;
        let worktree = self.worktree_below(event);
        if let Some(view) = self.subagents.get_mut(&call) {
            view.tick(clock);
            view.fold(event);
            view.works_in(worktree);
            self.change_panel(call, |_panel| {});
            if matches!(event.located().1, Event::Appended(_)) {
                self.invite();
            }
        }
    }

    /// The session of the sub-agent that this call started, as far as this process has seen it.
    pub fn subagent(&self, call: CallId) -> Option<&Self> {
        self.subagents.get(&call)
    }

    /// The session at the end of a path of such calls: this one, if there is none.
    pub fn below(&self, path: &[CallId]) -> Option<&Self> {
        path.iter().try_fold(self, |view, call| view.subagent(*call))
    }

    /// The session of that sub-agent, taken out to be shown by itself.
    pub fn take_subagent(&mut self, call: CallId) -> Option<Self> {
        let taken = self.subagents.remove(&call);
        self.invite();
        taken
    }

    /// Put back, with what happened there meanwhile.
    pub fn put_subagent(&mut self, call: CallId, view: Self) {
        let is_over =
            self.panel(call).is_some_and(|panel| matches!(panel.in_background, Some(InBackground::Over(_))));
        if !(view.waits_for_turn && is_over) {
            self.subagents.insert(call, view);
        }
        self.revision.rise();
        self.change_panel(call, |_panel| {});
        self.invite();
    }

    /// The sub-agents that this process has seen, in the order of their calls.
    pub fn subagents(&self) -> impl Iterator<Item = (CallId, &Self)> {
        self.subagents.iter().map(|(call, view)| (*call, view))
    }

    /// Calls that wait for a person in this session and those of its sub-agents.
    pub fn waiting_everywhere(&self) -> usize {
        let own = self.own_waiting().count();
        own + self
            .subagents
            .values()
            .filter(|view| view.is_at_work())
            .map(Self::waiting_everywhere)
            .sum::<usize>()
    }

    /// Calls that wait for a person in this session and those of its sub-agents: the calls that lead to the session, the request's
    /// entry in its ledger, and what is asked.
    pub fn waiting_calls(&self) -> impl Iterator<Item = WaitingCall<'_>> {
        let mut all = Vec::new();
        self.gather_waiting(&[], &mut all);
        all.into_iter()
    }

    fn gather_waiting<'v>(&'v self, path: &[CallId], all: &mut Vec<WaitingCall<'v>>) {
        all.extend(self.own_waiting().map(|(entry, asked)| (path.to_vec(), entry, asked)));
        for (call, view) in self.subagents().filter(|(_, view)| view.is_at_work()) {
            let below: Vec<CallId> = path.iter().copied().chain([call]).collect();
            view.gather_waiting(&below, all);
        }
    }

    /// A sub-agent is over: it waits for nobody any more, whatever it was told of last.
    pub(super) fn subagent_ends(&mut self, call: CallId) {
        if let Some(view) = self.subagents.get_mut(&call) {
            view.asks.clear();
            view.guests.clear();
            let below: Vec<CallId> = view.subagents.keys().copied().collect();
            below.into_iter().for_each(|call| view.subagent_ends(call));
        }
    }

    /// Whether a run is under way.
    pub fn is_at_work(&self) -> bool {
        !matches!(self.status.phase, Phase::Idle)
    }
}
