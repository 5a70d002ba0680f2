//! Receipts held against calls: what ran is what was decided about. For checks of finished sessions; a running one refuses
//! before it acts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ledger::{
    Arguments, Body, CHAINED_VERSION, CallId, Change, Decision, Entry, EntryId, Facts, Fault, NoteKind,
    Outcome, Stop, ToolResult, ToolUse,
};

use super::digest;
use crate::tool::name::ASK;

/// Every fault of a history with the position of its entry: a call that is recorded as another action than its message
/// made, a person who was asked about another action, a receipt for another action, a result without a decision.
pub fn audit(entries: &[Arc<Entry>]) -> Vec<(usize, Fault)> {
    audit_chained(entries, usize::MAX)
}

/// The same of a session whose lines have hashes from this entry on: whatever version it began with, a program wrote them that gives
/// receipts.
pub fn audit_chained(entries: &[Arc<Entry>], from: usize) -> Vec<(usize, Fault)> {
    let mut held = ReceiptCheck::default();
    for (position, entry) in entries.iter().enumerate() {
        held.position = position;
        held.read(entry);
        held.has_receipts |= position + 1 >= from;
    }
    held.faults
}

#[derive(Default)]
struct ReceiptCheck {
    position: usize,
    faults: Vec<(usize, Fault)>,
    /// What each call would do, as it was asked or changed last; `None`: nobody wrote down to what it was changed.
    actions: BTreeMap<CallId, Option<(String, Arguments)>>,
    /// Calls of messages that the output limit cut off: they fail without anybody deciding.
    cut_off: BTreeSet<CallId>,
    allowed: BTreeSet<CallId>,
    decided: BTreeSet<CallId>,
    /// Whether the session was imported, and whether a model was asked in it here.
    is_imported: bool,
    is_own: bool,
    /// Every permission in this session is a receipt.
    has_receipts: bool,
}

impl ReceiptCheck {
    fn read(&mut self, entry: &Entry) {
        let id = entry.id;
        match &entry.body {
            Body::SessionStarted(started) => self.has_receipts = started.version >= CHAINED_VERSION,
            Body::Assistant(said) => {
                said.calls().for_each(|call| self.becomes(call));
                if said.stop == Stop::Length {
                    self.cut_off.extend(said.calls().map(|call| call.id));
                }
            }
            Body::ToolCall(call) => {
                self.is_the_same(
                    id,
                    call.id,
                    &call.name,
                    &call.arguments,
                    "is recorded as another action than its message made",
                );
            }
            Body::Validation(call) | Body::Command(call) | Body::CallEdited(call) => self.becomes(call),
            Body::Note(note) => {
                if let (NoteKind::ChangedByHook { arguments }, Some(call)) = (&note.kind, note.about.call())
                    && let Some(action) = self.actions.get_mut(&call)
                {
                    let name = action.take().map(|(name, _)| name);
                    *action = name.zip(arguments.clone().map(Arguments::from_value));
                }
            }
            Body::ApprovalRequested(asked) => {
                let arguments = Arguments::from_value(asked.arguments.clone());
                self.is_the_same(
                    id,
                    asked.call,
                    &asked.name,
                    &arguments,
                    "is shown for approval as another action",
                );
            }
            Body::ApprovalDecided(decision) => self.decided(id, decision),
            Body::Change(Change::Imported { .. }) => self.is_imported = true,
            // The loop says why it asks a model: from here on calls are our own.
            Body::Transition { .. } => self.is_own = true,
            Body::ToolResult(result) => {
                if result.facts.is_elsewhere {
                    self.elsewhere(id, result.call);
                } else if self.has_run(result) && !self.allowed.contains(&result.call) {
                    self.fault(id, format!("call {} ran, but nobody allowed it before", result.call));
                }
            }
            _ => {}
        }
    }

    /// Whether a call ran, by its result: by how it is said to have ended, or by what only a run leaves.
    fn has_run(&self, result: &ToolResult) -> bool {
        let is_said = match &result.outcome {
            Outcome::Ok | Outcome::TimedOut | Outcome::Lost { started: true } => true,
            Outcome::Failed => !self.cut_off.contains(&result.call),
            Outcome::Aborted(abort) => abort.ran_ms.is_some(),
            Outcome::Lost { started: false }
            | Outcome::Invalid
            | Outcome::UnknownTool
            | Outcome::Denied(_) => false,
        };
        is_said || result.facts != Facts::default()
    }

    fn becomes(&mut self, call: &ToolUse) {
        self.actions.insert(call.id, Some((call.name.clone(), call.arguments.clone())));
    }

    fn is_the_same(&mut self, id: EntryId, call: CallId, name: &str, arguments: &Arguments, what: &str) {
        let Some(Some((known, made))) = self.actions.get(&call) else { return };
        if known != name || made.canonical() != arguments.canonical() {
            self.fault(id, format!("call {call} {what}"));
        }
    }

    /// A call that another program ran is one of an imported session from before it went on here, and nobody here has
    /// decided about it.
    fn elsewhere(&mut self, id: EntryId, call: CallId) {
        if !self.is_imported || self.is_own {
            self.fault(id, format!("call {call} is said to be of another program, but was made here"));
        } else if self.decided.contains(&call) {
            self.fault(
                id,
                format!("call {call} is said to be of another program, but was decided about here"),
            );
        }
    }

    fn decided(&mut self, id: EntryId, decision: &Decision) {
        self.decided.insert(decision.call);
        if !decision.allow {
            return;
        }
        self.allowed.insert(decision.call);
        if decision.digest.is_empty() {
            // Answers to questions had no receipt at first; nothing runs because of one.
            let is_question =
                matches!(self.actions.get(&decision.call), Some(Some((name, _))) if name == ASK);
            if self.has_receipts && !(decision.answer.is_some() && is_question) {
                self.fault(id, format!("call {} is allowed without a receipt", decision.call));
            }
            return;
        }
        // An export of an older version may have keys replaced in what it says, and not in its digests.
        let known = self.actions.get(&decision.call).filter(|_| self.has_receipts);
        let Some(Some((name, arguments))) = known else { return };
        if digest(name, arguments) != decision.digest {
            self.fault(id, format!("the receipt of call {} is for another action", decision.call));
        }
    }

    fn fault(&mut self, entry: EntryId, what: String) {
        self.faults.push((self.position, Fault { entry, what }));
    }
}
