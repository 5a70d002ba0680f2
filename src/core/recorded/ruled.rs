//! What the rules of then said about each call, so that a session can be played as it was, whatever the rules of today are.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::agent::Ruling;
use crate::ledger::{Arguments, Body, CallId, Decider, Decision, Entry};
use crate::policy::Verdict;

use super::Tape;

impl Tape {
    /// The same tape, on which the rules of the session decide, and not those of today, as long as a call is the one that they decided about.
    #[must_use]
    pub fn as_ruled(mut self, entries: &[Arc<Entry>]) -> Self {
        let mut calls: BTreeMap<CallId, Arguments> = BTreeMap::new();
        for entry in entries {
            let ruling = match &entry.body {
                Body::ToolCall(call) | Body::Validation(call) | Body::CallEdited(call) => {
                    calls.insert(call.id, call.arguments.clone());
                    continue;
                }
                Body::Note(note) => {
                    calls.extend(note.changed_by_hook());
                    continue;
                }
                Body::ApprovalRequested(asked) => (asked.call, Verdict::Ask(asked.why.clone()), None),
                Body::ApprovalDecided(decision) if decision.by == Decider::Policy => {
                    (decision.call, verdict(decision), decision.rule.clone())
                }
                _ => continue,
            };
            let (call, verdict, rule) = ruling;
            let Some(arguments) = calls.get(&call).cloned() else { continue };
            let known = self.ruled.entry(call).or_default();
            // Where nobody was there to answer, the denial is no word of the rules.
            if !known.iter().any(|ruling: &Ruling| ruling.arguments == arguments) {
                known.push(Ruling { arguments, verdict, rule });
            }
        }
        self
    }
}

fn verdict(decision: &Decision) -> Verdict {
    let why = decision.reason.clone();
    match (decision.allow, decision.sandboxed) {
        (true, false) => Verdict::Allow(why),
        (true, true) => Verdict::Sandbox(why),
        (false, _) => Verdict::Deny(why),
    }
}
