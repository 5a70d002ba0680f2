//! What was typed after `doctor`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  countersign doctor               configuration, keys, servers, terminal, sandbox, peers, sessions
  countersign doctor --test-keys   also asks each provider whether it takes its key; costs nothing
  countersign doctor --json | jq -r 'select(.status == \"problem\").mend'

Exit codes: 0 no problem   1 a problem   2 usage";

/// `doctor`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct DoctorArgs {
    /// One JSON object a finding, and one that counts them
    #[arg(long)]
    pub json: bool,

    /// Also ask the providers and servers of other machines, each with its key
    #[arg(long, visible_alias = "test-keys")]
    pub online: bool,

    /// As seen from this folder
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub cd: Option<PathBuf>,
}
