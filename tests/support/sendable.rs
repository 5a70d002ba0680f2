//! Whether a provider would take a request, stated independently of the code that builds it.

use std::collections::BTreeSet;

use countersign::ledger::{Message, Stop};
use countersign::model::Request;

/// What every provider asks of a history: it begins with the user, each call has its one result right after its
/// message, in order, and the model is not asked to go on from its own words.
pub fn sendable(request: &Request) -> Result<(), String> {
    let mut due = Vec::new();
    let mut made = BTreeSet::new();
    for (at, message) in request.messages.iter().enumerate() {
        if at == 0 && !matches!(message, Message::User(_)) {
            return Err("a request that does not begin with the user".into());
        }
        match message {
            Message::User(_) | Message::Assistant(_) if !due.is_empty() => {
                return Err(format!("a request without the results of {due:?}"));
            }
            Message::User(_) => {}
            Message::Assistant(said) => {
                due = said.calls().map(|call| call.id).collect();
                if let Some(twice) = due.iter().find(|call| !made.insert(**call)) {
                    return Err(format!("a request with {twice} twice"));
                }
            }
            Message::Results(results) => {
                let found: Vec<_> = results.iter().map(|result| result.call).collect();
                if found != std::mem::take(&mut due) || found.is_empty() {
                    return Err(format!("a request with the results of {found:?} in the wrong place"));
                }
            }
        }
    }
    match request.messages.last() {
        Some(Message::User(_) | Message::Results(_)) => Ok(()),
        // A paused turn goes back to its own model as it is.
        Some(Message::Assistant(said)) if said.stop == Stop::Pause && said.model == request.model => Ok(()),
        Some(Message::Assistant(_)) | None => Err("a request that ends with the model's own words".into()),
    }
}
