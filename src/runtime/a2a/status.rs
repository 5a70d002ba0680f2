//! How an agent stands, for people who ask.

use crate::tool::ToolSpec;

/// How one agent stands.
#[derive(Debug, Clone, PartialEq)]
pub struct A2aStanding {
    /// Its name here.
    pub name: String,
    /// What it is; or why it cannot be asked, a sentence that is safe to be shown.
    pub found: Result<A2aFound, String>,
}

/// What an agent's card says, safe to be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct A2aFound {
    /// What it calls itself.
    pub title: String,
    /// Its version, in its own words.
    pub version: String,
    /// The version of the protocol that is spoken with it: `1.0`, `0.3` or `kaos`.
    pub protocol: String,
    /// Where tasks are sent, without a query.
    pub address: String,
    /// Where its card says that tasks are to be sent, if that is another server: none is sent there.
    pub named: Option<String>,
    /// Whether it reports its progress while it works; otherwise it is asked now and then.
    pub streams: bool,
    /// The names of its skills.
    pub skills: Vec<String>,
    /// The tool that hands it a task, as the model gets it.
    pub tool: ToolSpec,
}
