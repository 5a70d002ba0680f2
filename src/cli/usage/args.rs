//! What was typed after `usage`.

use clap::Args;

use crate::ui::usage_table::UsageBy;

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

    /// What each row is about
    #[arg(long, value_name = "WHAT", default_value = "model")]
    pub by: UsageBy,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
