//! One thing that came from outside, and when.

use crate::agent::{Answer, Intent};
use crate::ledger::{Arguments, BackgroundStatus, CallId, CutBy, EntryId, Millis, Mode};
use crate::model::{ModelEvent, ModelFailure};
use crate::tool::ToolReport;

/// One thing that came from outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Cue {
    /// The first entry that came of it.
    pub entry: EntryId,
    /// When.
    pub at: Millis,
    /// What.
    pub news: News,
}

/// What can come from outside.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// A person wanted something else than to decide.
    Wished(Wish),
    /// The model that was asked answered.
    Answered(Answered),
    /// A person decided about a call.
    Decided(CallId, Answer),
    /// A call had this result.
    Returned {
        /// Which.
        call: CallId,
        /// Its tool.
        name: String,
        /// What it ran with.
        arguments: Arguments,
        /// For how long it ran, in milliseconds.
        ran_ms: u64,
        /// The result. `None`: it had none of its own, since it was cut short.
        report: Option<Box<ToolReport>>,
    },
    /// Whoever started the session stopped it.
    Cut(CutBy),
    /// A background command that the call began ended.
    Ended(CallId, BackgroundStatus),
    /// An agent took the task of the call, and calls it this.
    Accepted(CallId, String),
    /// The process ended, and another one went on.
    Restarted {
        /// The facts of its environment, if it told any.
        environment: String,
        /// Whether a person had closed the session.
        was_closed: bool,
        /// The mode in which it goes on. `None`: the one from before.
        mode: Option<Mode>,
    },
}

/// What a person wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    /// What.
    pub intent: Intent,
    /// Whether it begins something, so that it waits until the loop is idle.
    pub begins: bool,
}

/// An answer of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// What it streamed.
    pub events: Vec<ModelEvent>,
    /// How the stream ended. `None`: it was cut short.
    pub end: Option<Result<(), ModelFailure>>,
}
