//! What goes back to before a message: the conversation, the files, or both.

/// What goes back to before a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewindWay {
    /// The conversation, and the files.
    Both,
    /// The conversation: files stay.
    Conversation,
    /// The files: the conversation goes on.
    Files,
}

impl RewindWay {
    /// All of them, in the order in which they are offered.
    pub(super) const ALL: [Self; 3] = [Self::Conversation, Self::Both, Self::Files];

    /// Its name in one word.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Conversation => "conversation",
            Self::Files => "files",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.as_str() == word)
    }

    /// What it goes back with, and what to know of that.
    pub(super) const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Conversation => ("the conversation", "files stay as they are"),
            Self::Both => ("the conversation and the files", "shows what happens to each file first"),
            Self::Files => ("the files", "the conversation stays as it is"),
        }
    }
}
