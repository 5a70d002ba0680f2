//! What became of requests that no answer ended: their words are withdrawn, and what was sent counts.

use std::collections::BTreeSet;

use countersign::agent::Input;
use countersign::ledger::{Body, EntryId, Message};
use countersign::model::{FailureClass, ModelFailure, ModelNews, Request};

use crate::books::Log;
use crate::world::Stream;

#[derive(Default)]
pub struct Requests {
    /// Attempts that failed: their words stay in the log under a tombstone, and no later request contains them.
    failed: BTreeSet<EntryId>,
    /// Those that ended in this step and may be billed.
    uncounted: BTreeSet<EntryId>,
}

impl Requests {
    /// One was stopped, whatever came of it.
    pub fn stop(&mut self, message: EntryId) {
        self.uncounted.insert(message);
    }

    /// A refusal costs nothing; what was heard before a failure does, and so does a request that nothing answered.
    pub fn fail(&mut self, message: EntryId, stream: &Stream, failure: &ModelFailure) {
        self.failed.insert(message);
        if failure.is_unheard || stream.texts > 0 || stream.calls > 0 {
            self.uncounted.insert(message);
        }
    }

    /// At the end of the step the books count what was sent.
    pub fn are_counted(&mut self, log: &Log) -> Result<(), String> {
        let counts = |body: &Body, id| matches!(body, Body::Assistant(said) if said.id == id && said.usage.input > 0 && said.usage.estimated);
        let is_lost = |id: &EntryId| !log.entries.iter().rev().any(|entry| counts(&entry.body, *id));
        match std::mem::take(&mut self.uncounted).into_iter().find(is_lost) {
            Some(id) => Err(format!("the request {id} may be billed, and counts nothing")),
            None => Ok(()),
        }
    }

    /// Whether a request has nothing of those that failed.
    pub fn may_ask(&self, log: &Log, request: &Request) -> Result<(), String> {
        let written = log.entries.iter().filter(|e| matches!(e.body, Body::Assistant(_))).map(|e| e.id);
        if let Some(id) =
            written.filter(|id| self.failed.contains(id)).find(|id| !log.tombstones.contains(id))
        {
            return Err(format!("the words of the failed attempt {id} are not withdrawn"));
        }
        let has_failed =
            |message: &Message| matches!(message, Message::Assistant(a) if self.failed.contains(&a.id));
        match request.messages.iter().any(has_failed) {
            true => Err("a failed attempt is in the next request".into()),
            false => Ok(()),
        }
    }
}

/// A request that was sent and that nothing answered.
pub fn silence(message: EntryId) -> Input {
    let silent = ModelFailure::new(FailureClass::Transient, "silence").unheard();
    Input::Model(message, ModelNews::Failed(silent))
}
