//! What was typed after `doctor`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  countersign doctor               configuration, keys, servers, terminal, sandbox, peers, sessions
  countersign doctor --test-keys   also check each key with its provider; costs nothing
  countersign doctor --json | jq -r 'select(.status == \"problem\").mend'

Exit codes: 0 no problem   1 a problem   2 usage";

/// `doctor`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct DoctorArgs {
    /// Print one JSON object per finding, and one with the totals
    #[arg(long)]
    pub json: bool,

    /// Also contact providers and servers on other machines, each with its key
    #[arg(long, visible_alias = "test-keys")]
    pub online: bool,

    /// Use this folder instead of the current one
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub cd: Option<PathBuf>,
}
