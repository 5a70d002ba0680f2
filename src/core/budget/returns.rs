//! The token budget: go on until most of it is used, unless the returns diminish.

/// A budget of written tokens that the model is nudged to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenBudget {
    /// Tokens to be written in one run.
    pub tokens: u64,
    /// Enough is used at this percentage (calibrated by the seed: 90).
    pub enough_percent: u64,
    /// A continuation of fewer tokens brings little (calibrated by the seed: 500).
    pub little_tokens: u64,
    /// Continuations before diminishing returns can stop it (calibrated by the seed: 3).
    pub patience: u64,
}

impl TokenBudget {
    /// A budget with the seed's thresholds.
    pub fn of(tokens: u64) -> Self {
        Self { tokens, enough_percent: 90, little_tokens: 500, patience: 3 }
    }
}

/// What the continuations of a run have brought so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Returns {
    continuations: u64,
    last_delta: u64,
    last_total: u64,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nudge the model to continue.
    Continue,
    /// Stop; says whether because the returns diminish.
    Stop {
        /// Continuations brought too little, too often.
        diminishing: bool,
    },
}

impl Returns {
    /// Decides as the seed's code does, given all tokens written in the run.
    pub fn check(&self, budget: &TokenBudget, total: u64) -> Verdict {
        let delta = total.saturating_sub(self.last_total);
        let diminishing = self.continuations >= budget.patience
            && delta < budget.little_tokens
            && self.last_delta < budget.little_tokens;
        let enough = u128::from(budget.tokens) * u128::from(budget.enough_percent) / 100;
        if !diminishing && u128::from(total) < enough {
            Verdict::Continue
        } else {
            Verdict::Stop { diminishing }
        }
    }

    /// Begins anew when `total` tokens are written: the user wants more.
    pub fn raised(&mut self, total: u64) {
        *self = Self { last_total: total, ..Self::default() };
    }

    /// Counts a continuation that begins when `total` tokens are written.
    pub fn continued(&mut self, total: u64) {
        *self = Self {
            continuations: self.continuations + 1,
            last_delta: total.saturating_sub(self.last_total),
            last_total: total,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(budget: u64, each: &[u64]) -> (usize, Verdict) {
        let (budget, mut returns, mut total) = (TokenBudget::of(budget), Returns::default(), 0);
        for (at, tokens) in each.iter().enumerate() {
            total += tokens;
            match returns.check(&budget, total) {
                Verdict::Continue => returns.continued(total),
                stop => return (at, stop),
            }
        }
        (each.len(), Verdict::Continue)
    }

    #[test]
    fn it_stops_at_ninety_percent() {
        assert_eq!(run(10_000, &[3_000, 3_000, 2_999, 1]), (3, Verdict::Stop { diminishing: false }));
    }

    #[test]
    fn three_small_continuations_stop_it() {
        assert_eq!(run(10_000, &[100, 100, 100, 100, 100]), (3, Verdict::Stop { diminishing: true }));
        assert_eq!(run(10_000, &[100, 100, 600, 100, 100]), (4, Verdict::Stop { diminishing: true }));
        assert_eq!(run(10_000, &[100, 100, 100, 500, 499, 499]), (5, Verdict::Stop { diminishing: true }));
    }

    #[test]
    fn each_threshold_can_be_changed() {
        let budget = TokenBudget { tokens: 1_000, enough_percent: 50, little_tokens: 10, patience: 1 };
        assert_eq!(Returns::default().check(&budget, 499), Verdict::Continue);
        assert_eq!(Returns::default().check(&budget, 500), Verdict::Stop { diminishing: false });
        let mut returns = Returns::default();
        returns.continued(9);
        assert_eq!(returns.check(&budget, 19), Verdict::Continue, "ten more are not little");
        assert_eq!(returns.check(&budget, 18), Verdict::Stop { diminishing: true });
    }

    #[test]
    fn absurd_budgets_end_at_once() {
        assert_eq!(run(0, &[0]), (0, Verdict::Stop { diminishing: false }));
        assert_eq!(run(u64::MAX, &[1, 1, 1, 1]).1, Verdict::Stop { diminishing: true });
    }

    #[test]
    fn after_a_raise_only_new_tokens_count() {
        let budget = TokenBudget { patience: 1, ..TokenBudget::of(100_000) };
        let mut returns = Returns::default();
        returns.raised(5_000);
        returns.continued(5_100);
        assert_eq!(returns.check(&budget, 5_150), Verdict::Stop { diminishing: true });
    }
}
