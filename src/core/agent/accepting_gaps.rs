//! A person accepts what the sandbox cannot hide here, for the rest of the session: calls that would run in it are not asked about
//! because of that any more. What is found later is another gap.

use std::collections::BTreeSet;

use crate::ledger::{CallId, Change, Decider, Decision, Remark, Sandboxing, accepted_gaps};

use super::phase::{CallState, Pending, Permission, Phase};
use super::step::Step;
use super::{Agent, Live};

impl Agent {
    /// Those of what a person has read that the question about one waiting call names: other calls that wait because of them are decided
    /// about again, and it goes on waiting for its own answer. Or those that any question names: then this decides about no call.
    pub(super) fn accept_gaps(
        &mut self,
        step: &mut Step,
        phase: Phase,
        of: Option<CallId>,
        read: &[String],
    ) -> Phase {
        let Phase::Dispatching(dispatching) = phase else {
            step.emit(Live::Refused(NOTHING_TO_ACCEPT.to_owned()));
            return phase;
        };
        let waiting =
            dispatching.calls.iter().filter(|pending| of.is_none_or(|call| call == pending.call.id));
        let mut asked: BTreeSet<String> =
            waiting.flat_map(|pending| self.gaps_asked_about(pending)).collect();
        asked.retain(|gap| !self.gaps.contains(gap));
        // The others stand in a question that the person has not seen.
        let gaps: Vec<String> = asked.iter().filter(|gap| read.contains(gap)).cloned().collect();
        if gaps.is_empty() {
            let why = if asked.is_empty() { NOTHING_TO_ACCEPT } else { OTHERS_BY_NOW };
            step.emit(Live::Refused(why.to_owned()));
            return Phase::Dispatching(dispatching);
        }
        self.gaps.extend(gaps.iter().cloned());
        let others =
            dispatching.calls.iter().filter(|pending| of.is_some_and(|call| call != pending.call.id));
        let is_about_them =
            |pending: &&Pending| self.gaps_asked_about(pending).iter().any(|gap| gaps.contains(gap));
        let again: Vec<CallId> = others.filter(is_about_them).map(|pending| pending.call.id).collect();
        self.history.ledger.remark(step.now, Remark::Change(Change::GapsAccepted { gaps, call: of }));
        self.decide_anew(step, dispatching, &again)
    }

    /// From now on each is asked about again. Calls that have not started are decided about again: one that waits has to name them, too.
    pub(super) fn refuse_gaps(&mut self, step: &mut Step, phase: Phase) -> Phase {
        if self.gaps.is_empty() {
            step.emit(Live::Refused("not revoked: no gap of the sandbox was accepted".to_owned()));
            return phase;
        }
        self.gaps.clear();
        self.history.ledger.remark(step.now, Remark::Change(Change::GapsRefused));
        let Phase::Dispatching(dispatching) = phase else { return phase };
        let again: Vec<CallId> =
            dispatching.calls.iter().filter(|p| self.relies_on_gaps(p)).map(|p| p.call.id).collect();
        self.decide_anew(step, dispatching, &again)
    }

    /// What the question about a call names, if it waits for an answer.
    fn gaps_asked_about(&self, pending: &Pending) -> Vec<String> {
        let CallState::Waiting(_) = pending.state else { return Vec::new() };
        self.history.request_of(pending.call.id).map(|(_, asked)| asked.gaps.clone()).unwrap_or_default()
    }

    /// Whether the sandbox cannot hide something from a call that has not started, and that would run there.
    fn relies_on_gaps(&self, pending: &Pending) -> bool {
        let would_run_there = match &pending.state {
            CallState::Ready(Permission::ByPolicy { sandboxed, .. }) => *sandboxed,
            CallState::Waiting(_) => self.history.sandboxing_of(pending.call.id) == Sandboxing::Within,
            CallState::Preparing
            | CallState::Consulting(..)
            | CallState::Revisiting { .. }
            | CallState::Ready(_)
            | CallState::Running(_)
            | CallState::Over(_) => false,
        };
        would_run_there && pending.looked.as_ref().is_some_and(|found| !found.gaps.is_empty())
    }

    /// What comes of a call that waited and was decided about again. What the policy lets run is written at once, because nobody is to
    /// be asked about it while it waits for its turn.
    pub(super) fn no_longer_waits(
        &mut self,
        step: &mut Step,
        pending: &mut Pending,
        state: CallState,
    ) -> CallState {
        let CallState::Ready(Permission::ByPolicy { reason, rule, sandboxed }) = state else { return state };
        let once = Decision::permission(pending.call.id, Decider::Policy, reason);
        self.allowed_by_policy(step.now, pending, Decision { sandboxed, rule, ..once });
        CallState::Ready(Permission::Recorded)
    }

    /// Those of the session's ledger, when it is resumed.
    pub(super) fn gaps_of_the_ledger(&self) -> Vec<String> {
        let accepted = accepted_gaps(self.history.ledger.entries().iter().map(AsRef::as_ref));
        accepted.into_iter().map(str::to_owned).collect()
    }
}

const NOTHING_TO_ACCEPT: &str = "nothing to accept: no call waits because the sandbox cannot hide something";
const OTHERS_BY_NOW: &str = "not accepted: the question names something else by now; read it first";
