//! What a provider's refusal taught about later requests.

use super::{EntryId, ModelRef};

/// A lesson holds from its entry on, for the rest of the session, resumed or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lesson {
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
pub struct Learned {
    /// The entry that taught it.
    pub about: EntryId,
    /// What was learned.
    pub lesson: Lesson,
}

const REASONING: &str =
    "From here on the reasoning before this is left out of requests: the provider does not take it back.";
const LIMIT: [&str; 3] = ["From here on ", " is asked for at most ", " tokens: its provider allows no more."];

impl Lesson {
    /// The same in words, for people.
    pub fn sentence(&self) -> String {
        let [begin, middle, end] = LIMIT;
        match self {
            Self::ReasoningRefused => REASONING.to_owned(),
            Self::ToolRefused { tool } => {
                format!(
                    "From here on the tool {tool} is left out of requests: the provider does not take it."
                )
            }
            Self::OutputLimit { model, most } => format!("{begin}{model}{middle}{most}{end}"),
            Self::Window { model, most } => {
                format!("From here on the context window of {model} counts as {most} tokens.")
            }
        }
    }

    /// Version 0.1.0 at first wrote the first two lessons as notes whose words were read back; such sessions load.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text == REASONING {
            return Some(Self::ReasoningRefused);
        }
        let [begin, middle, end] = LIMIT;
        let (model, most) = text.strip_prefix(begin)?.strip_suffix(end)?.rsplit_once(middle)?;
        Some(Self::OutputLimit { model: ModelRef::parse(model), most: most.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::Lesson;
    use crate::ledger::ModelRef;

    #[test]
    fn a_lesson_of_an_older_session_is_read_from_its_words() {
        let limit = |model: &str| Lesson::OutputLimit { model: ModelRef::parse(model), most: 16_384 };
        for lesson in [Lesson::ReasoningRefused, limit("openai/gpt-4o"), limit("script"), limit("a/b/c: d")] {
            assert_eq!(Lesson::parse(&lesson.sentence()), Some(lesson));
        }
        assert_eq!(Lesson::parse("The model call failed: no"), None);
    }
}
