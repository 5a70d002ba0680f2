//! The session is left: after that, nothing that the loop began is open in the log, except what the next process settles.

use std::collections::BTreeSet;

use countersign::agent::{Input, Shutdown};
use countersign::ledger::{CallId, Escrow, Millis};

use crate::kill::{asks, survives};
use crate::subagents::news;
use crate::world::World;

impl World {
    /// Leaves the session as the driver does: sub-agents that the run waits for report, and nobody hears anything after that.
    pub(crate) fn leave(&mut self, how: Shutdown) -> Result<(), String> {
        // An Esc that came twice waited for no sub-agent: what it has spent is settled by the next process.
        let open = self.log.escrows.open.keys().copied();
        let given_up: BTreeSet<CallId> = open.filter(|call| self.log.is_settled(*call)).collect();
        self.deliver(Input::Shutdown(how))?;
        while self.agent.is_stopping() {
            let stopped = self.subagents.iter().find(|(_, is_stopped)| **is_stopped);
            let escrow = stopped.and_then(|(call, _)| self.log.escrows.open.get(call));
            let reports = escrow.map(|escrow| news(escrow, false)).unwrap_or_default();
            let Some(report) = reports.into_iter().nth(1) else {
                return Err("the loop waits for a sub-agent, and none was told to stop".into());
            };
            self.deliver(report)?;
        }
        self.nothing_is_left_open(how, &given_up).map_err(|why| format!("after {how:?}: {why}"))
    }

    /// What the loop wrote when it was left is taken up again.
    pub(crate) fn is_taken_up(&self) -> Result<(), String> {
        // A session in which nothing was said has no file to be taken up from.
        if self.log.entries.is_empty() {
            return Ok(());
        }
        survives(self.log.clone(), self.bounds, Millis(self.now))
    }

    /// A closed app leaves open only what waits for a decision.
    pub(crate) fn check_quit(&self) -> Result<(), String> {
        let undecided = self.log.open.iter().all(|c| self.log.asked.contains_key(c));
        if !self.agent.is_idle() || !undecided || !self.models.is_empty() || !self.tools.is_empty() {
            return Err("quitting left something behind".into());
        }
        Ok(())
    }

    fn nothing_is_left_open(&self, how: Shutdown, given_up: &BTreeSet<CallId>) -> Result<(), String> {
        let log = &self.log;
        if !self.agent.is_idle() {
            return Err("the loop is not idle".into());
        }
        // An app that is closed leaves open what waits for a decision, and nothing else.
        let may_wait = |call| how == Shutdown::Quit && log.asked.contains_key(call);
        if let Some(call) = log.open.iter().find(|call| !may_wait(call)) {
            return Err(format!("{call} has no result"));
        }
        if log.open.is_empty() && log.run_is_open {
            return Err("the run has no end".into());
        }
        if asks(&log.entries) {
            return Err("a model was asked, and neither its answer nor what that cost is written".into());
        }
        if let Some(call) = log.escrows.tasks.open.keys().next() {
            return Err(format!("what was set aside for the task of {call} is not settled"));
        }
        // What those in the background have spent stands in their own ledgers, which the next process reads.
        let may_be_open =
            |escrow: &Escrow| escrow.in_background || escrow.waits || given_up.contains(&escrow.call);
        match log.escrows.open.values().find(|escrow| !may_be_open(escrow)) {
            Some(escrow) => {
                Err(format!("what was set aside for the sub-agent of {} is not settled", escrow.call))
            }
            None => Ok(()),
        }
    }
}
