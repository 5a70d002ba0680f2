//! What was typed after `agents`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  countersign agents list             the agents, where each is from, whether it is trusted
  countersign agents test             read all cards: what each agent is, and where tasks go
  countersign agents test reviewer    only this one, even if it is switched off
  countersign -c agents.reviewer.enabled=true agents test

Agents are configured in [agents.NAME] (`countersign config init` explains the keys) and are reached over
A2A. Agents from a project's .countersign/config.toml are not contacted until you trust its folder
(`countersign trust`).";

/// `agents`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct AgentsArgs {
    /// What to do.
    #[command(subcommand)]
    pub verb: AgentsVerb,

    /// Use this folder instead of the current one
    #[arg(short = 'C', long = "cd", value_name = "DIR", global = true)]
    pub cd: Option<PathBuf>,
}

/// What can be done with agents.
#[derive(Debug, Clone, Subcommand)]
pub enum AgentsVerb {
    /// List the agents of the configuration and of this project; contacts none
    List,
    /// Read and describe the agents' cards; sends no task
    #[command(after_help = "Exit codes: 0 all answer   1 at least one does not   2 usage or configuration")]
    Test {
        /// Only this agent; without a name, all that are enabled
        name: Option<String>,
    },
}
