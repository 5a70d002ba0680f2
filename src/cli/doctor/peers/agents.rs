//! One agent: whether everything is there that reaching it needs.

use super::obstacle::{check_headers, of_fault};
use crate::cli::doctor::finding::Finding;
use crate::config::AgentEntry;
use crate::config::Invocation;
use crate::session::external::agents::agent;

pub(super) fn look(invocation: &Invocation, name: &str, entry: &AgentEntry) -> Result<(), Finding> {
    let ready = agent(invocation, name, entry).map_err(|fault| of_fault::<AgentEntry>(name, fault))?;
    check_headers(name, entry, &ready.url, &ready.headers)
}
