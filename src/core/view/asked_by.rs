//! Which sub-agent makes a call that is shown above its session.

use std::fmt;

/// The sub-agent that makes a call which is shown above its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedBy {
    /// Its name, behind those of the sub-agents above it: `lead › general`.
    pub names: String,
    /// The calls that lead to it: `c7/c2`. Two sub-agents may have one name.
    pub calls: String,
    /// Its task, in one line; not yet safe for a screen.
    pub task: String,
    /// The folder of its worktree, if it works in one.
    pub worktree: Option<String>,
}

impl AskedBy {
    /// Its own name, without those above it.
    pub fn name(&self) -> &str {
        self.names.rsplit(BELOW).next().unwrap_or(&self.names)
    }
}

impl fmt::Display for AskedBy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.names, self.calls)
    }
}

/// What stands between the names of sub-agents that lead to one.
pub(super) const BELOW: &str = " › ";
