//! `mcp`: the MCP servers listed, tested and called by a person; and the servers of a session.

pub mod args;
mod call;
mod list;
mod ready;
mod test;

use std::future::Future;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::runtime::Builder;

use super::Invocation;
use super::config::{McpEntry, nearest};
use super::confined;
use super::exit::Exit;
use super::fault::Fault;
use super::signals;
use crate::runtime::mcp::{McpMeans, McpServer, McpTools};
use crate::runtime::{Groups, LocalTools, ToolPort, for_programs};
use args::Verb;
pub(super) use ready::{Ready, all, missing, server};

/// How long process groups may take to go after TERM when the program ends.
const GRACE: Duration = Duration::from_millis(500);

/// Does what was asked for.
///
/// # Errors
/// A server that is not there, is not trusted, or lacks a variable; arguments that a tool does not take.
pub(super) fn run(verb: &Verb, invocation: &Invocation) -> Result<Exit, Fault> {
    match verb {
        Verb::List => list::run(invocation),
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

/// The server of this name.
///
/// # Errors
/// None of this name; one that nobody trusts.
fn named<'c>(invocation: &'c Invocation, name: &str) -> Result<&'c McpEntry, Fault> {
    let config = &invocation.config;
    let known = config.mcp_servers.get(name).filter(|entry| entry.command.is_some() || entry.url.is_some());
    if let Some(entry) = known {
        return Ok(entry);
    }
    if let Some(entry) = config.untrusted_mcp_servers.get(name) {
        return Err(Fault::usage(
            format!("MCP server {name} stands in {}, whose folder is not trusted", entry.source.place()),
            "see what it would start, and decide, with `countersign trust`",
        ));
    }
    let next = match nearest(name, config.mcp_servers.keys().map(String::as_str)) {
        Some(meant) => format!("did you mean {meant}? `countersign mcp list` has all"),
        None => "`countersign mcp list` has those that there are".to_owned(),
    };
    Err(Fault::usage(format!("there is no MCP server called {name}"), next))
}

/// Runs what speaks with servers to its end, or to a signal; then nothing of them is left.
fn conversed<T>(
    invocation: &Invocation,
    servers: Vec<McpServer>,
    talk: impl AsyncFnOnce(McpTools) -> T,
) -> Result<Option<T>, Fault> {
    let groups = Groups::default();
    let environment = invocation.environment_of_programs();
    let local = LocalTools::new(invocation.cwd.clone(), environment, groups.clone());
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
    let told = runtime.block_on(async {
        let mut quit = signals::told_to_end()?;
        let tools = McpTools::new(Box::new(local), servers, means(invocation, &groups));
        Ok(unless(talk(tools), async { quit.changed().await.is_ok() }).await)
    });
    groups.end_all(GRACE);
    runtime.shutdown_timeout(GRACE);
    told
}

/// What comes first: the end of `work`, or `stop`, which then has it dropped.
async fn unless<T>(work: impl Future<Output = T>, stop: impl Future) -> Option<T> {
    match select(std::pin::pin!(work), std::pin::pin!(stop)).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}
