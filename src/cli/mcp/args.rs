//! What was typed after `mcp`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  countersign mcp list                               the servers, where each is from, whether it is trusted
  countersign mcp test                               start them all; what each brings
  countersign mcp test github                        only this one, switched off or not
  countersign mcp call files read_file '{\"path\": \"a.md\"}'
  countersign -c mcp_servers.files.enabled=true mcp test files

Servers stand in [mcp_servers.NAME] of the configuration (`countersign config init` explains the keys), and in the
.mcp.json of a project, of which nothing is started until its folder is trusted (`countersign trust`).";

const CALL: &str = "\
Examples:
  countersign mcp call time now
  countersign mcp call files read_file '{\"path\": \"a.md\"}'

You decide by typing it: no rule and no mode is asked, nothing is recorded, and no model hears of it.
JSON is the arguments as an object, held against the tool's own schema before the server is asked.

Exit codes: 0 it went well   1 the server or its tool failed   2 usage or configuration   130 interrupted";

/// `mcp`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct McpArgs {
    /// What to do.
    #[command(subcommand)]
    pub verb: ServersVerb,

    /// As seen from this folder
    #[arg(short = 'C', long = "cd", value_name = "DIR", global = true)]
    pub cd: Option<PathBuf>,
}

/// What can be done with MCP servers.
#[derive(Debug, Clone, Subcommand)]
pub enum ServersVerb {
    /// The servers of the configuration and of this project; starts none
    List,
    /// Start the servers, and say what each is and brings; calls none of its tools
    #[command(after_help = "Exit codes: 0 all of them answer   1 one does not   2 usage or configuration")]
    Test {
        /// Only this one; without a name all that are not switched off
        name: Option<String>,
    },
    /// Call one tool of one server, and print its result
    #[command(after_help = CALL)]
    Call {
        /// The server's name in the configuration
        server: String,
        /// The tool, by the server's name for it or as mcp__SERVER__TOOL
        tool: String,
        /// The arguments, a JSON object; without them an empty one
        json: Option<String>,
    },
}
