//! What comes of what was sent: until it has come it is not the person's turn.

use crate::agent::{Event, Intent, Live};
use crate::ledger::Body;
use crate::ui::Request;

/// What is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaited {
    /// A run, or the word that there is none.
    Run,
    /// A word alone.
    Word,
}

impl Awaited {
    /// What comes of this.
    pub(super) fn of(request: &Request) -> Self {
        match request {
            Request::Intent(intent) => Self::of_intent(intent),
            Request::Typed { request, .. } => Self::of(request),
            _ => Self::Word,
        }
    }

    fn of_intent(intent: &Intent) -> Self {
        match intent {
            Intent::Typed { intent, .. } => Self::of_intent(intent),
            Intent::SetMode(_)
            | Intent::SetEffort(_)
            | Intent::SetModel(_)
            | Intent::Restored(_)
            | Intent::TypeInto { .. }
            | Intent::StopBackground(_)
            | Intent::Subagent { .. }
            | Intent::Rewind { .. }
            | Intent::Rename(_)
            | Intent::OpenHost(_)
            | Intent::CloseHost(_)
            | Intent::AcceptGaps { .. }
            | Intent::RefuseGaps
            | Intent::Revoke(_) => Self::Word,
            Intent::Submit(_)
            | Intent::Queue(_)
            | Intent::Pursue(..)
            | Intent::ResumeGoal(_)
            | Intent::Compact
            | Intent::Command(_)
            | Intent::Race(_)
            | Intent::Adopt(_)
            | Intent::Abort
            | Intent::Decide { .. }
            | Intent::Raise { .. }
            | Intent::AcceptPrice { .. } => Self::Run,
        }
    }

    /// Whether this is the word of a sub-agent's session that something was wanted of.
    pub(super) fn is_below(self, event: &Event) -> bool {
        let (path, event) = event.located();
        let is_word = match event {
            Event::Appended(entry) => matches!(entry.body, Body::ApprovalDecided(_) | Body::TurnEnded(_)),
            Event::Live(live) => matches!(live, Live::Refused(_)),
        };
        self == Self::Word && !path.is_empty() && is_word
    }

    /// Whether this is it; `is_busy`: a run is under way after it.
    pub(super) fn is(self, event: &Event, is_busy: bool) -> bool {
        is_busy
            || match event {
                Event::Appended(entry) => {
                    matches!(
                        entry.body,
                        Body::Error { .. } | Body::TurnEnded(_) | Body::Note(_) | Body::Change(_)
                    )
                }
                Event::Live(
                    Live::Refused(_)
                    | Live::Returned(_)
                    | Live::ReturnedLine(_)
                    | Live::LedgerUnwritable { .. },
                ) => true,
                Event::Live(Live::ModeChanged(_) | Live::Answering { .. }) => self == Self::Word,
                Event::Live(_) => false,
            }
    }
}
