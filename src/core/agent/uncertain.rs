//! Actions whose end nobody knows: whoever is asked about the same action again is warned.

use std::collections::BTreeMap;

use crate::ledger::{Abort, Arguments, Body, CallId, Entry, Outcome, Reach, ToolResult, seconds};
use crate::policy::fingerprint;

/// What ended without anybody knowing how far it had come: read from the ledger, so that a resumed session warns too.
#[derive(Debug, Clone, Default)]
pub(super) struct Unclear {
    /// The exact action of each call that has no result yet.
    actions: BTreeMap<CallId, String>,
    /// How an action ended the last time it ran.
    ended: BTreeMap<String, String>,
    /// Actions that a sandbox may have stopped, and in which call.
    refused: BTreeMap<String, CallId>,
}

impl Unclear {
    /// Takes in one more entry.
    pub(super) fn read(&mut self, entry: &Entry) {
        if let Body::ToolCall(call) | Body::Validation(call) | Body::Command(call) | Body::CallEdited(call) =
            &entry.body
        {
            self.actions.insert(call.id, fingerprint(&call.name, &call.arguments));
        }
        // Hooks may have changed what the message said.
        if let Body::ApprovalRequested(asked) = &entry.body {
            let arguments = Arguments::from_value(asked.arguments.clone());
            self.actions.insert(asked.call, fingerprint(&asked.name, &arguments));
        }
        if let Body::Note(note) = &entry.body
            && let Some(call) = note.refused()
            && let Some(action) = self.actions.get(&call)
        {
            self.refused.insert(action.clone(), call);
        }
        if let Body::ToolResult(result) = &entry.body
            && let Some(action) = self.actions.remove(&result.call)
        {
            self.end(action, result);
        }
    }

    fn end(&mut self, action: String, result: &ToolResult) {
        let how = match result.outcome {
            Outcome::Aborted(abort @ Abort { ran_ms: Some(ms), .. }) if abort.reach() == Reach::CutShort => {
                format!("was interrupted after {}", seconds(ms))
            }
            Outcome::TimedOut => format!("timed out after {}", seconds(result.duration_ms)),
            Outcome::Lost { started: true } => "was lost while it ran".to_owned(),
            // What came to its end in between is clear again; what was not started has changed nothing.
            Outcome::Ok => {
                self.ended.remove(&action);
                return;
            }
            Outcome::Failed
            | Outcome::Invalid
            | Outcome::UnknownTool
            | Outcome::Denied(_)
            | Outcome::Aborted(_)
            | Outcome::Lost { started: false } => return,
        };
        self.ended
            .insert(action, format!("the same action, {}, {how}: its effects may be partial", result.call));
    }

    /// The call in which a sandbox may have stopped this.
    pub(super) fn refused(&self, name: &str, arguments: &Arguments) -> Option<CallId> {
        self.refused.get(&fingerprint(name, arguments)).copied()
    }

    /// What to know before this is done again.
    pub(super) fn warning(&self, name: &str, arguments: &Arguments) -> Option<String> {
        self.ended.get(&fingerprint(name, arguments)).cloned()
    }
}
