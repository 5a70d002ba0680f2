//! A call that waited over a restart: it is looked at again before it is decided. The world may be another one by now, and
//! a person allows what will happen, not what would have happened then.

use crate::budget::Limit;
use crate::ledger::{
    ApprovalRequest, Body, CallId, Decider, Decision, Millis, Sandboxing, Settlement, ToolUse,
};
use crate::policy::{Decided, Verdict};
use crate::tool::{Preparation, ToolSpec};

use super::ask_reason::AskReason;
use super::phase::{CallState, Dispatching, Pending, Phase};
use super::step::Step;
use super::{Agent, Answer, Effect, Live, Operation};

impl Agent {
    /// Begins the looks at calls that came back with the session, as far as their tools are known. What is no valid call of a
    /// tool any more is over.
    pub(super) fn revisit(&mut self, step: &mut Step, mut dispatching: Dispatching) -> Phase {
        for pending in &mut dispatching.calls {
            let CallState::Revisiting { request, is_looked_at: false } = pending.state else { continue };
            let tool = self.tools.registry.get(&pending.call.name).map(|tool: &ToolSpec| tool.effect);
            if tool.is_none() && self.tools.discovers {
                continue;
            }
            pending.effect = tool.unwrap_or(pending.effect);
            let Some(request) = request else {
                // Nobody was asked about it: it is examined like a new call.
                pending.state = self.at_the_gate(step, &pending.call);
                continue;
            };
            pending.state = match self.examine(step, &pending.call) {
                CallState::Preparing => CallState::Revisiting { request: Some(request), is_looked_at: true },
                CallState::Over(over) => self.void(step.now, pending.call.id, over),
                other @ (CallState::Revisiting { .. }
                | CallState::Consulting(..)
                | CallState::Waiting(_)
                | CallState::Ready(_)
                | CallState::Running(_)) => other,
            };
        }
        self.advance(step, dispatching)
    }

    /// A call that nobody was asked about is examined, unless the limit of calls was used up before it.
    fn at_the_gate(&mut self, step: &mut Step, call: &ToolUse) -> CallState {
        let made = self.history.ledger.entries().iter().rev().find_map(|entry| {
            let Body::Assistant(said) = &entry.body else { return None };
            let at = said.calls().position(|one| one.id == call.id)?;
            Some((said.calls().count(), at))
        });
        let (all, at) = made.unwrap_or_default();
        let before = self.history.meter().taken(Limit::ToolCalls, step.now).saturating_sub(all as u64);
        self.unless_used_up(before + at as u64).map_or_else(|| self.examine(step, call), CallState::Over)
    }

    /// What was asked about it has come to nothing, which is written: its result may have to wait for those before it.
    pub(super) fn void(&mut self, now: Millis, call: CallId, over: Settlement) -> CallState {
        self.early.retain(|(_, early, _)| *early != call);
        self.record(now, Decision::denial(call, Decider::Policy, over.content.clone()));
        CallState::Over(over)
    }

    /// The look is back. It tightens what was asked about, and loosens nothing: whatever allows the call by now, it goes on
    /// waiting. Hooks have spoken of it before the restart, and are not asked again.
    pub(super) fn revisited(
        &mut self,
        step: &mut Step,
        mut dispatching: Dispatching,
        call: &ToolUse,
        found: &Preparation,
    ) -> Phase {
        let Some(pending) = dispatching.calls.iter_mut().find(|pending| pending.call.id == call.id) else {
            drop(dispatching);
            return self.bug(step, "a call that was looked at again is gone");
        };
        pending.state = self.asked_again(step, pending, found);
        pending.looked = Some(found.clone());
        let phase = self.advance(step, dispatching);
        self.take_early(step, phase, call.id)
    }

    /// The request stands if the look has found what the last one did; else there is a new one.
    fn asked_again(&mut self, step: &mut Step, pending: &Pending, found: &Preparation) -> CallState {
        let call = &pending.call;
        let tool = self.tools.registry.get(&call.name).cloned();
        let (Some(tool), Some((request, before))) =
            (tool, self.history.request_of(call.id).map(|(id, request)| (id, request.clone())))
        else {
            return self.deny_by_policy(
                step.now,
                call.id,
                "there is no record of its approval request".to_owned(),
            );
        };
        let Decided { verdict, rule, is_usual, .. } = self.policy.decide(&tool, &call.arguments, found);
        let as_before = |agent: &Self| agent.why_it_was_asked(&before);
        let reason = match verdict {
            Verdict::Deny(reason) => {
                let rule = rule.map(|rule| rule.to_string());
                return self.refuse(
                    step.now,
                    Decision { rule, ..Decision::denial(call.id, Decider::Policy, reason) },
                );
            }
            Verdict::Ask(why) => {
                let sandboxing = self.no_looser(&tool, call, before.sandboxing);
                self.with_gaps(AskReason { is_usual, ..AskReason::of(why, sandboxing) }, found)
            }
            Verdict::Allow(_) => {
                let sandboxing = self.no_looser(&tool, call, before.sandboxing);
                self.with_gaps(AskReason::of(as_before(self), sandboxing), found)
            }
            Verdict::Sandbox(_) => {
                let gap = self.why_not_confined(call, found);
                gap.unwrap_or_else(|| AskReason::of(as_before(self), Sandboxing::Within))
            }
        };
        let asked = self.request_about(call, reason, found);
        if asked == before {
            return CallState::Waiting(request);
        }
        CallState::Waiting(self.ask(step, asked))
    }

    /// Why a call goes on waiting that the policy would let run by now: the reason of the first request about it, told as one of
    /// the past. It may hold no more, as a gap in the sandbox that was closed.
    fn why_it_was_asked(&self, before: &ApprovalRequest) -> String {
        let entries = self.history.ledger.entries().iter();
        let mut asked = entries.filter_map(|entry| {
            let Body::ApprovalRequested(asked) = &entry.body else { return None };
            Some(asked)
        });
        let is_same =
            |asked: &&ApprovalRequest| (asked.call, &asked.arguments) == (before.call, &before.arguments);
        let first = asked.find(is_same).unwrap_or(before);
        format!("asked about before the restart: {}", first.why)
    }

    /// Where the call runs when it is allowed: in the sandbox if that was asked about, as long as there is one.
    fn no_looser(&self, tool: &ToolSpec, call: &ToolUse, before: Sandboxing) -> Sandboxing {
        match (self.policy.can_confine(tool, &call.arguments), before) {
            (false, _) => Sandboxing::Without,
            (true, Sandboxing::Within) => Sandboxing::Within,
            (true, Sandboxing::OnWish | Sandboxing::Without) => Sandboxing::OnWish,
        }
    }

    /// An answer to a call that is not yet looked at again. A no needs no look; anything else waits for it. The screen says
    /// what is waited for if that may take long. Gives the answer that can be taken now.
    pub(super) fn unless_early(
        &mut self,
        step: &mut Step,
        pending: &Pending,
        answer: Answer,
    ) -> Option<Answer> {
        let CallState::Revisiting { request: Some(request), is_looked_at } = pending.state else {
            return Some(answer);
        };
        let call = pending.call.id;
        if matches!(answer, Answer::Deny(_) | Answer::Nobody(_)) {
            step.extend(is_looked_at.then_some(Effect::Cancel(Operation::Preparation(call))));
            return Some(answer);
        }
        self.early.retain(|(_, earlier, _)| *earlier != call);
        self.early.push((request, call, answer));
        step.extend((!is_looked_at).then_some(Effect::Emit(Live::Discovering)));
        None
    }

    /// The answer that was waiting for the look is taken, if what it answered still stands. A change of the arguments allows
    /// nothing, and is looked at itself: it is taken anyway.
    fn take_early(&mut self, step: &mut Step, phase: Phase, call: CallId) -> Phase {
        let Some(at) = self.early.iter().position(|(_, of, _)| *of == call) else { return phase };
        let (request, _, answer) = self.early.swap_remove(at);
        let Phase::Dispatching(dispatching) = &phase else { return phase };
        let waits = dispatching.calls.iter().find(|pending| pending.call.id == call);
        let Some(stands) = waits.and_then(Pending::waits_since) else { return phase };
        if stands != request && !matches!(answer, Answer::Edit(_)) {
            let why = "not accepted: what this call would do has changed; review it again";
            step.emit(Live::Refused(why.to_owned()));
            return phase;
        }
        let phase = self.decide(step, phase, stands, call, answer);
        step.name_refusal(stands);
        phase
    }
}
