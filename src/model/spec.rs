//! Facts about a model that the loop needs: window, output limit, price.

use crate::ledger::{MicroDollars, ModelRef, Usage};

/// What is known about a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSpec {
    /// Which.
    pub model: ModelRef,
    /// Most input tokens.
    pub window: u64,
    /// Most output tokens, thinking included.
    pub max_output: u64,
    /// What it costs; `None` when unknown: tokens are shown, not money.
    pub price: Option<Price>,
}

impl ModelSpec {
    /// Window of a model that nobody knows, in tokens.
    pub const UNKNOWN_WINDOW: u64 = 128_000;
    /// Output limit of a model that nobody knows, in tokens.
    pub const UNKNOWN_OUTPUT: u64 = 8_192;

    /// A model that nobody knows: the stated defaults, price unknown.
    pub fn unknown(model: ModelRef) -> Self {
        Self { model, window: Self::UNKNOWN_WINDOW, max_output: Self::UNKNOWN_OUTPUT, price: None }
    }
}

/// US dollars per million tokens, in micro-dollars: 3 USD is 3,000,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Price {
    /// Prompt tokens that no cache served.
    pub input: u64,
    /// Written tokens.
    pub output: u64,
    /// Prompt tokens read from the cache.
    pub cache_read: u64,
    /// Prompt tokens written to the cache.
    pub cache_write: u64,
}

impl Price {
    /// What `usage` costs, rounded up to a whole micro-dollar.
    pub fn cost(&self, usage: &Usage) -> MicroDollars {
        let plain = usage.input.saturating_sub(usage.cache_read).saturating_sub(usage.cache_write);
        let sum = u128::from(plain) * u128::from(self.input)
            + u128::from(usage.cache_read) * u128::from(self.cache_read)
            + u128::from(usage.cache_write) * u128::from(self.cache_write)
            + u128::from(usage.output) * u128::from(self.output);
        MicroDollars(u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}
