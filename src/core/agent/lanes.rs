//! Lanes of a race that wait for their turn: what they may spend is set aside already, and each starts when another sub-agent is over.

use crate::ledger::{CallId, Change, CutBy, EscrowSettlement, Millis, Remark, TaskState};

use super::step::Step;
use super::{Agent, Effect, Intent, Live, Operation};

impl Agent {
    /// Whether the sub-agent of this call waits for its turn.
    pub(super) fn is_waiting_lane(&self, call: CallId) -> bool {
        self.lanes.iter().any(|lane| lane.invocation.call == call)
    }

    /// Starts as many of those that wait as there are places, in their order. That they start is written first.
    pub(super) fn start_waiting_lanes(&mut self, step: &mut Step) {
        while !self.lanes.is_empty() && !self.is_full() {
            let Some(mut lane) = self.lanes.pop_front() else { return };
            // The mode may have changed since.
            let known = self.settings.subagents.known.iter().find(|known| known.name == lane.agent);
            lane.mode = known.map_or(self.policy.mode, |spec| self.mode_of(spec));
            let call = lane.invocation.call;
            self.history.ledger.remark(step.now, Remark::Change(Change::SubagentStarted { call }));
            step.act(Effect::StartSubagent(lane));
        }
    }

    /// A person wants something of one that waits: only a stop means anything to it. Words go back, since
    /// nobody is there to read them.
    pub(super) fn tell_waiting_lane(&mut self, step: &mut Step, call: CallId, intent: Intent) {
        if intent != Intent::Abort {
            Self::give_back_below(step, call, intent);
            return step
                .emit(Live::Refused(format!("the sub-agent of {} has not started yet", self.address(call))));
        }
        self.lanes.retain(|lane| lane.invocation.call != call);
        self.settle_waiting_lane(step.now, call);
    }

    /// Whoever started the session stops it, or a signal does, and no run is under way: what works for it settles, and what waits for its
    /// turn does not start.
    pub(super) fn cut_those_in_background(&mut self, step: &mut Step, by: CutBy) {
        for lane in std::mem::take(&mut self.lanes) {
            self.settle_waiting_lane(step.now, lane.invocation.call);
        }
        let at_work: Vec<CallId> = self.history.subagents().open.keys().copied().collect();
        at_work.into_iter().for_each(|call| step.cancel(Operation::Subagent(call, by)));
    }

    fn settle_waiting_lane(&mut self, now: Millis, call: CallId) {
        let why = "it was stopped while it waited for its turn";
        let settled = EscrowSettlement::not_started(call, TaskState::Canceled, why);
        self.history.ledger.settle_escrow(now, settled);
    }
}
