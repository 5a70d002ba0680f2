//! What was typed after `agents`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  countersign agents list             the agents, where each is from, whether it is trusted
  countersign agents test             read the cards of all; what each is, and where tasks go
  countersign agents test reviewer    only this one, switched off or not
  countersign -c agents.reviewer.enabled=true agents test

Agents stand in [agents.NAME] of the configuration (`countersign config init` explains the keys) and
are reached over A2A. Of those in a project's .countersign/config.toml none is reached until its
folder is trusted (`countersign trust`).";

/// `agents`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct AgentsArgs {
    /// What to do.
    #[command(subcommand)]
    pub verb: AgentsVerb,

    /// As seen from this folder
    #[arg(short = 'C', long = "cd", value_name = "DIR", global = true)]
    pub cd: Option<PathBuf>,
}

/// What can be done with agents.
#[derive(Debug, Clone, Subcommand)]
pub enum AgentsVerb {
    /// The agents of the configuration and of this project; reaches none
    List,
    /// Read the agents' cards, and say what each is; sends no task
    #[command(after_help = "Exit codes: 0 all of them answer   1 one does not   2 usage or configuration")]
    Test {
        /// Only this one; without a name all that are not switched off
        name: Option<String>,
    },
}
