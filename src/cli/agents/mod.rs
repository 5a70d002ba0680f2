//! `agents`: the A2A agents listed and tested by a person.

pub mod args;
mod test;

use super::outcome::say;
use super::peers;
use crate::config::AgentEntry;
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::session::subagents::named;
use args::AgentsVerb;

const NONE: &str = "No agent elsewhere is configured. Name one in [agents.NAME] of your configuration (`countersign config init` \
                    explains the keys).\n";

/// Does what was asked for.
///
/// # Errors
/// An agent that is not there, is not trusted, or lacks a variable.
pub(super) fn run(verb: &AgentsVerb, invocation: &Invocation) -> Result<Exit, Fault> {
    match verb {
        AgentsVerb::List => {
            let exit = peers::list::<AgentEntry>(invocation, NONE)?;
            let subagents = named(&invocation.config).into_iter();
            let said = subagents.map(|(name, about)| format!("\nsub-agent {name}\n  {about}\n"));
            say(&said.collect::<String>())?;
            Ok(exit)
        }
        AgentsVerb::Test { name } => test::run(invocation, name.as_deref()),
    }
}
