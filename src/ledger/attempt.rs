//! A run of a call that failed and was tried again: a note that people read, and that reads back.

use super::{CallId, Note, Outcome};

impl Note {
    /// Run number `attempt` of the call, from 1, failed with this content.
    pub fn of_failed_run(call: CallId, attempt: u64, outcome: &Outcome, content: &str) -> Self {
        let text = format!("Run {attempt} failed ({}) and was tried again:\n{content}", outcome.as_str());
        Self { about: call.to_string(), text }
    }

    /// The call and the number of its run, if the note is on one that failed.
    pub fn failed_run(&self) -> Option<(CallId, u64)> {
        let (attempt, _) = self.text.strip_prefix("Run ")?.split_once(" failed (")?;
        Some((CallId::parse(&self.about)?, attempt.parse().ok()?))
    }
}
