//! What of a session shows the arguments of a call to people and models, or is made of them. It may quote any part of them.

use std::collections::BTreeSet;

use crate::ledger::{Body, CallId, Change, Decider, Injector, Note, NoteKind, Outcome, ToolResult};

/// Whether a content field of this name, in an entry of this kind, shows the arguments of a call.
pub(super) fn shows(body: &Body, name: &str) -> bool {
    match body {
        // The question, and all that is said to whoever answers it.
        Body::ApprovalRequested(_) => true,
        // What people say stays, where it does not repeat the call: it is theirs.
        Body::ApprovalDecided(decision) => match name {
            "reason" => decision.by != Decider::User,
            other => matches!(other, "rule" | "digest" | "key"),
        },
        Body::ToolCall(_) | Body::Validation(_) | Body::Command(_) | Body::CallEdited(_) => {
            name == "arguments"
        }
        Body::DelegationRequested(_) => name == "task",
        Body::ToolResult(result) => shows_in_result(result, name),
        Body::Note(note) => is_made_of_arguments(note),
        Body::Injected(said) => may_quote(said.by) && name == "text",
        Body::Change(Change::GapsAccepted { .. } | Change::FilesRestored(_)) => true,
        _ => false,
    }
}

/// What a call brought is no argument, but the files and the hosts are those that it names, and a call that nobody ran has a result that
/// says what is wrong with it.
fn shows_in_result(result: &ToolResult, name: &str) -> bool {
    match name {
        "facts" => {
            let facts = &result.facts;
            facts.summary.is_some() || !facts.files.is_empty() || !facts.blocked_hosts.is_empty()
        }
        "content" => match result.outcome {
            Outcome::Denied(by) => by != Decider::User,
            Outcome::Invalid | Outcome::UnknownTool => true,
            _ => false,
        },
        other => other == "written",
    }
}

fn is_made_of_arguments(note: &Note) -> bool {
    let is_about_call = note.about.call().is_some();
    is_about_call
        && matches!(note.kind, NoteKind::Plain | NoteKind::ChangedByHook { .. } | NoteKind::Unknown { .. })
}

/// Whether an entry shows one of these calls. One that tells the model of changed calls does not say of which.
pub(super) fn is_about(body: &Body, calls: &BTreeSet<CallId>) -> bool {
    let call = match body {
        Body::Change(Change::GapsAccepted { call, .. }) => *call,
        Body::Change(Change::FilesRestored(_)) => None,
        Body::Note(note) => note.about.call(),
        Body::Injected(said) => {
            return may_quote(said.by) && !calls.is_empty();
        }
        other => other.call(),
    };
    call.is_some_and(|call| calls.contains(&call))
}

/// Whether a message of this kind tells of calls. What a hook makes of one is told with its other words.
fn may_quote(by: Injector) -> bool {
    matches!(by, Injector::Edit | Injector::Command | Injector::Hook)
}
