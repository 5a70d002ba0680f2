//! What a provider's refusal taught about later requests: a note that people read, and that reads back.

use super::{Body, Entry, ModelRef};

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
}

const REASONING: &str =
    "From here on the reasoning before this is left out of requests: the provider does not take it back.";
const LIMIT: [&str; 3] = ["From here on ", " is asked for at most ", " tokens: its provider allows no more."];

const TOOL: [&str; 2] =
    ["From here on the tool ", " is left out of requests: the provider does not take it."];

impl Lesson {
    /// The words of its note.
    pub fn sentence(&self) -> String {
        let [begin, middle, end] = LIMIT;
        match self {
            Self::ReasoningRefused => REASONING.to_owned(),
            Self::ToolRefused { tool } => format!("{}{tool}{}", TOOL[0], TOOL[1]),
            Self::OutputLimit { model, most } => format!("{begin}{model}{middle}{most}{end}"),
        }
    }

    /// The lesson of an entry, if it is one.
    pub fn of(entry: &Entry) -> Option<Self> {
        let Body::Note(note) = &entry.body else { return None };
        Self::parse(&note.text)
    }

    fn parse(text: &str) -> Option<Self> {
        if text == REASONING {
            return Some(Self::ReasoningRefused);
        }
        let [begin, end] = TOOL;
        if let Some(tool) = text.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end)) {
            return Some(Self::ToolRefused { tool: tool.to_owned() });
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
    fn a_lesson_is_read_back_from_its_words() {
        let limit = |model: &str| Lesson::OutputLimit { model: ModelRef::parse(model), most: 16_384 };
        let tool = Lesson::ToolRefused { tool: "mcp__s__t".to_owned() };
        for lesson in
            [Lesson::ReasoningRefused, tool, limit("openai/gpt-4o"), limit("script"), limit("a/b/c: d")]
        {
            assert_eq!(Lesson::parse(&lesson.sentence()), Some(lesson));
        }
        assert_eq!(Lesson::parse("The model call failed: no"), None);
    }
}
