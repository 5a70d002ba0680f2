//! The ledger of a sub-agent, as whoever takes up the session above it may believe it.

use std::path::Path;
use std::sync::Arc;

use crate::ledger::{Body, CallId, Change, Entry, EntryId, Escrow, check, open_escrows};
use crate::runtime::SessionStore;
use crate::runtime::store::exact;
use crate::runtime::store::subagents::started_by;

/// What its own file has. What is wrong with its lines may be wrong with what it spent: then nothing
/// of it is believed, and all that was set aside counts.
pub(super) fn entries_of(state: &Path, session: &str) -> Option<Vec<Arc<Entry>>> {
    let (file, damage) = SessionStore::audited(&exact(state, session)?).ok()?;
    damage.is_none().then_some(file.entries)
}

/// The sub-agents that lead to this session, the outermost first and its own last; of a session of a person none.
pub(super) fn names_of(state: &Path, session: &str) -> Vec<String> {
    let Some(above) = started_by(session) else { return Vec::new() };
    let mut names = names_of(state, above);
    names.push(name_in(&entries_of(state, above).unwrap_or_default(), session));
    names
}

/// What a sub-agent is called, as the ledger above it says. Empty: it says nothing.
pub(super) fn name_in(above: &[Arc<Entry>], session: &str) -> String {
    let call = above.iter().find_map(|entry| match &entry.body {
        Body::Change(Change::EscrowReserved(escrow)) if escrow.session == session => Some(escrow.call),
        _ => None,
    });
    let name = above.iter().find_map(|entry| match &entry.body {
        Body::DelegationRequested(sent) if Some(sent.call) == call => Some(sent.agent.clone()),
        _ => None,
    });
    name.unwrap_or_default()
}

/// The id of a session, as its first line says.
pub(super) fn own_name(entries: &[Arc<Entry>]) -> Option<&str> {
    match &entries.first()?.body {
        Body::SessionStarted(started) => Some(&started.session),
        _ => None,
    }
}

/// Where something was set aside for this call.
pub(super) fn reserved_at(entries: &[Arc<Entry>], call: CallId) -> Option<EntryId> {
    let is_it =
        |body: &Body| matches!(body, Body::Change(Change::EscrowReserved(reserved)) if reserved.call == call);
    entries.iter().find(|entry| is_it(&entry.body)).map(|entry| entry.id)
}

/// Whether it was started by the session that this one was forked from.
pub(super) fn is_of_another(entries: &[Arc<Entry>], escrow: &Escrow) -> bool {
    let Some(Body::SessionStarted(started)) = entries.first().map(|entry| &entry.body) else { return false };
    let reserved = reserved_at(entries, escrow.call);
    started.forked_at().zip(reserved).is_some_and(|(last, reserved)| reserved <= last)
}

/// Whether a call of it has no result.
pub(super) fn has_open_call(entries: &[Arc<Entry>]) -> bool {
    check(entries).is_ok_and(|open| !open.is_empty())
}

/// The sub-agents of a session that are not settled. One of another id is none of its own: so each is looked at once.
pub(super) fn open_below(entries: &[Arc<Entry>], session: &str) -> Vec<Escrow> {
    open_escrows(entries).into_iter().filter(|escrow| escrow.is_of(session)).collect()
}
