//! What a front end tells a view at the start.

use crate::budget::Limits;
use crate::ledger::EntryId;
use crate::model::{Effort, ToolCalls};
use crate::policy::{Mode, Rule};
use crate::tool::ToolSpec;

use super::NamedCommand;

/// What the view is told once.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewSettings {
    /// The model, as `provider/name`.
    pub model: String,
    /// The mode at the start.
    pub mode: Mode,
    /// How hard the model is told to think at the start.
    pub effort: Option<Effort>,
    /// The folder, as it should be shown (`~/src/parser`).
    pub cwd: String,
    /// The branch, if the folder is in a repository.
    pub branch: Option<String>,
    /// The model's window, in tokens.
    pub window: u64,
    /// The limits as configured; what was raised is in the ledger.
    pub limits: Limits,
    /// Tokens that the model is nudged to write in one run, if there is a token budget.
    pub token_budget: Option<u64>,
    /// How the model calls tools at the start.
    pub tool_calls: ToolCalls,
    /// The rules of the configuration and the command line; those of the session are in the ledger.
    pub rules: Vec<Rule>,
    /// The tools there are, to tell which calls a rule speaks of.
    pub tools: Vec<ToolSpec>,
    /// The skills and custom commands that the user can call by their names, skills first.
    pub commands: Vec<NamedCommand>,
    /// Names of files that should be custom commands and cannot be used, each with why.
    pub ignored: Vec<(String, String)>,
    /// The hosts that the configuration opens to commands in the sandbox.
    pub hosts: Vec<String>,
    /// The last entry that came with an import: nobody here has typed what is said up to it, or seen what was
    /// decided.
    pub imported_to: Option<EntryId>,
}

impl ViewSettings {
    /// Whether an entry came with an import.
    pub fn is_imported(&self, entry: EntryId) -> bool {
        Some(entry) <= self.imported_to
    }

    /// Of a session of which nothing is known but its entries.
    pub fn unknown() -> Self {
        Self {
            model: String::new(),
            mode: Mode::Ask,
            effort: None,
            cwd: String::new(),
            branch: None,
            window: 0,
            limits: Limits::default(),
            token_budget: None,
            tool_calls: ToolCalls::Native,
            rules: Vec::new(),
            tools: Vec::new(),
            commands: Vec::new(),
            ignored: Vec::new(),
            hosts: Vec::new(),
            imported_to: None,
        }
    }
}
