//! What the books tell of a task that was handed over: that it is under way, what the agent calls it, what it delivered.

use std::sync::Arc;

use super::delegation::Delegated;
use super::{Body, CallId, Entry};

/// The delegation that a call has begun and not ended, if it has.
pub(super) fn begun(entries: &[Arc<Entry>], call: CallId) -> Option<Delegated> {
    let mut begun: Option<Delegated> = None;
    for entry in entries {
        match &entry.body {
            Body::DelegationRequested(request) if request.call == call => {
                begun = Some(Delegated { agent: request.agent.clone(), task_id: None });
            }
            Body::Note(note) => {
                if let (Some(begun), Some((of, id))) = (&mut begun, note.accepted())
                    && of == call
                {
                    begun.task_id = Some(id.to_owned());
                }
            }
            Body::DelegationAnswered(response) if response.call == call => begun = None,
            _ => {}
        }
    }
    begun
}

/// What the agent delivered, where the process died between that and the result of the call.
pub(super) fn delivered(entries: &[Arc<Entry>], call: CallId) -> Option<String> {
    entries.iter().rev().find_map(|entry| match &entry.body {
        Body::DelegationAnswered(response) if response.call == call && !response.is_error => {
            Some(response.content.clone())
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::*;

    #[test]
    fn states_and_acceptances_are_read_back() {
        for state in TaskState::ALL.iter().copied() {
            assert_eq!(TaskState::parse(state.as_str()), Some(state));
        }
        assert_eq!(TaskState::parse("TASK_STATE_WORKING"), None);
        let note = Note::of_acceptance(CallId(3), "writer", "t-1");
        assert_eq!(note.accepted(), Some((CallId(3), "t-1")));
        assert_eq!(Note::plain(CallId(3), note.for_people()).accepted(), None);
    }

    /// A session in which the task of `c1` was sent, taken, and delivered.
    fn delivered_session() -> Vec<Arc<Entry>> {
        let mut ledger = Ledger::default();
        let text = str::to_owned;
        ledger.start(
            Millis(1),
            SessionStarted {
                session: text("s"),
                cwd: text("/w"),
                model: ModelRef::parse("script"),
                version: FORMAT_VERSION,
                system: String::new(),
                mode: None,
                forked_from: None,
            },
        );
        ledger.user(Millis(1), "go".into()).unwrap();
        let (id, call) = (ledger.reserve(), ledger.mint_call());
        let call = ToolUse {
            id: call,
            wire_id: String::new(),
            name: text("delegate_to_writer"),
            arguments: Arguments::parse("{}"),
        };
        let said = AssistantMessage {
            id,
            model: ModelRef::parse("script"),
            blocks: vec![Block::ToolUse(call)],
            stop: Stop::ToolUse,
            usage: Usage::default(),
            interrupted: false,
        };
        let mut token = ledger.assistant(Millis(1), said).unwrap().pop().unwrap();
        let allowed = Decision::permission(token.id(), Decider::User, "");
        ledger.remark(Millis(1), Remark::ApprovalDecided(allowed));
        ledger.delegate(Millis(2), &mut token, "writer", "write");
        ledger.accepted(Millis(2), &mut token, "t-1");
        ledger.accepted(Millis(2), &mut token, "t-2");
        let remote = Some(RemoteTask { id: None, state: TaskState::Completed });
        let ending = Settlement { remote, ..Settlement::synthetic(Outcome::Ok, "written") };
        ledger.settle(Millis(3), token, ending);
        ledger.entries().to_vec()
    }

    #[test]
    fn a_task_has_one_end_wherever_the_process_died() {
        let entries = delivered_session();
        check(&entries).unwrap();
        let end_of = |entries: &[Arc<Entry>]| {
            let ends: Vec<DelegationResponse> = entries
                .iter()
                .filter_map(
                    |e| if let Body::DelegationAnswered(r) = &e.body { Some(r.clone()) } else { None },
                )
                .collect();
            assert!(ends.len() <= 1, "{ends:?}");
            ends.into_iter().next()
        };
        let end = end_of(&entries).unwrap();
        assert_eq!((end.task_id.as_deref(), end.state), (Some("t-1"), TaskState::Completed));
        let sent = entries.iter().position(|e| matches!(e.body, Body::DelegationRequested(_))).unwrap();
        for cut in 1..entries.len() {
            let loaded = recover(entries[..cut].to_vec(), Millis(9)).unwrap().ledger;
            check(loaded.entries()).unwrap();
            let result = loaded.entries().iter().rev().find_map(|e| match &e.body {
                Body::ToolResult(result) => Some(result.clone()),
                _ => None,
            });
            match end_of(loaded.entries()) {
                None => assert!(cut <= sent),
                // The answer is in the books: it is delivered, not lost.
                Some(end) if cut + 1 == entries.len() => {
                    assert_eq!(
                        (end.state, result.unwrap().content.as_str()),
                        (TaskState::Completed, "written")
                    );
                }
                Some(end) => {
                    let named = (cut > sent + 1).then_some("t-1");
                    assert_eq!((end.task_id.as_deref(), end.state), (named, TaskState::Unknown));
                    assert_eq!(result.unwrap().outcome, Outcome::Lost { started: true });
                }
            }
        }
    }

    #[test]
    fn what_no_ledger_writes_is_refused() {
        let entries = delivered_session();
        let place = |wanted: fn(&Body) -> bool| entries.iter().position(|e| wanted(&e.body)).unwrap();
        let request = place(|b| matches!(b, Body::DelegationRequested(_)));
        let response = place(|b| matches!(b, Body::DelegationAnswered(_)));
        let decision = place(|b| matches!(b, Body::ApprovalDecided(_)));
        let fault = |entries: Vec<Arc<Entry>>| check(&entries).unwrap_err().what;
        let without = |at: usize| {
            let mut entries = entries.clone();
            entries.remove(at);
            entries
        };
        assert!(fault(without(request)).contains("an answer to a task that was not sent"));
        assert!(fault(without(response)).contains("the task that it sent has no end"));
        assert!(fault(without(decision)).contains("nobody has decided about it"));
        for twice in [request, response] {
            let mut entries = entries.clone();
            let again = Entry { id: EntryId(99), ..(*entries[twice]).clone() };
            entries.insert(twice + 1, Arc::new(again));
            assert!(fault(entries).ends_with("twice"));
        }
    }
}
