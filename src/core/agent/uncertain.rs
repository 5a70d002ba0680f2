//! Actions whose end nobody knows: whoever is asked about the same action again is warned.

use std::collections::BTreeMap;

use crate::ledger::{Abort, Arguments, Body, CallId, Change, Entry, Outcome, Reach, ToolResult, seconds};
use crate::policy::fingerprint;
use crate::tool::NamedHost;

/// What ended without anybody knowing how far it had come: read from the ledger, so that a resumed session warns too.
#[derive(Debug, Clone, Default)]
pub(super) struct Unclear {
    /// The exact action of each call that has no result yet.
    actions: BTreeMap<CallId, Action>,
    /// How an action ended the last time it ran.
    ended: BTreeMap<String, String>,
    /// Actions that a sandbox may have stopped, and in which call.
    refused: BTreeMap<String, CallId>,
    /// The hosts that were blocked in these calls, as far as their results say.
    blocked: BTreeMap<CallId, Vec<String>>,
}

/// What a call does.
#[derive(Debug, Clone)]
struct Action {
    tool: String,
    /// The fingerprint of tool and arguments.
    exact: String,
}

impl Action {
    fn of(tool: &str, arguments: &Arguments) -> Self {
        Self { tool: tool.to_owned(), exact: fingerprint(tool, arguments) }
    }
}

impl Unclear {
    /// Takes in one more entry.
    pub(super) fn read(&mut self, entry: &Entry) {
        if let Body::ToolCall(call) | Body::Validation(call) | Body::Command(call) | Body::CallEdited(call) =
            &entry.body
        {
            self.actions.insert(call.id, Action::of(&call.name, &call.arguments));
        }
        if let Body::Note(note) = &entry.body
            && let Some((call, arguments)) = note.changed_by_hook()
            && let Some(made) = self.actions.get_mut(&call)
        {
            made.exact = fingerprint(&made.tool, &arguments);
        }
        // Hooks of earlier versions left no arguments.
        if let Body::ApprovalRequested(asked) = &entry.body {
            let arguments = Arguments::from_value(asked.arguments.clone());
            self.actions.insert(asked.call, Action::of(&asked.name, &arguments));
        }
        if let Body::Note(note) = &entry.body
            && let Some(call) = note.refused()
            && let Some(action) = self.actions.get(&call)
        {
            self.refused.insert(action.exact.clone(), call);
        }
        if let Body::ToolResult(result) = &entry.body
            && let Some(action) = self.actions.remove(&result.call)
        {
            if !result.facts.blocked_hosts.is_empty() {
                self.blocked.insert(result.call, result.facts.blocked_hosts.clone());
            }
            self.end(action.exact, result);
        }
        if let Body::Change(Change::HostOpened { host }) = &entry.body {
            self.opens(host);
        }
    }

    /// A host is open now: what it was blocked in is tried in the sandbox again. Were something else missing, too, it is blocked there
    /// again.
    fn opens(&mut self, host: &str) {
        let Ok(opened) = NamedHost::parse(host) else { return };
        let is_open = |host: &String| NamedHost::parse(host).is_ok_and(|host| host.lies_in(&opened));
        let blocked = &self.blocked;
        self.refused.retain(|_, call| !blocked.get(call).is_some_and(|hosts| hosts.iter().any(is_open)));
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ledger::{EntryId, Facts, Millis, Note, Settlement, ToolUse};

    fn read(unclear: &mut Unclear, body: Body) {
        unclear.read(&Entry { id: EntryId(1), at: Millis(1), body });
    }

    /// A command that the sandbox stopped, as it could not reach these hosts.
    fn blocked(hosts: &[&str]) -> (Unclear, Arguments) {
        let (mut unclear, call) = (Unclear::default(), CallId(1));
        let arguments = Arguments::parse(r#"{"command": "fetch it"}"#);
        let (wire_id, name) = ("w".to_owned(), "shell".to_owned());
        let ran = ToolUse { id: call, wire_id, name, arguments: arguments.clone() };
        read(&mut unclear, Body::ToolCall(ran));
        read(&mut unclear, Body::Note(Note::of_refusal(call)));
        let blocked_hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        let Settlement { content, written, duration_ms, cut_chars, images, .. } =
            Settlement::synthetic(Outcome::Failed, "no");
        let (name, outcome) = ("shell".to_owned(), Outcome::Failed);
        let facts = Facts { blocked_hosts, ..Facts::default() };
        let result =
            ToolResult { call, name, outcome, content, written, duration_ms, cut_chars, facts, images };
        read(&mut unclear, Body::ToolResult(Arc::new(result)));
        (unclear, arguments)
    }

    #[test]
    fn a_command_is_tried_in_the_sandbox_again_once_its_host_is_open() {
        let opens = |unclear: &mut Unclear, host: &str| {
            read(unclear, Body::Change(Change::HostOpened { host: host.to_owned() }));
        };
        let (mut unclear, arguments) = blocked(&["reg.example:443"]);
        opens(&mut unclear, "other.example");
        assert_eq!(unclear.refused("shell", &arguments), Some(CallId(1)));
        opens(&mut unclear, "reg.example");
        assert_eq!(unclear.refused("shell", &arguments), None);
        // What was blocked for another reason stays so.
        let (mut unclear, arguments) = blocked(&[]);
        opens(&mut unclear, "reg.example");
        assert_eq!(unclear.refused("shell", &arguments), Some(CallId(1)));
    }
}
