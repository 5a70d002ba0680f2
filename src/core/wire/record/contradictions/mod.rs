//! What entries say of each other that no loop of ours has written, though each of them may stand: for checks of whole files, in which
//! somebody may have changed a line and made the chain anew. What the ledger itself holds is checked before.

mod of_calls;
mod of_contents;
mod of_runs;
mod of_sessions;
mod of_tasks;
mod session_reading;

use std::sync::Arc;

use crate::ledger::{
    AssistantMessage, Body, Entry, EntryId, Fault, LeftOut, Note, NoteKind, SessionStarted, ToolUse,
};
use crate::tool::delegate;
use crate::tool::name::{EDIT, WRITE};

use of_calls::task_of;
use session_reading::{KnownCall, SessionReading};

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

impl SessionReading<'_> {
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
}
