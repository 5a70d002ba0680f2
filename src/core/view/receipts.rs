//! The receipts: what was asked or decided about each call, by whom, and what came of it.

use std::collections::BTreeMap;

use crate::ledger::{Arguments, Body, CallId, Decision, EntryId, Millis};
use crate::policy::fingerprint;

use super::{Row, summary};

/// All that is known of the permission of one call.
#[derive(Debug, Clone, PartialEq)]
pub struct Receipt {
    /// The entry that asked, or decided where nobody was asked.
    pub entry: EntryId,
    /// When.
    pub at: Millis,
    /// Which call.
    pub call: CallId,
    /// Its tool.
    pub name: String,
    /// The exact action in one spelling: what a grant for the session is bound to.
    pub fingerprint: String,
    /// The same in one line for people: the command, the path as it is used.
    pub about: String,
    /// Why a person was asked, and what the call may do; `None`: nobody was.
    pub asked: Option<(String, String)>,
    /// The decision; `None` while it is waited for.
    pub decision: Option<Decision>,
    /// How long it was waited for, in milliseconds.
    pub waited_ms: Option<u64>,
    /// How the call ended.
    pub outcome: Option<&'static str>,
}

/// The receipts so far; reads each row once.
#[derive(Debug, Clone, Default)]
pub struct Receipts {
    all: Vec<Receipt>,
    asked: Vec<usize>,
    of: BTreeMap<CallId, usize>,
    actions: BTreeMap<CallId, AskedAction>,
    read: usize,
}

/// What a call would do.
#[derive(Debug, Clone, Default)]
struct AskedAction {
    name: String,
    fingerprint: String,
    about: String,
}

impl AskedAction {
    fn new(name: &str, arguments: &Arguments) -> Self {
        let fingerprint = fingerprint(name, arguments);
        Self { name: name.to_owned(), fingerprint, about: summary(arguments) }
    }
}

impl Receipts {
    /// Takes in the rows that are new.
    pub fn read(&mut self, rows: &[Row]) {
        for row in rows.iter().skip(self.read) {
            self.take(row);
        }
        self.read = rows.len();
    }

    /// How many there are, all of them or those that a person was asked for.
    pub fn len(&self, asked: bool) -> usize {
        if asked { self.asked.len() } else { self.all.len() }
    }

    /// Whether there is none at all.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// One by its place among all, or among those that a person was asked for.
    pub fn get(&self, at: usize, asked: bool) -> Option<&Receipt> {
        let at = if asked { *self.asked.get(at)? } else { at };
        self.all.get(at)
    }

    fn take(&mut self, row: &Row) {
        let (entry, at) = (row.entry.id, row.entry.at);
        match &row.entry.body {
            Body::ToolCall(made) | Body::Validation(made) | Body::Command(made) => {
                self.actions.insert(made.id, AskedAction::new(&made.name, &made.arguments));
            }
            // A changed call is another action: what was asked before has come to nothing.
            Body::CallEdited(changed) => {
                self.actions.insert(changed.id, AskedAction::new(&changed.name, &changed.arguments));
                self.change(changed.id, |receipt| {
                    (receipt.outcome, receipt.waited_ms) = (Some("edited"), Some(at.since(receipt.at)));
                });
                self.of.remove(&changed.id);
            }
            // A hook is asked before anybody else is.
            Body::Note(note) => {
                if let Some((call, arguments)) = note.changed_by_hook()
                    && let Some(action) = self.actions.get_mut(&call)
                {
                    *action = AskedAction::new(&action.name, &arguments);
                }
            }
            Body::ApprovalRequested(request) => {
                // A call that waited over a restart, and would do something else by now.
                self.change(request.call, |receipt| {
                    (receipt.outcome, receipt.waited_ms) = (Some("asked again"), Some(at.since(receipt.at)));
                });
                let arguments = Arguments::from_value(request.arguments.clone());
                let action = self.actions.remove(&request.call);
                let action = action.unwrap_or_else(|| AskedAction::new(&request.name, &arguments));
                let action = AskedAction { about: summary(&request.used()), ..action };
                self.asked.push(self.all.len());
                let asked = Some((request.why.clone(), request.risk.clone()));
                self.push(entry, at, request.call, action, asked);
            }
            Body::ApprovalDecided(decision) => {
                if !self.of.contains_key(&decision.call) {
                    let action = self.actions.remove(&decision.call).unwrap_or_default();
                    self.push(entry, at, decision.call, action, None);
                }
                self.change(decision.call, |receipt| {
                    receipt.waited_ms = receipt.asked.as_ref().map(|_| at.since(receipt.at));
                    receipt.decision = Some(decision.clone());
                });
            }
            Body::ToolResult(result) => {
                self.actions.remove(&result.call);
                self.change(result.call, |receipt| {
                    receipt.outcome = Some(result.outcome.as_str());
                    if receipt.decision.is_none() {
                        receipt.waited_ms = Some(at.since(receipt.at));
                    }
                });
            }
            _ => {}
        }
    }

    fn push(
        &mut self,
        entry: EntryId,
        at: Millis,
        call: CallId,
        action: AskedAction,
        asked: Option<(String, String)>,
    ) {
        self.of.insert(call, self.all.len());
        let AskedAction { name, fingerprint, about } = action;
        self.all.push(Receipt {
            entry,
            at,
            call,
            name,
            fingerprint,
            about,
            asked,
            decision: None,
            waited_ms: None,
            outcome: None,
        });
    }

    fn change(&mut self, call: CallId, change: impl FnOnce(&mut Receipt)) {
        if let Some(receipt) = self.of.get(&call).and_then(|at| self.all.get_mut(*at)) {
            change(receipt);
        }
    }
}
