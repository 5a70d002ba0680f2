//! `agents`: the A2A agents listed and tested by a person; and the agents of a session.

pub mod args;
mod ready;
mod test;

use super::Invocation;
use super::config::AgentEntry;
use super::exit::Exit;
use super::fault::Fault;
use super::peers;
use crate::runtime::ToolPort;
use crate::runtime::a2a::{A2aAgent, A2aTools};
use args::Verb;
pub(super) use ready::agent;

const NONE: &str = "There is no agent. Name one in [agents.NAME] of your configuration (`countersign config init` \
                    explains the keys).\n";

/// Does what was asked for.
///
/// # Errors
/// An agent that is not there, is not trusted, or lacks a variable.
pub(super) fn run(verb: &Verb, invocation: &Invocation) -> Result<Exit, Fault> {
    match verb {
        Verb::List => peers::list::<AgentEntry>(invocation, NONE),
        Verb::Test { name } => test::run(invocation, name.as_deref()),
    }
}

/// The tools behind, with those that hand tasks to these agents; alone where there is no agent.
pub(super) fn around(
    inner: Box<dyn ToolPort>,
    agents: Vec<A2aAgent>,
    invocation: &Invocation,
) -> Box<dyn ToolPort> {
    if agents.is_empty() { inner } else { Box::new(tools(inner, agents, invocation)) }
}

/// Agents are reached as models are.
fn tools(inner: Box<dyn ToolPort>, agents: Vec<A2aAgent>, invocation: &Invocation) -> A2aTools {
    A2aTools::new(inner, agents, invocation.config.network.clone())
}
