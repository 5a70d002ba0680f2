//! Call ids on the wire: what a provider accepts, unique in the request, and the same for a call and its result.

use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::{CallId, Message};

/// The id of every call of a request.
///
/// Ids are given in the order of the history, so what an append-only history had yesterday it has today:
/// prompt caches hold.
#[derive(Debug, Default)]
pub(super) struct WireIds {
    by_call: BTreeMap<CallId, String>,
}

impl WireIds {
    /// The provider's own id where it is valid and not taken; else one made of ours.
    pub(super) fn of(messages: &[Message]) -> Self {
        let mut by_call = BTreeMap::new();
        let mut taken = BTreeSet::new();
        let calls =
            messages.iter().filter_map(|m| if let Message::Assistant(a) = m { Some(a) } else { None });
        for call in calls.flat_map(|a| a.calls()) {
            let id = if is_accepted(&call.wire_id) && !taken.contains(&call.wire_id) {
                call.wire_id.clone()
            } else {
                free_id(call.id, &taken)
            };
            taken.insert(id.clone());
            by_call.insert(call.id, id);
        }
        Self { by_call }
    }

    /// The id of `call`, for the call and for its result.
    pub(super) fn get(&self, call: CallId) -> String {
        self.by_call.get(&call).cloned().unwrap_or_else(|| call.to_string())
    }
}

fn free_id(call: CallId, taken: &BTreeSet<String>) -> String {
    let mut id = call.to_string();
    while taken.contains(&id) {
        id.push('_');
    }
    id
}

/// `^[a-zA-Z0-9_-]{1,64}$`.
fn is_accepted(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(is_word)
}

/// A tool's name as providers take it back: a model may have written one that they refuse.
pub(super) fn accepted_name(name: &str) -> String {
    if name.is_empty() {
        return "unnamed".to_owned();
    }
    name.chars().take(64).map(|c| if u8::try_from(c).is_ok_and(is_word) { c } else { '_' }).collect()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
