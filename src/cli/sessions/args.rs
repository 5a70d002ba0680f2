//! What was typed after `sessions`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  countersign sessions list                        all sessions, newest first
  countersign sessions search empty input          where both words were said
  countersign sessions show --last                 the newest session of this folder
  countersign sessions show 0199 --events          its events in short, one a line
  countersign sessions export --last > talk.md     a document; --json for the lines
  countersign sessions import talk.jsonl           a session from elsewhere
  countersign sessions check --last                whether its books are sound
  countersign sessions fork 0199 --at e14          go another way from there
  countersign sessions remove 0199                 forget it

SESSION is an id, the beginning of one, or the name of a session file.";

/// `sessions`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct SessionsArgs {
    /// What to do.
    #[command(subcommand)]
    pub verb: SessionsVerb,

    /// As seen from this folder
    #[arg(short = 'C', long = "cd", value_name = "DIR", global = true)]
    pub cd: Option<PathBuf>,
}

/// What can be done with sessions.
#[derive(Debug, Clone, Subcommand)]
pub enum SessionsVerb {
    /// All sessions, newest first: id, when, ending, model, folder, first words
    #[command(
        after_help = "Example:\n  countersign sessions list --json | jq -r 'select(.ending == null).session'"
    )]
    List {
        /// One object a line
        #[arg(long)]
        json: bool,
    },
    /// Where these words were said, newest session first
    #[command(
        after_help = "Examples:\n  countersign sessions search empty input      both words, in any order\n  \
                      countersign sessions search \"empty input\"    these words, as they stand"
    )]
    Search {
        /// All of them must be in one message, call or result; upper and lower case are the same
        #[arg(required = true)]
        words: Vec<String>,
        /// One object a place, one a line
        #[arg(long)]
        json: bool,
    },
    /// The transcript of a session
    #[command(
        after_help = "Examples:\n  countersign sessions show --last\n  countersign sessions show --last --events    \
                      user_message, tool_call, tool_result, agent_response"
    )]
    Show {
        /// Which.
        #[command(flatten)]
        pick: Pick,
        /// The durable lines, as the file has them
        #[arg(long, conflicts_with = "events")]
        json: bool,
        /// The short form: what was said, what was called, what came of it; one object a line
        #[arg(long)]
        events: bool,
    },
    /// A session as a document on stdout, in Markdown; what was withdrawn is left out
    #[command(
        after_help = "Examples:\n  countersign sessions export --last > talk.md\n  countersign sessions export \
                            0199 --json > talk.jsonl"
    )]
    Export {
        /// Which.
        #[command(flatten)]
        pick: Pick,
        /// The lines of the session, for `sessions import`
        #[arg(long)]
        json: bool,
    },
    /// Keep a session from elsewhere; checked first
    #[command(after_help = "Example:\n  countersign sessions import talk.jsonl")]
    Import {
        /// A session file, or an export with --json
        file: PathBuf,
    },
    /// Say whether a session's books are sound, or what is wrong in which line; changes nothing
    #[command(after_help = "Examples:\n  countersign sessions check --last\n  countersign sessions check \
                            ./broken.jsonl\n\nExit codes: 0 well-formed   1 faults")]
    Check {
        /// Which.
        #[command(flatten)]
        pick: Pick,
    },
    /// A new session that begins like another one
    #[command(
        after_help = "Examples:\n  countersign sessions fork --last\n  countersign sessions fork 0199 --at e14\n\n\
                            It can end wherever no call waits for its result. The other session stays as it is."
    )]
    Fork {
        /// Which.
        #[command(flatten)]
        pick: Pick,
        /// The last entry that it keeps, as in e14; without one the last at which no call is open
        #[arg(long, value_name = "ENTRY")]
        at: Option<String>,
    },
    /// Forget a session for good; refused while another process writes it
    #[command(after_help = "Example:\n  countersign sessions remove 0199")]
    Remove {
        /// Which.
        #[command(flatten)]
        pick: Pick,
    },
}

/// One session.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Pick {
    /// Which session
    #[arg(conflicts_with = "last", required_unless_present = "last")]
    pub session: Option<String>,

    /// The newest session of this folder
    #[arg(long)]
    pub last: bool,
}
