//! How often something went to one place, and how that is counted.

use std::collections::BTreeMap;

use super::reach::{Destination, Sending};
use crate::ledger::Millis;

/// How often, and when, it went to one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reached {
    pub(crate) first: Millis,
    pub(crate) last: Millis,
    /// Requests of a model, or calls.
    pub(crate) count: u64,
    /// Those of them that nobody answered.
    pub(crate) unanswered: u64,
    /// Those of them that perhaps never went there, or without it.
    pub(crate) uncertain: u64,
}

impl Reached {
    pub(super) fn once(sending: &Sending) -> Self {
        let unanswered = u64::from(!sending.is_answered);
        let uncertain = u64::from(!sending.is_certain);
        Self { first: sending.at, last: sending.at, count: 1, unanswered, uncertain }
    }
}

pub(super) fn count(reached: &mut BTreeMap<Destination, Reached>, to: &Destination, more: &Reached) {
    match reached.get_mut(to) {
        None => drop(reached.insert(to.clone(), more.clone())),
        Some(one) => {
            (one.first, one.last) = (one.first.min(more.first), one.last.max(more.last));
            one.count += more.count;
            one.unanswered += more.unanswered;
            one.uncertain += more.uncertain;
        }
    }
}
