//! A person accepts what the sandbox cannot hide here, for the rest of the session: calls that would run in it are not asked about
//! because of that any more. What is found later is another gap.

use crate::ledger::{CallId, Change, Remark, Sandboxing, accepted_gaps};

use crate::tool::Preparation;

use super::phase::{CallState, Phase};
use super::step::Step;
use super::{Agent, Live};

/// Most gaps that a question names, and that one acceptance covers.
const MOST: usize = 6;

impl Agent {
    /// The gaps that a question about a call names: nobody accepts one without having read it.
    pub(super) fn gaps_to_accept<'f>(&self, found: &'f Preparation) -> Vec<&'f str> {
        let new = found.gaps.iter().filter(|gap| !self.gaps.contains(*gap));
        new.take(MOST).map(String::as_str).collect()
    }

    /// Those of the calls that wait because of them, or of one such call. The calls themselves go on waiting: this decides about none
    /// of them.
    pub(super) fn accept_gaps(&mut self, step: &mut Step, phase: &Phase, of: Option<CallId>) {
        let calls = if let Phase::Dispatching(dispatching) = phase { Some(&dispatching.calls) } else { None };
        let waiting =
            calls.into_iter().flatten().filter(|pending| matches!(pending.state, CallState::Waiting(_)));
        let waiting = waiting.filter(|pending| of.is_none_or(|call| call == pending.call.id));
        // Only these name their gaps; of those of other calls nobody has read.
        let because =
            waiting.filter(|pending| self.history.sandboxing_of(pending.call.id) == Sandboxing::Within);
        let mut gaps: Vec<String> = because
            .filter_map(|pending| pending.looked.as_ref())
            .flat_map(|found| self.gaps_to_accept(found).into_iter().map(str::to_owned))
            .collect();
        gaps.sort_unstable();
        gaps.dedup();
        if gaps.is_empty() {
            let why = "nothing to accept: no call waits because the sandbox cannot hide something";
            return step.emit(Live::Refused(why.to_owned()));
        }
        self.gaps.extend(gaps.iter().cloned());
        self.history.ledger.remark(step.now, Remark::Change(Change::GapsAccepted { gaps }));
    }

    /// From now on each is asked about again.
    pub(super) fn refuse_gaps(&mut self, step: &mut Step) {
        if self.gaps.is_empty() {
            return step.emit(Live::Refused("not revoked: no gap of the sandbox is accepted".to_owned()));
        }
        self.gaps.clear();
        self.history.ledger.remark(step.now, Remark::Change(Change::GapsRefused));
    }

    /// Those of the session's ledger, when it is resumed.
    pub(super) fn gaps_of_the_ledger(&self) -> Vec<String> {
        let accepted = accepted_gaps(self.history.ledger.entries().iter().map(AsRef::as_ref));
        accepted.into_iter().map(str::to_owned).collect()
    }
}
