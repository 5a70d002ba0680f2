//! What was typed after `policy`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::config::Flags;
use crate::tool::name::SHELL;

const EXAMPLES: &str = "\
Examples:
  countersign policy explain 'cargo test && rm -rf target'   each command, and why it runs or waits
  countersign policy explain --tool write src/main.rs        the same of a file or a URL
  countersign policy test --over 90d --deny 'shell(rm *)'    what that rule would have changed
  countersign policy test --mode auto                        what would still have been asked
  countersign policy suggest                                 rules for what you always allow
  countersign policy assert policy.toml                      expected decisions, for CI

Nothing is run, and nothing is written. Past calls are decided as they are written: links are not followed.";

/// `policy`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct PolicyArgs {
    /// What to do.
    #[command(subcommand)]
    pub verb: PolicyVerb,

    /// Use this folder instead of the current one
    #[arg(short = 'C', long = "cd", value_name = "DIR", global = true)]
    pub cd: Option<PathBuf>,
}

/// What can be tried.
#[derive(Debug, Clone, Subcommand)]
pub enum PolicyVerb {
    /// Explain what would happen with a command line, a path or a URL, and why
    Explain {
        /// The command line; with --tool, the path or the URL
        line: String,
        /// The tool that would be called
        #[arg(long, value_name = "NAME", default_value = SHELL)]
        tool: String,
        /// The rules.
        #[command(flatten)]
        rules: RuleFlags,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Decide every call of past sessions again, with the current configuration and these rules
    Test {
        /// Only the last days, as in 90d
        #[arg(long, value_name = "DAYS", value_parser = days)]
        over: Option<u32>,
        /// The rules.
        #[command(flatten)]
        rules: RuleFlags,
        /// Print one JSON object per changed call, and one with the sums
        #[arg(long)]
        json: bool,
    },
    /// Suggest the fewest rules for what people always allowed and never denied
    Suggest {
        /// Only the last days, as in 90d
        #[arg(long, value_name = "DAYS", value_parser = days)]
        over: Option<u32>,
        /// How many calls a rule must cover
        #[arg(long, value_name = "N", default_value_t = 2)]
        least: usize,
    },
    /// Compare decisions with those that a file expects; exit code 1 if one differs
    #[command(after_help = "\
The file is TOML:

  sandbox = true            # decide as on a machine with a sandbox; the default

  [[case]]
  line = \"cargo test\"       # or: tool = \"write\" and on = \"src/main.rs\"
  mode = \"auto\"             # by default that of the configuration
  expect = \"sandbox\"        # allow, sandbox, ask or deny")]
    Assert {
        /// The file
        file: PathBuf,
        /// The rules.
        #[command(flatten)]
        rules: RuleFlags,
    },
}

/// Rules and the mode, over those of the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct RuleFlags {
    /// Use this mode: plan, ask, edit, auto or unrestricted
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// Add a rule that allows, as in 'shell(cargo test *)'; may be repeated
    #[arg(long, value_name = "RULE")]
    pub allow: Vec<String>,
    /// Add a rule that asks; may be repeated
    #[arg(long, value_name = "RULE")]
    pub ask: Vec<String>,
    /// Add a rule that denies; may be repeated
    #[arg(long, value_name = "RULE")]
    pub deny: Vec<String>,
}

impl RuleFlags {
    /// As flags of the whole program.
    pub fn flags(&self) -> Flags {
        let Self { mode, allow, ask, deny } = self.clone();
        Flags { mode, allow, ask, deny, ..Flags::default() }
    }
}

fn days(word: &str) -> Result<u32, String> {
    let days = word.strip_suffix('d').unwrap_or(word).parse().ok();
    days.filter(|days| (1..=36_500).contains(days))
        .ok_or_else(|| "write a number of days, as in 90d".to_owned())
}
