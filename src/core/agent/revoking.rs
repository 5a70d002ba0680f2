//! A person takes back what was granted for the session: the ledger says so, and the policy forgets it at once.

use crate::ledger::{Arguments, CallId, Millis, Remark, ToolUse, grants};
use crate::policy::{Decided, Policy, RuleKind, Tier, Verdict, fingerprint};

use super::phase::{Dispatching, Pending, Permission, Phase, State};
use super::{Agent, Effect, Live};

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
    pub(super) fn revoke(&mut self, now: Millis, phase: Phase, call: CallId, out: &mut Vec<Effect>) -> Phase {
        let entries = self.books.ledger.entries().iter().map(AsRef::as_ref);
        let standing = grants(entries);
        let Some(grant) = standing.iter().find(|grant| grant.call == call) else {
            let why = match standing.len() {
                0 => "nothing is granted for this session".to_owned(),
                _ => {
                    format!("nothing is granted with {call}; /permissions says what is, and with which calls")
                }
            };
            out.push(Effect::Emit(Live::Refused(format!("not revoked: {why}"))));
            return phase;
        };
        let held = match grant.rule {
            Some(rule) => Held::Rule(rule.to_owned()),
            None => {
                let arguments = Arguments::from_value(grant.request.arguments.clone());
                Held::Action(fingerprint(&grant.request.name, &arguments))
            }
        };
        self.books.ledger.remark(now, Remark::GrantRevoked { call });
        forget(&mut self.settings.policy, &held);
        match phase {
            Phase::Dispatching(dispatching) => self.decide_anew(now, dispatching, out),
            phase @ (Phase::Idle
            | Phase::AwaitingModel(_)
            | Phase::BackingOff(_)
            | Phase::Compacting(_)
            | Phase::Consulting(_)
            | Phase::Discovering(_)) => phase,
        }
    }

    /// Calls that the policy allowed, that have not started, and that it would not allow any more.
    fn decide_anew(&mut self, now: Millis, mut dispatching: Dispatching, out: &mut Vec<Effect>) -> Phase {
        let mut again: Vec<ToolUse> = Vec::new();
        for pending in &mut dispatching.calls {
            if self.has_lost_its_grant(pending) {
                // None of them starts while another is decided about.
                pending.state = State::Preparing;
                again.push(pending.call.clone());
            }
        }
        let mut phase = Phase::Dispatching(dispatching);
        for call in again {
            let dispatching = match phase {
                Phase::Dispatching(dispatching) => dispatching,
                phase @ (Phase::Idle
                | Phase::AwaitingModel(_)
                | Phase::BackingOff(_)
                | Phase::Compacting(_)
                | Phase::Consulting(_)
                | Phase::Discovering(_)) => return phase,
            };
            let pending = dispatching.calls.iter().find(|pending| pending.call.id == call.id);
            let known = pending.map(|pending| (pending.hooked.clone(), pending.looked.clone()));
            let (hooked, looked) = known.unwrap_or_default();
            let found = looked.unwrap_or_default();
            phase = self.decide_by_policy(now, dispatching, &call, hooked.as_ref(), &found, out);
        }
        phase
    }

    fn has_lost_its_grant(&self, pending: &Pending) -> bool {
        let State::Ready(Permission::ByPolicy { .. }) = &pending.state else { return false };
        let (Some(tool), Some(found)) = (self.registry.get(&pending.call.name), &pending.looked) else {
            return false;
        };
        let Decided { verdict, .. } = self.settings.policy.decide(tool, &pending.call.arguments, found);
        !matches!(verdict, Verdict::Allow(_) | Verdict::Sandbox(_))
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
