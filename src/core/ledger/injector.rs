//! Who may say something that neither side said.

/// Who may inject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Injector {
    /// Facts that change: date, folder, git state.
    Environment,
    /// A hook.
    Hook,
    /// The token budget.
    BudgetNudge,
    /// The loop, after an answer was cut or empty.
    Continuation,
    /// Goal mode.
    GoalCheck,
    /// The user, while it ran.
    Steering,
    /// The user, by changing the arguments of a call.
    Edit,
    /// The user, by taking back what was done to files.
    Undo,
    /// Whoever was asked for tools: which of them are not there.
    Discovery,
    /// Whoever runs commands in the background: one of them has ended.
    Background,
}

impl Injector {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Environment,
        Self::Hook,
        Self::BudgetNudge,
        Self::Continuation,
        Self::GoalCheck,
        Self::Steering,
        Self::Edit,
        Self::Undo,
        Self::Discovery,
        Self::Background,
    ];

    /// As recorded.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Environment => "environment",
            Self::Hook => "hook",
            Self::BudgetNudge => "budget_nudge",
            Self::Continuation => "continuation",
            Self::GoalCheck => "goal_check",
            Self::Steering => "steering",
            Self::Edit => "edit",
            Self::Undo => "undo",
            Self::Discovery => "discovery",
            Self::Background => "background",
        }
    }

    /// The reverse of [`Injector::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|i| i.as_str() == text)
    }
}
