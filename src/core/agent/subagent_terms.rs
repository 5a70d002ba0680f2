//! What is said of sub-agents between the loop and whoever runs them.

use std::collections::BTreeMap;

use crate::budget::Limits;
use crate::ledger::{Limit, Outcome, Reach, Spent, TaskState};
use crate::model::{Effort, ModelSpec};
use crate::policy::Mode;
use crate::tool::Invocation;

use super::Event;

/// The argument by which a model has a sub-agent work in the background.
pub const IN_BACKGROUND: &str = "background";
/// The argument that names the model of a lane of a race.
pub const MODEL: &str = "model";
/// The argument that is the seed of its requests.
pub const SEED: &str = "seed";

/// Sub-agents that a model may start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subagents {
    /// Which there are.
    pub known: Vec<SubagentSpec>,
    /// How many may be at work at once.
    pub most_at_once: u64,
    /// How many may be started in a session.
    pub most_in_session: u64,
}

impl Default for Subagents {
    fn default() -> Self {
        Self { known: Vec::new(), most_at_once: 4, most_in_session: 50 }
    }
}

/// A sub-agent as the loop knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubagentSpec {
    /// Its name: its tool is `delegate_to_NAME`.
    pub name: String,
    /// The most that one task of it may spend, whatever is left.
    pub asks: BTreeMap<Limit, u64>,
    /// Its mode, where that is stricter than the session's.
    pub mode: Option<Mode>,
    /// Whether its tasks go on in the background unless the call says otherwise.
    pub in_background: bool,
}

/// A sub-agent that is to start.
#[derive(Debug, Clone, PartialEq)]
pub struct SubagentStart {
    /// The call that hands the task over.
    pub invocation: Invocation,
    /// Its name.
    pub agent: String,
    /// The id that its session gets.
    pub session: String,
    /// What it may spend: what was set aside.
    pub limits: Limits,
    /// Its mode: never looser than the session's.
    pub mode: Mode,
    /// The model that answers the session, for one that names none.
    pub model: Box<ModelSpec>,
    /// How hard models are told to think.
    pub effort: Option<Effort>,
    /// Whether it works in the background.
    pub in_background: bool,
}

/// News of a sub-agent.
#[derive(Debug, Clone, PartialEq)]
pub enum SubagentNews {
    /// Something happened in its session.
    Told(Box<Event>),
    /// It waits for a person, or does not any more.
    Waits(bool),
    /// It is over, and all that it did is in its ledger.
    Over(SubagentReport),
}

/// What came of a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubagentReport {
    /// `Ok` or `Failed`; or `Aborted`, of one that was cut short and whose words do not say how far its calls came.
    pub outcome: Outcome,
    /// What the model reads: its last answer, or why there is none. Bounded already.
    pub content: String,
    /// Characters left out of `content`.
    pub cut_chars: u64,
    /// How the task ended.
    pub state: TaskState,
    /// What it has spent.
    pub spent: Spent,
    /// How far its calls came.
    pub reach: Reach,
}
