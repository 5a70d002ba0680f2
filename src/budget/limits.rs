//! The limits, with the names and defaults of the configuration's `[budget]`.

use crate::ledger::{Ending, MicroDollars};

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

/// A limit that ends a run when it is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// `max_model_turns`
    Turns,
    /// `max_tool_calls`
    ToolCalls,
    /// `max_wall_time_seconds`
    WallTime,
    /// `max_input_tokens`
    InputTokens,
    /// `max_output_tokens`
    OutputTokens,
    /// `max_total_cost`
    Cost,
    /// `token_budget`: forbids no call, but ends a run whose answer has used it, and can be raised like the others.
    Tokens,
}

impl Limit {
    /// Those that forbid a call, in the order in which they are checked.
    pub const ALL: [Self; 6] =
        [Self::Turns, Self::ToolCalls, Self::WallTime, Self::InputTokens, Self::OutputTokens, Self::Cost];

    /// Name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Turns => "max_model_turns",
            Self::ToolCalls => "max_tool_calls",
            Self::WallTime => "max_wall_time_seconds",
            Self::InputTokens => "max_input_tokens",
            Self::OutputTokens => "max_output_tokens",
            Self::Cost => "max_total_cost",
            Self::Tokens => "token_budget",
        }
    }

    /// The ending that reaching it makes.
    pub fn ending(self) -> Ending {
        match self {
            Self::Turns => Ending::MaxTurns,
            Self::ToolCalls => Ending::MaxToolCalls,
            Self::WallTime => Ending::WallTime,
            Self::InputTokens => Ending::MaxInputTokens,
            Self::OutputTokens => Ending::MaxOutputTokens,
            Self::Cost => Ending::MaxCost,
            Self::Tokens => Ending::TokenBudget,
        }
    }

    /// The limit whose reaching makes this ending.
    pub fn of_ending(ending: Ending) -> Option<Self> {
        Self::raisable().find(|l| l.ending() == ending)
    }

    /// The limit of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::raisable().find(|l| l.name() == name)
    }

    /// What can be raised after it has ended a run.
    fn raisable() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain([Self::Tokens])
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
