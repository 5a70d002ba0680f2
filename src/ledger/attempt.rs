//! A run of a call that failed and was tried again: a note that people read, and that reads back.

use super::{CallId, Note, Outcome};

const REFUSED: &str = "The sandbox may have stood in the way; asked for again, it is a person who decides.";

impl Note {
    /// Run number `attempt` of the call, from 1, failed with this content.
    pub fn of_failed_run(call: CallId, attempt: u64, outcome: &Outcome, content: &str) -> Self {
        let text = format!("Run {attempt} failed ({}) and was tried again:\n{content}", outcome.as_str());
        Self { about: call.to_string(), text }
    }

    /// The sandbox may be why the call failed.
    pub fn of_refusal(call: CallId) -> Self {
        Self { about: call.to_string(), text: REFUSED.to_owned() }
    }

    /// The call that the sandbox may have stopped, if the note is on one.
    pub fn refused(&self) -> Option<CallId> {
        (self.text == REFUSED).then(|| CallId::parse(&self.about))?
    }

    /// The call and the number of its run, if the note is on one that failed.
    pub fn failed_run(&self) -> Option<(CallId, u64)> {
        let (attempt, _) = self.text.strip_prefix("Run ")?.split_once(" failed (")?;
        Some((CallId::parse(&self.about)?, attempt.parse().ok()?))
    }
}
