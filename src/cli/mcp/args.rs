//! What was typed after `mcp`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  countersign mcp list                               the servers, their origin, and whether they are trusted
  countersign mcp test                               start them all and list their tools
  countersign mcp test github                        only this one, even if it is switched off
  countersign mcp call files read_file '{\"path\": \"a.md\"}'
  countersign -c mcp_servers.files.enabled=true mcp test files

Servers are configured in [mcp_servers.NAME] (`countersign config init` explains the keys) and in the
.mcp.json of a project, whose servers are not started until you trust its folder (`countersign trust`).";

const CALL: &str = "\
Examples:
  countersign mcp call time now
  countersign mcp call files read_file '{\"path\": \"a.md\"}'

You decide by typing the command: no rule or mode applies, nothing is recorded, and no model is told.
JSON is an object with the arguments. They are checked against the tool's schema before the server is called.

Exit codes: 0 success   1 the server or its tool failed   2 usage or configuration   130 interrupted";

/// `mcp`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct McpArgs {
    /// What to do.
    #[command(subcommand)]
    pub verb: ServersVerb,

    /// Use this folder instead of the current one
    #[arg(short = 'C', long = "cd", value_name = "DIR", global = true)]
    pub cd: Option<PathBuf>,
}

/// What can be done with MCP servers.
#[derive(Debug, Clone, Subcommand)]
pub enum ServersVerb {
    /// List the servers of the configuration and of this project; starts none
    List,
    /// Start the servers and list their tools; calls none of them
    #[command(after_help = "Exit codes: 0 all answer   1 at least one does not   2 usage or configuration")]
    Test {
        /// Only this agent; without a name, all that are enabled
        name: Option<String>,
    },
    /// Call one tool of one server, and print its result
    #[command(after_help = CALL)]
    Call {
        /// The server's name in the configuration
        server: String,
        /// The tool, by its own name or as mcp__SERVER__TOOL
        tool: String,
        /// The arguments as a JSON object; empty if omitted
        json: Option<String>,
    },
}
