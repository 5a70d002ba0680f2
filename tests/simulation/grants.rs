//! The rules of what people grant for the session: it stands until it is taken back, and the policy goes by nothing else.

use std::collections::BTreeMap;

use countersign::ledger::{ApprovalRequest, CallId, Decider, Decision, Scope};
use serde_json::Value;

/// What was granted with a call.
#[derive(Debug, Clone, PartialEq)]
enum Granted {
    Rule(String),
    Action(String, Value),
}

/// What stands, and what was asked about.
#[derive(Default, Clone)]
pub struct Grants {
    standing: BTreeMap<CallId, Granted>,
    /// The tool and the arguments of the last request about a call.
    asked_about: BTreeMap<CallId, (String, Value)>,
}

impl Grants {
    /// The calls with which something was granted that stands.
    pub fn calls(&self) -> impl Iterator<Item = &CallId> {
        self.standing.keys()
    }

    pub fn ask(&mut self, request: &ApprovalRequest) {
        self.asked_about.insert(request.call, (request.name.clone(), request.arguments.clone()));
    }

    /// Takes back what was granted with a call, and all that is the same.
    pub fn revoke(&mut self, call: CallId) -> Result<(), String> {
        let what = self.standing.get(&call).cloned();
        let what = what.ok_or_else(|| format!("{call} granted nothing that could be taken back"))?;
        self.standing.retain(|_, other| *other != what);
        Ok(())
    }

    /// A call is allowed.
    pub fn decide(&mut self, decision: &Decision) -> Result<(), String> {
        let call = decision.call;
        let is_rule = |granted: &Granted| matches!(granted, Granted::Rule(_));
        match (decision.by, &decision.rule) {
            (Decider::User, Some(rule)) => {
                self.standing.insert(call, Granted::Rule(rule.clone()));
            }
            (Decider::User, None) if decision.scope == Scope::Session => {
                let (name, arguments) = self.asked_about.get(&call).cloned().ok_or("nobody was asked")?;
                self.standing.insert(call, Granted::Action(name, arguments));
            }
            (Decider::Policy, Some(_)) if !self.standing.values().any(is_rule) => {
                return Err(format!("{call} runs by a rule that was taken back"));
            }
            (Decider::Policy, None)
                if decision.reason == "allowed for this session" && self.standing.values().all(is_rule) =>
            {
                return Err(format!("{call} runs by a grant that was taken back"));
            }
            _ => {}
        }
        Ok(())
    }
}
