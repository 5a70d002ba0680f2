//! How a tool call ended: every call has exactly one of these.

use strum::IntoStaticStr;

use super::image::shown;
use super::{CallId, Facts, Image, Reach};

/// Outcome of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The tool did its work.
    Ok,
    /// The tool tried and failed.
    Failed,
    /// The arguments do not fit the tool's schema, or the call was cut off.
    Invalid,
    /// No such tool.
    UnknownTool,
    /// Not permitted.
    Denied(Decider),
    /// The tool took longer than it may.
    TimedOut,
    /// Cut short by the user or a budget.
    Aborted(Abort),
    /// How it ended is not known: the process died while the call was open, or whoever did the work was heard no more.
    Lost {
        /// Whether an allowing decision was durable: then effects may be partial.
        started: bool,
    },
}

/// Who decided about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Decider {
    /// A mode, a rule or a limit.
    Policy,
    /// A key in the pane.
    User,
    /// A hook.
    Hook,
    /// Nobody: whoever was to be asked could not be, or gave no answer that means anything. It only denies.
    Nobody,
}

impl Decider {
    /// As recorded.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The reverse of [`Self::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Policy, Self::User, Self::Hook, Self::Nobody]
            .into_iter()
            .find(|decider| decider.as_str() == text)
    }
}

/// Where an abort met a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abort {
    /// B: nothing had started. C: some tools ran. (On path A there is no call.)
    pub path: AbortPath,
    /// For how long this call had run; `None` when it was not started.
    pub ran_ms: Option<u64>,
    /// Who cut it short.
    pub by: CutBy,
    /// How far the calls of the sub-agent came that it had started. `None`: it started none, or nobody was told.
    pub within: Option<Reach>,
}

impl Abort {
    /// How far what the call did came.
    pub fn reach(self) -> Reach {
        match self.ran_ms {
            None => Reach::NothingStarted,
            Some(_) => self.within.unwrap_or(Reach::CutShort),
        }
    }
}

/// The three places where an abort can meet the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AbortPath {
    /// Mid-stream, no finished call.
    A,
    /// Finished calls, none started.
    B,
    /// Some calls run or ran.
    C,
}

impl AbortPath {
    /// `A`, `B` or `C`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
        }
    }
}

impl Outcome {
    /// How far a call that ended so came.
    pub fn reach(&self) -> Reach {
        match self {
            Self::Ok | Self::Failed | Self::TimedOut => Reach::NothingCut,
            Self::Aborted(abort) => abort.reach(),
            Self::Lost { started: true } => Reach::CutShort,
            Self::Invalid | Self::UnknownTool | Self::Denied(_) | Self::Lost { started: false } => {
                Reach::NothingStarted
            }
        }
    }

    /// Whether the model is told that this is an error.
    pub fn is_error(&self) -> bool {
        !matches!(self, Self::Ok)
    }

    /// As recorded.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Invalid => "invalid",
            Self::UnknownTool => "unknown_tool",
            Self::Denied(_) => "denied",
            Self::TimedOut => "timed_out",
            Self::Aborted(_) => "aborted",
            Self::Lost { .. } => "lost",
        }
    }
}

/// The one result of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// Whose.
    pub call: CallId,
    /// Name of the tool, as in the call.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What the model reads; bounded.
    pub content: String,
    /// What a command wrote, with its colours and whatever else it sent to a terminal, and how it ended: where `content`,
    /// which is the last state of each of its lines, says less. Bounded; for people.
    pub written: Option<String>,
    /// For how long it ran; 0 when it did not.
    pub duration_ms: u64,
    /// Characters left out of `content`.
    pub cut_chars: u64,
    /// What else its tool tells.
    pub facts: Facts,
    /// What the model sees beside it. Only a call that went well shows anything: providers take no images in errors.
    pub images: Vec<Image>,
}

impl ToolResult {
    /// What people read: the words, and a line for each image.
    pub fn shown(&self) -> String {
        shown(&self.content, &self.images, &[])
    }
}

/// Who cut a call short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum CutBy {
    /// Esc, or a signal.
    User,
    /// The wall-time budget.
    WallTime,
    /// A sibling needs an approval that nobody can give here.
    Approval,
    /// The session that it works for ended: it was closed, or its process was told to end. Only sub-agents are cut short so.
    SessionEnd,
}

impl CutBy {
    /// Each of them.
    pub const ALL: &'static [Self] = &[Self::User, Self::WallTime, Self::Approval, Self::SessionEnd];

    /// As recorded.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The reverse of [`Self::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|by| by.as_str() == text)
    }
}

/// The true words of a result that no tool gave.
pub fn aborted_text(abort: Abort) -> String {
    let (before, during) = match abort.by {
        CutBy::User => ("Interrupted by user", "Interrupted"),
        CutBy::WallTime => ("Stopped by the wall-time budget", "Stopped by the wall-time budget"),
        CutBy::Approval => ("Stopped, because another call needs an approval", "Stopped"),
        CutBy::SessionEnd => {
            ("Stopped, because the session above it ended", "Stopped, because the session above it ended,")
        }
    };
    let Some(ms) = abort.ran_ms else { return format!("{before}; was not started") };
    format!("{during} mid-execution after {}; {}", seconds(ms), abort.reach().of_calls())
}

/// The words of a sub-agent's call that was cut short, and what the sub-agent had come to.
pub fn aborted_having(abort: Abort, came_to: &str) -> String {
    format!("{}\n{came_to}", aborted_text(abort))
}

/// What a sub-agent had come to when its call was cut short, as the result of the call says it.
pub fn came_to_before(result: &ToolResult) -> Option<&str> {
    let Outcome::Aborted(abort) = result.outcome else { return None };
    let begun = result.content.strip_prefix(aborted_text(abort).as_str());
    // Of one that had not begun there are no other words.
    begun.map_or(Some(&*result.content), |rest| rest.strip_prefix('\n'))
}

/// What stands between them and what the call had printed.
const PRINTED: &str = "\nIt had printed:\n";

/// The words of a call that had printed something when it was cut short.
pub fn aborted_after(abort: Abort, printed: &str) -> String {
    format!("{}{PRINTED}{printed}", aborted_text(abort))
}

/// What a call had printed when it was cut short, as its result says it.
pub fn printed_before(result: &ToolResult) -> Option<&str> {
    let Outcome::Aborted(abort) = result.outcome else { return None };
    result.content.strip_prefix(aborted_text(abort).as_str())?.strip_prefix(PRINTED)
}

/// The words of a call that a dead process left open.
pub fn lost_text(started: bool) -> &'static str {
    if started {
        "The process ended while this call was open, after it was allowed: effects may be partial; check before repeating"
    } else {
        "The process ended before this call was allowed; was not started"
    }
}

/// The words of a call that ran in the session that a fork was made from, and whose result the fork does not have.
pub const FORKED_TEXT: &str = "This session was forked while this call was running: what came of it is in the session that it was forked \
                               from; effects may be partial; check before repeating";

/// The words of a call that the loop itself lost.
pub fn forgotten_text(started: bool) -> &'static str {
    if started {
        "The loop lost track of this call after it was allowed: effects may be partial; check before repeating"
    } else {
        "The loop lost track of this call before it was allowed; was not started"
    }
}

/// `3.2 s`, as panes and results write it.
pub fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}
