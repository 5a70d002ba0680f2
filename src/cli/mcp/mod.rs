//! `mcp`: the MCP servers listed, tested and called by a person.

pub mod args;
mod call;
mod conversed;
mod test;

use super::peers;
use crate::config::Invocation;
use crate::config::McpEntry;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use args::ServersVerb;

const NONE: &str = "No MCP server is configured. Name one in [mcp_servers.NAME] of your configuration \
    (`countersign config \
                    init` explains the keys), or in the .mcp.json of a project.\n";

/// Does what was asked for.
///
/// # Errors
/// A server that is not there, is not trusted, or lacks a variable; arguments that a tool does not take.
pub(super) fn run(verb: &ServersVerb, invocation: &Invocation) -> Result<Exit, Fault> {
    match verb {
        ServersVerb::List => peers::list::<McpEntry>(invocation, NONE),
        ServersVerb::Test { name } => test::run(invocation, name.as_deref()),
        ServersVerb::Call { server, tool, json } => call::run(invocation, server, tool, json.as_deref()),
    }
}
