//! The limits and bounds of a session, each by its name.

use super::{Bound, Limit};

/// All ten, and the token budget as it was raised in the session. (The configured one is no limit: it stands with its
/// thresholds in [`super::TokenBudget`].)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    limits: [Option<u64>; Limit::COUNT],
    bounds: [u64; Bound::COUNT],
}

impl Default for Limits {
    fn default() -> Self {
        let mut all = Self { limits: [None; Limit::COUNT], bounds: [0; Bound::COUNT] };
        for limit in Limit::ALL {
            all.set(*limit, limit.row().default);
        }
        for bound in Bound::ALL {
            all.set_bound(*bound, bound.row().default);
        }
        all
    }
}

impl Limits {
    /// The value of a limit in its own unit: turns, calls, seconds, tokens, micro-dollars; `None` is no limit.
    pub fn get(&self, limit: Limit) -> Option<u64> {
        self.limits.get(limit as usize).copied().flatten()
    }

    /// Sets a limit, in its own unit; `None` is no limit.
    pub fn set(&mut self, limit: Limit, value: impl Into<Option<u64>>) {
        if let Some(place) = self.limits.get_mut(limit as usize) {
            *place = value.into();
        }
    }

    /// The same limits with another value of this one.
    #[must_use]
    pub fn with(mut self, limit: Limit, value: impl Into<Option<u64>>) -> Self {
        self.set(limit, value);
        self
    }

    /// The value of a bound.
    pub fn bound(&self, bound: Bound) -> u64 {
        self.bounds.get(bound as usize).copied().unwrap_or(bound.row().default)
    }

    /// Sets a bound.
    pub fn set_bound(&mut self, bound: Bound, value: u64) {
        if let Some(place) = self.bounds.get_mut(bound as usize) {
            *place = value;
        }
    }

    /// The same limits with another value of this bound.
    #[must_use]
    pub fn bounded(mut self, bound: Bound, value: u64) -> Self {
        self.set_bound(bound, value);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_and_each_bound_has_a_place_of_its_own() {
        let mut all = Limits::default();
        for (limit, value) in Limit::ALL.iter().zip(1_u64..) {
            assert_eq!(all.get(*limit), limit.row().default);
            all.set(*limit, value);
        }
        for (bound, value) in Bound::ALL.iter().zip(101..) {
            assert_eq!(all.bound(*bound), bound.row().default);
            all.set_bound(*bound, value);
        }
        let limits: Vec<Option<u64>> = Limit::ALL.iter().map(|limit| all.get(*limit)).collect();
        assert_eq!(limits, (1..=Limit::COUNT as u64).map(Some).collect::<Vec<_>>());
        let bounds: Vec<u64> = Bound::ALL.iter().map(|bound| all.bound(*bound)).collect();
        assert_eq!(bounds, (101..=100 + Bound::COUNT as u64).collect::<Vec<_>>());
    }
}
