//! The limits that end a run, by their names in the configuration.

use super::Ending;

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
