//! An agent as it is written: one elsewhere, or a sub-agent of this machine.

use std::collections::BTreeMap;

use crate::config::source::Source;
use crate::ledger::Limit;
use crate::policy::Mode;
use crate::wire::Secret;

/// An `[agents.NAME]` as written: what stands in `${…}` is put in when it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentEntry {
    /// Where it is: the address of its card, or what its card stands below.
    pub url: Option<String>,
    /// Headers of requests to it, by name.
    pub headers: BTreeMap<String, Secret>,
    /// What the model is told of it, instead of what its card says; hides nothing.
    pub description: Option<String>,
    /// How long it may take until its card is known, in seconds.
    pub start_seconds: u64,
    /// How long one task may take, in seconds.
    pub call_seconds: u64,
    /// What is set aside of the session's limits for each task, in the limit's own unit.
    pub reserve: BTreeMap<Limit, u64>,
    /// What it is, if it is a sub-agent of this machine.
    pub local: LocalAgent,
    /// Whether it is used.
    pub enabled: bool,
    /// Where it was first spoken of: whose it is.
    pub source: Source,
}

/// What a sub-agent is, as it is written; nothing of it for an agent elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalAgent {
    /// What it is told, beside the session's instructions.
    pub instructions: Option<String>,
    /// The tools that it has; `None`: all that the session has.
    pub tools: Option<Vec<String>>,
    /// Those that it does not have.
    pub disallowed_tools: Option<Vec<String>>,
    /// Its model; `None`: that of the session.
    pub model: Option<String>,
    /// Its mode, where that is stricter than the session's.
    pub mode: Option<Mode>,
    /// The most turns of one task.
    pub max_turns: Option<u64>,
    /// Whether each of its tasks has a git worktree.
    pub in_worktree: Option<bool>,
    /// Whether its tasks go on while the session does.
    pub in_background: Option<bool>,
}
