//! Tasks of agents elsewhere: what a person wants set aside for one is set aside before it is sent, and settled when it is over.

use crate::ledger::{CallId, Escrow, EscrowSettlement, Limit, MicroDollars, Millis, TaskState, Unit};
use crate::tool::{ToolReport, delegate};

use super::Agent;
use super::phase::Pending;

impl Agent {
    /// Writes that a task goes to another agent, and what is set aside for it: both are in the books before it is sent.
    ///
    /// # Errors
    /// What is to be set aside is more than is left. Nothing is written then, and nothing sent.
    pub(super) fn tell_delegation(&mut self, now: Millis, pending: &mut Pending) -> Result<(), String> {
        let Some(agent) = delegate(&pending.call.name) else { return Ok(()) };
        let limits = self.settings.reserves.get(agent).cloned().unwrap_or_default();
        for (limit, wanted) in &limits {
            let left = self.history.meter().left(*limit, now).filter(|left| left < wanted);
            if let Some(left) = left {
                return Err(format!(
                    "A task of the agent {agent} reserves {} of the budget {}, and {} is left. It was not sent.",
                    amount(*limit, *wanted),
                    limit.name(),
                    amount(*limit, left)
                ));
            }
        }
        let task = pending.call.arguments.text("task").unwrap_or_default();
        self.history.ledger.delegate(now, &mut pending.token, agent, task);
        if !limits.is_empty() {
            let (call, session) = (pending.call.id, String::new());
            let escrow = Escrow { call, session, limits, parallel: 1, in_background: false, waits: false };
            self.history.ledger.set_aside(now, escrow);
        }
        Ok(())
    }

    /// A task is over, or its end is known after it was cut short: what was set aside for it is settled.
    pub(super) fn settle_task(&mut self, now: Millis, call: CallId, report: &ToolReport) {
        let Some(escrow) = self.history.subagents().tasks.get(&call) else { return };
        let state = report.remote.as_ref().map_or(TaskState::Unknown, |task| task.state);
        let settled = EscrowSettlement::of_task(escrow, report.is_unsent, state);
        self.history.ledger.settle_escrow(now, settled);
    }

    /// The process ends: what becomes of tasks elsewhere is heard by nobody any more, so what was set aside for them is charged now.
    pub(super) fn settle_tasks(&mut self, now: Millis) {
        for escrow in self.history.subagents().tasks.clone().into_values() {
            let settled = EscrowSettlement::of_task(&escrow, false, TaskState::Unknown);
            self.history.ledger.settle_escrow(now, settled);
        }
    }
}

fn amount(limit: Limit, most: u64) -> String {
    match limit.unit() {
        Unit::MicroDollars => MicroDollars(most).to_string(),
        Unit::Things(_) | Unit::Tokens | Unit::Seconds => most.to_string(),
    }
}
