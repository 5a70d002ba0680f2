//! Where a branch leaves a session, and what of it goes along.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ledger::{
    Body, CallId, Change, Decider, Entry, EntryId, Escrow, EscrowSettlement, Injector, check,
};

use super::{Crossroads, TwistFault};

/// Where a branch leaves its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Departure {
    /// What could have gone otherwise.
    pub crossroads: Crossroads,
    /// The first entry that the branch does not have.
    pub first: EntryId,
    /// The calls that were over there.
    pub over: BTreeSet<CallId>,
    /// The request that waits there, if a call does.
    pub request: Option<EntryId>,
}

impl Departure {
    /// Before what came of an entry.
    ///
    /// # Errors
    /// Nothing could have gone otherwise there.
    pub fn before(entries: &[Arc<Entry>], at: EntryId) -> Result<Self, TwistFault> {
        let crossroads = Crossroads::at(entries.iter().map(AsRef::as_ref), at)?;
        let (request, first) = match crossroads {
            Crossroads::Message(message) => (None, before_message(entries, message)),
            Crossroads::Decision(call) => {
                let (request, first) = decided(entries, call, at).ok_or(TwistFault::Undecided(call))?;
                (Some(request), first)
            }
            Crossroads::Ruled(call) => (None, ruled(entries, call).ok_or(TwistFault::NothingToChange(at))?),
        };
        Ok(Self { crossroads, first, over: over(entries, first), request })
    }
}

/// The results that a branch has although they stand behind its end: of calls that had been started or denied before it, which do
/// not depend on what comes.
///
/// # Errors
/// What stands before the entry is not well-formed.
pub fn results_of_decided(
    entries: &[Arc<Entry>],
    first: EntryId,
) -> Result<BTreeSet<EntryId>, crate::ledger::Fault> {
    let at = entries.iter().position(|entry| entry.id == first).unwrap_or_default();
    let (before, later) = entries.split_at(at);
    let open = check(before)?;
    let decided = |entry: &Arc<Entry>| match &entry.body {
        Body::ApprovalDecided(decision) => Some(decision.call),
        _ => None,
    };
    let decided: BTreeSet<CallId> =
        before.iter().filter_map(decided).filter(|call| open.contains(call)).collect();
    // What another agent answered is in entries of its own.
    let ended = later.iter().filter_map(|entry| match &entry.body {
        Body::ToolResult(_) | Body::DelegationRequested(_) | Body::DelegationAnswered(_) => {
            entry.body.call().filter(|call| decided.contains(call)).map(|_| entry.id)
        }
        // So is what it calls the task, and that a person typed into a command.
        Body::Note(note) => {
            let call = note.accepted().map(|(call, _)| call).or(note.typed_into());
            call.filter(|call| decided.contains(call)).map(|_| entry.id)
        }
        // So is what a sub-agent may spend, and has spent.
        Body::Change(
            Change::EscrowReserved(Escrow { call, .. })
            | Change::SubagentStarted { call }
            | Change::EscrowSettled(EscrowSettlement { call, .. }),
        ) => decided.contains(call).then_some(entry.id),
        _ => None,
    });
    Ok(ended.collect())
}

/// The message, or what is told of the environment before it: each process tells that anew.
fn before_message(entries: &[Arc<Entry>], message: EntryId) -> EntryId {
    let at = entries.iter().position(|entry| entry.id == message).unwrap_or_default();
    let earlier = entries.get(..at).unwrap_or_default().iter().rev();
    let facts = earlier.take_while(|entry| is_environment(&entry.body)).last();
    facts.map_or(message, |entry| entry.id)
}

fn is_environment(body: &Body) -> bool {
    matches!(body, Body::Injected(said) if said.by == Injector::Environment)
}

/// The calls that had their result before an entry.
fn over(entries: &[Arc<Entry>], first: EntryId) -> BTreeSet<CallId> {
    let before = entries.iter().take_while(|entry| entry.id != first);
    let ended = |entry: &Arc<Entry>| match &entry.body {
        Body::ToolResult(result) => Some(result.call),
        _ => None,
    };
    before.filter_map(ended).collect()
}

/// The request about a call that stood at an entry, or else its first one, and the entry that answered it. A call that was changed is asked
/// about again.
fn decided(entries: &[Arc<Entry>], call: CallId, at: EntryId) -> Option<(EntryId, EntryId)> {
    let asks =
        |entry: &&Arc<Entry>| matches!(&entry.body, Body::ApprovalRequested(asked) if asked.call == call);
    let requests = || entries.iter().filter(asks).map(|entry| entry.id);
    let stood = requests().take_while(|request| *request <= at).last().or_else(|| requests().next())?;
    let answers = |entry: &&Arc<Entry>| match &entry.body {
        Body::ApprovalDecided(decision) => decision.call == call && entry.id > stood,
        Body::CallEdited(edited) => edited.id == call && entry.id > stood,
        _ => false,
    };
    let answer = entries.iter().find(answers)?.id;
    // A process that takes the session up asks again.
    let request = requests().take_while(|request| *request < answer).last()?;
    Some((request, answer))
}

/// The entry with which the rules, or a hook, decided about a call.
fn ruled(entries: &[Arc<Entry>], call: CallId) -> Option<EntryId> {
    let decides = |entry: &&Arc<Entry>| match &entry.body {
        Body::ApprovalDecided(decision) => decision.call == call && decision.by != Decider::User,
        _ => false,
    };
    entries.iter().find(decides).map(|entry| entry.id)
}
