//! How far the calls of a run came: what an interruption may truthfully say about them.

use super::Outcome;

/// How far the calls of a run came, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Reach {
    /// No call was started.
    #[default]
    NothingStarted,
    /// Calls were started, and each ran to its own end.
    NothingCut,
    /// A call was cut short while it ran: by the interruption, or because the process died.
    CutShort,
}

impl Reach {
    /// How far a call with this outcome came.
    pub fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Ok | Outcome::Failed | Outcome::TimedOut => Self::NothingCut,
            Outcome::Aborted(abort) if abort.ran_ms.is_some() => Self::CutShort,
            Outcome::Lost { started: true } => Self::CutShort,
            Outcome::Invalid
            | Outcome::UnknownTool
            | Outcome::Denied(_)
            | Outcome::Aborted(_)
            | Outcome::Lost { started: false } => Self::NothingStarted,
        }
    }

    /// In words for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::NothingStarted => "nothing was started",
            Self::NothingCut => "no call was cut short",
            Self::CutShort => "effects may be partial",
        }
    }
}
