//! What is known of background commands: by the ledger, and by this process.

use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::{BackgroundStatus, Body, CallId, Change, Entry, EntryId, Injector, ToolUse};
use crate::tool::name::{SHELL, SHELL_KILL, SHELL_OUTPUT};

/// What the ledger says of background commands.
#[derive(Debug, Clone, Default)]
pub(super) struct Shells {
    /// Calls without a result yet whose result will speak of one.
    pub(super) about: BTreeSet<CallId>,
    /// By their ids, each with the call that began it.
    pub(super) running: BTreeMap<String, CallId>,
    /// Those whose end is written.
    pub(super) ended: BTreeSet<String>,
    /// Those that a person has stopped.
    pub(super) stopped: BTreeSet<String>,
    /// The last entry that a fork has of the other session, until it is read.
    pub(super) forked_at: Option<EntryId>,
    /// Those that ran there.
    pub(super) elsewhere: BTreeSet<String>,
    /// Of them those of which the model was not told yet, in the order of the notes.
    pub(super) untold: Vec<BackgroundStatus>,
}

impl Shells {
    /// Takes in one more entry.
    pub(super) fn read(&mut self, entry: &Entry) {
        let body = &entry.body;
        if let Body::ToolCall(call) | Body::CallEdited(call) = body
            && speaks(call)
        {
            self.about.insert(call.id);
        }
        if let Body::Note(note) = body
            && let (Some(standing), Some(call)) = (note.ended().cloned(), note.about.call())
        {
            self.stands(&standing, call);
            self.untold.push(standing);
        }
        if let Body::ToolResult(result) = body
            && self.about.remove(&result.call)
            && let Some(standing) = result.facts.background()
        {
            self.stands(standing, result.call);
            self.untold.retain(|untold| standing.is_running || untold.id != standing.id);
        }
        // They are told one by one, in this order.
        if matches!(body, Body::Injected(said) if said.by == Injector::Background) {
            self.untold.drain(..self.untold.len().min(1));
        }
        // Whatever had ended by then was told before the turn began.
        if matches!(body, Body::Transition { reason, .. } if reason.is_a_turn()) {
            self.untold.clear();
        }
        if let Body::Change(Change::BackgroundStopped { id, .. }) = body {
            self.stopped.insert(id.clone());
        }
        if let Body::SessionStarted(started) = body {
            self.forked_at = started.forked_at();
        }
        if self.forked_at == Some(entry.id) {
            self.forked_at = None;
            self.elsewhere = self.running.keys().cloned().collect();
        }
    }

    fn stands(&mut self, standing: &BackgroundStatus, call: CallId) {
        if standing.is_running {
            self.running.entry(standing.id.clone()).or_insert(call);
        } else {
            self.running.remove(&standing.id);
            self.ended.insert(standing.id.clone());
        }
    }
}

fn speaks(call: &ToolUse) -> bool {
    [SHELL, SHELL_OUTPUT, SHELL_KILL].contains(&call.name.as_str())
}

/// Ends of background commands that this process has heard of.
#[derive(Debug, Default)]
pub(super) struct BackgroundEnds {
    /// Those still to be written, each with the call that began it.
    pub(super) ended: Vec<(CallId, BackgroundStatus)>,
    /// Commands that had ended when this process took the session up.
    pub(super) of_before: BTreeSet<String>,
}
