//! The limits, with the names and defaults of the configuration's `[budget]`.

use crate::ledger::{Limit, MicroDollars};

/// All ten limits. `None` is no limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Model calls of one run; recoveries and stop-hook re-entries are not turns.
    pub max_model_turns: Option<u64>,
    /// Tool calls of one run.
    pub max_tool_calls: Option<u64>,
    /// Calls that may run at once; 1 runs them one by one.
    pub max_parallel_tool_calls: u64,
    /// Seconds of one run; waiting for a person stops the clock.
    pub max_wall_time_seconds: Option<u64>,
    /// Prompt tokens of one run, all calls added up.
    pub max_input_tokens: Option<u64>,
    /// Written tokens of one run.
    pub max_output_tokens: Option<u64>,
    /// Cost of the session.
    pub max_total_cost: Option<MicroDollars>,
    /// Characters of one tool result.
    pub max_tool_result_chars: u64,
    /// Retries of one model call after transient failures.
    pub max_retries_per_model_call: u64,
    /// Retries of one call of a read-only, idempotent tool.
    pub max_retries_per_tool_call: u64,
    /// The token budget as it was raised in the session. The configured one is no limit: it stands with its
    /// thresholds in [`super::TokenBudget`].
    pub token_budget: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_model_turns: Some(50),
            max_tool_calls: Some(200),
            max_parallel_tool_calls: 8,
            max_wall_time_seconds: Some(3600),
            max_input_tokens: None,
            max_output_tokens: None,
            max_total_cost: None,
            max_tool_result_chars: 30_000,
            max_retries_per_model_call: 4,
            max_retries_per_tool_call: 1,
            token_budget: None,
        }
    }
}

impl Limits {
    /// The value of a limit in its own unit: turns, calls, seconds, tokens, micro-dollars.
    pub fn get(&self, limit: Limit) -> Option<u64> {
        match limit {
            Limit::Turns => self.max_model_turns,
            Limit::ToolCalls => self.max_tool_calls,
            Limit::WallTime => self.max_wall_time_seconds,
            Limit::InputTokens => self.max_input_tokens,
            Limit::OutputTokens => self.max_output_tokens,
            Limit::Cost => self.max_total_cost.map(|c| c.0),
            Limit::Tokens => self.token_budget,
        }
    }

    /// Sets a limit, in its own unit.
    pub fn set(&mut self, limit: Limit, value: u64) {
        let value = Some(value);
        match limit {
            Limit::Turns => self.max_model_turns = value,
            Limit::ToolCalls => self.max_tool_calls = value,
            Limit::WallTime => self.max_wall_time_seconds = value,
            Limit::InputTokens => self.max_input_tokens = value,
            Limit::OutputTokens => self.max_output_tokens = value,
            Limit::Cost => self.max_total_cost = value.map(MicroDollars),
            Limit::Tokens => self.token_budget = value,
        }
    }
}
