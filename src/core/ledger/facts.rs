//! What a result tells beside the words that the model reads: nobody reads it back from them.

use super::{BackgroundStatus, ChangedFile};

/// Facts of one result, from the tool that gave it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// What the call brought. `None`: nothing better is known than the number of lines.
    pub summary: Option<Summary>,
    /// How it stands with the command that the call was about.
    pub command: Option<CommandState>,
    /// Whether that command printed nothing, or nothing new.
    pub is_silent: bool,
    /// Hosts that the sandbox did not let the command reach, each as [`crate::tool::NamedHost`] writes it.
    pub blocked_hosts: Vec<String>,
    /// Whether the text that was read, or that a change began with, was the one in the user's editor, and not the file's.
    pub is_from_editor: bool,
    /// The files that the call changed, with the hashes of what they were and became. Empty in sessions of earlier programs.
    pub files: Vec<ChangedFile>,
    /// Whether a server answered a request for a page, whatever it said. Never so in sessions of earlier programs.
    pub is_answered: bool,
    /// Whether another program ran the call, before its session was imported: nobody here decided about it.
    pub is_elsewhere: bool,
}

/// What a call brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Summary {
    /// In a few words for people: `212 lines`, `4 matches in 2 files`.
    Words(String),
    /// A file has so many lines more, and so many less.
    Changed {
        /// Lines that are new.
        added: u64,
        /// Lines that are gone.
        removed: u64,
    },
}

/// How it stands with a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandState {
    /// It ended; how, in words: `exit code 2`.
    Ended(String),
    /// It was started to go on in the background.
    Background(BackgroundStatus),
}

impl Facts {
    /// How a command ended, in words, if one did.
    pub fn ended(&self) -> Option<&str> {
        match &self.command {
            Some(CommandState::Ended(how)) => Some(how),
            _ => None,
        }
    }

    /// How it stood with the background command that the call was about.
    pub fn background(&self) -> Option<&BackgroundStatus> {
        match &self.command {
            Some(CommandState::Background(status)) => Some(status),
            _ => None,
        }
    }
}
