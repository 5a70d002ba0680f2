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
    /// The modes that can be picked.
    Modes,
    /// How hard the models may be told to think.
    Efforts,
    /// The user's messages: all since the chosen one is taken back.
    Rewind,
    /// What goes back to before a message.
    RewindWay,
    /// What goes otherwise in a branch.
    Otherwise,
    /// What was granted for the session: the chosen one is taken back.
    Grants,
    /// The commands that run in the background: the chosen one is stopped.
    Shells,
    /// What is at work for the session: the chosen one is opened.
    Fleet,
    /// What is at work for the session: the chosen one is stopped.
    FleetStop,
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
            Self::Models => "models · $ per M tokens",
            Self::Themes => "themes",
            Self::Modes => "mode · what runs without asking",
            Self::Efforts => "effort · how hard the model thinks",
            Self::Rewind => "rewind · go back to before",
            Self::RewindWay => "rewind · go back with",
            Self::Otherwise => "what if · in a branch",
            Self::Grants => "revoke a grant of this session",
            Self::Shells => "stop a background command",
            Self::Fleet => "open one · done ones last",
            Self::FleetStop => "stop one that is at work",
            Self::Undo => "undo",
        }
    }

    /// What is said in the place of a list that has no line at all, where that can be.
    pub fn none(self) -> Option<&'static str> {
        match self {
            Self::Prompts => Some("there is no earlier message"),
            Self::Rewind => Some("there is no message to go back to"),
            Self::Grants => Some("nothing is granted for this session"),
            Self::Shells => Some("no command runs in the background"),
            Self::Fleet => Some("nothing is at work for this session"),
            Self::FleetStop => Some("nothing at work can be stopped by itself"),
            Self::Palette
            | Self::Sessions
            | Self::Models
            | Self::Themes
            | Self::Modes
            | Self::Efforts
            | Self::RewindWay
            | Self::Otherwise
            | Self::Undo => None,
        }
    }

    /// What a list says when nothing fits what is typed.
    pub fn nothing(self) -> &'static str {
        match self {
            Self::Palette => "no matching action",
            Self::Prompts => "no matching message",
            Self::Sessions => "no other matching session in this folder",
            Self::Models => "no matching model: /model PROVIDER/NAME chooses any",
            Self::Themes => "no matching theme",
            Self::Modes => "no matching mode: /mode unrestricted is typed",
            Self::Efforts => "no matching effort",
            Self::Rewind => "no matching message",
            Self::RewindWay | Self::Otherwise => "no matching line",
            Self::Grants => "no matching grant",
            Self::Shells => "no matching command in the background",
            Self::Fleet => "nothing that matches is at work for this session",
            Self::FleetStop => {
                "nothing that matches can be stopped by itself; esc stops the turn and what works for it"
            }
            Self::Undo => "no matching file",
        }
    }
}
