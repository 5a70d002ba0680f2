//! What happened while a call ran (it failed and was tried again, the user typed): notes that people read, and that
//! read back.

use std::sync::Arc;

use super::{Body, CallId, Entry, Note, Outcome};

const REFUSED: &str = "The sandbox may have stood in the way; asked for again, it is a person who decides.";

const TYPED: &str = "The user typed into the terminal of this call. What was typed is not kept.";

/// What the model reads with the result of such a call.
const TOLD: &str = "[the user typed into this terminal while it ran]";

/// Whether the user typed into the terminal of a call.
pub fn was_typed_into(entries: &[Arc<Entry>], call: CallId) -> bool {
    let makes =
        |body: &Body| matches!(body, Body::ToolCall(made) | Body::Validation(made) if made.id == call);
    let since = entries.iter().rev().take_while(|entry| !makes(&entry.body));
    let mut notes =
        since.filter_map(|entry| if let Body::Note(note) = &entry.body { Some(note) } else { None });
    notes.any(|note| note.typed_into() == Some(call))
}

/// The content of a call's result, after a line that says so if the user typed into its terminal.
pub fn told_of_typing(entries: &[Arc<Entry>], call: CallId, content: String) -> String {
    if was_typed_into(entries, call) { format!("{TOLD}\n{content}") } else { content }
}

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

    /// The user typed into the terminal of the call, which still runs.
    pub fn of_typing(call: CallId) -> Self {
        Self { about: call.to_string(), text: TYPED.to_owned() }
    }

    /// The call whose terminal the user typed into, if the note is on one.
    pub fn typed_into(&self) -> Option<CallId> {
        (self.text == TYPED).then(|| CallId::parse(&self.about))?
    }

    /// The call and the number of its run, if the note is on one that failed.
    pub fn failed_run(&self) -> Option<(CallId, u64)> {
        let (attempt, _) = self.text.strip_prefix("Run ")?.split_once(" failed (")?;
        Some((CallId::parse(&self.about)?, attempt.parse().ok()?))
    }
}
