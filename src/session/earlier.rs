//! What the entries of an earlier session say of it: its id, what it inherited, how many background commands it had.

use std::sync::Arc;

use crate::ledger::{Arguments, Body, Entry};
use crate::tool::name::SHELL;

/// How many background commands the session can have started: their ids are given to no others.
pub(super) fn background_calls(entries: &[Arc<Entry>]) -> u64 {
    let is_one = |arguments: &Arguments| match arguments {
        Arguments::Object(members) => members.get("background").is_some_and(|set| *set == true),
        Arguments::Unusable(_) => false,
    };
    let calls = entries.iter().filter(|entry| match &entry.body {
        Body::ToolCall(call) | Body::CallEdited(call) => call.name == SHELL && is_one(&call.arguments),
        _ => false,
    });
    calls.count() as u64
}

/// The entries that a fork has of the session it was forked from.
pub(super) fn inherited(entries: &[Arc<Entry>]) -> &[Arc<Entry>] {
    let Some(Body::SessionStarted(started)) = entries.first().map(|entry| &entry.body) else { return &[] };
    let last = started.forked_at().and_then(|at| entries.iter().position(|entry| entry.id == at));
    last.and_then(|last| entries.get(..=last)).unwrap_or_default()
}

pub(super) fn session_id(entries: &[Arc<Entry>]) -> String {
    entries
        .iter()
        .find_map(|e| if let Body::SessionStarted(s) = &e.body { Some(s.session.clone()) } else { None })
        .unwrap_or_default()
}
