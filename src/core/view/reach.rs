//! How far the calls of a run came: what an interruption may truthfully say about them.

use std::collections::BTreeMap;

use crate::ledger::{Body, Entry, EntryId, Outcome, TurnEnded};

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
    fn of(outcome: &Outcome) -> Self {
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

/// The fold: the run that is open, and the ends of those that were interrupted.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Reaches {
    now: Reach,
    at_the_end: BTreeMap<EntryId, Reach>,
}

impl Reaches {
    /// Takes in one entry. A message that steers an open run begins no new one; nor does a raised limit.
    pub(super) fn read(&mut self, entry: &Entry, run_is_open: bool) {
        match &entry.body {
            Body::User(_) if !run_is_open => self.now = Reach::NothingStarted,
            Body::ToolResult(result) => self.now = self.now.max(Reach::of(&result.outcome)),
            Body::TurnEnded(TurnEnded { reason, .. }) if reason.interrupted() => {
                self.at_the_end.insert(entry.id, self.now);
            }
            _ => {}
        }
    }

    pub(super) fn at(&self, end: EntryId) -> Reach {
        self.at_the_end.get(&end).copied().unwrap_or(self.now)
    }
}
