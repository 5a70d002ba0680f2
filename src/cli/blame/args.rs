//! What was typed after `blame`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  countersign blame src/parser.rs:42           the call that wrote this line, and who allowed it
  countersign blame src/parser.rs:42 --diff    with the diff that was shown
  countersign blame src/parser.rs              all lines

Changes by the tools `write` and `edit` are recorded, in all sessions. Changes by commands and by people are not; if one came in
between, the output says so.

Exit codes: 0 a session wrote the line   1 none did";

/// `blame`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct BlameArgs {
    /// A file, and the number of a line
    #[arg(value_name = "FILE[:LINE]")]
    pub what: String,

    /// Also print the diff that was shown before the change
    #[arg(long)]
    pub diff: bool,

    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,

    /// Use this folder instead of the current one
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub cd: Option<PathBuf>,
}
