//! How far a goal that is pursued has come, and what the rest of it comes to at this pace.

use crate::budget::{Limit, Meter};
use crate::ledger::MicroDollars;

use super::{PlanItem, PlanProgress};

/// The rest of a goal, if it goes on as it went so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoalForecast {
    /// Turns of the run so far.
    pub turns: u64,
    /// What the run has cost so far; `None`: the price is unknown.
    pub spent: Option<MicroDollars>,
    /// What the rest is reckoned by.
    pub rest: Rest,
}

/// How much is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// Nothing tells.
    Unknown,
    /// Steps of the plan: so many are done of so many.
    Plan {
        /// Done.
        done: u64,
        /// In all.
        all: u64,
        /// Turns that the others take.
        turns: u64,
        /// What they cost.
        cost: Option<MicroDollars>,
    },
    /// No step of a plan is done: the turns that the limit leaves are the most that can come.
    Limit {
        /// Turns that are left.
        turns: u64,
        /// What they cost.
        cost: Option<MicroDollars>,
    },
}

/// The forecast for the run that the meter counts.
pub(super) fn of(meter: &Meter, plan: &[PlanItem]) -> GoalForecast {
    let (turns, spent) = (meter.turns(), meter.usage().cost);
    let PlanProgress { done, all, .. } = PlanProgress::of(plan);
    let (done, all) = (done as u64, all as u64);
    // Up or down to the nearest would say that nothing is left.
    let share =
        |of: u64, left: u64, by: u64| (u128::from(of) * u128::from(left)).div_ceil(u128::from(by.max(1)));
    let share = |of, left, by| u64::try_from(share(of, left, by)).unwrap_or(u64::MAX);
    let cost = |left, by| spent.map(|MicroDollars(spent)| MicroDollars(share(spent, left, by)));
    let left = meter.limits().get(Limit::Turns).map(|most| most.saturating_sub(turns));
    let rest = match (done, left) {
        (1.., _) => {
            let open = all - done;
            Rest::Plan { done, all, turns: share(turns, open, done), cost: cost(open, done) }
        }
        (0, Some(left)) if turns > 0 => Rest::Limit { turns: left, cost: cost(left, turns) },
        (0, _) => Rest::Unknown,
    };
    GoalForecast { turns, spent, rest }
}

impl GoalForecast {
    /// `3 of 8 steps in 12 turns for $0.84; the rest takes about 20 turns and $1.40 at this pace`
    pub fn words(&self) -> String {
        let counted = |n: u64| if n == 1 { "1 turn".to_owned() } else { format!("{n} turns") };
        let so_far = format!(
            "{}{}",
            counted(self.turns),
            self.spent.map_or_else(String::new, |spent| format!(" for {spent}"))
        );
        let more = |cost: Option<MicroDollars>| cost.map_or_else(String::new, |cost| format!(" and {cost}"));
        match self.rest {
            Rest::Unknown => so_far,
            Rest::Plan { done, all, turns: 0, .. } => {
                format!("{done} of {all} {} in {so_far}", if all == 1 { "step" } else { "steps" })
            }
            Rest::Plan { done, all, turns, cost } => format!(
                "{done} of {all} steps in {so_far}; the rest takes about {}{} at this pace",
                counted(turns),
                more(cost)
            ),
            Rest::Limit { turns, cost } => {
                format!("{so_far}; at most {}{} more at this pace", counted(turns), more(cost))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::budget::Limits;
    use crate::ledger::{AssistantMessage, Body, Entry, EntryId, Millis, ModelRef, Stop, Transition, Usage};
    use crate::view::PlanStatus;

    fn meter(turns: u32, cost: Option<u64>) -> Meter {
        let mut meter = Meter::new(Limits::default().with(Limit::Turns, 50));
        let said = AssistantMessage {
            id: EntryId(2),
            model: ModelRef::parse("a/one"),
            blocks: Vec::new(),
            stop: Stop::End,
            usage: Usage { input: 1, output: 1, cost: cost.map(MicroDollars), ..Usage::default() },
            interrupted: false,
        };
        let asked = Body::Transition { turn: turns, reason: Transition::NextTurn };
        for body in [asked, Body::Assistant(Arc::new(said))] {
            meter.read(&Entry { id: EntryId(1), at: Millis(1), body });
        }
        meter
    }

    fn plan(done: usize, open: usize) -> Vec<PlanItem> {
        let item = |status| PlanItem { text: "a step".to_owned(), status };
        let done = std::iter::repeat_n(item(PlanStatus::Completed), done);
        done.chain(std::iter::repeat_n(item(PlanStatus::Pending), open)).collect()
    }

    #[test]
    fn the_rest_goes_on_at_the_pace_of_the_steps_that_are_done() {
        let said = |meter: &Meter, plan: &[PlanItem]| of(meter, plan).words();
        let paid = meter(12, Some(840_000));
        let steps =
            "3 of 8 steps in 12 turns for $0.84; the rest takes about 20 turns and $1.40 at this pace";
        assert_eq!(said(&paid, &plan(3, 5)), steps);
        assert_eq!(said(&paid, &plan(3, 0)), "3 of 3 steps in 12 turns for $0.84");
        let least = "12 turns for $0.84; at most 38 turns and $2.66 more at this pace";
        assert_eq!(said(&paid, &plan(0, 5)), least);
        let unpriced = meter(1, None);
        assert_eq!(
            said(&unpriced, &plan(2, 1)),
            "2 of 3 steps in 1 turn; the rest takes about 1 turn at this pace"
        );
        assert_eq!(said(&Meter::new(Limits::default()), &[]), "0 turns");
    }
}
