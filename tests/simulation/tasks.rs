//! The rules of what is set aside for tasks of an agent elsewhere: before one is sent, of what is left, and settled once, however it ends.

use std::collections::{BTreeMap, BTreeSet};

use countersign::agent::Input;
use countersign::budget::Limit;
use countersign::ledger::{Body, CallId, Change, Escrow, EscrowSettlement, Spent};
use countersign::tool::{Invocation, ToolNews, ToolReport};

use crate::bounds::{Bounds, DELEGATE};
use crate::world::World;

/// What is set aside for each, and what a session with tasks may cost, in micro-dollars: two fit, and a third does not.
const OF_A_TASK: u64 = 2;
pub const COST: u64 = 5;

/// What is set aside in the world.
pub fn reserves(bounds: Bounds) -> BTreeMap<String, BTreeMap<Limit, u64>> {
    let of_a_task = BTreeMap::from([(Limit::Cost, OF_A_TASK)]);
    bounds.delegates.then(|| ("writer".to_owned(), of_a_task)).into_iter().collect()
}

/// What the log says of it.
#[derive(Default, Clone)]
pub struct Tasks {
    pub open: BTreeMap<CallId, Escrow>,
    settled: BTreeSet<CallId>,
    charged: u64,
    /// Tasks that did not reach their agent, as was told.
    unsent: BTreeSet<CallId>,
    /// Whether reports are heard.
    is_live: bool,
}

impl Tasks {
    /// Takes in one more entry. Says whether it is about a task.
    pub fn read(
        &mut self,
        body: &Body,
        is_sent: impl Fn(CallId) -> bool,
        died: bool,
    ) -> Result<bool, String> {
        match body {
            Body::Change(Change::EscrowReserved(escrow)) if escrow.is_elsewhere() => {
                self.reserve(escrow, is_sent(escrow.call))?;
            }
            Body::Change(Change::EscrowSettled(settled)) if self.open.contains_key(&settled.call) => {
                self.settle(settled, died)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Once, of what is left, and no other than is configured.
    fn reserve(&mut self, escrow: &Escrow, is_sent: bool) -> Result<(), String> {
        let call = escrow.call;
        let is_right = escrow.limits == BTreeMap::from([(Limit::Cost, OF_A_TASK)]);
        if !is_sent || !is_right || escrow.in_background || escrow.waits {
            return Err(format!("{escrow:?} is set aside for a task"));
        }
        if self.settled.contains(&call) || self.open.insert(call, escrow.clone()).is_some() {
            return Err(format!("something is set aside for the task of {call} twice"));
        }
        let all = self.charged + OF_A_TASK * self.open.len() as u64;
        (all <= COST).then_some(()).ok_or_else(|| "more is set aside for tasks than is left".into())
    }

    /// All of it is charged, unless nothing was sent.
    fn settle(&mut self, settled: &EscrowSettlement, died: bool) -> Result<(), String> {
        let call = settled.call;
        // Where books are only read again, nobody knows what was told.
        let is_unsent = if died || !self.is_live { !settled.is_assumed } else { self.unsent.contains(&call) };
        let charged = if is_unsent { 0 } else { OF_A_TASK };
        let cost = settled.spent.usage.cost.unwrap_or_default().0;
        let is_nothing_else = is_unsent == (settled.spent == Spent::default());
        if cost != charged || settled.is_assumed == is_unsent || !is_nothing_else {
            return Err(format!("the task of {call} is charged with {:?}", settled.spent));
        }
        self.open.remove(&call);
        self.settled.insert(call);
        self.charged += charged;
        Ok(())
    }

    /// What is told of a task before the loop hears of it.
    pub fn hear(&mut self, call: CallId, report: &ToolReport) {
        self.is_live = true;
        if report.is_unsent {
            self.unsent.insert(call);
        }
    }

    /// A task is sent when what is to be set aside for it is.
    pub fn may_be_sent(&self, run: &Invocation) -> Result<(), String> {
        let is_right = run.name != DELEGATE || self.open.contains_key(&run.call);
        is_right
            .then_some(())
            .ok_or_else(|| format!("the task of {} is sent, and nothing is set aside for it", run.call))
    }
}

impl World {
    /// Tasks that did not reach their agent, also after they were cut short.
    pub(crate) fn offer_unsent_tasks(&self, options: &mut Vec<Input>) {
        let under_way = self.tools.keys().chain(&self.late_tools);
        let tasks = under_way.filter(|call| self.log.escrows.tasks.open.contains_key(call));
        options.extend(tasks.map(|call| {
            let report = ToolReport { is_unsent: true, ..ToolReport::failed("not reached") };
            Input::Tool(*call, ToolNews::Done(Box::new(report)))
        }));
    }
}

/// The limit of which more was spent than was set aside. Prompts pass theirs.
pub fn exceeds(spent: &Spent, escrow: &Escrow) -> Option<Limit> {
    let all = [
        (Limit::Turns, spent.turns),
        (Limit::ToolCalls, spent.tool_calls),
        (Limit::WallTime, spent.wall_ms.div_ceil(1000)),
        (Limit::OutputTokens, spent.usage.output),
        (Limit::Cost, spent.usage.cost.unwrap_or_default().0),
    ];
    let passed =
        all.into_iter().find(|(limit, spent)| escrow.limits.get(limit).is_some_and(|most| spent > most));
    passed.map(|(limit, _)| limit)
}
