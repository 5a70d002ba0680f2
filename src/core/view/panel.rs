//! One tool call and all that became of it.

use std::sync::Arc;

use crate::ledger::{
    ApprovalRequest, Arguments, Body, CallId, Decision, DelegationResponse, Entry, EntryId, EscrowSettlement,
    Millis, Outcome, TaskState, ToolResult, ToolUse,
};

use crate::tool::{Row, Screen, SideEffect, has_terminal, rows};

use super::{AskedBy, Tail};

/// The panel of one call.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    call: Arc<Entry>,
    edit: Option<Arc<Entry>>,
    /// What a hook has made of its arguments since then.
    hooked: Option<Arguments>,
    request: Option<Arc<Entry>>,
    decision: Option<Arc<Entry>>,
    answer: Option<Arc<Entry>>,
    /// Where the call stands.
    pub state: PanelState,
    /// The last of its live output; empty when it has its result.
    pub tail: Tail,
    /// What stands on its terminal, while it runs on one.
    pub screen: Option<Screen>,
    /// Whether a sub-agent works for it, and its result is waited for.
    pub is_subagent: bool,
    /// Whether its sub-agent settled as stopped: its result may have to wait for others.
    pub is_stopped: bool,
    /// The sub-agent that works for it in the background, if one does or did.
    pub in_background: Option<InBackground>,
    /// The sub-agent that makes it, where it is shown above that one's session.
    pub asked_by: Option<AskedBy>,
}

/// A sub-agent in the background.
#[derive(Debug, Clone, PartialEq)]
pub enum InBackground {
    /// It starts when another one is over.
    Queued,
    /// It works.
    AtWork,
    /// The process in which it worked is gone, and no entry says how it ended.
    Unsettled,
    /// It is over: what it has spent, and what it answered.
    Over(Box<EscrowSettlement>),
}

/// Where a call stands.
#[derive(Debug, Clone, PartialEq)]
pub enum PanelState {
    /// Announced; nobody has decided about it.
    Preparing,
    /// A person must decide.
    Waiting,
    /// Allowed; it starts when its turn comes.
    Queued,
    /// Refused; its result follows.
    Refused,
    /// It runs.
    Running {
        /// Since when.
        since: Millis,
        /// What it does to the world.
        effect: SideEffect,
    },
    /// It is over; its result is written when those before it are.
    Done(Outcome),
    /// It has its result.
    Finished(Arc<Entry>),
}

impl Panel {
    pub(super) fn new(call: Arc<Entry>) -> Self {
        let (state, tail) = (PanelState::Preparing, Tail::default());
        Self {
            call,
            edit: None,
            hooked: None,
            request: None,
            decision: None,
            answer: None,
            state,
            tail,
            screen: None,
            is_subagent: false,
            is_stopped: false,
            in_background: None,
            asked_by: None,
        }
    }

    /// The same call as it waits in the session above that of the sub-agent that makes it: by other ids, and without what would
    /// hold for longer than this call there. `None`: it does not wait.
    pub(super) fn as_guest(&self, call: CallId, entry: EntryId, asked_by: AskedBy) -> Option<Self> {
        let (asked_at, request) = (self.request.as_ref()?, self.request()?.1);
        let made = ToolUse { id: call, arguments: self.arguments()?.clone(), ..self.tool_use()?.clone() };
        let request = ApprovalRequest { call, rule: None, gaps: Vec::new(), ..request.clone() };
        let of = |at, body| Arc::new(Entry { id: entry, at, body });
        let made = if self.is_goal_check() { Body::Validation(made) } else { Body::ToolCall(made) };
        let mut panel = Self::new(of(self.call.at, made));
        panel.asked_by = Some(asked_by);
        panel.ask(of(asked_at.at, Body::ApprovalRequested(request)));
        Some(panel)
    }

    pub(super) fn ask(&mut self, request: Arc<Entry>) {
        self.request = Some(request);
        self.state = PanelState::Waiting;
    }

    pub(super) fn edit(&mut self, edit: Arc<Entry>) {
        self.edit = Some(edit);
        (self.hooked, self.request) = (None, None);
        self.state = PanelState::Preparing;
    }

    pub(super) fn change_by_hook(&mut self, arguments: Arguments) {
        self.hooked = Some(arguments);
    }

    pub(super) fn decide(&mut self, decision: Arc<Entry>, allow: bool) {
        self.decision = Some(decision);
        self.state = if allow { PanelState::Queued } else { PanelState::Refused };
    }

    pub(super) fn answer(&mut self, answer: Arc<Entry>) {
        self.answer = Some(answer);
    }

    pub(super) fn finish(&mut self, result: Arc<Entry>) {
        self.tail = Tail::default();
        self.screen = None;
        self.state = PanelState::Finished(result);
    }

    /// The call, as the model made it. `None` never happens: a panel is made of a call's entry.
    pub fn tool_use(&self) -> Option<&ToolUse> {
        match &self.call.body {
            Body::ToolCall(u) | Body::Validation(u) | Body::Command(u) => Some(u),
            _ => None,
        }
    }

    /// Whether the loop itself makes it, as the check of a goal.
    pub fn is_goal_check(&self) -> bool {
        matches!(self.call.body, Body::Validation(_))
    }

    /// The entry that announced it.
    pub(super) fn made_by(&self) -> EntryId {
        self.call.id
    }

    /// Whether the user runs it: `!command`.
    pub fn is_own_command(&self) -> bool {
        matches!(self.call.body, Body::Command(_))
    }

    /// Which call.
    pub fn id(&self) -> Option<CallId> {
        self.tool_use().map(|u| u.id)
    }

    /// Name of the tool, as the model wrote it: not yet safe for a screen.
    pub fn name(&self) -> &str {
        self.tool_use().map_or("", |u| u.name.as_str())
    }

    /// What it is called with: what the user or a hook has made of it.
    pub fn arguments(&self) -> Option<&Arguments> {
        match (&self.hooked, self.edit.as_ref().map(|entry| &entry.body)) {
            (Some(arguments), _) => Some(arguments),
            (None, Some(Body::CallEdited(changed))) => Some(&changed.arguments),
            _ => self.tool_use().map(|u| &u.arguments),
        }
    }

    /// Whether the user has changed its arguments.
    pub fn is_edited(&self) -> bool {
        self.edit.is_some()
    }

    /// Who has changed its arguments, with this word for the user; nobody in most cases.
    pub fn changed_by(&self, user: &str) -> Option<String> {
        match (self.is_edited(), self.hooked.is_some()) {
            (true, true) => Some(format!("{user} and a hook")),
            (true, false) => Some(user.to_owned()),
            (false, true) => Some("a hook".to_owned()),
            (false, false) => None,
        }
    }

    /// What the model, or the user, called it with, before anybody changed it.
    pub fn wished(&self) -> Option<&Arguments> {
        self.tool_use().map(|u| &u.arguments)
    }

    /// The request for a decision and the entry that an answer must name, if there was one.
    pub fn request(&self) -> Option<(EntryId, &ApprovalRequest)> {
        let entry = self.request.as_ref()?;
        if let Body::ApprovalRequested(r) = &entry.body { Some((entry.id, r)) } else { None }
    }

    /// The decision, if it was made.
    pub fn decision(&self) -> Option<&Decision> {
        if let Body::ApprovalDecided(d) = &self.decision.as_ref()?.body { Some(d) } else { None }
    }

    /// Whether a sub-agent did it that was stopped before its end: by the user, or with the run.
    pub fn was_stopped(&self) -> bool {
        let answer = self.answer.as_ref().map(|entry| &entry.body);
        let is_stopped = |a: &DelegationResponse| a.state == TaskState::Canceled && a.is_error;
        match &self.in_background {
            Some(InBackground::Over(settled)) => settled.state == TaskState::Canceled,
            _ => {
                let is_told = matches!(answer, Some(Body::DelegationAnswered(a)) if is_stopped(a));
                self.is_subagent && (self.is_stopped || is_told)
            }
        }
    }

    /// Whether another agent asks for something before it goes on with its task.
    pub fn asks_back(&self) -> bool {
        let answer = self.answer.as_ref().map(|entry| &entry.body);
        matches!(answer, Some(Body::DelegationAnswered(a)) if a.state == TaskState::InputRequired && !a.is_error)
    }

    /// The result, if it is written.
    pub fn result(&self) -> Option<&ToolResult> {
        let PanelState::Finished(entry) = &self.state else { return None };
        if let Body::ToolResult(r) = &entry.body { Some(r) } else { None }
    }

    /// The rows of its result, how it ended included, in the looks that the command gave them; not yet safe for a screen.
    pub fn result_rows(&self) -> Vec<Row> {
        let Some(result) = self.result() else { return Vec::new() };
        match &result.written {
            Some(written) => rows(written),
            None => result.shown().lines().map(Row::from).collect(),
        }
    }

    /// The rows that it has written so far, the last ones or those on its terminal; not yet safe for a screen.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &Row> {
        let rows = self.screen.iter().flat_map(Screen::written);
        self.tail.rows().filter(|_| self.screen.is_none()).chain(rows)
    }

    /// The lines that it has written so far, the last ones or those on its terminal; not yet safe for a screen.
    pub fn written(&self) -> impl DoubleEndedIterator<Item = &str> {
        let rows = self.screen.iter().flat_map(Screen::lines);
        self.tail.lines().filter(|_| self.screen.is_none()).chain(rows)
    }

    /// Whether it is a command that asks for a terminal.
    pub fn has_terminal(&self) -> bool {
        self.arguments().is_some_and(|arguments| has_terminal(self.name(), arguments))
    }

    /// Whether it runs on a terminal that can be typed into.
    pub fn takes_keys(&self) -> bool {
        matches!(self.state, PanelState::Running { .. }) && self.has_terminal()
    }

    /// Whether it has a box of its own: it waits for a person, or it runs and has something to show or takes keys.
    pub fn is_boxed(&self) -> bool {
        // The result of one that works in the background may wait for those of calls before it.
        let began = matches!(self.state, PanelState::Running { .. } | PanelState::Done(Outcome::Ok));
        // One that waits for its turn has nothing to show.
        let is_behind = self.in_background == Some(InBackground::AtWork);
        match self.state {
            PanelState::Waiting => true,
            _ if began && is_behind => true,
            PanelState::Running { .. } => {
                self.is_subagent || self.takes_keys() || self.written().next().is_some()
            }
            PanelState::Preparing | PanelState::Queued | PanelState::Refused | PanelState::Done(_) => false,
            PanelState::Finished(_) => is_behind,
        }
    }

    /// Whether it is a sub-agent that works in the background, or waits for its turn to.
    pub fn works_in_background(&self) -> bool {
        matches!(self.in_background, Some(InBackground::AtWork | InBackground::Queued))
    }
}
