//! Tasks that others are given, as the ledger writes them: sent, taken, and what is set aside for a sub-agent and settled.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::delegation::Delegated;
use super::task_state::delivered;
use super::{
    Body, CallId, Change, DelegationRequest, Entry, EntryId, Escrow, EscrowSettlement, Ledger, Millis, Note,
    OpenCall, Remark,
};

impl Ledger {
    /// The task of a call is about to be sent to another agent. The result of the call will end that, too.
    pub fn delegate(&mut self, at: Millis, call: &mut OpenCall, agent: &str, task: &str) -> EntryId {
        call.delegated = Some(Delegated { agent: agent.to_owned(), task_id: None });
        let (agent, task) = (agent.to_owned(), task.to_owned());
        self.append(at, Body::DelegationRequested(DelegationRequest { call: call.id, agent, task }))
    }

    /// The agent has taken the task, and calls it this. Nothing is written of a task that was not sent, or that has a name.
    pub fn accepted(&mut self, at: Millis, call: &mut OpenCall, task_id: &str) {
        if let Some(delegated) = &mut call.delegated
            && delegated.task_id.is_none()
        {
            delegated.task_id = Some(task_id.to_owned());
            let note = Note::of_acceptance(call.id, &delegated.agent, task_id);
            self.append(at, Body::Note(note));
        }
    }
}

/// The reservations that are not settled, in the order in which they were made.
pub fn open_escrows(entries: &[Arc<Entry>]) -> Vec<Escrow> {
    let mut open: Vec<Escrow> = Vec::new();
    for entry in entries {
        match &entry.body {
            Body::Change(Change::EscrowReserved(escrow)) => open.push(escrow.clone()),
            Body::Change(Change::SubagentStarted { call }) => {
                open.iter_mut().filter(|e| e.call == *call).for_each(|e| e.waits = false);
            }
            Body::Change(Change::EscrowSettled(settled)) => open.retain(|e| e.call != settled.call),
            _ => {}
        }
    }
    open
}

/// The reservations of which something is to be told after the death of a process: those that are not settled, and those whose
/// calls have no result yet.
pub fn untold_escrows(entries: &[Arc<Entry>]) -> Vec<Escrow> {
    let (open, finished) = (open_escrows(entries), finished(entries));
    let reserved = entries.iter().filter_map(|entry| match &entry.body {
        Body::Change(Change::EscrowReserved(escrow)) => Some(escrow),
        _ => None,
    });
    let untold = reserved.filter_map(|escrow| {
        let is_open = open.iter().find(|open| open.call == escrow.call);
        is_open.or((!finished.contains(&escrow.call)).then_some(escrow)).cloned()
    });
    untold.collect()
}

/// The calls with a result.
fn finished(entries: &[Arc<Entry>]) -> BTreeSet<CallId> {
    let results = entries.iter().filter_map(|entry| match &entry.body {
        Body::ToolResult(result) => Some(result.call),
        _ => None,
    });
    results.collect()
}

/// Whether a task of an agent elsewhere was given by the session that this one was forked from: that one is charged for it.
fn is_of_another(entries: &[Arc<Entry>], escrow: &Escrow) -> bool {
    let Some(Body::SessionStarted(started)) = entries.first().map(|entry| &entry.body) else { return false };
    let Some(last) = started.forked_at().filter(|_| escrow.is_elsewhere()) else { return false };
    entries.iter().take_while(|entry| entry.id <= last).any(|entry| match &entry.body {
        Body::Change(Change::EscrowReserved(reserved)) => reserved.call == escrow.call,
        _ => false,
    })
}

impl Ledger {
    /// Sets aside what a sub-agent may spend. The task is written before.
    pub fn set_aside(&mut self, at: Millis, escrow: Escrow) {
        self.remark(at, Remark::Change(Change::EscrowReserved(escrow)));
    }

    /// Settles a reservation.
    pub fn settle_escrow(&mut self, at: Millis, settled: EscrowSettlement) {
        self.remark(at, Remark::Change(Change::EscrowSettled(settled)));
    }

    /// Settles what a dead process left open: as is known from the sub-agents' own ledgers, or as if all of it were spent.
    pub(super) fn settle_escrows(&mut self, at: Millis, known: &[EscrowSettlement]) {
        let is_finished = finished(self.entries());
        for escrow in open_escrows(self.entries()) {
            let found = known.iter().find(|settled| settled.call == escrow.call).cloned();
            let settled = found.unwrap_or_else(|| match is_of_another(self.entries(), &escrow) {
                true => EscrowSettlement::charged_elsewhere(&escrow),
                false => EscrowSettlement::of_the_dead(&escrow),
            });
            // The result of a call that is still open says it, unless its words are written already: that it
            // works in the background.
            let is_worded =
                is_finished.contains(&escrow.call) || delivered(self.entries(), escrow.call).is_some();
            let answer = settled.answer.filter(|_| is_worded);
            self.settle_escrow(at, EscrowSettlement { answer, ..settled });
        }
    }
}
