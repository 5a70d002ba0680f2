//! What a sub-agent may spend: a share of what is left, set aside before it starts, so that the limits hold over the sum of all.

use std::collections::BTreeMap;

use crate::ledger::{Escrow, Millis, Spent};

use super::{Bound, Limit, Limits, Meter};

/// What is granted to a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grantable {
    /// What is set aside of each limit.
    pub limits: BTreeMap<Limit, u64>,
    /// How many calls it may run at once.
    pub parallel: u64,
}

impl Meter {
    /// What one sub-agent can be granted: one of so many equal `parts` of what is left, of which the session may keep one for itself; never
    /// more than is `asked` for. Up to `most_at_once` may be at work.
    ///
    /// Time is not divided: they work at the same time. Calls at once are, and its own call leaves it one.
    ///
    /// # Errors
    /// The limit of which nothing is left to share.
    pub fn grantable(
        &self,
        now: Millis,
        asked: &BTreeMap<Limit, u64>,
        parts: u64,
        most_at_once: u64,
    ) -> Result<Grantable, Limit> {
        let mut limits = BTreeMap::new();
        for limit in Limit::forbidding() {
            let left = match limit {
                Limit::WallTime => self.wall_left_ms(now).map(|left| left / 1000),
                _ => self.left(limit, now).map(|left| left / parts.max(1)),
            };
            let most = match (left, asked.get(&limit).copied()) {
                (Some(left), Some(asked)) => left.min(asked),
                (Some(one), None) | (None, Some(one)) => one,
                (None, None) => continue,
            };
            if most == 0 {
                return Err(limit);
            }
            limits.insert(limit, most);
        }
        let bound = self.limits().bound(Bound::ParallelCalls);
        Ok(Grantable { limits, parallel: (bound / most_at_once.max(1)).max(1) })
    }

    /// What is set aside of a limit for sub-agents that are at work. Time passes for all of them at once.
    pub fn set_aside(&self, limit: Limit) -> u64 {
        if limit == Limit::WallTime {
            return 0;
        }
        let of = |escrow: &Escrow| escrow.limits.get(&limit).copied().unwrap_or(0);
        self.escrows().values().fold(0, |sum, escrow| sum.saturating_add(of(escrow)))
    }

    /// How many calls the session itself may run at once beside those that its sub-agents may. A sub-agent that is waited for
    /// has the place of its own call.
    pub fn parallel_left(&self) -> u64 {
        let lent = |escrow: &Escrow| match (escrow.waits, escrow.in_background) {
            (true, _) => 0,
            (false, true) => escrow.parallel,
            (false, false) => escrow.parallel.saturating_sub(1),
        };
        let lent: u64 = self.escrows().values().map(lent).sum();
        self.limits().bound(Bound::ParallelCalls).saturating_sub(lent).max(1)
    }

    /// What this session has spent, for whoever set its limits aside. Calls beyond its limit were refused, so they are not
    /// counted.
    pub fn spent(&self, now: Millis) -> Spent {
        let most = self.limits().get(Limit::ToolCalls).unwrap_or(u64::MAX);
        let own = Spent {
            turns: self.used(Limit::Turns, now),
            tool_calls: self.used(Limit::ToolCalls, now).min(most),
            wall_ms: self.wall_ms(now),
            usage: self.session_usage(),
        };
        // What its own sub-agents have not settled counts as spent.
        self.escrows().values().map(Spent::all_of).fold(own, Spent::plus)
    }
}

impl Limits {
    /// The same limits, with these in the place of those that end a run, and so many calls at once.
    #[must_use]
    pub fn granted(mut self, grantable: &Grantable) -> Self {
        for limit in Limit::ALL {
            self.set(*limit, grantable.limits.get(limit).copied());
        }
        self.bounded(Bound::ParallelCalls, grantable.parallel)
    }
}
