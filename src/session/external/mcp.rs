//! The MCP servers of a session: from what is written of each to what is started.

use crate::config::Invocation;
use crate::config::McpEntry;
use crate::config::fault::Fault;
use crate::runtime::mcp::{McpMeans, McpServer, McpWay};
use crate::runtime::{Groups, for_programs};
use crate::session::external::variables::Filling;
use crate::session::sandbox;

/// One server, with what the environment holds in the place of its `${…}`.
///
/// # Errors
/// A variable that is not set, or that a project's file may not have; an address that is none. Names file and line.
pub(crate) fn server(invocation: &Invocation, name: &str, entry: &McpEntry) -> Result<McpServer, Fault> {
    let filling = Filling::new(invocation, name, entry);
    let way = match (&entry.command, &entry.url) {
        (Some(command), _) => McpWay::Command {
            program: command.clone(),
            args: entry.args.iter().map(|arg| filling.text(&["args"], arg)).collect::<Result<_, _>>()?,
            env: filling.table("env", &entry.env)?,
            sandboxed: entry.sandbox,
            network: entry.network,
        },
        (None, Some(url)) => {
            McpWay::Http { url: filling.address(url)?, headers: filling.headers(&entry.headers)? }
        }
        (None, None) => return Err(filling.wrong(&[], "has neither a `command` nor a `url`", "give it one")),
    };
    Ok(McpServer {
        name: name.to_owned(),
        way,
        reads: entry.reads.clone(),
        roots: entry.offers_roots(),
        secrets: match &entry.url {
            Some(url) if entry.command.is_none() => filling.put_behind_host(url),
            _ => filling.put_into(&entry.args),
        },
        start_ms: entry.start_seconds * 1000,
        call_ms: entry.call_seconds.map(|seconds| seconds * 1000),
    })
}

/// What servers are started with: the environment of commands, their sandbox, the network of models.
pub(crate) fn means(invocation: &Invocation, groups: &Groups) -> McpMeans {
    McpMeans {
        workspace: invocation.cwd.clone(),
        environment: for_programs(invocation.environment_of_programs(), invocation.named_for_programs()),
        groups: groups.clone(),
        sandbox: Some(sandbox::sandbox(invocation)),
        network: invocation.config.network.clone(),
    }
}
