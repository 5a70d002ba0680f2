//! The agents of a session: from what is written of each to what is reached.

use crate::config::AgentEntry;
use crate::config::Invocation;
use crate::config::fault::Fault;
use crate::runtime::ToolPort;
use crate::runtime::a2a::{A2aAgent, A2aTools};
use crate::session::external::variables::Filling;

/// One agent, with what the environment holds in the place of its `${…}`.
///
/// # Errors
/// A variable that is not set, or that a project's file may not have; an address that is none. Names file and line.
pub(crate) fn agent(invocation: &Invocation, name: &str, entry: &AgentEntry) -> Result<A2aAgent, Fault> {
    let filling = Filling::new(invocation, name, entry);
    let url = entry.url.as_deref().ok_or_else(|| filling.wrong(&[], "has no `url`", "give it one"))?;
    Ok(A2aAgent {
        name: name.to_owned(),
        url: filling.address(url)?,
        headers: filling.headers(&entry.headers)?,
        secrets: filling.put_behind_host(url),
        description: entry.description.clone(),
        start_ms: entry.start_seconds * 1000,
        call_ms: entry.call_seconds * 1000,
    })
}

/// The tools behind, with those that hand tasks to these agents; alone where there is no agent.
pub(crate) fn around(
    inner: Box<dyn ToolPort>,
    agents: Vec<A2aAgent>,
    invocation: &Invocation,
) -> Box<dyn ToolPort> {
    if agents.is_empty() { inner } else { Box::new(tools(inner, agents, invocation)) }
}

/// Agents are reached as models are.
pub(crate) fn tools(inner: Box<dyn ToolPort>, agents: Vec<A2aAgent>, invocation: &Invocation) -> A2aTools {
    A2aTools::new(inner, agents, invocation.config.network.clone())
}
