//! What was typed after `trust`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  countersign trust                show what this folder's files would do, then ask
  countersign trust --yes          the same without the question
  countersign trust --list         the trusted folders, and whether their files have changed
  countersign trust --remove       stop trusting this folder
  countersign trust -C ~/src/app   the same for another folder

A project's .countersign/config.toml can always tighten. Settings that loosen permissions, start programs
or send data (hooks, MCP servers, agents) apply only while its folder is trusted and its contents are
those that you were shown. The same applies to the MCP servers in its .mcp.json. A project can never set
where keys come from or go. AGENTS.md files are text for the model and need no trust.

Exit codes: 0 trusted, or nothing to decide   1 not trusted   2 usage";

/// `trust`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct TrustArgs {
    /// List the trusted folders
    #[arg(long, conflicts_with_all = ["remove", "yes"])]
    pub list: bool,

    /// Stop trusting this folder
    #[arg(long, conflicts_with = "yes")]
    pub remove: bool,

    /// Trust without asking
    #[arg(long)]
    pub yes: bool,

    /// Use this folder instead of the current one
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub cd: Option<PathBuf>,
}
