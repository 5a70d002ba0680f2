//! How a model call fails, and what the loop may do about it.

use std::fmt;

use strum::{EnumString, IntoStaticStr};

use crate::ledger::FailedCall;

/// A failed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFailure {
    /// What kind of failure.
    pub class: FailureClass,
    /// One line for a person: what happened, as the provider said it.
    pub message: String,
    /// The message without the facts of the answer behind it (status, code, request); `None`: it has none.
    pub brief: Option<Box<str>>,
    /// What to do next, in one sentence; empty when the class says it all.
    pub next: String,
    /// How long the provider asks to wait, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// The tool that was refused, if one was named.
    pub tool: Option<Box<NamedTool>>,
    /// What the provider says of sizes when it refuses a prompt as too long.
    pub sizes: Box<Sizes>,
    /// The request was sent and nothing that answers it came: it may be billed.
    pub is_unheard: bool,
}

/// A tool of a request, as a provider speaks of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedTool {
    /// By its place among the tools, from 0.
    At(usize),
    /// By its name.
    Called(String),
}

/// The numbers of a refusal, in tokens as the provider counts them; `None`: it does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sizes {
    /// The most that a request may hold.
    pub window: Option<u64>,
    /// What the prompt of the refused request holds.
    pub prompt: Option<u64>,
}

impl ModelFailure {
    /// A failure without advice of its own.
    pub fn new(class: FailureClass, message: impl Into<String>) -> Self {
        Self {
            class,
            message: message.into(),
            brief: None,
            next: String::new(),
            retry_after_ms: None,
            tool: None,
            sizes: Box::default(),
            is_unheard: false,
        }
    }

    /// The same, of a request that was sent and that nothing answered.
    #[must_use]
    pub fn unheard(self) -> Self {
        Self { is_unheard: true, ..self }
    }

    /// As the ledger records it.
    pub fn recorded(&self) -> FailedCall {
        FailedCall {
            class: self.class.as_str().to_owned(),
            message: self.message.clone(),
            next: self.next.clone(),
            retry_after_ms: self.retry_after_ms,
            window: self.sizes.window,
            prompt: self.sizes.prompt,
            most_output: if let FailureClass::OutputLimit { most } = self.class { Some(most) } else { None },
        }
    }

    /// The reverse of [`Self::recorded`]; a class of a later version counts as a refused request.
    pub fn of(recorded: &FailedCall) -> Self {
        let class = match FailureClass::parse(&recorded.class) {
            Some(FailureClass::OutputLimit { .. }) => {
                FailureClass::OutputLimit { most: recorded.most_output.unwrap_or_default() }
            }
            class => class.unwrap_or(FailureClass::BadRequest),
        };
        Self {
            next: recorded.next.clone(),
            retry_after_ms: recorded.retry_after_ms,
            sizes: Box::new(Sizes { window: recorded.window, prompt: recorded.prompt }),
            ..Self::new(class, recorded.message.clone())
        }
    }

    /// What to do next: the failure's own advice, or its class's.
    pub fn next_step(&self) -> &str {
        if self.next.is_empty() { self.class.next_step() } else { &self.next }
    }
}

impl fmt::Display for ModelFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum FailureClass {
    /// Rate limit, overload, server trouble, broken or idle connection: the same call may work later.
    Transient,
    /// The model wrote what the provider's own check refused; another attempt writes something else.
    OutputRejected,
    /// The prompt does not fit the window.
    Overflow,
    /// The model's earlier reasoning, sent back, was refused.
    ReplayRefused,
    /// More output was asked for than the model may write.
    OutputLimit {
        /// What it may write, in tokens.
        most: u64,
    },
    /// The server or the model takes no tools.
    NoTools,
    /// One tool is refused, and with it the request.
    ToolRefused,
    /// Key missing, wrong, or without the right.
    Auth,
    /// No such model.
    UnknownModel,
    /// Money or quota is used up.
    Quota,
    /// The request was refused as it is.
    BadRequest,
    /// The history was refused: a call without its result, or the reverse. A bug of ours.
    Pairing,
    /// What came back is not the protocol.
    Protocol,
    /// A script has no more replies.
    Exhausted,
}

/// What is to be done about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Wait as told, or back off, and make the same call again.
    Wait,
    /// Make the same call again, once.
    RetrySame,
    /// Compact, once a session, and call again.
    Compact,
    /// Leave the earlier reasoning out of requests from here on, and call again, once.
    StripReasoning,
    /// Ask for less output from here on, and call again, once.
    LowerLimit {
        /// The most that may be asked for, in tokens.
        most: u64,
    },
    /// Leave the tool that is named out from here on, and call again.
    LeaveOutTool,
    /// Call again with the tools described in the text: done where the call is made, the loop sees it only when
    /// that is forbidden.
    StringMode,
    /// Stop; the session is to be checked. Nothing is repaired on the way out.
    RepairHistory,
    /// Stop, or ask another model.
    Stop,
}

impl Action {
    /// Its name, as the recorded error answers have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::RetrySame => "retry_same",
            Self::Compact => "compact",
            Self::StripReasoning => "strip_reasoning",
            Self::LowerLimit { .. } => "lower_limit",
            Self::LeaveOutTool => "leave_out_tool",
            Self::StringMode => "string_mode",
            Self::RepairHistory => "repair_history",
            Self::Stop => "stop",
        }
    }
}

impl FailureClass {
    /// As recorded.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The reverse of [`Self::as_str`]. A limit of output is recorded beside it, and is 0 here.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    /// What is to be done about it.
    pub fn action(self) -> Action {
        match self {
            Self::Transient => Action::Wait,
            Self::OutputRejected => Action::RetrySame,
            Self::Overflow => Action::Compact,
            Self::ReplayRefused => Action::StripReasoning,
            Self::OutputLimit { most } => Action::LowerLimit { most },
            Self::NoTools => Action::StringMode,
            Self::ToolRefused => Action::LeaveOutTool,
            Self::Pairing => Action::RepairHistory,
            Self::Auth
            | Self::UnknownModel
            | Self::Quota
            | Self::BadRequest
            | Self::Protocol
            | Self::Exhausted => Action::Stop,
        }
    }

    /// Whether waiting may help.
    pub fn is_transient(self) -> bool {
        self == Self::Transient
    }

    /// Whether another model may succeed where this one failed.
    pub fn may_fall_back(self) -> bool {
        match self {
            Self::Transient
            | Self::OutputRejected
            | Self::ReplayRefused
            | Self::OutputLimit { .. }
            | Self::NoTools
            | Self::Auth
            | Self::UnknownModel
            | Self::Quota
            | Self::Protocol => true,
            Self::Overflow | Self::BadRequest | Self::ToolRefused | Self::Pairing | Self::Exhausted => false,
        }
    }

    fn next_step(self) -> &'static str {
        match self {
            Self::Transient => "Wait a little and send the message again.",
            Self::OutputRejected => "Send the message again, or choose another model with -m PROVIDER/MODEL.",
            Self::Overflow => "Start a new session, or choose a model with a larger window.",
            Self::ReplayRefused => {
                "Send the message again: earlier reasoning is then omitted. Or choose another model."
            }
            Self::OutputLimit { .. } => {
                "Set a lower max_output for this model in the configuration, and start countersign again."
            }
            Self::ToolRefused => "Switch off the MCP server that brought this tool, or choose another model.",
            Self::NoTools => "Use --tools string, or choose a model that takes tools.",
            Self::Auth => "Set the provider's key and try again.",
            Self::UnknownModel => "Check the model's name; choose one with -m PROVIDER/MODEL.",
            Self::Quota => "Check the account's balance and limits with the provider.",
            Self::BadRequest => "Read the provider's message; it refuses this request.",
            Self::Pairing => "Run `countersign sessions check` on this session and report this: it is a bug.",
            Self::Exhausted => "Add a reply to the script.",
            Self::Protocol => "Check the base URL: its answers do not match the chosen protocol.",
        }
    }
}
