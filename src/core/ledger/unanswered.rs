//! A request whose answer nobody heard: its process died before.

use std::sync::Arc;

use super::{Body, CompactionTrigger, Entry, Note, NoteKind};

/// Whether a model was being asked when the process that wrote this ended. What that cost is not known.
pub fn was_asking(entries: &[Arc<Entry>]) -> bool {
    let says_nothing_of_it = |body: &Body| match body {
        // A failure was an answer, and the next try is not sent before it is written.
        Body::Note(note) => note.failed_call().is_none() && !is_of_a_summary(note),
        body => matches!(body, Body::Injected(_) | Body::Change(_) | Body::ProviderLimit(_)),
    };
    let Some(last) = entries.iter().rev().find(|entry| !says_nothing_of_it(&entry.body)) else {
        return false;
    };
    // What stands before the end of a fork was asked by another session.
    let is_own = |entry: &Entry| match entries.first().map(|first| &first.body) {
        Some(Body::SessionStarted(started)) => started.forked_at().is_none_or(|at| entry.id > at),
        _ => true,
    };
    let asks = match &last.body {
        Body::Transition { .. } => true,
        Body::Note(note) => note.asks_for_a_summary(),
        // The reason of the request after it stands before it.
        Body::Compaction(made) => made.trigger == CompactionTrigger::Reactive,
        _ => false,
    };
    asks && is_own(last)
}

/// Whether it records that a summary is asked for between two runs, or waited for no more.
fn is_of_a_summary(note: &Note) -> bool {
    matches!(note.kind, NoteKind::SummaryAsked { .. } | NoteKind::SummaryStopped)
}
