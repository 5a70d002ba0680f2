//! How the screen ended, and why there was none.

use crate::ledger::UserMessage;
use std::fmt;
use std::io;

use super::branches::BranchStart;

/// How the screen ended. Whoever runs it ends the agent next.
#[derive(Debug, Clone, PartialEq)]
pub enum UiOutcome {
    /// The user left.
    Quit,
    /// The user wants to begin a new session.
    New,
    /// The user wants to go on with another session.
    Resume {
        /// Its id.
        id: String,
        /// What the composer holds there.
        draft: UserMessage,
    },
    /// The user wants to go on in a branch that was made, in another folder.
    Branch(Box<BranchStart>),
    /// The process was told to end.
    Signalled,
    /// The agent is gone: its channels are closed.
    AgentGone,
    /// The terminal is gone.
    TerminalGone,
}

/// Why there was no screen.
#[derive(Debug)]
pub enum UiError {
    /// The terminal could not be taken.
    Terminal(io::Error),
}

impl fmt::Display for UiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Terminal(error) => write!(
                f,
                "the terminal cannot be used: {error}. Run it in a terminal, or use `countersign exec`."
            ),
        }
    }
}

impl std::error::Error for UiError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Terminal(error) => Some(error),
        }
    }
}
