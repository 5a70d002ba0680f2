//! A person takes back what was granted for the session: the ledger says so, and the policy forgets it at once.

use super::phase::{CallState, Dispatching, Pending, Permission, Phase};
use super::step::Step;
use super::{Agent, Live};
use crate::ledger::{Arguments, CallId, Change, Remark, grants};
use crate::policy::{Decided, Policy, RuleKind, Tier, Verdict, fingerprint};

/// A grant as the policy knows it.
enum Held {
    /// An exact action, as its fingerprint.
    Action(String),
    /// A rule, as it is written.
    Rule(String),
}

impl Agent {
    /// Takes back what was granted with this call. What runs by it runs on; what has not started yet is decided about anew.
    /// A call that waits for a decision goes on waiting.
    pub(super) fn revoke(&mut self, step: &mut Step, phase: Phase, call: CallId) -> Phase {
        let entries = self.history.ledger.entries().iter().map(AsRef::as_ref);
        let standing = grants(entries);
        let Some(grant) = standing.iter().find(|grant| grant.call == call) else {
            let why = match standing.len() {
                0 => "nothing is granted for this session".to_owned(),
                _ => {
                    format!("{call} granted nothing; /permissions lists the grants and their calls")
                }
            };
            step.emit(Live::Refused(format!("not revoked: {why}")));
            return phase;
        };
        let held = match grant.rule {
            Some(rule) => Held::Rule(rule.to_owned()),
            None => {
                let arguments = Arguments::from_value(grant.request.arguments.clone());
                Held::Action(fingerprint(&grant.request.name, &arguments))
            }
        };
        self.history.ledger.remark(step.now, Remark::Change(Change::GrantRevoked { call }));
        forget(&mut self.policy, &held);
        let Phase::Dispatching(dispatching) = phase else { return phase };
        let calls: Vec<CallId> =
            dispatching.calls.iter().filter(|p| self.lost_its_grant(p)).map(|p| p.call.id).collect();
        self.decide_anew(step, dispatching, &calls)
    }

    /// Calls that have not started are decided about again, by what the last look at them found.
    pub(super) fn decide_anew(
        &mut self,
        step: &mut Step,
        mut dispatching: Dispatching,
        calls: &[CallId],
    ) -> Phase {
        let mut again = Vec::new();
        for pending in dispatching.calls.iter_mut().filter(|pending| calls.contains(&pending.call.id)) {
            let Some(found) = pending.looked.clone() else { continue };
            again.push((pending.call.clone(), pending.hooked.clone(), found));
            // None of them starts while another is decided about.
            if matches!(pending.state, CallState::Ready(_)) {
                pending.state = CallState::Preparing;
            }
        }
        let mut phase = Phase::Dispatching(dispatching);
        for (call, hooked, found) in again {
            let Phase::Dispatching(dispatching) = phase else { return phase };
            phase = self.decide_by_policy(step, dispatching, &call, hooked.as_ref(), &found);
        }
        phase
    }

    /// Whether the policy allowed a call, which has not started, and would not allow it any more.
    fn lost_its_grant(&self, pending: &Pending) -> bool {
        let CallState::Ready(Permission::ByPolicy { .. }) = &pending.state else { return false };
        let tool = self.tools.registry.get(&pending.call.name);
        tool.zip(pending.looked.as_ref()).is_some_and(|(tool, found)| {
            let Decided { verdict, .. } = self.policy.decide(tool, &pending.call.arguments, found);
            !matches!(verdict, Verdict::Allow(_) | Verdict::Sandbox(_))
        })
    }
}

/// The next call of the kind is asked about again. An action goes wherever its path led when it was granted.
fn forget(policy: &mut Policy, held: &Held) {
    match held {
        Held::Rule(text) => policy.rules.retain(|rule| {
            rule.origin.tier != Tier::Session || rule.kind != RuleKind::Allow || rule.to_string() != *text
        }),
        Held::Action(action) => {
            let led = format!("{action} -> ");
            let is_other = |granted: &String| granted != action && !granted.starts_with(&led);
            policy.granted.retain(is_other);
            policy.granted_in_sandbox.retain(is_other);
        }
    }
}
