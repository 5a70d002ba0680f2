//! The configuration: what is meant, from the user's file, the project's files, the environment and the flags.

use strum::IntoStaticStr;

mod agents;
mod apply;
mod checked;
pub(crate) mod commands;
pub mod connection;
mod demands;
pub(crate) mod effort;
pub mod environment;
mod examine;
pub mod exit;
mod facts;
pub mod fault;
mod flags;
mod front_matter;
pub(crate) mod goal;
mod home_rules;
mod hooks;
mod init;
mod invocation;
pub(crate) mod kept_files;
pub(crate) mod kept_rule;
mod key;
mod keys;
mod layers;
pub mod logging;
mod mcp;
pub mod models;
mod nearest;
pub(crate) mod peers;
mod person;
pub mod project;
mod projects;
pub(crate) mod reading;
mod sandbox_reach;
mod setting;
mod show;
pub(crate) mod skills;
mod source;
mod spelling;
pub(crate) mod subagents;
pub(crate) mod telemetry;
mod tighten;
#[cfg(test)]
mod tighten_tests;
mod tools;
pub(crate) mod trusted;
mod value;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use agents::{AgentEntry, LocalAgent};
pub(crate) use checked::check_text;
pub(crate) use demands::{Demands, demands};
pub(crate) use examine::examine;
pub use flags::{Flags, LimitFlags};
pub use hooks::SourcedHook;
pub(crate) use init::private_folder;
pub use init::{EXAMPLE, init};
pub use invocation::Invocation;
pub(crate) use kept_rule::{add_to_list, write_config};
pub use layers::{load, project_files};
pub use mcp::McpEntry;
pub(crate) use mcp::of_client::{ClientServer, ClientServerWay};
pub use nearest::nearest;
pub use person::{Images, Notify};
pub use sandbox_reach::{SandboxNetwork, SandboxReach};
pub use source::Source;
pub use telemetry::Telemetry;

use crate::agent::{Attendance, FinalResponse};
use crate::budget::{Limits, TokenBudget};
use crate::ledger::MicroDollars;
use crate::model::{Abilities, AnswerBounds, Effort};
use crate::policy::{Mode, Rule};
use crate::runtime::{AllowedHost, Network};
use crate::ui::rebinding::Keymap;
use crate::wire::Quirks;
use commands::CustomCommands;
use connection::{Protocol, Secret};
use environment::Environment;
use skills::Skill;
use subagents::KnownSubagents;
use trusted::CONFIG;

/// All settings, with their meaning.
#[derive(Debug, Clone)]
pub struct Config {
    /// `PROVIDER/MODEL`; `None` when nobody named one.
    pub model: Option<String>,
    /// How hard models are to think; `None` leaves it to their vendors.
    pub effort: Option<Effort>,
    /// The models to fall back to, in order.
    pub fallback: Vec<String>,
    /// The scripted answers: JSON or a file's name.
    pub script: Option<String>,
    /// How much may be done without a question.
    pub mode: Mode,
    /// All rules, each with where it was written.
    pub rules: Vec<SourcedRule>,
    /// What `exec` does about approvals: [`Attendance::Deny`] or [`Attendance::Stop`].
    pub on_approval: Attendance,
    /// Name of the theme; `None` leaves it to the screen.
    pub theme: Option<String>,
    /// The command that writes the status line.
    pub status_line: Option<String>,
    /// How a person who looks elsewhere is called.
    pub notify: Notify,
    /// How pictures are shown.
    pub images: Images,
    /// Whether a sign moves on the screen while something goes on.
    pub motion: bool,
    /// Whether the composer has a vim mode.
    pub vim: bool,
    /// Whether the app speaks in lines instead of drawing a screen.
    pub screen_reader: bool,
    /// Whether the app has the mouse, or the terminal keeps it.
    pub mouse: bool,
    /// Whether links are links to the terminal.
    pub links: bool,
    /// What the keys mean.
    pub keymap: Keymap,
    /// What is logged, as a filter.
    pub log: String,
    /// All hooks, in the order of the configuration, each with where it was written.
    pub hooks: Vec<SourcedHook>,
    /// The ten budgets.
    pub limits: Limits,
    /// The turn limit was set by `loop.max_steps`: its stop then says so in that key's words.
    pub limit_is_steps: bool,
    /// What a model call may cost before the user is asked; `None`: any price.
    pub ask_above: Option<MicroDollars>,
    /// Tokens that one run is nudged to write; `None`: an answer ends the run.
    pub token_budget: Option<u64>,
    /// Percentage of the token budget that is enough.
    pub enough_percent: u64,
    /// A continuation of fewer tokens brings little.
    pub little_tokens: u64,
    /// Continuations before diminishing returns can stop a run.
    pub patience: u64,
    /// Time limit of one attempt of a tool that names none of its own, in milliseconds.
    pub tool_timeout_ms: u64,
    /// Whether reads of one message may run together.
    pub parallel: bool,
    /// Where the final answer comes from.
    pub final_response: FinalResponse,
    /// Turns in a row in which every call failed, after which a run ends.
    pub max_consecutive_failures: u32,
    /// The most that one answer may have.
    pub answer: AnswerBounds,
    /// Percentage of the window at which the context is compacted.
    pub compact_at_percent: u64,
    /// How tools are offered to the model.
    pub tools: ToolCalling,
    /// How servers are reached.
    pub network: Network,
    /// Where traces of sessions go.
    pub telemetry: Telemetry,
    /// Whether commits say which call made them.
    pub trailers: bool,
    /// After how many days without a change a session is removed; `None`: never.
    pub keep_days: Option<u64>,
    /// Whether there is an `echo` tool, for tests.
    pub echo: bool,
    /// Names of variables that commands get although they look like keys.
    pub pass_env: Vec<String>,
    /// Hosts that `fetch` reaches although they are not on the public internet.
    pub fetch_hosts: Vec<AllowedHost>,
    /// What the sandbox lets through or hides beside what it always does.
    pub sandbox: SandboxReach,
    /// The providers of the configuration, the known ones too where something was set.
    pub providers: BTreeMap<String, Provider>,
    /// What the user knows about models, by `provider/name`.
    pub models: BTreeMap<String, Facts>,
    /// The MCP servers in force, switched off ones too.
    pub mcp_servers: BTreeMap<String, McpEntry>,
    /// The MCP servers of projects that are not trusted with them: nothing starts them.
    pub untrusted_mcp_servers: BTreeMap<String, McpEntry>,
    /// The A2A agents in force, switched off ones too.
    pub agents: BTreeMap<String, AgentEntry>,
    /// The A2A agents of projects that are not trusted with them: nothing reaches them.
    pub untrusted_agents: BTreeMap<String, AgentEntry>,
    /// The project's files that are in force as a whole, because their folders are trusted.
    pub trusted: Vec<PathBuf>,
    /// The names of files of instructions: the first that a folder has counts there.
    pub instructions: Vec<String>,
    /// The skills that the model is told of, or that the user can call, each with its file.
    pub skills: Vec<(Skill, PathBuf)>,
    /// The custom commands that the user can call.
    pub commands: CustomCommands,
    /// The sub-agents that the model can start.
    pub subagents: KnownSubagents,
    /// What was ignored, and why: one sentence each, to be shown once.
    pub warnings: Vec<String>,
    /// The same of files that add something: skills, commands and sub-agents. They can be many, and none of them acts.
    pub asides: Vec<String>,
    origins: BTreeMap<String, Source>,
}

/// A rule, and where it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcedRule {
    /// The rule.
    pub rule: Rule,
    /// Where.
    pub source: Source,
}

/// How tools are offered to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ToolCalling {
    /// What the model takes, as far as is known; string mode once a server refuses tools.
    #[default]
    Auto,
    /// The protocol's own tool calls.
    Native,
    /// Descriptions in the system prompt, calls read from the answer's text.
    String,
}

impl ToolCalling {
    /// As written in flags and configuration.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A `[providers.X]`. What is `None` was not set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provider {
    /// Its address, as written.
    pub base_url: Option<String>,
    /// What it speaks.
    pub protocol: Option<Protocol>,
    /// Name of the variable that holds its key.
    pub api_key_env: Option<String>,
    /// The command whose output is its key. What is shown of it is hidden: it may hold a secret.
    pub api_key_command: Option<Secret>,
    /// The file that holds its key, from `/` or `~/` on.
    pub api_key_file: Option<String>,
    /// How its server differs.
    pub quirks: Quirks,
    /// More headers.
    pub headers: BTreeMap<String, Secret>,
    /// What it may run itself, by its own names; nothing unless set. Written as `hosted_tools.X`.
    pub hosted_tools: Vec<String>,
}

/// What the user knows about a model. Prices in micro-dollars per million tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Most input tokens.
    pub window: Option<u64>,
    /// Most output tokens.
    pub max_output: Option<u64>,
    /// Price of prompt tokens.
    pub usd_in: Option<MicroDollars>,
    /// Price of written tokens.
    pub usd_out: Option<MicroDollars>,
    /// Price of prompt tokens read from a cache.
    pub usd_cache_read: Option<MicroDollars>,
    /// Price of prompt tokens written to a cache.
    pub usd_cache_write: Option<MicroDollars>,
    /// What a long prompt changes.
    pub long: LongFacts,
    /// What it can do.
    pub abilities: Abilities,
}

/// The prices of requests with a long prompt, in micro-dollars per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LongFacts {
    /// A prompt of more tokens is long.
    pub above: Option<u64>,
    /// Price of prompt tokens.
    pub usd_in: Option<MicroDollars>,
    /// Price of written tokens.
    pub usd_out: Option<MicroDollars>,
    /// Price of prompt tokens read from a cache.
    pub usd_cache_read: Option<MicroDollars>,
    /// Price of prompt tokens written to a cache.
    pub usd_cache_write: Option<MicroDollars>,
}

/// Something that was said on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandLineSetting {
    /// A flag that stands for a key.
    Flag {
        /// The flag, as in `--max-turns`.
        flag: &'static str,
        /// The key, as in `budget.max_model_turns`.
        key: &'static str,
        /// Its value.
        value: String,
    },
    /// `-c KEY=VALUE`.
    Pair(String),
}

impl Default for Config {
    fn default() -> Self {
        let TokenBudget { enough_percent, little_tokens, patience, .. } = TokenBudget::of(0);
        Self {
            model: None,
            fallback: Vec::new(),
            script: None,
            mode: Mode::default(),
            rules: Vec::new(),
            on_approval: Attendance::Deny,
            effort: None,
            theme: None,
            status_line: None,
            notify: Notify::default(),
            images: Images::default(),
            motion: true,
            vim: false,
            screen_reader: false,
            mouse: true,
            links: true,
            keymap: Keymap::default(),
            log: "info".to_owned(),
            hooks: Vec::new(),
            limits: Limits::default(),
            limit_is_steps: false,
            ask_above: None,
            token_budget: None,
            enough_percent,
            little_tokens,
            patience,
            tool_timeout_ms: 30_000,
            parallel: true,
            final_response: FinalResponse::default(),
            max_consecutive_failures: 8,
            answer: AnswerBounds::default(),
            compact_at_percent: 80,
            tools: ToolCalling::default(),
            network: Network::default(),
            telemetry: Telemetry::default(),
            trailers: false,
            keep_days: None,
            echo: false,
            pass_env: Vec::new(),
            fetch_hosts: Vec::new(),
            sandbox: SandboxReach::default(),
            providers: BTreeMap::new(),
            models: BTreeMap::new(),
            mcp_servers: BTreeMap::new(),
            untrusted_mcp_servers: BTreeMap::new(),
            agents: BTreeMap::new(),
            untrusted_agents: BTreeMap::new(),
            trusted: Vec::new(),
            instructions: ["AGENTS.md", "CLAUDE.md"].map(str::to_owned).to_vec(),
            skills: Vec::new(),
            commands: CustomCommands::default(),
            subagents: KnownSubagents::default(),
            warnings: Vec::new(),
            asides: Vec::new(),
            origins: BTreeMap::new(),
        }
    }
}

impl Config {
    /// Where a key's value came from; the key as in `budget.max_model_turns`.
    pub fn source(&self, key: &str) -> Source {
        self.origins.get(key).cloned().unwrap_or(Source::Default)
    }

    /// The token budget, if one was set.
    pub fn token_budget(&self) -> Option<TokenBudget> {
        let Self { enough_percent, little_tokens, patience, .. } = *self;
        self.token_budget.map(|tokens| TokenBudget { tokens, enough_percent, little_tokens, patience })
    }

    /// The rules as the policy takes them, each with its origin.
    pub fn rules(&self) -> Vec<Rule> {
        let of = |sourced: &SourcedRule| sourced.rule.clone().from(sourced.source.origin());
        self.rules.iter().map(of).collect()
    }
}

/// A project's own file, in the folder that is worked in.
pub(crate) fn project_file(cwd: &Path) -> PathBuf {
    cwd.join(CONFIG)
}

/// The user's file, if there is a home; it need not exist.
pub fn user_file(environment: &Environment) -> Option<PathBuf> {
    environment.config_dir().map(|folder| folder.join("config.toml"))
}
