//! A goal: its eight parts, what each checkpoint asked, and what the model answered.

use strum::{IntoStaticStr, VariantArray};

use super::Limit;

/// A long-running task with an end that can be checked. Written whole when it is set and when it is taken up again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    /// What is to be achieved: one thing.
    pub objective: String,
    /// When it is achieved, in words.
    pub done_condition: String,
    /// Limits of this goal's run, in their own units; they only tighten.
    pub budget: Vec<(Limit, u64)>,
    /// A checkpoint comes after this many model turns, and whenever the model stops calling tools.
    pub checkpoints: u32,
    /// The plan as it stands; empty when there is none yet.
    pub current_plan: String,
    /// What was achieved, a line a checkpoint, oldest first.
    pub progress_log: Vec<String>,
    /// How the done condition is checked.
    pub validation_method: Validation,
    /// What stops it, in words.
    pub stop_rules: Vec<String>,
}

/// How a done condition is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Validation {
    /// A command line for the `shell` tool: exit code 0 is the proof. It passes the gate like every other call.
    Command(String),
    /// The model is asked.
    Question,
}

/// The six questions of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Which checkpoint of the goal's run, from 1.
    pub number: u32,
    /// Asked and, where somebody else than the model knows, answered.
    pub questions: Vec<Asked>,
}

/// One question of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The question, as it is put to the model.
    pub question: String,
    /// The answer; `None`: the model is asked, and its answer is the next [`Progress`].
    pub answer: Option<String>,
    /// Who answers.
    pub by: Answerer,
}

/// Who answers a question of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Answerer {
    /// The model, in its next message.
    Model,
    /// The exit code of the validation command.
    ValidationCommand,
    /// What the ledger says was done.
    Ledger,
    /// The meter of the budgets.
    Budget,
    /// The permission policy.
    Policy,
    /// The size of the context.
    Context,
}

impl Answerer {
    /// All of them.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// As recorded.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The reverse of [`Answerer::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|a| a.as_str() == text)
    }
}

/// What the model answered at a checkpoint. What it did not say is `None` or empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// Which checkpoint it answers.
    pub checkpoint: u32,
    /// Is the objective still valid?
    pub objective_valid: Option<bool>,
    /// Is the done condition met, as the model sees it?
    pub done: Option<bool>,
    /// What only the user can resolve.
    pub blocked: Option<String>,
    /// The plan from here on.
    pub plan: String,
    /// What was achieved since the last checkpoint.
    pub progress: String,
}

impl Checkpoint {
    /// What is asked about progress: the second question.
    pub fn evidence(&self) -> Option<&Asked> {
        self.questions.get(1)
    }

    /// What is asked about the done condition: the fourth question.
    pub fn done(&self) -> Option<&Asked> {
        self.questions.get(3)
    }
}
