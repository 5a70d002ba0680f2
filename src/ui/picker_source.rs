//! What is picked from, in words.

/// What is picked from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Every action and every command.
    Palette,
    /// What was sent before.
    Prompts,
    /// The sessions of this folder.
    Sessions,
    /// The models that can be asked.
    Models,
    /// The themes; each is tried on while it is chosen.
    Themes,
    /// The user's messages: all since the chosen one is taken back.
    Rewind,
    /// What was granted for the session: the chosen one is taken back.
    Grants,
    /// The files that would be put back; each line takes them all.
    Undo,
}

impl Source {
    /// The title of its list.
    pub fn title(self) -> &'static str {
        match self {
            Self::Palette => "everything",
            Self::Prompts => "earlier messages",
            Self::Sessions => "sessions of this folder",
            Self::Models => "models",
            Self::Themes => "themes",
            Self::Rewind => "take back what was done to files since",
            Self::Grants => "take back what was granted for this session",
            Self::Undo => "undo",
        }
    }

    /// What an empty list says.
    pub fn nothing(self) -> &'static str {
        match self {
            Self::Palette => "no action fits",
            Self::Prompts => "no earlier message fits",
            Self::Sessions => "no other session of this folder fits",
            Self::Models => "no model fits: /model PROVIDER/NAME takes any",
            Self::Themes => "no theme fits",
            Self::Rewind => "no message fits",
            Self::Grants => "nothing is granted for this session",
            Self::Undo => "no file fits",
        }
    }
}
