//! What the user typed into a call while it ran, as the ledger and its model are told.

use std::sync::Arc;

use super::{Body, CallId, Entry};

/// What the model reads with the result of such a call.
const TOLD: &str = "[the user typed into this terminal while it ran]";

/// Whether the user typed into the terminal of a call.
pub fn was_typed_into(entries: &[Arc<Entry>], call: CallId) -> bool {
    let makes = |body: &Body| matches!(body, Body::ToolCall(made) | Body::Validation(made) | Body::Command(made) if made.id == call);
    let since = entries.iter().rev().take_while(|entry| !makes(&entry.body));
    let mut notes =
        since.filter_map(|entry| if let Body::Note(note) = &entry.body { Some(note) } else { None });
    notes.any(|note| note.typed_into() == Some(call))
}

/// The content of a call's result, after a line that says so if the user typed into its terminal.
pub fn told_of_typing(entries: &[Arc<Entry>], call: CallId, content: String) -> String {
    if was_typed_into(entries, call) { format!("{TOLD}\n{content}") } else { content }
}
