//! Facts about a model that the loop needs: window, output limit, price.

use crate::ledger::{Image, MicroDollars, ModelRef, Usage};

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
    /// Whether it takes images; `None`: nobody knows, and the server's answer decides.
    pub vision: Option<bool>,
}

impl ModelSpec {
    /// Window of a model that nobody knows, in tokens.
    pub const UNKNOWN_WINDOW: u64 = 128_000;
    /// Output limit of a model that nobody knows, in tokens.
    pub const UNKNOWN_OUTPUT: u64 = 8_192;

    /// A model that nobody knows: the stated defaults, price unknown.
    pub fn unknown(model: ModelRef) -> Self {
        Self {
            model,
            window: Self::UNKNOWN_WINDOW,
            max_output: Self::UNKNOWN_OUTPUT,
            price: None,
            vision: None,
        }
    }

    /// Whether images are sent to it: unless it is known that it takes none.
    pub fn sees(&self) -> bool {
        self.vision != Some(false)
    }

    /// Why these images cannot be sent to it, and what to do; `None` when they can.
    pub fn cannot_see(&self, images: &[Image]) -> Option<String> {
        let first = images.first().filter(|_| !self.sees())?;
        let others = match images.len() - 1 {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        Some(format!(
            "{} cannot see images, so nothing was sent ({}{others}): choose a model that sees (-m PROVIDER/MODEL, or \
             /model), or take the image out of the message.",
            self.model, first.name
        ))
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
