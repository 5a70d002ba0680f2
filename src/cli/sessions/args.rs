//! What was typed after `sessions`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  countersign sessions list                        all sessions, newest first
  countersign sessions search empty input          sessions with both words
  countersign sessions show --last                 the newest session of this folder
  countersign sessions show 0199 --events          its events in short, one per line
  countersign sessions export --last > talk.md     a document, also as HTML, JSON or a proof
  countersign sessions otlp --last                 traces for OpenTelemetry
  countersign sessions import talk.jsonl           a session file from elsewhere, also of another agent
  countersign sessions check --last                verify its ledger
  countersign sessions seal --last                 sign it with an SSH key
  countersign sessions fork 0199 --at e14          fork it at an entry
  countersign sessions tag 0199 +work -old         give it tags, or take them away
  countersign sessions tree                        which session was made from which
  countersign sessions compare 0199 019a           what went differently
  countersign sessions bisect --last -- cargo test which call broke the tests
  countersign sessions remove 0199                 delete it

SESSION is an id, the beginning of an id, or a path to a session file.";

/// `sessions`
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct SessionsArgs {
    /// What to do.
    #[command(subcommand)]
    pub verb: SessionsVerb,

    /// Use this folder instead of the current one
    #[arg(short = 'C', long = "cd", value_name = "DIR", global = true)]
    pub cd: Option<PathBuf>,
}

/// What can be done with sessions.
#[derive(Debug, Clone, Subcommand)]
pub enum SessionsVerb {
    /// List all sessions, newest first: id, time, ending, model, folder, first words
    #[command(
        after_help = "Examples:\n  countersign sessions list --tag work\n  countersign sessions list --json | jq -r \
                      'select(.ending == null).session'"
    )]
    List {
        /// Only sessions with this tag
        #[arg(long, value_name = "TAG")]
        tag: Option<String>,
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Search all sessions for these words, newest session first
    #[command(
        after_help = "Examples:\n  countersign sessions search empty input      both words, in any order\n  \
                      countersign sessions search \"empty input\"    exactly this phrase"
    )]
    Search {
        /// All words must be in one message, call or result; case is ignored
        #[arg(required = true)]
        words: Vec<String>,
        /// Print one JSON object per match and line
        #[arg(long)]
        json: bool,
    },
    /// Show the transcript of a session
    #[command(
        after_help = "Examples:\n  countersign sessions show --last\n  countersign sessions show --last --events    \
                      user_message, tool_call, tool_result, agent_response"
    )]
    Show {
        /// Which.
        #[command(flatten)]
        pick: Pick,
        /// Print the lines of the session file
        #[arg(long, conflicts_with = "events")]
        json: bool,
        /// Print messages, calls and results in short form, one JSON object per line
        #[arg(long)]
        events: bool,
    },
    /// Print a session as a document: Markdown, HTML, JSON, a provable file or an attestation
    Export(ExportArgs),
    /// Print a session as traces (OTLP JSON), or send them to a collector
    Otlp(OtlpArgs),
    /// Import a session file after verifying it, or a session of another agent
    #[command(
        after_help = "Examples:\n  countersign sessions import talk.jsonl\n  countersign sessions import \
                            ~/.codex/sessions/2026/11/20/rollout-1.jsonl\n  countersign sessions import --from \
                            claude old.jsonl\n\nCalls of another agent are marked as done elsewhere: nobody here \
                            approved them. Signed and encrypted\nreasoning and images are left out."
    )]
    Import {
        /// A session file, an export with --json, or a file of Claude Code or Codex
        file: PathBuf,
        /// Read it as a file of this agent; by default, its content decides
        #[arg(long, value_enum, value_name = "AGENT")]
        from: Option<ForeignAgent>,
    },
    /// Give a session tags, or take them away
    #[command(
        after_help = "Examples:\n  countersign sessions tag 0199 +work -old\n  countersign sessions tag --last +work\n\n\
                            A tag has up to 32 letters, digits, `-`, `_` and `.`. Sessions with a tag are not \
                            removed by sessions.keep_days."
    )]
    Tag {
        /// Which session, unless --last is given, and the tags: +TAG to give one, -TAG to take it away
        #[arg(required = true, allow_hyphen_values = true, value_name = "SESSION|TAG")]
        words: Vec<String>,

        /// The newest session of this folder
        #[arg(long)]
        last: bool,
    },
    /// Verify a session file and report each problem with its line number; read-only
    #[command(after_help = "Examples:\n  countersign sessions check --last\n  countersign sessions check \
                            ./broken.jsonl\n\nExit codes: 0 well-formed   1 faults")]
    Check {
        /// Which.
        #[command(flatten)]
        pick: Pick,
    },
    /// Sign all that a session says so far with an SSH key
    #[command(
        after_help = "Examples:\n  countersign sessions seal --last\n  countersign sessions seal 0199 --key \
                            ~/.ssh/work.pub    a key in the agent\n\nWhoever has the file and the public key \
                            can then run `countersign verify`."
    )]
    Seal {
        /// Which.
        #[command(flatten)]
        pick: Pick,
        /// The private key, or the public key of one in the agent; by default, the first of ~/.ssh
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
    },
    /// Create a new session from the beginning of another one
    #[command(
        after_help = "Examples:\n  countersign sessions fork --last\n  countersign sessions fork 0199 --at e14\n\n\
                            The fork can end at any entry where no call waits for its result. The original \
                            session does not change."
    )]
    Fork {
        /// Which.
        #[command(flatten)]
        pick: Pick,
        /// The last entry to keep, as in e14; by default, the last one at which no call is open
        #[arg(long, value_name = "ENTRY")]
        at: Option<String>,
    },
    /// Find the call that broke a command: the changes of a session are walked in a copy of its folder
    Bisect(BisectArgs),
    /// Show which session was made from which, by a fork, a rewind or `whatif`
    Tree {
        /// Show only the branches of this session, and what it was made from
        #[arg(value_name = "SESSION")]
        session: Option<String>,
    },
    /// Compare two sessions line by line: calls, decisions, results, cost and endings; exit code 1 if they are different
    #[command(after_help = "Example:\n  countersign sessions compare 0199 019a")]
    Compare {
        /// A session
        #[arg(value_name = "SESSION")]
        one: String,
        /// Another one
        #[arg(value_name = "SESSION")]
        other: String,
    },
    /// Delete a session permanently; refused while another process writes it
    #[command(
        after_help = "Examples:\n  countersign sessions remove 0199\n  countersign sessions remove --older-than 90d        \
                            what would go\n  countersign sessions remove --older-than 90d --yes  delete it\n\nSealed \
                            sessions and those with a tag are removed only by their id."
    )]
    Remove(RemoveArgs),
}

/// `sessions remove`
#[derive(Debug, Clone, Args)]
pub struct RemoveArgs {
    /// Which session
    #[arg(conflicts_with_all = ["last", "older_than"], required_unless_present_any = ["last", "older_than"])]
    pub session: Option<String>,

    /// The newest session of this folder
    #[arg(long, conflicts_with = "older_than")]
    pub last: bool,

    /// All sessions that have not changed for this many days, as in 90d; lists them without --yes
    #[arg(long, value_name = "DAYS")]
    pub older_than: Option<String>,

    /// Delete them
    #[arg(long, requires = "older_than")]
    pub yes: bool,
}

/// Agents whose files can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ForeignAgent {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
}

/// `sessions bisect`
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  countersign sessions bisect --last -- cargo test
  countersign sessions bisect 0199 --timeout 60 -- sh -c 'make && ./check'

The command must succeed before the first change of the session and fail after the last one. It runs as yours, outside any
sandbox, in a temporary copy of the session's folder. Only changes by the tools `write` and `edit` are walked; what commands
changed is in every attempt as it is now.

Exit codes: 0 found   1 not found")]
pub struct BisectArgs {
    /// Which.
    #[command(flatten)]
    pub pick: Pick,
    /// The command and its arguments, after --
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
    /// How long an attempt may take; one that takes longer counts as failed
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
    /// Print what the command prints, to stderr
    #[arg(long)]
    pub verbose: bool,
    /// Keep the copy of the folder, and say where it is
    #[arg(long)]
    pub keep: bool,
}

/// `sessions export`
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  countersign sessions export --last > talk.md
  countersign sessions export --last --format html > talk.html
  countersign sessions export 0199 --json > talk.jsonl                          for `sessions import`
  countersign sessions export 0199 --format jsonl --redact results > proof.jsonl  still verifies
  countersign sessions export 0199 --format jsonl --only e12,e40..e60 > part.jsonl

What --redact leaves out: messages, thinking, arguments, results, system, images, withdrawn, all and entries (e12, e12..e20), separated
by commas, and text:WORDS. A text can have commas, so each has a --redact of its own: --redact results --redact text:ONE --redact text:TWO.
What repeats it elsewhere is left out, too: as it is, as JSON escapes it, and with anything in front of its lines, as a diff has.
`results` are also late and failed ones in notes, answers of sub-agents, and what hooks and the check of a goal made of results.")]
pub struct ExportArgs {
    /// Which.
    #[command(flatten)]
    pub pick: Pick,
    /// Print the lines of the session but those that were withdrawn, for `sessions import`
    #[arg(long, conflicts_with_all = ["format", "redact", "only"])]
    pub json: bool,
    /// The kind of document
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: ExportFormat,
    /// Leave these contents out
    #[arg(long, value_name = "RULES")]
    pub redact: Vec<String>,
    /// Only the contents of these entries
    #[arg(long, value_name = "ENTRIES")]
    pub only: Vec<String>,
    /// The key that signs an attestation; by default, the first of ~/.ssh
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
}

/// `sessions otlp`
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  countersign sessions otlp --last                                print them, one request per line
  countersign sessions otlp --last --to http://127.0.0.1:4318     send them to a collector
  countersign sessions otlp 0199 --to https://traces.example --header 'authorization: Bearer ${TOKEN}'

The names follow the conventions of OpenTelemetry for generative AI. The same session always has the same ids.")]
pub struct OtlpArgs {
    /// Which.
    #[command(flatten)]
    pub pick: Pick,
    /// Send them to this address with OTLP over HTTP, to /v1/traces there unless it has a path
    #[arg(long, value_name = "URL")]
    pub to: Option<String>,
    /// Include messages, arguments and results; keys of the environment are left out
    #[arg(long)]
    pub contents: bool,
    /// A header for the collector; may be repeated, and may contain a variable as ${NAME}
    #[arg(long, value_name = "NAME: VALUE", requires = "to")]
    pub header: Vec<String>,
}

/// Kinds of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ExportFormat {
    /// A transcript in Markdown
    #[default]
    Markdown,
    /// One page that needs nothing else
    Html,
    /// One JSON object with all events but those that were withdrawn
    Json,
    /// The lines of the session file: its chain and seals can be verified
    Jsonl,
    /// A signed statement about all calls and decisions, without contents
    Attestation,
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
