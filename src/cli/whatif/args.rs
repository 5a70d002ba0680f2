//! What was typed after `whatif`.

use clap::Args;

use crate::config::Flags;

const EXAMPLES: &str = "\
Examples:
  countersign whatif --last e41 --deny \"use the API\"      the call of e41 is denied this time
  countersign whatif 0199 e41 --allow --offline           what the recorded rest would have been
  countersign whatif 0199 e41 --edit '{\"command\":\"ls\"}'   other arguments, decided about as usual
  countersign whatif 0199 e2 --edit \"Fix the parser.\"     another message in its place
  countersign whatif 0199 e2 -m anthropic/NAME            the same words to another model

Up to that entry no model is asked and no tool runs. From there the branch is a session of its own. It goes on in a copy of the folder, in
which the files that the session changed are as they were then: on the screen, or without a terminal up to its next ending.";

/// `whatif`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct WhatifArgs {
    /// The session, unless --last is given, and the entry: a message, or anything about a call that was decided about
    #[arg(required = true, num_args = 1..=2, value_name = "SESSION|ENTRY")]
    pub words: Vec<String>,
    /// The newest session of this folder
    #[arg(long)]
    pub last: bool,
    /// Deny the call, with a reason for the model
    #[arg(long, value_name = "REASON", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["allow_call", "edit"])]
    pub deny: Option<String>,
    /// Allow the call
    #[arg(long = "allow", id = "allow_call", conflicts_with = "edit")]
    pub allow: bool,
    /// The arguments of the call, as JSON, or the words of the message
    #[arg(long, value_name = "TEXT")]
    pub edit: Option<String>,
    /// Ask this model from there on; at a decision, together with --allow, --deny or --edit
    #[arg(short, long, value_name = "PROVIDER/MODEL", conflicts_with = "offline")]
    pub model: Option<String>,
    /// Play the recorded rest instead: nothing runs, nothing is kept, and the difference is shown
    #[arg(long, conflicts_with = "here")]
    pub offline: bool,
    /// Continue in the folder of the session itself, not in a copy
    #[arg(long)]
    pub here: bool,
    /// The mode in which it goes on: plan, ask, edit, auto or unrestricted
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// Scripted answers instead of a model
    #[arg(long, value_name = "FILE-or-JSON", conflicts_with = "offline")]
    pub script: Option<String>,
}

impl WhatifArgs {
    /// As flags of a run.
    pub(super) fn flags(&self) -> Flags {
        Flags {
            model: self.model.clone(),
            mode: self.mode.clone(),
            script: self.script.clone(),
            ..Flags::default()
        }
    }
}
