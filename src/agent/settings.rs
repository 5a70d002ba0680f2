//! What the loop is told once, at the start.

use crate::budget::Limits;
use crate::model::ModelSpec;
use crate::policy::Policy;
use crate::tool::ToolSpec;

/// Settings of one process's part of a session.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The session's id.
    pub session: String,
    /// The workspace: an absolute path.
    pub cwd: String,
    /// The system prompt. A resumed session keeps the one it began with.
    pub system: String,
    /// Facts that change (date, git state): injected before the first message of this process. Empty: nothing.
    pub environment: String,
    /// The model.
    pub model: ModelSpec,
    /// The tools, in the order in which the model sees them.
    pub tools: Vec<ToolSpec>,
    /// Mode and rules.
    pub policy: Policy,
    /// The ten budgets.
    pub limits: Limits,
    /// Time limit of a tool that names none of its own, in milliseconds (`[loop] tool_timeout_seconds`).
    pub tool_timeout_ms: u64,
    /// Whether reads of one message may run together (`[loop] parallel_tool_execution`).
    pub parallel: bool,
    /// Who answers approvals.
    pub attendance: Attendance,
    /// Seed of the jitter in waits.
    pub seed: u64,
}

/// Who answers when a call needs an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Attendance {
    /// A person at the screen.
    #[default]
    Person,
    /// Nobody: the call is denied, the model is told, the run goes on.
    Deny,
    /// Nobody: the run ends with `approval_required`.
    Stop,
}
