//! What a hook is told, point by point.

use strum::IntoStaticStr;

use crate::ledger::{Arguments, CallId, CompactionTrigger};

use super::HookPoint;

/// What a point is about. Texts are whole: a hook that judges must see what it judges.
#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    /// A session begins.
    SessionStart {
        /// How.
        source: Start,
    },
    /// The user said something.
    UserPrompt {
        /// The words.
        prompt: String,
    },
    /// A call is about to be decided.
    PreTool {
        /// Which; `None`: a file that a message names, as the call that would return the same.
        call: Option<CallId>,
        /// Name of the tool.
        tool_name: String,
        /// Validated arguments.
        tool_input: Arguments,
    },
    /// A tool has run.
    PostTool {
        /// Which call.
        call: CallId,
        /// Name of the tool.
        tool_name: String,
        /// What it was run with.
        tool_input: Arguments,
        /// What the model reads.
        tool_result: String,
        /// Whether that is an error.
        is_error: bool,
    },
    /// The model has spoken.
    PostSampling {
        /// Its text.
        text: String,
    },
    /// The model wants to end the turn.
    Stop {
        /// Its last text.
        text: String,
        /// Whether a stop hook has already sent it on in this run.
        stop_hook_active: bool,
    },
    /// A model call failed.
    StopFailure {
        /// Name of the ending: `model_error`, `prompt_too_long`. `model_error` also where nothing ends.
        reason: String,
        /// What happened, as shown to the user.
        error: String,
        /// Whether the run goes on: the call is repeated, changed, made to another model or without the summary.
        recovering: bool,
    },
    /// A compaction is about to be made.
    PreCompact {
        /// What asked for it.
        trigger: CompactionTrigger,
    },
    /// Something waits for the user.
    Notification {
        /// What.
        text: String,
    },
}

/// How a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Start {
    /// It is new.
    Startup,
    /// It is taken up again.
    Resume,
}

impl Start {
    /// As told to hooks.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl Payload {
    /// At which point this is told.
    pub fn point(&self) -> HookPoint {
        match self {
            Self::SessionStart { .. } => HookPoint::SessionStart,
            Self::UserPrompt { .. } => HookPoint::UserPrompt,
            Self::PreTool { .. } => HookPoint::PreTool,
            Self::PostTool { .. } => HookPoint::PostTool,
            Self::PostSampling { .. } => HookPoint::PostSampling,
            Self::Stop { .. } => HookPoint::Stop,
            Self::StopFailure { .. } => HookPoint::StopFailure,
            Self::PreCompact { .. } => HookPoint::PreCompact,
            Self::Notification { .. } => HookPoint::Notification,
        }
    }

    /// The tool it is about.
    pub fn tool_name(&self) -> Option<&str> {
        match self {
            Self::PreTool { tool_name, .. } | Self::PostTool { tool_name, .. } => Some(tool_name),
            Self::SessionStart { .. }
            | Self::UserPrompt { .. }
            | Self::PostSampling { .. }
            | Self::Stop { .. }
            | Self::StopFailure { .. }
            | Self::PreCompact { .. }
            | Self::Notification { .. } => None,
        }
    }
}
