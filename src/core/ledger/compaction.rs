//! A summary that takes the place of what was said before, in what a model sees.

use strum::IntoStaticStr;

use super::{EntryId, ModelRef, Usage};

/// A summary in the place of what it replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compaction {
    /// What asked for it.
    pub trigger: CompactionTrigger,
    /// The last entry that it replaces, in the order of the ledger: all messages and results up to it are left out of
    /// requests. What comes after it stays as it is, without reasoning.
    pub replaces_to: EntryId,
    /// What the model reads in their place.
    pub summary: String,
    /// Who wrote it.
    pub model: ModelRef,
    /// What that cost.
    pub usage: Usage,
    /// Estimated tokens of the context before.
    pub tokens_before: u64,
    /// Estimated tokens of the messages after: the summary and what stays.
    pub tokens_after: u64,
}

/// What asked for a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum CompactionTrigger {
    /// The context neared the window.
    Auto,
    /// The user.
    Manual,
    /// The provider refused the prompt as too long: once a session.
    Reactive,
}

impl CompactionTrigger {
    /// As recorded.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The reverse of [`CompactionTrigger::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Auto, Self::Manual, Self::Reactive].into_iter().find(|t| t.as_str() == text)
    }
}
