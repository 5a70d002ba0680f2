//! `mcp`: the MCP servers listed, tested and called by a person; and the servers of a session.

pub mod args;
mod call;
mod ready;
mod test;

use super::Invocation;
use super::config::McpEntry;
use super::confined;
use super::exit::Exit;
use super::fault::Fault;
use super::peers;
use crate::runtime::mcp::{McpMeans, McpServer, McpTools};
use crate::runtime::{Groups, ToolPort, for_programs};
use args::Verb;
pub(super) use ready::server;

const NONE: &str = "There is no MCP server. Name one in [mcp_servers.NAME] of your configuration (`countersign config \
                    init` explains the keys), or in the .mcp.json of a project.\n";

/// Does what was asked for.
///
/// # Errors
/// A server that is not there, is not trusted, or lacks a variable; arguments that a tool does not take.
pub(super) fn run(verb: &Verb, invocation: &Invocation) -> Result<Exit, Fault> {
    match verb {
        Verb::List => peers::list::<McpEntry>(invocation, NONE),
        Verb::Test { name } => test::run(invocation, name.as_deref()),
        Verb::Call { server, tool, json } => call::run(invocation, server, tool, json.as_deref()),
    }
}

/// The tools of this machine with those of the servers behind them; alone where there is no server.
pub(super) fn around(
    inner: Box<dyn ToolPort>,
    servers: Vec<McpServer>,
    invocation: &Invocation,
    groups: &Groups,
) -> Box<dyn ToolPort> {
    if servers.is_empty() {
        inner
    } else {
        Box::new(McpTools::new(inner, servers, means(invocation, groups)))
    }
}

/// What servers are started with: the environment of commands, their sandbox, the network of models.
fn means(invocation: &Invocation, groups: &Groups) -> McpMeans {
    McpMeans {
        workspace: invocation.cwd.clone(),
        environment: for_programs(invocation.environment_of_programs(), invocation.named_for_programs()),
        groups: groups.clone(),
        sandbox: Some(confined::sandbox(invocation)),
        network: invocation.config.network.clone(),
    }
}

/// Runs what speaks with servers to its end, or to a signal; then nothing of them is left.
fn conversed<T>(
    invocation: &Invocation,
    servers: Vec<McpServer>,
    talk: impl AsyncFnOnce(&McpTools) -> T,
) -> Result<Option<T>, Fault> {
    let around = |inner, groups: &Groups| McpTools::new(inner, servers, means(invocation, groups));
    peers::conversed(invocation, around, talk)
}
