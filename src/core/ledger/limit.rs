//! The limits that end a run: everything there is to know of each stands in one row.

use strum::{EnumCount, VariantArray};

use super::Ending;

/// A limit that ends a run when it is reached. The order is the one in which they are checked and listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumCount, VariantArray)]
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

/// What a limit counts, and so how its values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Things, by the word for one of them.
    Things(&'static str),
    /// Tokens.
    Tokens,
    /// Seconds.
    Seconds,
    /// Millionths of a US dollar.
    MicroDollars,
}

/// What a limit's use is added up over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// One run.
    Run,
    /// The whole session.
    Session,
}

/// Everything there is to know of a limit, except how its use is counted ([`crate::budget::Meter`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitRow {
    /// Its key in the configuration. The part after the table is its name, in records too.
    pub key: &'static str,
    /// Other keys that set it.
    pub aliases: &'static [&'static str],
    /// Its flag.
    pub flag: &'static str,
    /// What `--help` says of the flag.
    pub help: &'static str,
    /// Its value unless it is set; `None` is no limit.
    pub default: Option<u64>,
    /// What it counts.
    pub unit: Unit,
    /// How a goal may say it: the word for one, and how many of the unit that is.
    pub words: &'static [(&'static str, u64)],
    /// What its use is added up over.
    pub span: Span,
    /// Whether the model is not called any more when it is reached.
    pub forbids_calls: bool,
    /// The ending that reaching it makes.
    pub ending: Ending,
    /// Its name where there is little room.
    pub label: &'static str,
    /// What a person should know who reads its use; empty where the name says it.
    pub about: &'static str,
}

impl Limit {
    /// All of them.
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;
    /// How many there are.
    pub const COUNT: usize = <Self as EnumCount>::COUNT;

    /// Everything there is to know of it.
    pub const fn row(self) -> LimitRow {
        match self {
            Self::Turns => LimitRow {
                aliases: &["loop.max_steps", "loop.max_tool_iterations"],
                flag: "--max-turns",
                help: "Maximum model calls per run",
                default: Some(50),
                words: &[("turn", 1), ("step", 1), ("model turn", 1)],
                label: "turns",
                ..LimitRow::of("budget.max_model_turns", Unit::Things("turn"), Ending::MaxTurns)
            },
            Self::ToolCalls => LimitRow {
                flag: "--max-tool-calls",
                help: "Maximum tool calls per run",
                default: Some(200),
                words: &[("call", 1), ("tool call", 1)],
                label: "tools",
                ..LimitRow::of("budget.max_tool_calls", Unit::Things("call"), Ending::MaxToolCalls)
            },
            Self::WallTime => LimitRow {
                flag: "--max-seconds",
                help: "Maximum seconds per run, not counting time spent waiting for you",
                default: Some(3600),
                words: &[("second", 1), ("minute", 60), ("hour", 3600)],
                about: "not counting waits for you",
                ..LimitRow::of("budget.max_wall_time_seconds", Unit::Seconds, Ending::WallTime)
            },
            Self::InputTokens => LimitRow {
                flag: "--max-input-tokens",
                help: "Maximum prompt tokens per run",
                words: &[("input token", 1)],
                label: "in",
                ..LimitRow::of("budget.max_input_tokens", Unit::Tokens, Ending::MaxInputTokens)
            },
            Self::OutputTokens => LimitRow {
                flag: "--max-output-tokens",
                help: "Maximum output tokens per run",
                words: &[("output token", 1)],
                label: "out",
                ..LimitRow::of("budget.max_output_tokens", Unit::Tokens, Ending::MaxOutputTokens)
            },
            Self::Cost => LimitRow {
                flag: "--max-cost",
                help: "Maximum cost of the session in US dollars",
                words: &[("usd", 1_000_000), ("dollar", 1_000_000), ("dollars", 1_000_000)],
                span: Span::Session,
                ..LimitRow::of("budget.max_total_cost", Unit::MicroDollars, Ending::MaxCost)
            },
            Self::Tokens => LimitRow {
                flag: "--token-budget",
                help: "Target number of output tokens per run; the model is asked to continue until about \
                    90 % of them are used",
                forbids_calls: false,
                about: "output tokens; ends at 90 %",
                ..LimitRow::of("budget.token_budget", Unit::Tokens, Ending::TokenBudget)
            },
        }
    }

    /// Name in the configuration and in records.
    pub fn name(self) -> &'static str {
        let key = self.row().key;
        key.split_once('.').map_or(key, |(_table, name)| name)
    }

    /// What it counts.
    pub fn unit(self) -> Unit {
        self.row().unit
    }

    /// The ending that reaching it makes.
    pub fn ending(self) -> Ending {
        self.row().ending
    }

    /// Those that forbid a call, in the order in which they are checked.
    pub fn forbidding() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|limit| limit.row().forbids_calls)
    }

    /// The limit whose reaching makes this ending.
    pub fn of_ending(ending: Ending) -> Option<Self> {
        Self::ALL.iter().copied().find(|l| l.ending() == ending)
    }

    /// The limit of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|l| l.name() == name)
    }
}

impl LimitRow {
    /// What most rows say.
    const fn of(key: &'static str, unit: Unit, ending: Ending) -> Self {
        Self {
            key,
            aliases: &[],
            flag: "",
            help: "",
            default: None,
            unit,
            words: &[],
            span: Span::Run,
            forbids_calls: true,
            ending,
            label: "",
            about: "",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_limit_has_a_name_a_flag_and_an_ending_of_its_own() {
        let all = Limit::ALL;
        assert_eq!(all.iter().map(|l| l.name()).collect::<BTreeSet<_>>().len(), Limit::COUNT);
        assert_eq!(all.iter().map(|l| l.row().flag).collect::<BTreeSet<_>>().len(), Limit::COUNT);
        for limit in all {
            assert!(limit.row().key.starts_with("budget.") && !limit.name().contains('.'), "{limit:?}");
            assert!(limit.row().flag.starts_with("--") && !limit.row().help.is_empty(), "{limit:?}");
            assert!(limit.ending().is_budget(), "{limit:?}");
            assert_eq!(Limit::parse(limit.name()), Some(*limit));
            assert_eq!(Limit::of_ending(limit.ending()), Some(*limit));
        }
        let by_limits = Ending::ALL.iter().copied().filter(|ending| ending.is_budget()).count();
        assert_eq!(by_limits, Limit::COUNT, "each ending of a budget has its limit");
    }
}
