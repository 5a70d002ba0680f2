//! What a person allowed for the rest of the session, as far as it was not taken back.

use std::collections::BTreeMap;

use super::{ApprovalRequest, Body, CallId, Change, Decider, Decision, Entry, Scope};

/// Something that a person allowed for the rest of the session.
#[derive(Debug, Clone, Copy)]
pub struct Grant<'e> {
    /// The call with which it was allowed; a revocation names it.
    pub call: CallId,
    /// What the call was asked about: without a rule, this exact action was allowed.
    pub request: &'e ApprovalRequest,
    /// The rule that was taken with it, as it is written, if one was.
    pub rule: Option<&'e str>,
    /// How long it holds.
    pub scope: Scope,
    /// Whether it runs in the sandbox alone.
    pub sandboxed: bool,
}

impl Grant<'_> {
    /// Whether both allow the same: the same rule, or the same exact action, in the sandbox or not.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self.rule, other.rule) {
            (None, None) => {
                self.request.name == other.request.name && self.request.arguments == other.request.arguments
            }
            (one, another) => one == another,
        }
    }
}

/// The grants that stand, in the order in which they were given. A revocation takes back every grant of the same before it;
/// what is granted after it stands.
pub fn grants<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Vec<Grant<'e>> {
    let mut asked: BTreeMap<CallId, &ApprovalRequest> = BTreeMap::new();
    let mut grants: Vec<Grant<'e>> = Vec::new();
    for entry in entries {
        match &entry.body {
            Body::ApprovalRequested(request) => {
                asked.insert(request.call, request);
            }
            Body::ApprovalDecided(decision) if is_grant(decision) => {
                let (call, sandboxed) = (decision.call, decision.sandboxed);
                let (rule, scope) = (decision.rule.as_deref(), decision.scope);
                grants.extend(asked.get(&call).map(|request| Grant {
                    call,
                    request,
                    rule,
                    scope,
                    sandboxed,
                }));
            }
            Body::Change(Change::GrantRevoked { call }) => {
                if let Some(revoked) = grants.iter().find(|grant| grant.call == *call).copied() {
                    grants.retain(|grant| !grant.is_like(&revoked));
                }
            }
            _ => {}
        }
    }
    grants
}

/// Whether a decision holds for the rest of the session, and is a person's.
fn is_grant(decision: &Decision) -> bool {
    decision.allow && decision.scope.lasts() && decision.by == Decider::User
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Preview, Sandboxing};

    #[test]
    fn without_a_rule_the_very_action_is_granted() {
        let request = |name: &str, command: &str| ApprovalRequest {
            call: CallId(1),
            name: name.to_owned(),
            arguments: serde_json::json!({ "command": command }),
            why: String::new(),
            risk: String::new(),
            effects: Vec::new(),
            preview: Preview::None,
            warning: None,
            rule: None,
            sandboxing: Sandboxing::Without,
            leads_to: None,
            is_partial: false,
            is_usual: false,
            replaces: false,
            gaps: Vec::new(),
        };
        let (one, other_arguments, other_tool) =
            (request("shell", "ls"), request("shell", "rm x"), request("run", "ls"));
        let grant =
            |request, rule| Grant { call: CallId(1), request, rule, scope: Scope::Session, sandboxed: false };
        assert!(grant(&one, None).is_like(&grant(&one, None)));
        assert!(!grant(&one, None).is_like(&grant(&other_arguments, None)));
        assert!(!grant(&one, None).is_like(&grant(&other_tool, None)));
        assert!(!grant(&one, Some("shell(ls)")).is_like(&grant(&one, None)));
        assert!(grant(&one, Some("shell(ls)")).is_like(&grant(&other_tool, Some("shell(ls)"))));
    }
}
