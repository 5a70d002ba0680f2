//! What was typed: commands and flags, not yet their meaning.

use clap::{Args as ClapArgs, Parser, Subcommand};
use clap_complete::Shell;

use super::agents::args::AgentsArgs;
use super::config::Given;
use super::doctor::args::DoctorArgs;
use super::mcp::args::McpArgs;
use super::sessions::args::SessionsArgs;
use super::trust::args::TrustArgs;

const EXAMPLES: &str = "\
Examples:
  countersign                                   open the app in this folder
  countersign \"why does the parser reject empty input?\"
  countersign -m anthropic/claude-sonnet-5-5    choose the model
  countersign -m rehearsal                      no key: the embedded model, with real tools
  countersign --mode plan                       read only
  countersign --max-cost 2.50 --max-turns 20    budgets end a run, and say so
  countersign --allow 'shell(cargo test *)'     no question for these commands
  countersign resume --last                     go on where the last session here stopped
  countersign exec --goal goal.toml             work until its check passes, or say why not
  countersign exec --json \"list the TODOs\"      no screen; one event a line
  countersign sessions list                     what was kept, newest first
  git diff | countersign exec -                 the prompt from stdin
  countersign models                            what is usable now, and why the rest is not
  countersign doctor                            what is wrong, and how it is mended
  countersign mcp test                          start the MCP servers; what each brings
  countersign agents test                       read the cards of the A2A agents; what each is
  countersign trust                             what this project's files would do; decide
  countersign config init                       write a configuration that explains every key

Exit codes of exec:
  0 completed   1 internal or model error   2 usage or configuration
  3 a budget ended it   4 approval needed or denied by policy   130 interrupted";

/// A terminal AI agent that keeps its books: it proposes, you countersign.
#[derive(Debug, Clone, Parser)]
#[command(name = "countersign", version, about, after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Args {
    /// What to do; without one the app.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The first message
    pub prompt: Option<String>,

    /// The flags before the command.
    #[command(flatten)]
    pub flags: Flags,
}

/// The commands.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Run without a screen: the answer goes to stdout
    Exec(ExecArgs),
    /// Go on where a session stopped, also after a crash
    Resume(ResumeArgs),
    /// Look at a session's ledger, read-only
    Inspect(InspectArgs),
    /// Play a session on the screen, with its pauses cut short; read-only
    Replay(InspectArgs),
    /// List, search, read, keep and remove sessions
    Sessions(SessionsArgs),
    /// List the models that are usable now, and why the others are not
    Models(ModelsArgs),
    /// Look for what is wrong, and say how it is mended
    Doctor(DoctorArgs),
    /// Show what this folder's files would do, and trust them as they stand
    Trust(TrustArgs),
    /// List, test and call the MCP servers
    Mcp(McpArgs),
    /// List and test the agents that tasks are handed to
    Agents(AgentsArgs),
    /// Show the configuration, say where it is, or write one
    Config(ConfigArgs),
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
}

/// `exec`
#[derive(Debug, Clone, ClapArgs)]
pub struct ExecArgs {
    /// The message; `-` reads it from stdin, and so does none with a pipe
    pub prompt: Option<String>,

    /// One event a line, as JSON
    #[arg(long)]
    pub json: bool,

    /// Go on in this session
    #[arg(long, value_name = "SESSION", conflicts_with = "last")]
    pub resume: Option<String>,

    /// Go on in the newest session of this folder
    #[arg(long)]
    pub last: bool,

    /// What a call gets that needs an approval: a refusal that the model is told, or the end of the run
    #[arg(long, value_name = "deny|stop")]
    pub on_approval: Option<String>,

    /// The flags.
    #[command(flatten)]
    pub flags: Flags,
}

/// `resume`
#[derive(Debug, Clone, ClapArgs)]
pub struct ResumeArgs {
    /// Which session; without one the newest of this folder
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

/// `models`
#[derive(Debug, Clone, ClapArgs)]
pub struct ModelsArgs {
    /// Only those with this in their name, as in `claude` or `groq/`
    pub name: Option<String>,

    /// One JSON object
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
    /// Every value, and where it came from
    Show(Box<ShowArgs>),
    /// The files that are read, the weakest first; yours need not exist
    Path,
    /// Write a file that explains every key; never overwrites
    Init,
}

/// `config show`
#[derive(Debug, Clone, ClapArgs)]
pub struct ShowArgs {
    /// The flags.
    #[command(flatten)]
    pub flags: Flags,
}

/// Names a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// The newest of this folder.
    Last,
    /// The one of this id.
    Session(String),
}

impl Which {
    /// The session that was named, if one was.
    pub fn named(session: Option<String>, last: bool) -> Option<Self> {
        if last { Some(Self::Last) } else { session.map(Self::Session) }
    }
}

/// The flags; all but `-C` are also keys of the configuration. Values are read where the configuration is, so that
/// a wrong one is told in the same words.
#[derive(Debug, Clone, Default, PartialEq, Eq, ClapArgs)]
pub struct Flags {
    /// Who answers, as in anthropic/NAME, ollama/NAME or rehearsal; `countersign models` lists them
    #[arg(short, long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,

    /// How hard the model thinks: none, minimal, low, medium, high, xhigh or max, as far as it takes them
    #[arg(long, value_name = "LEVEL")]
    pub effort: Option<String>,

    /// Who answers when that model fails for good; repeatable, in this order
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub fallback: Vec<String>,

    /// Work in this folder
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub cd: Option<std::path::PathBuf>,

    /// How much may be done without a question: plan, ask, edit, auto or unrestricted
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,

    /// Most model calls of one run
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_turns: Option<String>,

    /// Most tool calls of one run
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_tool_calls: Option<String>,

    /// Most seconds of one run; waiting for you does not count
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_seconds: Option<String>,

    /// Most prompt tokens of one run
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_input_tokens: Option<String>,

    /// Most written tokens of one run
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_output_tokens: Option<String>,

    /// Most cost of the session, in US dollars
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub max_cost: Option<String>,

    /// Tokens to be written in one run: after an answer it is nudged to go on until most of them are used
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub token_budget: Option<String>,

    /// How tools are offered: native, string or auto
    #[arg(long, value_name = "HOW")]
    pub tools: Option<String>,

    /// Scripted answers in the place of a model
    #[arg(long, value_name = "FILE-or-JSON")]
    pub script: Option<String>,

    /// Work until a goal's done condition holds: a file with the objective, `check: COMMAND` or `done: QUESTION`
    #[arg(long, value_name = "FILE")]
    pub goal: Option<std::path::PathBuf>,

    /// Allow without a question, as in 'shell(cargo test *)'; repeatable
    #[arg(long, value_name = "RULE")]
    pub allow: Vec<String>,

    /// Refuse; wins over the others; repeatable
    #[arg(long, value_name = "RULE")]
    pub deny: Vec<String>,

    /// Ask; wins over allow; repeatable
    #[arg(long, value_name = "RULE")]
    pub ask: Vec<String>,

    /// Set any key of the configuration; VALUE is TOML or a plain text; repeatable
    #[arg(short = 'c', value_name = "KEY=VALUE")]
    pub config: Vec<String>,

    /// Which theme
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,

    /// Lines of words instead of a screen: nothing is drawn twice; TERM=dumb chooses it too
    #[arg(long)]
    pub screen_reader: bool,
}

impl Flags {
    /// These flags, and `later` ones over them: single values are replaced, repeatable ones add up. A deny rule
    /// before the command is not lost to one after it.
    pub fn then(self, later: Self) -> Self {
        let joined = |mut earlier: Vec<String>, later: Vec<String>| {
            earlier.extend(later);
            earlier
        };
        Self {
            model: later.model.or(self.model),
            effort: later.effort.or(self.effort),
            fallback: joined(self.fallback, later.fallback),
            cd: later.cd.or(self.cd),
            mode: later.mode.or(self.mode),
            max_turns: later.max_turns.or(self.max_turns),
            max_tool_calls: later.max_tool_calls.or(self.max_tool_calls),
            max_seconds: later.max_seconds.or(self.max_seconds),
            max_input_tokens: later.max_input_tokens.or(self.max_input_tokens),
            max_output_tokens: later.max_output_tokens.or(self.max_output_tokens),
            max_cost: later.max_cost.or(self.max_cost),
            token_budget: later.token_budget.or(self.token_budget),
            tools: later.tools.or(self.tools),
            script: later.script.or(self.script),
            goal: later.goal.or(self.goal),
            allow: joined(self.allow, later.allow),
            deny: joined(self.deny, later.deny),
            ask: joined(self.ask, later.ask),
            config: joined(self.config, later.config),
            theme: later.theme.or(self.theme),
            screen_reader: later.screen_reader || self.screen_reader,
        }
    }

    /// The flags as settings of the configuration.
    pub fn given(&self) -> Vec<Given> {
        let screen_reader = self.screen_reader.then(|| true.to_string());
        let single = [
            ("-m", "model", &self.model),
            ("--effort", "effort", &self.effort),
            ("--mode", "mode", &self.mode),
            ("--max-turns", "budget.max_model_turns", &self.max_turns),
            ("--max-tool-calls", "budget.max_tool_calls", &self.max_tool_calls),
            ("--max-seconds", "budget.max_wall_time_seconds", &self.max_seconds),
            ("--max-input-tokens", "budget.max_input_tokens", &self.max_input_tokens),
            ("--max-output-tokens", "budget.max_output_tokens", &self.max_output_tokens),
            ("--max-cost", "budget.max_total_cost", &self.max_cost),
            ("--token-budget", "budget.token_budget", &self.token_budget),
            ("--tools", "loop.tools", &self.tools),
            ("--script", "script", &self.script),
            ("--theme", "theme", &self.theme),
            ("--screen-reader", "screen_reader", &screen_reader),
        ];
        let many = [
            ("--fallback", "fallback", &self.fallback),
            ("--allow", "allow", &self.allow),
            ("--deny", "deny", &self.deny),
            ("--ask", "ask", &self.ask),
        ];
        let pairs = self.config.iter().cloned().map(Given::Pair);
        let single = single.into_iter().filter_map(|(flag, key, value)| Some((flag, key, value.clone()?)));
        let many =
            many.into_iter().flat_map(|(flag, key, all)| all.iter().map(move |one| (flag, key, one.clone())));
        pairs.chain(single.chain(many).map(|(flag, key, value)| Given::Flag { flag, key, value })).collect()
    }
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
