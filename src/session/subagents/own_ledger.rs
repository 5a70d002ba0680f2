//! The ledger of a sub-agent, as whoever takes up the session above it may believe it.

use std::path::Path;
use std::sync::Arc;

use crate::ledger::{Body, Change, Entry};
use crate::runtime::SessionStore;
use crate::runtime::store::find;
use crate::runtime::store::subagents::started_by;

/// What its own file has, and no other that begins like it. What is wrong with its lines may be wrong with what it spent: then nothing
/// of it is believed, and all that was set aside counts.
pub(super) fn entries_of(state: &Path, session: &str) -> Option<Vec<Arc<Entry>>> {
    let path = find(state, session).ok()?;
    let is_it = path.file_stem().and_then(|stem| stem.to_str()) == Some(session);
    let (file, damage) = is_it.then(|| SessionStore::audited(&path).ok()).flatten()?;
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
