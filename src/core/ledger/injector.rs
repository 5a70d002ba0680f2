//! Who may say something that neither side said.

use strum::{IntoStaticStr, VariantArray};

/// Who may inject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Injector {
    /// Facts that change: date, folder, git state.
    Environment,
    /// A hook.
    Hook,
    /// The token budget.
    BudgetNudge,
    /// The loop, after an answer was cut, was empty, or did not satisfy its schema.
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
    /// A sub-agent that no result of a call speaks of: it is done.
    Subagent,
    /// The user, by naming a sub-agent in a message.
    Choice,
    /// The user, by a command that they ran.
    Command,
}

impl Injector {
    /// All of them.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// As recorded.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The reverse of [`Injector::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|i| i.as_str() == text)
    }
}
