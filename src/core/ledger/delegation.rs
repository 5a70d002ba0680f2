//! A task that another agent is given: that it is sent, what came back, and where it stands.

use strum::{IntoStaticStr, VariantArray};

use super::CallId;

/// A task is about to be sent to another agent. Written before anything is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DelegationRequest {
    /// The call that hands the task over.
    pub call: CallId,
    /// The agent, by its name in the configuration.
    pub agent: String,
    /// The task, in the model's words.
    pub task: String,
}

/// What came of it. Each request has exactly one, written with the result of its call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DelegationResponse {
    /// The call.
    pub call: CallId,
    /// The agent.
    pub agent: String,
    /// What the model reads.
    pub content: String,
    /// Whether the call failed, was interrupted, or is lost.
    pub is_error: bool,
    /// What the agent calls the task, if it was told.
    pub task_id: Option<String>,
    /// Where the task stands, as far as the agent told.
    pub state: TaskState,
}

/// Where a task of another agent stands: the states of the A2A protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum TaskState {
    /// It is taken.
    Submitted,
    /// It is worked on.
    Working,
    /// It is done.
    Completed,
    /// It ended with an error.
    Failed,
    /// It was cancelled before its end.
    Canceled,
    /// The agent will not do it.
    Rejected,
    /// The agent asks for something before it goes on.
    InputRequired,
    /// The agent needs a login before it goes on.
    AuthRequired,
    /// Nobody has told.
    Unknown,
}

impl TaskState {
    /// All of them.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The state as recorded.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// What people read in its place, as in "the task is …".
    pub fn words(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Working => "at work",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::Rejected => "rejected",
            Self::InputRequired => "waiting for input",
            Self::AuthRequired => "waiting for a login",
            Self::Unknown => "in an unknown state",
        }
    }

    /// The state of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|state| state.as_str() == name)
    }
}

/// A task as another agent keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteTask {
    /// What the agent calls it; `None`: it answered at once, or never told.
    pub id: Option<String>,
    /// Where it stands.
    pub state: TaskState,
}

/// What a token knows of the delegation that its call is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Delegated {
    pub(super) agent: String,
    pub(super) task_id: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::TaskState;

    #[test]
    fn people_read_words() {
        for state in TaskState::ALL {
            assert!(!state.words().contains(['_', '-']), "{}", state.words());
        }
    }
}
