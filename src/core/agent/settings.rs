//! What the loop is told once, at the start.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::budget::{Limit, Limits, TokenBudget};
use crate::hooks::HookSpec;
use crate::ledger::CallId;
use crate::model::{AnswerBounds, Effort, ModelSpec};
use crate::policy::{Mode, Policy};
use crate::tool::{Absent, AnswerSchema, ToolSpec};

use super::{Answer, Ruling, SubagentPath, Subagents};

/// Settings of one process's part of a session.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The session's id.
    pub session: String,
    /// The calls that lead to it from a person's session; none: it is one.
    pub path: SubagentPath,
    /// The workspace: an absolute path.
    pub cwd: String,
    /// The system prompt. A resumed session keeps the one it began with.
    pub system: String,
    /// Facts that change (date, git state): injected before the first message of this process. Empty: nothing.
    pub environment: String,
    /// The model.
    pub model: ModelSpec,
    /// Whether none is asked in this process: then the session stays with the model and the effort that it was left with.
    pub asks_no_model: bool,
    /// The models to fall back to when that one fails for good, in order.
    pub fallback: Vec<ModelSpec>,
    /// How hard the models are to think; each gets the nearest level that it takes.
    pub effort: Option<Effort>,
    /// The tools, in the order in which the model sees them.
    pub tools: Vec<ToolSpec>,
    /// Whether more tools come from elsewhere: then the first model call waits for [`super::Input::Discovered`].
    pub discovers: bool,
    /// Who is known from the start to bring no tools, although it is configured.
    pub absent: Vec<Absent>,
    /// Tools that the provider may not run itself for this session, although the configuration lists them.
    pub withheld: BTreeSet<&'static str>,
    /// Mode and rules.
    pub policy: Policy,
    /// The loosest mode that can be chosen: the strictest that the file of this sub-agent, or of one above it, names. `None`: any.
    pub loosest_mode: Option<Mode>,
    /// The hooks, in the order of the configuration.
    pub hooks: Vec<HookSpec>,
    /// The ten budgets.
    pub limits: Limits,
    /// Whether a request that a dead process left unanswered was made under these limits: then it fitted in what they left.
    pub asked_within_limits: bool,
    /// The token budget, which asks for more until it is used; `None`: an answer ends the run.
    pub token_budget: Option<TokenBudget>,
    /// What a model call may cost, in micro-dollars, before the user is asked; `None`: any price.
    pub ask_above: Option<u64>,
    /// Turns in a row in which every call failed, after which the run ends (`[loop] max_consecutive_failures`).
    pub max_consecutive_failures: u32,
    /// Whether the final answer is asked for in a call of its own (the two-phase loop).
    pub final_response: FinalResponse,
    /// What the answer that ends a run must satisfy (`--output-schema`).
    pub answer_schema: Option<Arc<AnswerSchema>>,
    /// The turn limit was set by `max_steps`: then its stop speaks of steps.
    pub limit_is_steps: bool,
    /// The most that one answer may have.
    pub answer: AnswerBounds,
    /// Percentage of the window at which the context is compacted.
    pub compact_at_percent: u64,
    /// Time limit of a tool that names none of its own, in milliseconds (`[loop] tool_timeout_seconds`).
    pub tool_timeout_ms: u64,
    /// Whether reads of one message may run together (`[loop] parallel_tool_execution`).
    pub parallel: bool,
    /// Who answers approvals.
    pub attendance: Attendance,
    /// The sub-agents that the model may start.
    pub subagents: Subagents,
    /// What is set aside for each task of an agent elsewhere, by its name.
    pub reserves: BTreeMap<String, BTreeMap<Limit, u64>>,
    /// Calls about which a person has decided beforehand, in the place of the rules: where a branch goes otherwise.
    pub overruled: BTreeMap<CallId, Answer>,
    /// What the rules said about calls of a session that is played again as it was: today's rules do not decide about these.
    pub ruled: BTreeMap<CallId, Vec<Ruling>>,
    /// Seed of the jitter in waits.
    pub seed: u64,
    /// The seed that requests of a new session carry; one that is resumed has that of its ledger.
    pub model_seed: Option<u64>,
}

impl Settings {
    /// The defaults of the configuration, for a model.
    pub fn new(model: ModelSpec) -> Self {
        Self {
            session: String::new(),
            path: SubagentPath::new(),
            cwd: String::new(),
            system: String::new(),
            environment: String::new(),
            model,
            asks_no_model: false,
            fallback: Vec::new(),
            effort: None,
            tools: Vec::new(),
            discovers: false,
            absent: Vec::new(),
            withheld: BTreeSet::new(),
            policy: Policy::default(),
            loosest_mode: None,
            hooks: Vec::new(),
            limits: Limits::default(),
            asked_within_limits: false,
            token_budget: None,
            ask_above: None,
            max_consecutive_failures: 8,
            final_response: FinalResponse::SameCall,
            answer_schema: None,
            limit_is_steps: false,
            answer: AnswerBounds::default(),
            compact_at_percent: 80,
            tool_timeout_ms: 30_000,
            parallel: true,
            attendance: Attendance::Person,
            subagents: Subagents::default(),
            reserves: BTreeMap::new(),
            overruled: BTreeMap::new(),
            ruled: BTreeMap::new(),
            seed: 1,
            model_seed: None,
        }
    }
}

/// Where the final answer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FinalResponse {
    /// The answer without a tool call is the final one.
    #[default]
    SameCall,
    /// A last call of its own is asked for it, after the tools are done.
    Separate,
}

/// Who answers when a call needs an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Attendance {
    /// A person at the screen.
    #[default]
    Person,
    /// A program that answers for its user; nobody types into terminals.
    Program,
    /// Nobody: the call is denied, the model is told, the run goes on.
    Deny,
    /// Nobody: the run ends with `approval_required`.
    Stop,
}

impl Attendance {
    /// Whether calls wait for an answer.
    pub(super) fn answers(self) -> bool {
        matches!(self, Self::Person | Self::Program)
    }
}
