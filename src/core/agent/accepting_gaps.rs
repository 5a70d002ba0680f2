//! A person accepts what the sandbox cannot hide here, for the rest of the session: calls that would run in it are not asked about
//! because of that any more. What is found later is another gap.

use crate::ledger::{Change, Remark, accepted_gaps};

use super::phase::{CallState, Phase};
use super::step::Step;
use super::{Agent, Live};

impl Agent {
    /// Those of the calls that wait. The calls themselves go on waiting: this decides about none of them.
    pub(super) fn accept_gaps(&mut self, step: &mut Step, phase: &Phase) {
        let calls = if let Phase::Dispatching(dispatching) = phase { Some(&dispatching.calls) } else { None };
        let waiting =
            calls.into_iter().flatten().filter(|pending| matches!(pending.state, CallState::Waiting(_)));
        let mut gaps: Vec<String> = waiting
            .filter_map(|pending| pending.looked.as_ref())
            .flat_map(|found| found.gaps.iter().filter(|gap| !self.gaps.contains(*gap)).cloned())
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
