//! What came of playing a tape.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ledger::{Arguments, Body, CallId, Ending, Entry, EntryId, Outcome};
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
    /// Whether the same was decided about each call as is recorded, each was changed to the same and came out the same, and the runs ended
    /// the same.
    pub fn goes_as(&self, recorded: &[Arc<Entry>]) -> bool {
        let course = |entries: &[Arc<Entry>]| -> Vec<CourseStep> {
            entries.iter().filter_map(|entry| CourseStep::of(&entry.body)).collect()
        };
        course(&self.entries) == course(recorded)
    }

    /// The tools that the session called and that are not there now.
    pub fn missing_tools(&self, recorded: &[Arc<Entry>]) -> BTreeSet<String> {
        let unknown = |entries: &[Arc<Entry>]| -> BTreeSet<(CallId, String)> {
            let unknown = entries.iter().filter_map(|entry| match &entry.body {
                Body::ToolResult(result) if result.outcome == Outcome::UnknownTool => {
                    Some((result.call, result.name.clone()))
                }
                _ => None,
            });
            unknown.collect()
        };
        let then = unknown(recorded);
        unknown(&self.entries).into_iter().filter(|one| !then.contains(one)).map(|(_, name)| name).collect()
    }
}

/// What the course of a session is made of.
#[derive(Debug, PartialEq)]
enum CourseStep {
    Decided(CallId, bool),
    Changed(CallId, Arguments),
    CameOut(CallId, &'static str),
    Ended(Ending),
}

impl CourseStep {
    fn of(body: &Body) -> Option<Self> {
        match body {
            Body::ApprovalDecided(decision) => Some(Self::Decided(decision.call, decision.allow)),
            Body::ToolResult(result) => Some(Self::CameOut(result.call, result.outcome.as_str())),
            Body::TurnEnded(ended) => Some(Self::Ended(ended.reason)),
            body => body.changes().map(|(call, to)| Self::Changed(call, to)),
        }
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
