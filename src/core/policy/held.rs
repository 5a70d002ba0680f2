//! Receipts held against calls: what ran is what was decided about. For checks of finished sessions; a running one refuses
//! before it acts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ledger::{
    Arguments, Body, CHAINED_VERSION, CallId, Change, Decision, Entry, EntryId, Facts, Fault, LeftOut,
    NoteKind, Outcome, Stop, ToolResult, ToolUse,
};

use super::digest;
use crate::tool::name::ASK;

/// The member that holds what a call is called with.
const ARGUMENTS: &str = "arguments";

/// What came of holding receipts against calls.
#[derive(Debug, Clone, Default)]
pub struct HeldReceipts {
    /// Every fault with the position of its entry.
    pub faults: Vec<(usize, Fault)>,
    /// Calls of which something is left out, so that it is not known whether all that is said of them is
    /// about one action.
    pub unheld: BTreeSet<CallId>,
}

/// Every fault of a history with the position of its entry: a call that is recorded as another action than its message
/// made, a person who was asked about another action, a receipt for another action, a result without a decision.
pub fn audit(entries: &[Arc<Entry>]) -> Vec<(usize, Fault)> {
    audit_chained(entries, usize::MAX, &LeftOut::default()).faults
}

/// The same of a session whose lines have hashes from this entry on: whatever version it began with, a program wrote them that gives
/// receipts. What is left out is not compared, and all else is.
pub fn audit_chained(entries: &[Arc<Entry>], from: usize, left_out: &LeftOut) -> HeldReceipts {
    let mut held = ReceiptCheck::new(left_out);
    for (position, entry) in entries.iter().enumerate() {
        held.position = position;
        held.read(entry);
        held.has_receipts |= position + 1 >= from;
    }
    held.held
}

/// What a call would do, as it was asked or changed last.
struct HeldAction {
    name: String,
    arguments: ActionArguments,
}

/// What a call is called with, as far as the history says.
enum ActionArguments {
    Known(Arguments),
    /// Nobody wrote down to what they were changed.
    Unwritten,
    LeftOut,
}

struct ReceiptCheck<'l> {
    left_out: &'l LeftOut,
    position: usize,
    held: HeldReceipts,
    actions: BTreeMap<CallId, HeldAction>,
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

impl<'l> ReceiptCheck<'l> {
    fn new(left_out: &'l LeftOut) -> Self {
        Self {
            left_out,
            position: 0,
            held: HeldReceipts::default(),
            actions: BTreeMap::new(),
            cut_off: BTreeSet::new(),
            allowed: BTreeSet::new(),
            decided: BTreeSet::new(),
            is_imported: false,
            is_own: false,
            has_receipts: false,
        }
    }

    /// Whether this entry lacks a field.
    fn lacks(&self, name: &str) -> bool {
        self.left_out.lacks(self.position, name)
    }

    fn read(&mut self, entry: &Entry) {
        let id = entry.id;
        match &entry.body {
            Body::SessionStarted(started) => self.has_receipts = started.version >= CHAINED_VERSION,
            Body::Assistant(said) => {
                said.calls().for_each(|call| self.becomes(call, self.left_out.is_untold(call.id)));
                if self.lacks("tool_calls") {
                    self.held.unheld.extend(said.calls().map(|call| call.id));
                }
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
            Body::Validation(call) | Body::Command(call) | Body::CallEdited(call) => {
                self.becomes(call, self.lacks(ARGUMENTS));
            }
            Body::Note(note) => {
                let is_left_out = self.lacks(ARGUMENTS);
                if let (NoteKind::ChangedByHook { arguments }, Some(call)) = (&note.kind, note.about.call())
                    && let Some(action) = self.actions.get_mut(&call)
                {
                    action.arguments = match arguments {
                        _ if is_left_out => ActionArguments::LeftOut,
                        Some(arguments) => ActionArguments::Known(Arguments::from_value(arguments.clone())),
                        None => ActionArguments::Unwritten,
                    };
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

    fn becomes(&mut self, call: &ToolUse, is_left_out: bool) {
        let arguments = match is_left_out {
            true => ActionArguments::LeftOut,
            false => ActionArguments::Known(call.arguments.clone()),
        };
        self.actions.insert(call.id, HeldAction { name: call.name.clone(), arguments });
    }

    /// A line that tells the action of a call tells the same as those before. Where they leave it out, it is
    /// what this line tells.
    fn is_the_same(&mut self, id: EntryId, call: CallId, name: &str, arguments: &Arguments, what: &str) {
        let is_left_out = self.lacks(ARGUMENTS);
        let Some(action) = self.actions.get_mut(&call) else { return };
        let mut is_another = action.name != name;
        match &action.arguments {
            ActionArguments::Known(_) | ActionArguments::LeftOut if is_left_out => {
                self.held.unheld.insert(call);
            }
            ActionArguments::Known(made) => is_another |= made.canonical() != arguments.canonical(),
            ActionArguments::LeftOut => {
                action.arguments = ActionArguments::Known(arguments.clone());
                self.held.unheld.insert(call);
            }
            ActionArguments::Unwritten => {}
        }
        if is_another {
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
        if self.lacks("digest") {
            self.held.unheld.insert(decision.call);
            return;
        }
        let action = self.actions.get(&decision.call);
        if decision.digest.is_empty() {
            // Answers to questions had no receipt at first; nothing runs because of one.
            let is_question = action.is_some_and(|action| action.name == ASK);
            let is_answer = decision.answer.is_some() || self.lacks("answer");
            if self.has_receipts && !(is_answer && is_question) {
                self.fault(id, format!("call {} is allowed without a receipt", decision.call));
            }
            return;
        }
        // An export of an older version may have keys replaced in what it says, and not in its digests.
        let Some(HeldAction { name, arguments }) = action.filter(|_| self.has_receipts) else { return };
        match arguments {
            ActionArguments::Known(arguments) if digest(name, arguments) != decision.digest => {
                self.fault(id, format!("the receipt of call {} is for another action", decision.call));
            }
            ActionArguments::LeftOut => drop(self.held.unheld.insert(decision.call)),
            ActionArguments::Known(_) | ActionArguments::Unwritten => {}
        }
    }

    fn fault(&mut self, entry: EntryId, what: String) {
        self.held.faults.push((self.position, Fault { entry, what }));
    }
}
