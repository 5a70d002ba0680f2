//! What came of playing a tape.

use std::sync::Arc;

use crate::ledger::{Body, CallId, Ending, Entry, EntryId};
use crate::model::Request;

/// What came of playing a tape.
#[derive(Debug, Clone, Default)]
pub struct Played {
    /// All entries, as an agent wrote them now.
    pub entries: Vec<Arc<Entry>>,
    /// The requests to models, in order.
    pub requests: Vec<PlayedRequest>,
    /// Where the tape had nothing for what the agent asked.
    pub deviations: Vec<Deviation>,
}

impl Played {
    /// Whether the same was decided about each call as is recorded, and the runs ended the same.
    pub fn goes_as(&self, recorded: &[Arc<Entry>]) -> bool {
        fn course(entries: &[Arc<Entry>]) -> impl Iterator<Item = (Option<(CallId, bool)>, Option<Ending>)> {
            entries.iter().filter_map(|entry| match &entry.body {
                Body::ApprovalDecided(decision) => Some((Some((decision.call, decision.allow)), None)),
                Body::TurnEnded(ended) => Some((None, Some(ended.reason))),
                _ => None,
            })
        }
        course(&self.entries).eq(course(recorded))
    }
}

/// A request to a model.
#[derive(Debug, Clone)]
pub struct PlayedRequest {
    /// The entry that the answer is, or would be.
    pub message: EntryId,
    /// How many entries stood before it.
    pub after: usize,
    /// What was asked.
    pub request: Request,
}

/// Something that the tape had no answer for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deviation {
    /// A model was asked more often than it had answered: the run was interrupted there.
    NoAnswer(EntryId),
    /// Nobody had decided about a call: it was denied.
    NoDecision(CallId),
    /// Nobody knows what a call would have returned: it failed, saying so.
    NoResult(CallId),
    /// A play had too many steps, and was left.
    Endless,
}
