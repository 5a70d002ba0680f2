//! The invariants, stated a second time and independently of the code under test, over the persisted log.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use countersign::ledger::{
    ApprovalRequest, AssistantMessage, Body, CallId, Change, Decision, Ending, Entry, EntryId, Injector,
    Mode, ModelRef, Note, NoteKind, Outcome, ToolResult, ToolUse, Transition,
};
use countersign::tool::{Invocation, delegate};
use serde_json::Value;

use crate::backgrounds::Backgrounds;
use crate::clocks::RunClock;
use crate::delegations::Delegations;
use crate::gaps::Gaps;
use crate::goals::{Pursuit, end_pursuit};
use crate::grants::Grants;
use crate::hosts::OpenHosts;
use crate::own_commands::OwnCommands;
use crate::prices::Prices;
use crate::subagents::Escrows;

/// What no history may contain: late news is marked with this word by the world.
pub const LATE: &str = "LATE";

/// What the log says so far; read incrementally, one entry at a time.
#[derive(Default, Clone)]
pub struct Log {
    pub entries: Vec<Arc<Entry>>,
    ids: BTreeSet<EntryId>,
    /// Calls of the last message, in order, that have no result yet.
    pub open: Vec<CallId>,
    pub settled: BTreeSet<CallId>,
    announced: BTreeSet<CallId>,
    /// Calls of the loop itself: no model may see their results.
    pub ours: BTreeSet<CallId>,
    /// The goal of the run.
    pursuit: Option<Pursuit>,
    pub allowed: BTreeSet<CallId>,
    /// What people granted for the session and did not take back: the rule, or the exact action.
    pub granted: Grants,
    own_commands: OwnCommands,
    /// Open approval requests.
    pub asked: BTreeMap<CallId, EntryId>,
    /// Calls that waited when the process died: each may be asked about once more.
    again: BTreeSet<CallId>,
    /// Calls that the books say were typed into.
    pub typed_into: BTreeSet<CallId>,
    /// What people made of a call's arguments.
    edited: BTreeMap<CallId, Value>,
    /// Changed calls of which no model was told.
    pub(crate) untold_edits: BTreeSet<CallId>,
    /// Whether files were put back of which no model was told; and whether the user has spoken since.
    pub(crate) untold_undo: Option<bool>,
    /// Tasks that went to another agent.
    pub delegations: Delegations,
    pub escrows: Escrows,
    pub clock: RunClock,
    /// Commands that go on in the background.
    pub backgrounds: Backgrounds,
    /// What people answered to questions.
    answers: BTreeMap<CallId, String>,
    /// The arguments that were last asked about.
    shown: BTreeMap<CallId, Value>,
    pub run_is_open: bool,
    /// A raised limit takes the stopped run up again, with the next transition; or was raised by too little.
    raised: bool,
    prices: Prices,
    pub tombstones: BTreeSet<EntryId>,
    pub turns: u32,
    /// The model that was chosen last in the session.
    pub model: Option<ModelRef>,
    /// The mode that was recorded last.
    mode: Option<Mode>,
    hosts: OpenHosts,
    pub gaps: Gaps,
    /// A process died, or was closed: calls that waited are settled after those behind them.
    died: bool,
}

impl Log {
    /// The log of these entries.
    pub fn of(entries: &[Arc<Entry>]) -> Result<Self, String> {
        let mut log = Self::default();
        entries.iter().try_for_each(|entry| log.append(Arc::clone(entry)))?;
        Ok(log)
    }

    /// The same rules over an empty log.
    pub fn emptied(&self) -> Self {
        Self { died: self.died, ..Self::default() }
    }

    /// From here on another process writes.
    pub fn died(&mut self) {
        self.died = true;
        self.again = self.asked.keys().copied().collect();
        self.gaps.died();
    }

    /// Appends one entry, or says which law it breaks.
    pub fn append(&mut self, entry: Arc<Entry>) -> Result<(), String> {
        if !self.ids.insert(entry.id) {
            return Err(format!("{} is written twice", entry.id));
        }
        if self.entries.is_empty() != matches!(entry.body, Body::SessionStarted(_)) {
            return Err("a session begins with session_started, once".into());
        }
        self.escrows.read(&entry.body, &self.delegations, self.died)?;
        self.clock.read(&entry)?;
        match &entry.body {
            Body::User(_) => {
                self.prices.say();
                self.nothing_open("a user message")?;
                self.own_commands.say(entry.id);
                (self.run_is_open, self.pursuit) = (true, None);
                self.untold_undo = self.untold_undo.map(|_| true);
            }
            Body::Injected(i) => {
                self.nothing_open("an injected message")?;
                self.backgrounds.tell(i)?;
                if i.by == Injector::Command {
                    self.own_commands.tell()?;
                }
                if i.by == Injector::Undo {
                    self.untold_undo.take().ok_or("a model is told of an undo that was not")?;
                }
                if i.by == Injector::Edit {
                    self.untold_edits.clear();
                }
            }
            Body::Transition { turn, .. } => {
                self.prices.ask()?;
                self.nothing_open("a transition")?;
                self.own_commands.ask()?;
                self.run_is_open = true;
                self.turns = *turn;
            }
            Body::Assistant(m) => self.assistant(m)?,
            Body::ToolCall(c) => self.announce(c)?,
            Body::Validation(_) | Body::Goal(_) | Body::Checkpoint(_) | Body::Handoff { .. } => {
                self.of_a_goal(&entry.body)?;
            }
            Body::Command(c) => self.own_command(c)?,
            Body::ApprovalRequested(r) => self.ask(r, entry.id)?,
            Body::CallEdited(u) => self.edit(u)?,
            Body::ApprovalDecided(d) => self.decide(d)?,
            Body::DelegationRequested(r) => self.delegations.send(r, self.allowed.contains(&r.call))?,
            Body::DelegationAnswered(r) => self.delegations.end(r)?,
            Body::ToolResult(r) => self.result(r)?,
            Body::TurnEnded(ended) => self.end_run(ended.reason)?,
            Body::Compaction(c) => self.compaction(&c.summary)?,
            Body::Tombstone(t) => {
                self.tombstones.insert(t.target);
            }
            Body::Change(change) => self.change(change)?,
            Body::SessionStarted(s) => (self.model, self.mode) = (Some(s.model.clone()), s.mode),
            Body::Note(note) => self.note(note)?,
            Body::Progress(_) | Body::ProviderLimit(_) | Body::Error { .. } => {}
        }
        self.entries.push(entry);
        Ok(())
    }

    fn change(&mut self, change: &Change) -> Result<(), String> {
        match change {
            Change::Budget { .. } => self.raised = true,
            Change::PriceAccepted { .. } => {
                self.prices.accept()?;
                self.raised = true;
            }
            Change::Model { model, .. } => self.model = Some(model.clone()),
            Change::Mode { mode, .. } if self.mode.replace(*mode) == Some(*mode) => {
                return Err(format!("the mode becomes {mode}, which it was"));
            }
            Change::GrantRevoked { call } => self.granted.revoke(*call)?,
            Change::BackgroundStopped { id, call } => self.backgrounds.stop(id, *call)?,
            Change::FilesRestored(_) => self.untold_undo = Some(self.untold_undo.unwrap_or(false)),
            Change::Rewound { message, .. } if self.run_is_open || !self.ids.contains(message) => {
                return Err(format!("the conversation goes back to before {message}"));
            }
            Change::GapsAccepted { .. } | Change::GapsRefused => self.gaps.change(change)?,
            Change::HostOpened { .. } | Change::HostClosed { .. } => self.hosts.change(change)?,
            _ => {}
        }
        Ok(())
    }

    fn end_run(&mut self, reason: Ending) -> Result<(), String> {
        self.nothing_open("turn_ended")?;
        self.own_commands.end(&self.tombstones)?;
        end_pursuit(self.pursuit.as_mut(), reason)?;
        self.prices.end(reason, self.entries.last().map(AsRef::as_ref))?;
        if !self.run_is_open && !self.raised {
            return Err("turn_ended without a run".into());
        }
        (self.run_is_open, self.raised) = (false, false);
        Ok(())
    }

    fn decide(&mut self, decision: &Decision) -> Result<(), String> {
        let call = decision.call;
        self.asked.remove(&call);
        self.gaps.decide(decision)?;
        if !self.open.contains(&call) {
            return Err(format!("a decision about {call}, which is not open"));
        }
        // Of all the rules that people tried to take only one was ever shown.
        if decision.rule.as_ref().is_some_and(|rule| rule != "write(src/*)") {
            return Err(format!("{call} took a rule that was not shown"));
        }
        if decision.allow {
            self.allowed.insert(call);
            self.granted.decide(decision)?;
        }
        self.answers.extend(decision.answer.clone().map(|answer| (call, answer)));
        Ok(())
    }

    /// What was asked before is void; only a call that waits can be changed, and never the loop's own.
    fn edit(&mut self, changed: &ToolUse) -> Result<(), String> {
        let call = changed.id;
        if self.asked.remove(&call).is_none() || self.ours.contains(&call) {
            return Err(format!("{call} is edited, but does not wait"));
        }
        self.shown.remove(&call);
        self.edited.insert(call, changed.arguments.to_value());
        self.untold_edits.insert(call);
        Ok(())
    }

    /// Hooks may change a call once more, whoever changed it before: it is another action then.
    fn note(&mut self, note: &Note) -> Result<(), String> {
        self.delegations.note(note)?;
        self.backgrounds.note(note)?;
        if matches!(note.kind, NoteKind::ChangedByHook { .. }) {
            let call = note.about.call().ok_or("a hook changed what is no call")?;
            self.edited.remove(&call);
            self.shown.remove(&call);
        }
        if let Some(call) = note.typed_into()
            && !self.typed_into.insert(call)
        {
            return Err(format!("that {call} was typed into is said twice"));
        }
        Ok(())
    }

    /// A call is asked about once, and once more each time it is changed: with what it was changed to. Or when the process died.
    fn ask(&mut self, request: &ApprovalRequest, entry: EntryId) -> Result<(), String> {
        let call = request.call;
        if self.edited.get(&call).is_some_and(|edited| *edited != request.arguments) {
            return Err(format!("{call} was changed, and something else is asked about"));
        }
        self.granted.ask(request);
        self.gaps.ask(request)?;
        let is_the_same = self.shown.insert(call, request.arguments.clone()).map(|s| s == request.arguments);
        let may_again = self.gaps.asks_again(call) | self.again.remove(&call);
        let again = may_again && is_the_same == Some(true);
        if (self.asked.insert(call, entry).is_some() || is_the_same.is_some()) && !again {
            return Err(format!("{call} is asked about twice"));
        }
        Ok(())
    }

    /// What runs is what was asked about, and what people made of it.
    pub fn may_run(&self, run: &Invocation) -> Result<(), String> {
        let (call, arguments) = (run.call, run.arguments.to_value());
        let differs = |said: Option<&Value>| said.is_some_and(|said| *said != arguments);
        if differs(self.shown.get(&call)) || differs(self.edited.get(&call)) {
            return Err(format!("{call} runs with other arguments than were asked about"));
        }
        self.hosts.start(run)?;
        self.escrows.tasks.may_be_sent(run)?;
        self.delegations.may_run(run)
    }

    fn compaction(&self, summary: &str) -> Result<(), String> {
        self.nothing_open("a compaction")?;
        if summary.contains(LATE) { Err("a cancelled stream wrote a summary".into()) } else { Ok(()) }
    }

    fn announce(&mut self, made: &ToolUse) -> Result<(), String> {
        let call = made.id;
        self.backgrounds.begin(made);
        if !self.open.contains(&call) || !self.announced.insert(call) {
            return Err(format!("tool_call {call} without its message, or twice"));
        }
        Ok(())
    }

    fn own_command(&mut self, call: &ToolUse) -> Result<(), String> {
        self.nothing_open("a command of the user")?;
        match delegate(&call.name) {
            Some(_) => self.own_commands.lane()?,
            None => self.own_commands.begin()?,
        }
        self.own_call(call)
    }

    /// A call that no model made: alone, and announced by itself.
    fn own_call(&mut self, call: &ToolUse) -> Result<(), String> {
        if !self.announced.insert(call.id) || self.settled.contains(&call.id) {
            return Err(format!("the call {} uses an id twice", call.id));
        }
        self.ours.insert(call.id);
        self.open = vec![call.id];
        Ok(())
    }

    fn of_a_goal(&mut self, body: &Body) -> Result<(), String> {
        self.nothing_open(body.kind())?;
        match body {
            Body::Validation(c) => self.own_call(c)?,
            Body::Goal(goal) => {
                self.pursuit = Some(Pursuit { goal: Some(goal.clone()), ..Pursuit::default() });
            }
            Body::Handoff { .. } => {
                self.pursuit.as_mut().ok_or("a handoff without a goal")?.handed_off = true;
            }
            _ => {}
        }
        Ok(())
    }

    fn assistant(&mut self, message: &AssistantMessage) -> Result<(), String> {
        self.nothing_open("an assistant message")?;
        if message.text().contains(LATE) || message.calls().any(|c| c.name.contains(LATE)) {
            return Err("a cancelled stream wrote a message".into());
        }
        self.open = message.calls().map(|c| c.id).collect();
        if self.open.iter().any(|c| self.settled.contains(c)) {
            return Err("a call id is used twice".into());
        }
        Ok(())
    }

    fn result(&mut self, result: &ToolResult) -> Result<(), String> {
        if result.content.contains(LATE) {
            return Err("a cancelled tool wrote a result".into());
        }
        if self.settled.contains(&result.call) {
            return Err(format!("call {} has two results", result.call));
        }
        self.delegations.result(result, self.died)?;
        self.backgrounds.result(result);
        if let Some(answer) = self.answers.get(&result.call)
            && (result.outcome != Outcome::Ok || result.content != *answer)
        {
            return Err(format!("the answer to {} is lost", result.call));
        }
        let told = result.content.starts_with("[the user typed into this terminal while it ran]");
        if told != self.typed_into.contains(&result.call) {
            return Err(format!("the result of {} says of typing: {told}", result.call));
        }
        let due = self.open.iter().position(|call| *call == result.call);
        let (Some(at), true) = (due, self.died || due == Some(0)) else {
            return Err(format!("result of {}, while the next due is {:?}", result.call, self.open.first()));
        };
        if let Some(pursuit) = self.pursuit.as_mut().filter(|_| self.ours.contains(&result.call)) {
            pursuit.proved = result.outcome == Outcome::Ok;
        }
        if !self.announced.contains(&result.call) {
            return Err(format!("result of {} before its tool_call line", result.call));
        }
        self.open.remove(at);
        self.settled.insert(result.call);
        self.gaps.over(result.call);
        self.asked.remove(&result.call);
        Ok(())
    }

    pub fn nothing_open(&self, before: &str) -> Result<(), String> {
        let open = || format!("{before} before the results of {:?}", self.open);
        self.open.is_empty().then_some(()).ok_or_else(open)
    }

    /// Who is asked is in the ledger: the model that was chosen last, unless the run has fallen back since.
    pub fn may_be_asked(&self, asked: &ModelRef) -> Result<(), String> {
        let since = self.entries.iter().rev();
        let other = |e: &Body| matches!(e, Body::User(_) | Body::Change(Change::Model { .. }));
        let mut since = since.take_while(|e| !other(&e.body));
        let fell_back =
            |e: &Arc<Entry>| matches!(e.body, Body::Transition { reason: Transition::ModelFallback, .. });
        if since.any(fell_back) || self.model.as_ref() == Some(asked) {
            return Ok(());
        }
        Err(format!("{asked} is asked, and the ledger says {:?}", self.model))
    }

    pub fn is_settled(&self, call: CallId) -> bool {
        self.settled.contains(&call)
    }

    pub fn is_announced(&self, call: CallId) -> bool {
        self.announced.contains(&call)
    }
}
