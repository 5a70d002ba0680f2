//! The bounds that shape a run instead of ending it: everything there is to know of each stands in one row.

use strum::{EnumCount, VariantArray};

use super::Limit;

/// A bound of one call, or of those that run at once. It always has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumCount, VariantArray)]
pub enum Bound {
    /// Calls that may run at once; 1 runs them one by one.
    ParallelCalls,
    /// Characters of one tool result.
    ResultChars,
    /// Retries of one model call after transient failures.
    ModelRetries,
    /// Retries of one call of a read-only, idempotent tool.
    ToolRetries,
}

/// Everything there is to know of a bound, except how its use is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoundRow {
    /// Its key in the configuration. The part after the table is its name.
    pub key: &'static str,
    /// Its value unless it is set.
    pub default: u64,
    /// The least that it can be set to.
    pub least: u64,
    /// The most that it can be set to.
    pub most: u64,
    /// What is counted, for people.
    pub about: &'static str,
    /// What is said when it is reached.
    pub over: &'static str,
    /// The limit that it is listed after.
    pub after: Limit,
}

impl Bound {
    /// All of them.
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;
    /// How many there are.
    pub const COUNT: usize = <Self as EnumCount>::COUNT;

    /// Everything there is to know of it.
    pub const fn row(self) -> BoundRow {
        match self {
            Self::ParallelCalls => BoundRow {
                key: "budget.max_parallel_tool_calls",
                default: 8,
                least: 1,
                most: 256,
                about: "running now",
                over: "all busy",
                after: Limit::ToolCalls,
            },
            Self::ResultChars => BoundRow {
                key: "budget.max_tool_result_chars",
                default: 30_000,
                least: 1,
                most: 100_000_000,
                about: "the longest result so far",
                over: "longer ones are cut",
                after: Limit::Cost,
            },
            Self::ModelRetries => BoundRow {
                key: "budget.max_retries_per_model_call",
                default: 4,
                least: 0,
                most: 100,
                about: "retries of the current call",
                over: "used up",
                after: Limit::Cost,
            },
            Self::ToolRetries => BoundRow {
                key: "budget.max_retries_per_tool_call",
                default: 1,
                least: 0,
                most: 100,
                about: "for reads that fail",
                over: "used up",
                after: Limit::Cost,
            },
        }
    }

    /// Name in the configuration.
    pub fn name(self) -> &'static str {
        let key = self.row().key;
        key.split_once('.').map_or(key, |(_table, name)| name)
    }

    /// The bound of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|bound| bound.name() == name)
    }
}
