//! What was typed after `race`.

use clap::{Args, Subcommand};

use crate::config::Flags;

/// The largest seed: the protocol's is a signed number of 64 bits.
const MOST_SEED: u64 = i64::MAX.unsigned_abs();

const EXAMPLES: &str = "\
Examples:
  countersign race \"Make the parser accept empty input\" --check \"cargo test parser\"
  countersign race \"Fix the flaky test\" --models anthropic/NAME,openai/NAME --max-cost 3
  countersign race \"Use less memory\" --seeds=7,8,9 -m ollama/NAME                 a lane for each seed
  countersign race \"Use a table\" \"Use a match\" --check \"cargo test\"    two tasks, two lanes
  countersign race show                                              how the lanes of the last race stand
  countersign race adopt 2                                           take what lane 2 made into this folder
  countersign race drop                                              remove the branches of the last race

Each lane has a git worktree of its own, which begins with this folder as git knows it. They share one budget in equal parts. What a lane
made becomes a branch; nothing of it is in this folder before you adopt it, and /undo takes that back.";

/// `race`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct RaceArgs {
    /// What to do with an earlier race.
    #[command(subcommand)]
    pub verb: Option<RaceVerb>,

    /// What is to be done; each of several tasks has lanes of its own
    #[arg(required = true, value_name = "TASK")]
    pub tasks: Vec<String>,

    /// The models, each in a lane of its own
    #[arg(long, value_name = "PROVIDER/MODEL", value_delimiter = ',')]
    pub models: Vec<String>,

    /// The seeds, each in a lane of its own; the model's protocol must have a field for one
    #[arg(long, value_name = "NUMBER", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(..=MOST_SEED))]
    pub seeds: Vec<u64>,

    /// How many lanes; tasks, models and seeds are repeated up to that. 3 for one of each
    #[arg(long, value_name = "N")]
    pub lanes: Option<u64>,

    /// A command that decides whether a lane has done its task: it must exit with 0. A rule or the mode has to allow it
    #[arg(long, value_name = "COMMAND")]
    pub check: Option<String>,

    /// Print one JSON object per lane
    #[arg(long)]
    pub json: bool,

    /// The flags.
    #[command(flatten)]
    pub flags: Flags,
}

/// What to do with an earlier race.
#[derive(Debug, Clone, Subcommand)]
pub enum RaceVerb {
    /// Show how the lanes stand
    Show(OfRace),
    /// Adopt the result of a lane into the folder
    Adopt {
        /// Which lane
        lane: u64,
        /// Whose race.
        #[command(flatten)]
        of: OfRace,
    },
    /// Remove the branches of the lanes
    Drop(OfRace),
}

/// Which race.
#[derive(Debug, Clone, Args)]
pub struct OfRace {
    /// The session of the race; the newest of this folder that has one, if omitted
    pub session: Option<String>,

    /// Print one JSON object per lane
    #[arg(long)]
    pub json: bool,

    /// The flags.
    #[command(flatten)]
    pub flags: Flags,
}
