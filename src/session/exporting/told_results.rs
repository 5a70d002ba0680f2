//! What of a session says, beside the results of calls, what tools said: results that came too late, runs that failed and were tried
//! again, answers of sub-agents in the background, and what is made of results for models.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ledger::{About, Answerer, Body, Change, Entry, EntryId, Injector, Note, NoteKind};

/// The entries that quote a result, or may quote any part of one.
pub(super) fn telling(entries: &[Arc<Entry>]) -> BTreeSet<EntryId> {
    let (mut told, mut results) = (BTreeSet::new(), BTreeSet::new());
    let mut was_validated = false;
    for entry in entries {
        let tells = match &entry.body {
            Body::ToolResult(_) => {
                results.insert(entry.id);
                false
            }
            Body::Note(note) => {
                let tells = may_tell(note, &results);
                // Of several remarks on one result each is about the one before.
                results.extend(tells.then_some(entry.id));
                tells
            }
            Body::Injected(said) => may_quote(said.by, was_validated),
            Body::Change(Change::EscrowSettled(settled)) => settled.answer.is_some(),
            Body::Goal(_) => {
                was_validated = false;
                false
            }
            Body::Checkpoint(made) => {
                was_validated = made.questions.iter().any(|asked| asked.by == Answerer::ValidationCommand);
                was_validated
            }
            Body::Handoff { .. } => was_validated,
            // What people and models say of results is theirs, and contents that repeat one are found by that.
            Body::SessionStarted(_)
            | Body::User(_)
            | Body::Assistant(_)
            | Body::ToolCall(_)
            | Body::Validation(_)
            | Body::Command(_)
            | Body::CallEdited(_)
            | Body::ApprovalRequested(_)
            | Body::ApprovalDecided(_)
            | Body::DelegationRequested(_)
            | Body::DelegationAnswered(_)
            | Body::Tombstone(_)
            | Body::Compaction(_)
            | Body::Transition { .. }
            | Body::Change(_)
            | Body::Progress(_)
            | Body::ProviderLimit(_)
            | Body::Error { .. }
            | Body::TurnEnded(_) => false,
        };
        told.extend(tells.then_some(entry.id));
    }
    told
}

/// Whether a note tells what a tool said. What another version or a hook remarks about a call or a result can be anything.
fn may_tell(note: &Note, results: &BTreeSet<EntryId>) -> bool {
    let is_about_result = match &note.about {
        About::Call(_) => true,
        About::Entry(entry) => results.contains(entry),
        About::Session | About::Unknown(_) => false,
    };
    match note.kind {
        NoteKind::Retried { .. } | NoteKind::TaskAccepted { .. } => true,
        NoteKind::Plain | NoteKind::Unknown { .. } => is_about_result,
        NoteKind::TypedInto
        | NoteKind::SandboxRefused
        | NoteKind::ChangedByHook { .. }
        | NoteKind::BackgroundEnded(_)
        | NoteKind::CallFailed(_)
        | NoteKind::PriceEstimated(_)
        | NoteKind::SummaryAsked { .. }
        | NoteKind::SummaryStopped => false,
    }
}

/// Whether a message of this kind may have words of a result; one about a goal, once its command was run.
fn may_quote(by: Injector, was_validated: bool) -> bool {
    match by {
        Injector::Command | Injector::Hook | Injector::Subagent => true,
        Injector::GoalCheck => was_validated,
        Injector::Environment
        | Injector::BudgetNudge
        | Injector::Continuation
        | Injector::Steering
        | Injector::Edit
        | Injector::Undo
        | Injector::Discovery
        | Injector::Background
        | Injector::Choice => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{
        Asked, CallId, Checkpoint, EscrowSettlement, Facts, Injected, Millis, Outcome, Spent, TaskState,
        ToolResult,
    };

    fn told(bodies: Vec<Body>) -> Vec<u64> {
        let entries =
            (1..).zip(bodies).map(|(id, body)| Arc::new(Entry { id: EntryId(id), at: Millis(0), body }));
        telling(&entries.collect::<Vec<_>>()).into_iter().map(|entry| entry.0).collect()
    }

    #[test]
    fn what_came_late_or_was_tried_again_tells_what_a_tool_said() {
        let call = CallId(1);
        let result = ToolResult {
            call,
            name: "shell".to_owned(),
            content: String::new(),
            outcome: Outcome::Ok,
            duration_ms: 0,
            cut_chars: 0,
            facts: Facts::default(),
            written: None,
            images: Vec::new(),
        };
        let settled = |answer: Option<&str>| {
            let answer = answer.map(str::to_owned);
            let state = TaskState::Completed;
            let done = EscrowSettlement { call, spent: Spent::default(), is_assumed: false, state, answer };
            Body::Change(Change::EscrowSettled(done))
        };
        let bodies = vec![
            Body::Note(Note::of_failed_run(call, 1, &Outcome::Failed, "half")),
            Body::ToolResult(Arc::new(result)),
            Body::Note(Note::plain(call, "A result arrived after the call was cut short (ok):\nlate")),
            Body::Note(Note::plain(EntryId(2), "hook `lint`: a line of the result")),
            Body::Note(Note::plain(EntryId(4), "hook `lint`: another")),
            Body::Note(Note::of_typing(call)),
            Body::Note(Note::plain(About::Session, "of nothing")),
            settled(Some("done")),
            settled(None),
            Body::Injected(Injected::text(Injector::Subagent, "It reported:\ndone")),
            Body::Injected(Injected::text(Injector::Environment, "The date is")),
        ];
        assert_eq!(told(bodies), [1, 3, 4, 5, 8, 10]);
    }

    #[test]
    fn a_goal_tells_what_its_command_said_once_that_was_run() {
        let check = |by: Answerer| {
            let asked = Asked { question: "Evidence?".to_owned(), answer: None, by };
            Body::Checkpoint(Checkpoint { number: 1, questions: vec![asked] })
        };
        let said = || Body::Injected(Injected::text(Injector::GoalCheck, "Checkpoint"));
        let handoff = || Body::Handoff { text: "Last evidence".to_owned() };
        let bodies = vec![
            said(),
            check(Answerer::Ledger),
            said(),
            handoff(),
            check(Answerer::ValidationCommand),
            said(),
            handoff(),
        ];
        assert_eq!(told(bodies), [5, 6, 7]);
    }
}
