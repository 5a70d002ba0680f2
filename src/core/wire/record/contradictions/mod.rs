//! What entries say of each other that no loop of ours has written, though each of them may stand: for checks of whole files, in which
//! somebody may have changed a line and made the chain anew. What the ledger itself holds is checked before.

mod of_calls;
mod of_contents;
mod of_runs;
mod of_sessions;
mod of_tasks;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::budget::{Limits, Meter};
use crate::ledger::{
    Arguments, AssistantMessage, Body, CallId, Decider, Ending, Entry, EntryId, Escrow, Fault, LeftOut, Mode,
    Note, NoteKind, Sandboxing, SessionStarted, ToolUse,
};
use crate::tool::delegate;
use crate::tool::name::{EDIT, WRITE};

use of_calls::task_of;
use of_runs::RunReading;
use of_tasks::TaskReading;

/// Every contradiction with the position of its entry. What depends on a field that is left out is not
/// compared, and all else is. `is_copy`: the session was made from another one, whose name its older receipts
/// have.
pub(super) fn contradictions(
    entries: &[Arc<Entry>],
    left_out: &LeftOut,
    is_copy: bool,
) -> Vec<(usize, Fault)> {
    let mut read = SessionReading::new(left_out, is_copy);
    for (position, entry) in entries.iter().enumerate() {
        read.position = position;
        read.entry(entry);
        read.meter.read(entry);
    }
    read.faults
}

/// What is known of a call.
#[derive(Default)]
struct KnownCall {
    name: String,
    /// What the provider calls it.
    wire_id: String,
    /// Of a call that changes a file, as it was made or changed last. `None`: nobody wrote down to what it was changed.
    arguments: Option<Arguments>,
    /// The task that it hands over, as far as that is known.
    task: Option<String>,
    /// Its place among all calls.
    number: usize,
    is_announced: bool,
    /// A person typed it.
    is_own: bool,
    /// It checks a goal.
    is_check: bool,
    /// What the last question about it says the sandbox cannot hide. `None`: nobody was asked.
    asked: Option<Vec<String>>,
    /// Where it runs if that question is answered with yes.
    sandboxing: Sandboxing,
    /// Whether the last decision lets it run only in the sandbox.
    sandboxed: Option<bool>,
    /// Why it was denied.
    reason: Option<String>,
    /// What a person answered.
    answer: Option<String>,
    /// Left out: what a person answered, and what the last question says the sandbox cannot hide.
    lacks_answer: bool,
    lacks_gaps: bool,
    /// Who decided, whether it may run, and whether the decision is an answer.
    decided: Option<(Decider, bool, bool)>,
    is_delegated: bool,
}

struct SessionReading<'l> {
    left_out: &'l LeftOut,
    is_copy: bool,
    position: usize,
    faults: Vec<(usize, Fault)>,
    session: String,
    mode: Option<Mode>,
    calls: BTreeMap<CallId, KnownCall>,
    open: BTreeSet<(usize, CallId)>,
    ids: BTreeSet<EntryId>,
    withdrawn_early: BTreeSet<EntryId>,
    withdrawn: BTreeSet<EntryId>,
    /// Messages of the user, and all else that can be withdrawn.
    messages: BTreeSet<EntryId>,
    withdrawable: BTreeSet<EntryId>,
    escrows: BTreeMap<CallId, (Escrow, bool)>,
    tasks: BTreeMap<CallId, TaskReading>,
    /// What stands here was done by another program: until a model is asked here.
    is_foreign: bool,
    is_own: bool,
    /// How the last run ended, if no other has begun.
    ended: Option<Ending>,
    not_ok: Vec<(CallId, String)>,
    /// What models said in this run, without what was withdrawn.
    answers: Vec<(EntryId, Arc<AssistantMessage>)>,
    /// Those of all runs whose words are left out.
    unread: BTreeSet<EntryId>,
    run: RunReading,
    meter: Meter,
}

impl<'l> SessionReading<'l> {
    fn new(left_out: &'l LeftOut, is_copy: bool) -> Self {
        Self {
            left_out,
            is_copy,
            position: 0,
            faults: Vec::new(),
            session: String::new(),
            mode: None,
            calls: BTreeMap::new(),
            open: BTreeSet::new(),
            ids: BTreeSet::new(),
            withdrawn_early: BTreeSet::new(),
            withdrawn: BTreeSet::new(),
            messages: BTreeSet::new(),
            withdrawable: BTreeSet::new(),
            escrows: BTreeMap::new(),
            tasks: BTreeMap::new(),
            is_foreign: false,
            is_own: false,
            ended: None,
            not_ok: Vec::new(),
            answers: Vec::new(),
            unread: BTreeSet::new(),
            run: RunReading::default(),
            meter: Meter::new(Limits::default()),
        }
    }

    fn entry(&mut self, entry: &Entry) {
        let id = entry.id;
        self.ids.insert(id);
        if self.withdrawn_early.contains(&id) {
            self.fault(id, format!("{id} was withdrawn before it was written"));
        }
        match &entry.body {
            Body::SessionStarted(started) => self.began(started),
            Body::User(_) => {
                self.messages.insert(id);
                self.withdrawable.insert(id);
                self.not_ok.clear();
                self.answers.clear();
                self.ended = None;
                self.run_begins(id);
            }
            Body::Injected(_) => drop(self.withdrawable.insert(id)),
            Body::Assistant(said) => self.said(id, said),
            Body::ToolCall(call) => self.announced(id, call),
            Body::Validation(call) => {
                self.makes(call, false);
                self.of(call.id, |known| (known.is_announced, known.is_check) = (true, true));
                self.checks(id, call);
            }
            Body::Command(call) => {
                self.makes(call, true);
                self.own_command();
            }
            Body::CallEdited(_) => self.call_changed(&entry.body),
            Body::Note(note) => self.remarked(id, note, &entry.body),
            Body::ApprovalRequested(asked) => self.asked(id, asked),
            Body::ApprovalDecided(decision) => self.decided(id, decision),
            Body::DelegationRequested(sent) => self.sent(id, sent.call, &sent.agent, &sent.task),
            Body::ToolResult(result) => self.result(id, result),
            Body::Tombstone(stone) => self.withdrawn(id, stone.target),
            Body::Transition { turn, reason } => {
                self.goes_on(id, u64::from(*turn), reason.is_a_turn());
                self.run_goes_on(id, *reason);
                self.ended = None;
                (self.is_own, self.is_foreign) = (true, false);
            }
            Body::Change(change) => self.change(id, change),
            Body::TurnEnded(ended) => self.turn_ended(id, ended),
            Body::DelegationAnswered(answered) => self.task_ended(id, answered),
            Body::Goal(goal) => self.pursues(goal),
            Body::Checkpoint(made) => self.checkpoint(id, made),
            Body::Progress(said) => self.progressed(id, said),
            Body::Error { .. } => self.run_failed(),
            Body::Compaction(_) | Body::Handoff { .. } | Body::ProviderLimit(_) => {}
        }
    }

    fn began(&mut self, started: &SessionStarted) {
        self.session.clone_from(&started.session);
        self.mode = started.mode;
    }

    /// Whether the entry that is read lacks a field.
    fn lacks(&self, name: &str) -> bool {
        self.left_out.lacks(self.position, name)
    }

    fn said(&mut self, id: EntryId, said: &Arc<AssistantMessage>) {
        if self.lacks("text") || self.lacks("blocks") {
            self.unread.insert(id);
        }
        said.calls().for_each(|call| self.makes(call, false));
        if !said.is_unheard() {
            self.answers.push((id, Arc::clone(said)));
            self.run_hears(id, said);
        }
        // A failed answer makes no call.
        if said.calls().next().is_none() {
            self.withdrawable.insert(id);
        }
    }

    fn remarked(&mut self, id: EntryId, note: &Note, body: &Body) {
        if let (NoteKind::ChangedByHook { arguments: None }, Some(call)) = (&note.kind, note.about.call()) {
            self.becomes_unknown(call);
        }
        if let Some(call) = note.about.call() {
            self.noted(id, note, call);
        }
        self.call_changed(body);
    }

    fn announced(&mut self, id: EntryId, call: &ToolUse) {
        let Some(known) = self.calls.get_mut(&call.id) else { return };
        known.is_announced = true;
        if !call.wire_id.is_empty() && call.wire_id != known.wire_id {
            self.fault(id, format!("call {} has another name of the provider than in its message", call.id));
        }
    }

    /// Messages are withdrawn, and answers that failed. An answer of which nothing came has no entry.
    fn withdrawn(&mut self, id: EntryId, target: EntryId) {
        self.run_withdraws(target);
        if !self.withdrawn.insert(target) {
            self.fault(id, format!("{target} is withdrawn twice"));
        }
        self.answers.retain(|(answer, _)| *answer != target);
        if !self.ids.contains(&target) {
            self.withdrawn_early.insert(target);
        } else if !self.withdrawable.contains(&target) {
            self.fault(id, format!("{target} is withdrawn, but no such entry can be"));
        }
    }

    /// Nobody can tell what the call is called with now.
    fn becomes_unknown(&mut self, call: CallId) {
        self.of(call, |known| {
            (known.task, known.asked, known.arguments) = (None, None, None);
        });
    }

    fn makes(&mut self, call: &ToolUse, is_own: bool) {
        let number = self.calls.len();
        let is_told = !self.lacks("arguments") && !self.left_out.is_untold(call.id);
        let arguments = is_told.then_some(&call.arguments);
        let known = KnownCall {
            name: call.name.clone(),
            wire_id: call.wire_id.clone(),
            arguments: arguments.filter(|_| [EDIT, WRITE].contains(&&*call.name)).cloned(),
            task: arguments.filter(|_| delegate(&call.name).is_some()).and_then(task_of),
            number,
            is_own,
            ..KnownCall::default()
        };
        self.calls.insert(call.id, known);
        self.open.insert((number, call.id));
    }

    fn of(&mut self, call: CallId, change: impl FnOnce(&mut KnownCall)) {
        if let Some(known) = self.calls.get_mut(&call) {
            change(known);
        }
    }

    fn fault(&mut self, entry: EntryId, what: impl Into<String>) {
        self.faults.push((self.position, Fault { entry, what: what.into() }));
    }
}
