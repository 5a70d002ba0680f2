//! What a tool is, whoever runs it.

use strum::IntoStaticStr;

mod absence;
mod answer_schema;
mod applied;
mod batch;
mod console;
mod difference;
mod measure;
pub mod name;
mod named_host;
mod output;
mod portable;
mod row;
mod schema;
mod screen;
mod sequence;
mod steps;
mod territory;

use serde_json::Value;

pub use absence::{Absence, Absent, Absentee, not_there};
pub use answer_schema::AnswerSchema;
pub use batch::{Candidate, startable};
pub use console::{Console, rows, settled};
pub use difference::{changes, hunk_head, numbered};
pub use name::{ASK, DELEGATE_TO, MCP, delegate, mcp};
pub use named_host::{HostPort, NamedHost};
pub use output::{Bounded, bound};
pub use portable::{Portable, portable, restore};
pub use row::{CellStyle, Colour, Row, Weight};
pub use schema::{BadArguments, Registry, check_schema, warm_up};
pub use screen::{KeyModes, MOST_TYPED, Screen, Shown, Typed, has_terminal};
pub use territory::Territory;

use crate::ledger::{
    Arguments, BackgroundStatus, CallId, EntryId, Facts, Image, Outcome, Preview, RemoteTask,
};

/// What a tool does to the world, mildest first. Only reads run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum SideEffect {
    /// Looks, changes nothing.
    Reads,
    /// Changes files.
    Writes,
    /// Starts programs.
    Runs,
    /// Takes files or data away.
    Deletes,
    /// Changes who may do what: modes, owners, users.
    #[strum(serialize = "changes permissions")]
    ChangesPermissions,
    /// Sends something elsewhere. What is not known counts as this.
    Sends,
}

impl SideEffect {
    /// The order in which people read of several: what cannot be taken back first. (What is not known counts as sending, so the order of the
    /// variants is another one.)
    pub const GRAVEST_FIRST: [Self; 6] =
        [Self::Deletes, Self::ChangesPermissions, Self::Sends, Self::Runs, Self::Writes, Self::Reads];

    /// In words, for panes and approvals: "reads", "writes", "runs", "deletes", "changes permissions", "sends".
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What a tool is to the loop and to the policy, where that is more than a name and an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolKind {
    /// Nothing that they treat differently.
    Plain,
    /// It runs command lines: a goal is validated with it.
    Shell,
    /// It fetches a page: rules about it are held against the URL.
    Fetch,
    /// A person answers it; nothing runs.
    Question,
    /// It hands a task to another agent.
    Delegate,
    /// It starts a sub-agent, whose calls are decided one by one in its own session.
    Subagent,
    /// It is a tool of an MCP server.
    Mcp,
}

impl ToolKind {
    /// Whether another program or agent does its work, and has said what it is.
    pub fn is_from_elsewhere(self) -> bool {
        matches!(self, Self::Delegate | Self::Mcp)
    }

    /// Of a tool of which nothing but the name is known, and which is none of ours.
    fn of_name(name: &str) -> Self {
        match (delegate(name), mcp(name)) {
            (Some(_), _) => Self::Delegate,
            (None, Some(_)) => Self::Mcp,
            (None, None) => Self::Plain,
        }
    }
}

/// A tool as the loop knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Letters, digits, `_`, `-`; at most 64.
    pub name: String,
    /// What it does and when to use it, for the model.
    pub description: String,
    /// JSON schema of its arguments.
    pub schema: Value,
    /// What it does to the world.
    pub effect: SideEffect,
    /// What else it is.
    pub kind: ToolKind,
    /// The arguments that name paths; resolved before the permission decision.
    pub paths: Vec<String>,
    /// How long one run may take, in milliseconds; `None`: the loop's `tool_timeout_seconds`.
    pub timeout_ms: Option<u64>,
    /// Whether a run that failed for a reason that may pass can be made again although the tool is no mere read: it
    /// retrieves something, and asking twice is asking once.
    pub retrieves: bool,
}

impl ToolSpec {
    /// Whether the loop may run a failed call of it again by itself: reads, and retrieval that is idempotent.
    pub fn may_repeat(&self) -> bool {
        self.effect == SideEffect::Reads || self.retrieves
    }

    /// A tool of which nothing but the name is known.
    pub fn from_elsewhere(name: &str) -> Self {
        let (kind, name, description) = (ToolKind::of_name(name), name.to_owned(), String::new());
        Self {
            name,
            description,
            schema: Value::Null,
            effect: SideEffect::Sends,
            kind,
            paths: Vec::new(),
            timeout_ms: None,
            retrieves: false,
        }
    }
}

/// A call ready to be looked at or run.
#[derive(Debug, Clone, PartialEq)]
pub struct Invocation {
    /// Which call.
    pub call: CallId,
    /// Names the action, the same over retries and restarts: `SESSION-CALL`.
    pub key: String,
    /// The tool.
    pub name: String,
    /// Validated arguments.
    pub arguments: Arguments,
    /// When to give up, in milliseconds of running.
    pub timeout_ms: u64,
    /// Most characters of output the model may see.
    pub max_chars: usize,
    /// Whether a command must run in the sandbox; where there is none it fails and says so.
    pub sandboxed: bool,
    /// Hosts that a person opened to confined commands in this session, beside those of the configuration.
    pub hosts: Vec<NamedHost>,
    /// Whether a person was shown what it would do and allowed that. What a rule allowed nobody was shown.
    pub is_shown: bool,
    /// The entry that allowed it; none before that.
    pub allowed_in: Option<EntryId>,
}

/// What a look at the world says about a call before anything is decided. Finding it out changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Preparation {
    /// Where the paths of the call lead, symlinks resolved: from the workspace for those inside it, absolute for
    /// the others.
    pub leads_to: Vec<String>,
    /// The workspace that those inside begin from, an absolute path; two, if it is reached by a link. Empty: not known.
    pub folders: Vec<String>,
    /// Paths, symlinks resolved, that lie outside the workspace.
    pub outside: Vec<String>,
    /// Those in it that may hold secrets: they count as outside.
    pub secret: Vec<String>,
    /// Those in it that other programs run or obey: to be changed they count as outside.
    pub protected: Vec<String>,
    /// What a sandbox could not hide here, each as a part of one list; looked for only where the call may be confined.
    pub gaps: Vec<String>,
    /// What the approval shows.
    pub preview: Preview,
    /// Whether that leaves a part of the call unsaid: then its arguments are shown, too.
    pub is_partial: bool,
    /// Whether the call replaces all that an existing file holds.
    pub replaces: bool,
    /// What a person should know before it is allowed.
    pub warning: Option<String>,
    /// Why the arguments are not valid, where that is found with the look: by the schema of a tool from elsewhere, or since
    /// people and programs could read them differently.
    pub invalid: Option<String>,
}

impl Preparation {
    /// What can be said of a call's path without a look: where it leads as it is written, if it only goes down.
    pub fn as_written(tool: &ToolSpec, arguments: &Arguments) -> Self {
        let written = tool.paths.iter().filter_map(|member| arguments.text(member));
        let down = written.filter(|path| !path.split('/').any(|part| part == ".."));
        let leads_to = down.map(|path| path.trim_start_matches("./").to_owned()).collect();
        Self { leads_to, ..Self::default() }
    }
}

/// The tools that servers and agents have brought, for people.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BroughtTools {
    /// Their names, as the model calls them.
    pub names: Vec<String>,
    /// What is not there, and why: a sentence each.
    pub missing: Vec<String>,
}

/// What was found where tools come from elsewhere.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Discovered {
    /// The tools, in the order of the configuration.
    pub tools: Vec<ToolSpec>,
    /// What is not there that was asked for, and why: a sentence each, safe to be shown.
    pub missing: Vec<String>,
    /// Who of those that were asked is not there.
    pub absent: Vec<Absent>,
}

/// News of a running tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolNews {
    /// A piece of live output, or the screen that it has made.
    Output(Shown),
    /// It is over.
    Done(Box<ToolReport>),
    /// A background command that the call began has ended.
    Ended(BackgroundStatus),
}

/// How a tool run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolReport {
    /// `Ok`, `Failed`, `Invalid`, `TimedOut`, or `Lost` when nobody knows what was done; the others are the loop's.
    pub outcome: Outcome,
    /// What the model reads; bounded already.
    pub content: String,
    /// What a command wrote, or a tool of others gave, and `content` is the last state of, where sequences for a terminal make them differ; bounded too.
    pub written: Option<String>,
    /// Characters left out of `content`.
    pub cut_chars: u64,
    /// What else it tells.
    pub facts: Facts,
    /// What the model sees beside it, when it went well.
    pub images: Vec<Image>,
    /// The failure may pass: a read may be tried again.
    pub transient: bool,
    /// Whether a sandbox may be why it failed.
    pub refused: bool,
    /// The task that another agent was given, as it told.
    pub remote: Option<RemoteTask>,
    /// Whether a task for another agent certainly did not reach it.
    pub is_unsent: bool,
}

impl ToolReport {
    /// A call that failed, with nothing but these words to tell.
    pub fn failed(content: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Failed,
            content: content.into(),
            written: None,
            cut_chars: 0,
            facts: Facts::default(),
            images: Vec::new(),
            transient: false,
            refused: false,
            remote: None,
            is_unsent: false,
        }
    }

    /// The same of a call that had begun, and of which nobody knows how it ended: that it failed would be untrue.
    #[must_use]
    pub fn unclear(self) -> Self {
        Self { outcome: Outcome::Lost { started: true }, ..self }
    }
}
