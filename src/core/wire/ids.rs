//! Call ids on the wire: what a provider accepts, unique in the request, and the same for a call and its result.

use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::{CallId, Message};

/// What a server takes as a call's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdForm {
    /// `^[a-zA-Z0-9_-]{1,64}$`.
    Words,
    /// `^[a-zA-Z0-9]{9}$`: one vendor's older models take nothing else.
    NineLetters,
}

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
    pub(super) fn of(messages: &[Message], form: IdForm) -> Self {
        let mut by_call = BTreeMap::new();
        let mut taken = BTreeSet::new();
        let calls =
            messages.iter().filter_map(|m| if let Message::Assistant(a) = m { Some(a) } else { None });
        for call in calls.flat_map(|a| a.calls()) {
            let id = if form.accepts(&call.wire_id) && !taken.contains(&call.wire_id) {
                call.wire_id.clone()
            } else {
                form.free_id(call.id, &taken)
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

impl IdForm {
    fn accepts(self, id: &str) -> bool {
        match self {
            Self::Words => (1..=64).contains(&id.len()) && id.bytes().all(is_word),
            Self::NineLetters => id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        }
    }

    fn free_id(self, call: CallId, taken: &BTreeSet<String>) -> String {
        match self {
            Self::Words => {
                let mut id = call.to_string();
                while taken.contains(&id) {
                    id.push('_');
                }
                id
            }
            Self::NineLetters => {
                // Of a billion numbers a history has never taken all.
                let numbers = (0..1_000_000_000_u64).map(|more| call.0.wrapping_add(more) % 1_000_000_000);
                let mut ids = numbers.map(|number| format!("{number:09}"));
                ids.find(|id| !taken.contains(id)).unwrap_or_default()
            }
        }
    }
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
