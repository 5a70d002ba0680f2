//! What of an entry is counted: why the loop went on or stopped, and what a walk must have met.

use std::collections::BTreeMap;

use countersign::ledger::{Body, Decider, Decision, Entry};
use countersign::tool::delegate;
use countersign::tool::name::ADOPT;

use crate::world::World;

/// Why the loop went on, or stopped, if the entry says that.
pub(crate) fn reason(entry: &Entry) -> Option<&'static str> {
    match &entry.body {
        Body::Transition { reason, .. } => Some(reason.as_str()),
        Body::TurnEnded(ended) => Some(ended.reason.as_str()),
        Body::CallEdited(_) => Some("call_edited"),
        Body::Command(call) if delegate(&call.name).is_some() => Some("lane"),
        Body::Command(call) if call.name == ADOPT => Some("adopted"),
        Body::Command(_) => Some("own_command"),
        Body::ApprovalDecided(decision) if decision.rule.is_some() => Some("rule_taken"),
        Body::ApprovalDecided(Decision { by: Decider::Policy, allow: true, sandboxed: true, .. }) => {
            Some("allowed_by_policy")
        }
        Body::Change(_) | Body::DelegationAnswered(_) => Some(entry.body.kind()),
        Body::Note(note) if note.typed_into().is_some() => Some("typed_into"),
        Body::Note(note) if note.ended().is_some() => Some("background_ended"),
        Body::Note(note) if note.accepted().is_some() => Some("task_accepted"),
        _ => None,
    }
}

impl World {
    /// The transitions and endings in the log, and how often each is there.
    pub fn reasons(&self) -> BTreeMap<&'static str, u64> {
        let mut seen = BTreeMap::new();
        for reason in self.log.entries.iter().filter_map(|entry| reason(entry)) {
            *seen.entry(reason).or_default() += 1;
        }
        seen
    }
}
