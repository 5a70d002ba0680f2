//! Decisions as they are written: each is a receipt for one exact action, and only that action runs on it.

use crate::ledger::{CallId, Decision, Millis, Remark, Sandboxing, ToolUse};
use crate::policy::{Receipt, digest, fingerprint};
use crate::tool::Preparation;

use super::Agent;
use super::ask_reason::AskReason;
use super::phase::Pending;

/// Most gaps that a question names, and that one acceptance covers.
const MOST_GAPS: usize = 100;

impl Agent {
    /// Writes a decision.
    pub(super) fn record(&mut self, now: Millis, decision: Decision) {
        self.history.ledger.remark(now, Remark::ApprovalDecided(decision));
    }

    /// Writes that this exact action may run, as far as `decision` goes, and keeps the receipt.
    pub(super) fn receive(&mut self, now: Millis, call: &ToolUse, decision: Decision) -> Receipt {
        debug_assert!(decision.allow, "a receipt is for what may run");
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
        self.record(now, Decision { digest, cwd, key, ..decision });
        receipt
    }

    /// Writes that the policy lets this call run.
    pub(super) fn allowed_by_policy(&mut self, now: Millis, pending: &mut Pending, decision: Decision) {
        pending.sandboxed = decision.sandboxed;
        pending.receipt = Some(self.receive(now, &pending.call, decision));
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
    pub(super) fn why_not_confined(&mut self, call: &ToolUse, found: &Preparation) -> Option<AskReason> {
        if let Some(earlier) = self.history.unclear().refused(&call.name, &call.arguments) {
            let why = format!(
                "the sandbox may have blocked the same action, {earlier}; if you allow it, it runs without the sandbox"
            );
            return Some(AskReason::of(why, Sandboxing::OnWish));
        }
        let action = fingerprint(&call.name, &call.arguments);
        if self.policy.granted_in_sandbox.contains(&action) {
            return None;
        }
        let (named, gaps) = self.gaps_named(found)?;
        Some(AskReason { gaps, ..AskReason::of(named, Sandboxing::Within) })
    }

    /// Names the gaps of the sandbox behind another reason to ask: whoever allows a call to run there reads of them.
    pub(super) fn with_gaps(&self, mut reason: AskReason, found: &Preparation) -> AskReason {
        if reason.sandboxing == Sandboxing::Within
            && let Some((named, gaps)) = self.gaps_named(found)
        {
            reason.why = format!("{}; {named}", reason.why);
            reason.gaps = gaps;
        }
        reason
    }

    /// The sentence about what nobody accepted yet, and what of that it names.
    fn gaps_named(&self, found: &Preparation) -> Option<(String, Vec<String>)> {
        let mut gaps: Vec<String> =
            found.gaps.iter().filter(|gap| !self.gaps.contains(*gap)).cloned().collect();
        let more = gaps.len().saturating_sub(MOST_GAPS);
        gaps.truncate(MOST_GAPS);
        if gaps.is_empty() {
            return None;
        }
        let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
        let named =
            format!("commands could read and change what the sandbox cannot hide: {}{rest}", gaps.join("; "));
        Some((named, gaps))
    }
}

#[cfg(test)]
mod tests {
    use crate::agent::phase::Phase;
    use crate::agent::{Agent, Answer, Effect, Input, Intent, Settings};
    use crate::ledger::{Arguments, Body, CallId, EntryId, Millis, ModelRef, Outcome};
    use crate::model::{ModelEvent, ModelNews, ModelSpec};
    use crate::tool::{Preparation, SideEffect, ToolKind, ToolNews, ToolReport, ToolSpec};

    fn step(agent: &mut Agent, wanted: &mut Vec<Effect>, input: Input) {
        *wanted = agent.step(Millis(1), input);
    }

    /// Two calls that a person has allowed: the first runs, the second waits for its turn.
    fn allowed() -> (Agent, Vec<Effect>) {
        let write = ToolSpec {
            name: "write".into(),
            description: String::new(),
            schema: serde_json::json!({}),
            effect: SideEffect::Writes,
            paths: vec!["path".into()],
            timeout_ms: None,
            kind: ToolKind::Plain,
            retrieves: false,
        };
        let settings = Settings::new(ModelSpec::unknown(ModelRef::parse("first")));
        let mut agent = Agent::new(Settings { tools: vec![write], ..settings });
        let mut wanted = Vec::new();
        step(&mut agent, &mut wanted, Input::Intent(Intent::Submit("go".into())));
        let called = |e: &Effect| if let Effect::CallModel(id, _) = e { Some(*id) } else { None };
        let message = wanted.iter().find_map(called).unwrap();
        for index in [0, 1] {
            let (wire_id, name) = (String::new(), "write".to_owned());
            for event in [
                ModelEvent::CallStarted { index, wire_id, name },
                ModelEvent::CallArguments { index, text: format!("{{\"path\":\"{index}\"}}") },
                ModelEvent::CallDone { index },
            ] {
                step(&mut agent, &mut wanted, Input::Model(message, ModelNews::Event(event)));
            }
        }
        step(&mut agent, &mut wanted, Input::Model(message, ModelNews::Finished));
        for call in [CallId(1), CallId(2)] {
            step(&mut agent, &mut wanted, Input::Prepared(call, Preparation::default()));
        }
        for call in [CallId(2), CallId(1)] {
            let request = request(&agent, call);
            let answer = Answer::AllowOnce;
            step(&mut agent, &mut wanted, Input::Intent(Intent::Decide { request, call, answer }));
        }
        (agent, wanted)
    }

    fn request(agent: &Agent, call: CallId) -> EntryId {
        let of = |body: &Body| matches!(body, Body::ApprovalRequested(request) if request.call == call);
        agent.ledger().entries().iter().find(|entry| of(&entry.body)).unwrap().id
    }

    fn runs(wanted: &[Effect]) -> Vec<CallId> {
        let run = |e: &Effect| {
            let Effect::RunTool(run) = e else { return None };
            assert!(run.is_shown, "a person was shown it, and allowed that");
            Some(run.call)
        };
        wanted.iter().filter_map(run).collect()
    }

    /// What comes of the second call when the first has its result, after the loop's own state was changed.
    fn second(tamper: impl FnOnce(&mut super::Pending)) -> (Vec<CallId>, Option<Outcome>) {
        let (mut agent, mut wanted) = allowed();
        assert_eq!(runs(&wanted), [CallId(1)]);
        let Phase::Dispatching(dispatching) = &mut agent.phase else { panic!("calls are open") };
        tamper(dispatching.calls.iter_mut().find(|pending| pending.call.id == CallId(2)).unwrap());
        let done = ToolReport { outcome: Outcome::Ok, ..ToolReport::failed("done") };
        step(&mut agent, &mut wanted, Input::Tool(CallId(1), ToolNews::Done(Box::new(done))));
        let of = |result: &&std::sync::Arc<crate::ledger::ToolResult>| result.call == CallId(2);
        let results = agent.ledger().entries().iter();
        let mut results =
            results.filter_map(|e| if let Body::ToolResult(r) = &e.body { Some(r) } else { None });
        let result = results.find(of).map(|result| result.outcome.clone());
        let goes_on = wanted.iter().any(|e| matches!(e, Effect::CallModel(..)));
        assert_eq!(goes_on, result.is_some(), "a call that is refused holds nothing up");
        (runs(&wanted), result)
    }

    #[test]
    fn only_what_was_allowed_is_started() {
        assert_eq!(second(|_| ()), (vec![CallId(2)], None));
        let other =
            |pending: &mut super::Pending| pending.call.arguments = Arguments::parse("{\"path\":\"x\"}");
        assert_eq!(second(other), (Vec::new(), Some(Outcome::Failed)));
        assert_eq!(second(|pending| pending.call.name = "read".into()), (Vec::new(), Some(Outcome::Failed)));
        assert_eq!(second(|pending| pending.receipt = None), (Vec::new(), Some(Outcome::Failed)));
    }
}
