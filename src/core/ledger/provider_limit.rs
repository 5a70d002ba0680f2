//! What a provider's refusal taught about later requests.

use super::{EntryId, ModelRef};

/// A lesson holds from its entry on, for the rest of the session, resumed or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderLimit {
    /// Reasoning from before this entry is no longer sent.
    ReasoningRefused,
    /// No more output than this is asked of the model.
    OutputLimit {
        /// Whose limit.
        model: ModelRef,
        /// In tokens.
        most: u64,
    },
    /// This tool is no longer sent.
    ToolRefused {
        /// Its name for models.
        tool: String,
    },
    /// A request to the model, its answer included, holds no more than this.
    Window {
        /// Whose window.
        model: ModelRef,
        /// In tokens.
        most: u64,
    },
}

/// A lesson as it stands in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedLimit {
    /// The entry that taught it.
    pub about: EntryId,
    /// What was learned.
    pub lesson: ProviderLimit,
}

impl ProviderLimit {
    /// The same in words, for people.
    pub fn sentence(&self) -> String {
        match self {
            Self::ReasoningRefused => "From here on the reasoning before this is left out of requests: the \
                                       provider does not take it back."
                .to_owned(),
            Self::ToolRefused { tool } => {
                format!(
                    "From here on the tool {tool} is left out of requests: the provider does not take it."
                )
            }
            Self::OutputLimit { model, most } => format!(
                "From here on {model} is asked for at most {most} tokens: its provider allows no more."
            ),
            Self::Window { model, most } => {
                format!("From here on the context window of {model} counts as {most} tokens.")
            }
        }
    }
}
