//! Ids of background commands: those of a session that goes on are given to no others.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ledger::{Arguments, Body, Entry};
use crate::runtime::LocalTools;
use crate::tool::name::SHELL;

/// Tools that give no background command the number of an earlier one.
pub(super) fn continued(tools: LocalTools, before: &[Arc<Entry>]) -> LocalTools {
    tools.after(background_calls(before), background_calls(inherited(before)))
}

/// How many background commands the session can have started: their ids are given to no others.
fn background_calls(entries: &[Arc<Entry>]) -> u64 {
    let is_one = |arguments: &Arguments| match arguments {
        Arguments::Object(members) => members.get("background").is_some_and(|set| *set == true),
        Arguments::Unusable(_) => false,
    };
    let mut commands = BTreeSet::new();
    let starts = entries.iter().filter(|entry| match &entry.body {
        Body::ToolCall(call) if call.name == SHELL => {
            commands.insert(call.id);
            is_one(&call.arguments)
        }
        body => {
            body.changes().is_some_and(|(call, arguments)| commands.contains(&call) && is_one(&arguments))
        }
    });
    starts.count() as u64
}

/// The entries that a fork has of the session it was forked from.
fn inherited(entries: &[Arc<Entry>]) -> &[Arc<Entry>] {
    let Some(Body::SessionStarted(started)) = entries.first().map(|entry| &entry.body) else { return &[] };
    let last = started.forked_at().and_then(|at| entries.iter().position(|entry| entry.id == at));
    last.and_then(|last| entries.get(..=last)).unwrap_or_default()
}
