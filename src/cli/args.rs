//! What was typed: commands and flags, not yet their meaning.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::acp::args::AcpArgs;
use super::agents::args::AgentsArgs;
use super::blame::args::BlameArgs;
use super::doctor::args::DoctorArgs;
use super::exposure::args::ExposureArgs;
use super::import_settings::other_tool::OtherTool;
use super::mcp::args::McpArgs;
use super::policy::args::PolicyArgs;
use super::race::args::RaceArgs;
use super::sessions::args::SessionsArgs;
use super::test::args::TestArgs;
use super::trust::args::TrustArgs;
use super::usage::args::UsageArgs;
use super::whatif::args::WhatifArgs;
use crate::config::Flags;

const EXAMPLES: &str = "\
Examples:
  countersign                                   open the app in this folder
  countersign \"why does the parser reject empty input?\"
  countersign -m anthropic/claude-sonnet-5-5    choose the model
  countersign -m rehearsal                      no key: the embedded model, with real tools
  countersign --mode plan                       read only
  countersign --max-cost 2.50 --max-turns 20    budgets stop a run and say so
  countersign --allow 'shell(cargo test *)'     run these commands without asking
  countersign resume --last                     continue the last session of this folder
  countersign exec --goal goal.toml             work until its check passes, or report why not
  countersign exec --json \"list the TODOs\"      no screen; one event per line
  countersign sessions list                     all sessions, newest first
  git diff | countersign exec \"review this\"   what is piped in is added to the prompt
  countersign usage --days 30 --by project      what it has cost
  countersign exposure .env                     who has seen this file
  countersign blame src/parser.rs:42            which call wrote this line
  countersign models                            what you can use now, and why not the rest
  countersign policy explain 'rm -rf target'    which rule decides, and why
  countersign test run tests/*.jsonl            play recorded sessions again, without key or network
  countersign doctor                            find problems and suggest fixes
  countersign mcp test                          start the MCP servers and list their tools
  countersign agents test                       read and describe the cards of the A2A agents
  countersign trust                             review this project's files, and trust them or not
  countersign config init                       write a configuration that explains every key

Exit codes of exec:
  0 completed   1 internal or model error   2 usage or configuration
  3 a budget ended it   4 approval needed or denied by policy   130 interrupted";

/// A terminal AI agent that keeps a ledger: it proposes, you countersign.
#[derive(Debug, Clone, Parser)]
#[command(name = "countersign", version = env!("COUNTERSIGN_VERSION"), about, after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Args {
    /// What to do; without a command, the app opens.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The first message
    pub prompt: Option<String>,

    /// The flags given before the command.
    #[command(flatten)]
    pub flags: Flags,
}

/// The commands.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Run without a screen: the answer goes to stdout
    Exec(ExecArgs),
    /// Continue a session where it stopped, even after a crash
    Resume(ResumeArgs),
    /// Serve an editor over stdin and stdout, by the Agent Client Protocol
    Acp(AcpArgs),
    /// Open a session's ledger, read-only
    Inspect(InspectArgs),
    /// Play back a session on the screen with shortened pauses, or record that; read-only
    Replay(ReplayArgs),
    /// List, search, show, export, import and remove sessions
    Sessions(SessionsArgs),
    /// Verify a session file and its seals; needs only the file and public keys
    Verify {
        /// The session file
        file: PathBuf,
        /// Public keys and whose they are, as ssh-keygen reads them
        #[arg(long, value_name = "FILE")]
        allowed_signers: PathBuf,
    },
    /// Go back to a decision or a message of a session, and continue differently
    Whatif(WhatifArgs),
    /// Give one task to several models at once, each in a worktree of its own, and take the best result
    Race(Box<RaceArgs>),
    /// Keep sessions as tests, and play them through the program as it is now
    Test(TestArgs),
    /// Explain the rules, and try them on a command, on past calls or on the cases of a file
    Policy(PolicyArgs),
    /// Find who has seen a file, a text or a key: which requests had it, and where they went
    Exposure(ExposureArgs),
    /// Find the call that wrote a line of a file, who allowed it, and the message that asked for it
    Blame(BlameArgs),
    /// Add up what all sessions have cost, by model, project, tool or day
    Usage(UsageArgs),
    /// List the models that you can use now, and why the others cannot be used
    Models(ModelsArgs),
    /// Find problems and suggest fixes
    Doctor(DoctorArgs),
    /// Show what this folder's files would do, and trust them in their present form
    Trust(TrustArgs),
    /// List, test and call the MCP servers
    Mcp(McpArgs),
    /// List and test the agents that tasks can be delegated to
    Agents(AgentsArgs),
    /// Show or locate the configuration, or write one
    Config(ConfigArgs),
    /// Print another tool's rules, hooks and MCP servers as settings of countersign, or add them
    ImportSettings(ImportSettingsArgs),
    /// Print the man page, or write all of them
    Man {
        /// Write the pages of all commands to this folder
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
}

/// `exec`
#[derive(Debug, Clone, ClapArgs)]
pub struct ExecArgs {
    /// The message. Read from stdin if it is `-`, or if it is missing and stdin is a pipe. What is piped in beside a
    /// message is added to it as a `<stdin>` block
    pub prompt: Option<String>,

    /// Print one JSON event per line
    #[arg(long)]
    pub json: bool,

    /// Continue this session
    #[arg(long, value_name = "SESSION", conflicts_with = "last")]
    pub resume: Option<String>,

    /// Continue the newest session of this folder
    #[arg(long)]
    pub last: bool,

    /// What to do when a call needs approval: `deny` it and tell the model, or `stop` the run
    #[arg(long, value_name = "deny|stop")]
    pub on_approval: Option<String>,

    /// Write the last answer to this file when the run has completed; otherwise the file stays as it is
    #[arg(short, long, alias = "output-last-message", value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Demand an answer that satisfies the JSON Schema in this file; exit code 1 if it does not, also when asked again
    #[arg(long, value_name = "FILE")]
    pub output_schema: Option<PathBuf>,

    /// Read lines from stdin, one JSON object each: messages, decisions about calls, interrupts. Needs --json
    #[arg(long, value_name = "FORMAT", requires = "json", conflicts_with = "on_approval")]
    pub input: Option<InputFormat>,

    /// Keep no session: nothing of the run is written to the session folder
    #[arg(long, conflicts_with_all = ["resume", "last"])]
    pub ephemeral: bool,

    /// Add an image to the message; may be repeated
    #[arg(long, value_name = "FILE")]
    pub image: Vec<String>,

    /// The flags.
    #[command(flatten)]
    pub flags: Flags,
}

/// What stdin holds beside a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    /// One JSON object per line
    Jsonl,
}

const IMPORT_EXAMPLES: &str = "\
Examples:
  countersign import-settings claude             print what your Claude Code settings mean here
  countersign import-settings --write            add the settings of all tools to your configuration
  countersign import-settings --project --write  add those of this folder to its .countersign/config.toml

What cannot be said exactly is left out or said more strictly, and named. Keys in the files of other tools
are not copied: a variable stands in their place. Nothing that your configuration has is changed.";

/// `import-settings`
#[derive(Debug, Clone, ClapArgs)]
#[command(after_help = IMPORT_EXAMPLES)]
pub struct ImportSettingsArgs {
    /// Whose settings; without it, those of each tool that are found
    pub tool: Option<OtherTool>,

    /// Take the settings of this folder instead of yours, for its .countersign/config.toml
    #[arg(long)]
    pub project: bool,

    /// Add them to the configuration instead of printing them
    #[arg(long)]
    pub write: bool,

    /// Use this folder instead of the current one
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub cd: Option<PathBuf>,
}

/// `resume`
#[derive(Debug, Clone, ClapArgs)]
pub struct ResumeArgs {
    /// The session; the newest of this folder if omitted
    #[arg(conflicts_with = "last")]
    pub session: Option<String>,

    /// The newest session of this folder
    #[arg(long)]
    pub last: bool,

    /// The flags.
    #[command(flatten)]
    pub flags: Flags,
}

/// `inspect`
#[derive(Debug, Clone, ClapArgs)]
pub struct InspectArgs {
    /// Which session
    #[arg(conflicts_with = "last", required_unless_present = "last")]
    pub session: Option<String>,

    /// The newest session of this folder
    #[arg(long)]
    pub last: bool,

    /// The flags.
    #[command(flatten)]
    pub flags: Flags,
}

/// `replay`
#[derive(Debug, Clone, ClapArgs)]
#[command(after_help = "\
Examples:
  countersign replay --last
  countersign replay --last --record talk.cast --size 100x30    for asciinema and web players

Keys: space pauses, \u{2190} \u{2192} step, home and end, 1 to 9 jump to that tenth; d, e and t go to the next decision, error and
tombstone, D, E and T to the one before; + and - change the speed, q quits.")]
pub struct ReplayArgs {
    /// Which session
    #[arg(conflicts_with = "last", required_unless_present = "last")]
    pub session: Option<String>,

    /// The newest session of this folder
    #[arg(long)]
    pub last: bool,

    /// Write a recording (asciicast v2) to this new file instead of playing; needs no terminal
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// Columns and rows of the recording
    #[arg(long, value_name = "COLUMNSxROWS", default_value = "100x30", requires = "record")]
    pub size: String,

    /// How many times as fast the recording is
    #[arg(long, value_name = "N", default_value_t = 1.0, requires = "record")]
    pub speed: f64,

    /// The flags.
    #[command(flatten)]
    pub flags: Flags,
}

/// `models`
#[derive(Debug, Clone, ClapArgs)]
pub struct ModelsArgs {
    /// Only models whose name contains this, such as `claude` or `groq/`
    pub name: Option<String>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,

    /// The flags.
    #[command(flatten)]
    pub flags: Flags,
}

/// `config`
#[derive(Debug, Clone, ClapArgs)]
pub struct ConfigArgs {
    /// What to do with it.
    #[command(subcommand)]
    pub action: ConfigAction,
}

/// What to do with the configuration.
#[derive(Debug, Clone, Subcommand)]
pub enum ConfigAction {
    /// Show every value and where it comes from
    Show(Box<ShowArgs>),
    /// Show the files that are read, lowest precedence first; yours need not exist
    Path,
    /// Write a file that explains every key; never overwrites a file
    Init,
}

/// `config show`
#[derive(Debug, Clone, ClapArgs)]
pub struct ShowArgs {
    /// The flags.
    #[command(flatten)]
    pub flags: Flags,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_holds_together() {
        Args::command().debug_assert();
    }

    #[test]
    fn flags_before_and_after_the_command_add_up() {
        let args = Args::parse_from([
            "countersign",
            "--deny",
            "shell(rm *)",
            "-m",
            "a/b",
            "exec",
            "--deny",
            "write",
            "-m",
            "c/d",
            "hello",
        ]);
        let Some(Command::Exec(exec)) = args.command else { panic!("exec") };
        let flags = args.flags.then(exec.flags);
        assert_eq!(flags.deny, ["shell(rm *)", "write"]);
        assert_eq!(flags.model.as_deref(), Some("c/d"));
        assert_eq!(exec.prompt.as_deref(), Some("hello"));
    }

    #[test]
    fn a_prompt_is_not_a_command() {
        let args = Args::parse_from(["countersign", "explain exec to me"]);
        assert!(args.command.is_none());
        assert_eq!(args.prompt.as_deref(), Some("explain exec to me"));
        let dash = Args::parse_from(["countersign", "exec", "-"]);
        assert!(matches!(dash.command, Some(Command::Exec(exec)) if exec.prompt.as_deref() == Some("-")));
    }
}
