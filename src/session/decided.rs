//! By whose decision a call ran.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::ledger::{Body, CallId, Decider, Entry, EntryId, Millis, Scope};
use crate::wire::record::moment;

/// The decision that let a call run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decided {
    /// Its entry.
    pub(crate) entry: EntryId,
    at: Millis,
    by: Decider,
    scope: Scope,
    rule: Option<String>,
    reason: String,
    sandboxed: bool,
    /// The hash of the exact action; empty in older sessions.
    digest: String,
    /// Whether only a file from elsewhere says so.
    is_imported: bool,
}

impl Decided {
    /// The last decision that allowed this call, if one did.
    pub(crate) fn about(entries: &[Arc<Entry>], call: CallId) -> Option<Self> {
        entries.iter().rev().find_map(|entry| Self::allowing(entry, call))
    }

    /// What an entry says, if it allowed this call.
    pub(crate) fn allowing(entry: &Entry, call: CallId) -> Option<Self> {
        match &entry.body {
            Body::ApprovalDecided(decision) if decision.call == call && decision.allow => Some(Self {
                entry: entry.id,
                at: entry.at,
                by: decision.by,
                scope: decision.scope,
                rule: decision.rule.clone(),
                reason: decision.reason.clone(),
                sandboxed: decision.sandboxed,
                digest: decision.digest.clone(),
                is_imported: false,
            }),
            _ => None,
        }
    }

    /// The same of a session that is imported up to this entry.
    pub(crate) fn imported_to(self, last: Option<EntryId>) -> Self {
        Self { is_imported: last.is_some_and(|last| self.entry <= last), ..self }
    }

    /// In words: "allowed by a person for the session". Not yet safe for a screen.
    pub(crate) fn words(&self) -> String {
        let by = match (self.by, self.scope) {
            (Decider::User, Scope::Once) => "a person".to_owned(),
            (Decider::User, Scope::Session) => "a person, for the session".to_owned(),
            (Decider::User, Scope::Project) => "a person, with a rule for the project".to_owned(),
            (Decider::User, Scope::Everywhere) => "a person, with a rule for all projects".to_owned(),
            (Decider::Hook, _) => "a hook".to_owned(),
            // It allows nothing.
            (Decider::Nobody, _) => "nobody".to_owned(),
            (Decider::Policy, _) => match &self.rule {
                Some(rule) => format!("the rule {rule}"),
                None if self.reason.is_empty() => "the policy".to_owned(),
                None => self.reason.clone(),
            },
        };
        let where_to = if self.sandboxed { ", in the sandbox" } else { "" };
        let who_says = if self.is_imported { ", as the imported file says" } else { "" };
        format!("allowed by {by}{where_to}{who_says}")
    }

    /// As members of one JSON object.
    pub(crate) fn json(&self) -> Value {
        json!({
            "entry": self.entry.to_string(), "at": moment(self.at), "by": self.by.as_str(), "scope": self.scope.as_str(),
            "rule": self.rule, "reason": self.reason, "sandboxed": self.sandboxed, "digest": self.digest, "imported": self.is_imported,
        })
    }
}
