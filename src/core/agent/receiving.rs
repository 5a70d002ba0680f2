//! Decisions as they are written: each is a receipt for one exact action, and only that action runs on it.

use crate::ledger::{CallId, Decision, Millis, Remark, Sandboxing, ToolUse};
use crate::policy::{Receipt, digest, fingerprint};
use crate::tool::Preparation;

use super::Agent;
use super::phase::Pending;

impl Agent {
    /// Writes a decision.
    pub(super) fn record(&mut self, now: Millis, decision: Decision) {
        self.books.ledger.remark(now, Remark::ApprovalDecided(decision));
    }

    /// Writes that this exact action may run, as far as `decision` goes, and keeps the receipt.
    pub(super) fn receive(&mut self, now: Millis, call: &ToolUse, decision: Decision) -> Receipt {
        let receipt = Receipt {
            call: call.id,
            digest: digest(&call.name, &call.arguments),
            tool: call.name.clone(),
            cwd: self.settings.cwd.clone(),
            scope: decision.scope,
            decider: decision.by,
            rule: decision.rule.clone(),
        };
        let (digest, cwd, key) = (receipt.digest.clone(), receipt.cwd.clone(), self.key_of(call.id));
        self.record(now, Decision { allow: true, digest, cwd, key, ..decision });
        receipt
    }

    /// The key by which whoever runs a call can tell a repetition: it stays the same over retries and restarts, since
    /// calls are numbered in the ledger.
    pub(super) fn key_of(&self, call: CallId) -> String {
        format!("{}-{call}", self.settings.session)
    }

    /// Whether what is about to run is what was allowed.
    pub(super) fn is_what_was_allowed(&self, pending: &Pending) -> Result<(), String> {
        let call = &pending.call;
        match &pending.receipt {
            Some(receipt) => receipt.holds_for(call.id, &call.name, &call.arguments, &self.settings.cwd),
            None => Err("there is no receipt for this call, so it was not started".to_owned()),
        }
    }

    /// Why a person decides about a call that might run in the sandbox, and where it runs when it is allowed: it
    /// was tried there, or the sandbox would not hide all that it should.
    pub(super) fn why_not_confined(
        &mut self,
        call: &ToolUse,
        found: &Preparation,
    ) -> Option<(String, Sandboxing)> {
        if let Some(earlier) = self.books.unclear().refused(&call.name, &call.arguments) {
            let why = format!("the sandbox may have stood in the way of the same action, {earlier}");
            return Some((why, Sandboxing::Without));
        }
        let action = fingerprint(&call.name, &call.arguments);
        let gap =
            found.gaps.first().filter(|_| !self.settings.policy.granted_in_sandbox.contains(&action))?;
        let more = match found.gaps.len() {
            1 => String::new(),
            all => format!(" (and {} more)", all - 1),
        };
        Some((format!("in the sandbox, which has a gap here: {gap}{more}"), Sandboxing::Within))
    }
}
