//! A sub-agent as it is known, whoever defines it, and the bounds of what defines one.

use std::path::PathBuf;

use crate::policy::Mode;

/// Most bytes of one file: it becomes a part of a system prompt.
pub(in crate::config) const MOST_BYTES: usize = 64 * 1024;
/// Most letters of a name: its tool is `delegate_to_NAME`, of at most 64.
pub(super) const MOST_OF_NAME: usize = 50;
/// What is wrong with an agent that is called as a lane of a race is.
pub(crate) const LANES_ONLY: &str = "names that begin with `lane_` are those of the lanes of a race";
/// Most letters of a description: the model reads it with every request.
pub(super) const MOST_OF_DESCRIPTION: usize = 1_024;
/// Most turns that a file may ask for.
pub(in crate::config) const MOST_TURNS: u64 = 10_000;

/// A sub-agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subagent {
    /// Its name.
    pub name: String,
    /// What it is for: the model reads it.
    pub description: String,
    /// What it is told, in the place of what the session's model is told.
    pub instructions: String,
    /// The tools that it has; `None`: all that the session has.
    pub tools: Option<Vec<String>>,
    /// Tools that it does not have.
    pub without: Vec<String>,
    /// Its model; `None`: that of the session.
    pub model: Option<String>,
    /// Its mode, where that is stricter than the session's.
    pub mode: Option<Mode>,
    /// The most turns of one task.
    pub turns: Option<u64>,
    /// Whether it works in the background unless a call says otherwise.
    pub in_background: bool,
    /// Whether each task has a git worktree of its own.
    pub in_worktree: bool,
    /// Its file; `None`: it is built in.
    pub file: Option<PathBuf>,
    /// Whether it is not offered: its file only takes the name.
    pub is_off: bool,
}

/// Names of models that only another program knows mean the session's own.
pub(in crate::config) fn is_session_model(model: &str) -> bool {
    ["inherit", "sonnet", "opus", "haiku", "default"].contains(&model)
}
