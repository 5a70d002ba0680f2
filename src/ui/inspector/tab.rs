//! The pages of the inspector and their filters.

use crate::ledger::Body;

/// A page of the inspector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Tab {
    /// Every entry.
    #[default]
    Ledger,
    /// The next request, beside the ledger.
    ModelSees,
    /// Calls of the model and endings.
    Timeline,
    /// Budgets over time.
    Budgets,
    /// Who allowed what.
    Approvals,
    /// The tree of branches, and two of them side by side.
    Branches,
}

impl Tab {
    /// All of them, in order.
    pub const ALL: [Self; 6] =
        [Self::Ledger, Self::ModelSees, Self::Timeline, Self::Budgets, Self::Approvals, Self::Branches];

    /// Its name, where there is room and where there is little.
    pub fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Ledger => ("Ledger", "Ledger"),
            Self::ModelSees => ("Model sees", "Model"),
            Self::Timeline => ("Timeline", "Time"),
            Self::Budgets => ("Budgets", "Budgets"),
            Self::Approvals => ("Approvals", "Asked"),
            Self::Branches => ("Branches", "Tree"),
        }
    }

    pub(super) fn next(self) -> Self {
        Self::ALL.into_iter().cycle().skip_while(|tab| *tab != self).nth(1).unwrap_or_default()
    }

    pub(super) fn previous(self) -> Self {
        Self::ALL.into_iter().rev().cycle().skip_while(|tab| *tab != self).nth(1).unwrap_or_default()
    }
}

/// Which kinds the table shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Group {
    /// All.
    #[default]
    All,
    /// What was said.
    Messages,
    /// Calls and results.
    Calls,
    /// Requests and decisions.
    Approvals,
    /// Why it went on and stopped.
    Loop,
    /// Tombstones, summaries, notes and errors.
    Remarks,
}

impl Group {
    const ALL: [Self; 6] =
        [Self::All, Self::Messages, Self::Calls, Self::Approvals, Self::Loop, Self::Remarks];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::All => "all kinds",
            Self::Messages => "messages",
            Self::Calls => "calls and results",
            Self::Approvals => "approvals",
            Self::Loop => "steps of the loop",
            Self::Remarks => "corrections and notes",
        }
    }

    pub(super) fn next(self) -> Self {
        Self::ALL.into_iter().cycle().skip_while(|group| *group != self).nth(1).unwrap_or_default()
    }

    pub(super) fn holds(self, body: &Body) -> bool {
        let group = match body {
            Body::SessionStarted(_) | Body::User(_) | Body::Assistant(_) | Body::Injected(_) => {
                Self::Messages
            }
            Body::ToolCall(_)
            | Body::Validation(_)
            | Body::Command(_)
            | Body::DelegationRequested(_)
            | Body::DelegationAnswered(_)
            | Body::ToolResult(_) => Self::Calls,
            Body::CallEdited(_) | Body::ApprovalRequested(_) | Body::ApprovalDecided(_) => Self::Approvals,
            Body::Transition { .. }
            | Body::Change(_)
            | Body::TurnEnded(_)
            | Body::Goal(_)
            | Body::Checkpoint(_)
            | Body::Progress(_) => Self::Loop,
            Body::Tombstone(_)
            | Body::Compaction(_)
            | Body::Handoff { .. }
            | Body::Note(_)
            | Body::ProviderLimit(_)
            | Body::Error { .. } => Self::Remarks,
        };
        self == Self::All || self == group
    }
}

/// Which entries the page of what the model sees lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// Those that are sent, and those that are not although they might.
    #[default]
    Both,
    /// Those that are sent.
    Request,
    /// Those that are sent changed, or left out.
    Difference,
}

impl Side {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Both => "request and ledger",
            Self::Request => "the request",
            Self::Difference => "the difference",
        }
    }

    pub(super) fn next(self) -> Self {
        match self {
            Self::Both => Self::Request,
            Self::Request => Self::Difference,
            Self::Difference => Self::Both,
        }
    }
}
