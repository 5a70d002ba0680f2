//! What was typed after `trust`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  countersign trust                show what this folder's files would do, then ask
  countersign trust --yes          the same without the question
  countersign trust --list         the folders that are trusted, and whether they still hold the same
  countersign trust --remove       take the trust away again
  countersign trust -C ~/src/app   as seen from another folder

A project's .countersign/config.toml can always tighten. What loosens permissions, starts programs or sends data (hooks,
MCP servers, agents) is in force only while its folder is trusted and its contents are those that you were shown. The same
holds for the MCP servers of its .mcp.json. Where keys come from and go stays with you. AGENTS.md files are words for the model and need no trust.

Exit codes: 0 trusted, or nothing to decide   1 not trusted   2 usage";

/// `trust`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct TrustArgs {
    /// The trusted folders
    #[arg(long, conflicts_with_all = ["remove", "yes"])]
    pub list: bool,

    /// Take the trust away
    #[arg(long, conflicts_with = "yes")]
    pub remove: bool,

    /// Trust without a question
    #[arg(long)]
    pub yes: bool,

    /// As seen from this folder
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub cd: Option<PathBuf>,
}
