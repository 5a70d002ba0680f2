//! "Always": a rule that a person takes for the rest of the session. The loop offers it, the loop checks what comes back,
//! and the ledger keeps it.

use crate::ledger::{Decider, Decision, Ledger, Scope, ToolUse, grants};
use crate::policy::{Decided, Origin, Rule, RuleKind, Tier, Verdict, suggest};
use crate::tool::{Preparation, ToolKind};

use super::approval::NOT_EXAMINED;
use super::phase::{CallState, Pending, Permission};
use super::step::Step;
use super::{Agent, Live};

impl Agent {
    /// The rule to offer for a call: the narrowest that is of use, and with which it would run.
    ///
    /// # Errors
    /// Why there is none, in words for a person.
    pub(super) fn offered(&self, call: &ToolUse, found: &Preparation) -> Result<Rule, String> {
        let none = || "no rule would be both narrow and useful here".to_owned();
        let tool = self.tools.registry.get(&call.name).filter(|tool| tool.kind != ToolKind::Question);
        let tool = tool.ok_or_else(none)?;
        let rule = suggest(tool, &call.arguments, found, &[]).ok_or_else(none)?.rule;
        let mut policy = self.policy.clone();
        policy.rules.push(rule.clone());
        match policy.decide(tool, &call.arguments, found) {
            // What a wider rule or a grant would allow anyway shows nothing about this one.
            Decided { verdict: Verdict::Allow(_), rule: Some(by), .. } if by == rule => Ok(rule),
            Decided { verdict: Verdict::Ask(why) | Verdict::Deny(why), .. } => {
                Err(format!("a session rule would have no effect here: {why}"))
            }
            Decided { .. } => Err(none()),
        }
    }

    /// A person takes the rule that was shown. The screen's text is not believed: it must be what this call is offered
    /// now. Else nothing is decided, and the call still waits.
    pub(super) fn always(&mut self, step: &mut Step, pending: &mut Pending, shown: &str, scope: Scope) {
        let call = &pending.call;
        let Some(found) = &pending.looked else {
            return step.emit(Live::Refused(NOT_EXAMINED.to_owned()));
        };
        let rule = match self.offered(call, found) {
            Ok(rule) if rule.to_string() == shown => rule,
            Ok(rule) => {
                let why = format!("not accepted: the rule for this call is {rule}, not the one shown");
                return step.emit(Live::Refused(why));
            }
            Err(why) => return step.emit(Live::Refused(format!("not accepted: {why}"))),
        };
        if !scope.lasts() {
            return step
                .emit(Live::Refused("not accepted: a rule holds for the session at least".to_owned()));
        }
        let taken = Some(rule.to_string());
        let once = Decision::permission(call.id, Decider::User, "");
        pending.receipt = Some(self.receive(step.now, call, Decision { scope, rule: taken, ..once }));
        self.policy.rules.push(rule);
        pending.state = CallState::Ready(Permission::Recorded);
    }
}

/// The rules that a person took in this session, and did not take back.
pub(super) fn taken(ledger: &Ledger) -> Vec<Rule> {
    let rules = grants(ledger.entries().iter().map(AsRef::as_ref)).into_iter().filter_map(|grant| {
        let rule = Rule::parse(RuleKind::Allow, grant.rule?).ok()?;
        Some(rule.from(Origin::of(Tier::Session)))
    });
    rules.collect()
}
