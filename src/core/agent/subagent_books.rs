//! What a ledger says of sub-agents: a fold.

use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::{Body, CallId, Change, Entry, EntryId, Escrow, EscrowSettlement, Injector, TaskState};

/// What the ledger says of sub-agents.
#[derive(Debug, Clone, Default)]
pub(super) struct SubagentBooks {
    /// Those that are not over.
    pub(super) open: BTreeMap<CallId, Escrow>,
    /// Tasks of agents elsewhere for which something is set aside.
    pub(super) tasks: BTreeMap<CallId, Escrow>,
    /// How many were started.
    pub(super) started: u64,
    /// What each is called.
    pub(super) names: BTreeMap<CallId, String>,
    /// Those of which no result of a call has told the model.
    pub(super) untold: Vec<EscrowSettlement>,
    /// Those that were not over where the session was forked off: they belong to the other one.
    pub(super) of_another: BTreeSet<CallId>,
    /// The last entry that a fork has of the other session.
    forked_at: Option<EntryId>,
}

impl SubagentBooks {
    /// How many are at work: those that wait for their turn are not.
    pub(super) fn at_work(&self) -> u64 {
        self.open.values().filter(|escrow| !escrow.waits).count() as u64
    }

    /// Takes in one more entry.
    #[expect(clippy::wildcard_enum_match_arm, reason = "it reads six kinds of all")]
    pub(super) fn read(&mut self, entry: &Entry) {
        match &entry.body {
            Body::SessionStarted(started) => self.forked_at = started.forked_at(),
            Body::DelegationRequested(sent) => {
                self.names.insert(sent.call, sent.agent.clone());
            }
            Body::Change(Change::EscrowReserved(escrow)) if escrow.is_elsewhere() => {
                self.tasks.insert(escrow.call, escrow.clone());
            }
            Body::Change(Change::EscrowReserved(escrow)) => {
                self.started += 1;
                if self.forked_at.is_some_and(|last| entry.id <= last) {
                    self.of_another.insert(escrow.call);
                }
                self.open.insert(escrow.call, escrow.clone());
            }
            Body::Change(Change::SubagentStarted { call }) => {
                self.open.entry(*call).and_modify(|escrow| escrow.waits = false);
            }
            Body::Change(Change::EscrowSettled(settled)) => {
                self.open.remove(&settled.call);
                self.tasks.remove(&settled.call);
                if self.forked_at.is_some_and(|last| entry.id <= last) {
                    self.of_another.remove(&settled.call);
                }
                if settled.answer.is_some() {
                    self.untold.push(settled.clone());
                }
            }
            // It was over before its call had a result, and the process died: the result that its call got
            // afterwards has its answer.
            Body::DelegationAnswered(response) if tells_the_end(response.state) => {
                self.untold.retain(|settled| settled.call != response.call);
            }
            // They are told one by one, in this order.
            Body::Injected(said) if said.by == Injector::Subagent => {
                self.untold.drain(..self.untold.len().min(1));
            }
            // Whatever had ended by then was told before the turn began.
            Body::Transition { reason, .. } if reason.is_a_turn() => self.untold.clear(),
            _ => {}
        }
    }
}

/// Whether a result with this state says what came of the task. One that works in the background has its
/// result before its end, and of a call that was lost the result says nothing that is certain.
fn tells_the_end(state: TaskState) -> bool {
    match state {
        TaskState::Completed
        | TaskState::Failed
        | TaskState::Canceled
        | TaskState::Rejected
        | TaskState::InputRequired
        | TaskState::AuthRequired => true,
        TaskState::Submitted | TaskState::Working | TaskState::Unknown => false,
    }
}
