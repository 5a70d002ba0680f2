//! From what is written of an agent to what is reached.

use crate::cli::Invocation;
use crate::cli::config::AgentEntry;
use crate::cli::fault::Fault;
use crate::cli::peers::Filling;
use crate::runtime::a2a::A2aAgent;

/// One agent, with what the environment holds in the place of its `${…}`.
///
/// # Errors
/// A variable that is not set, or that a project's file may not have; an address that is none. Names file and line.
pub(in crate::cli) fn agent(
    invocation: &Invocation,
    name: &str,
    entry: &AgentEntry,
) -> Result<A2aAgent, Fault> {
    let filling = Filling::new(invocation, name, entry);
    let url = entry.url.as_deref().ok_or_else(|| filling.wrong(&[], "has no `url`", "give it one"))?;
    Ok(A2aAgent {
        name: name.to_owned(),
        url: filling.address(url)?,
        headers: filling.headers(&entry.headers)?,
        description: entry.description.clone(),
        start_ms: entry.start_seconds * 1000,
        call_ms: entry.call_seconds * 1000,
    })
}
