//! What was typed after `usage`.

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  countersign usage                        what each model has cost
  countersign usage --days 7 --by day      the last seven days
  countersign usage --by project --json    one JSON object";

/// `usage`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct UsageArgs {
    /// Only the last N days, today included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub days: Option<u32>,

    /// One row per what
    #[arg(long, value_name = "WHAT", default_value = "model")]
    pub by: By,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum By {
    /// A model
    Model,
    /// The folder of a session
    Project,
    /// A tool: its calls, without tokens
    Tool,
    /// A day, in local time
    Day,
}

impl By {
    /// In one word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
