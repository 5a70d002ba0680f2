//! What keys ask of the world outside the screen.

use crate::agent::Intent;
use crate::ledger::{CallId, EntryId};
use crate::tool::Typed;

use super::picker_source::Source;
use super::request::Request;

/// What a key asks of the world outside the screen.
#[derive(Debug, Clone, PartialEq)]
pub enum UiEffect {
    /// The agent shall hear this.
    Send(Intent),
    /// The session shall do this.
    Ask(Request),
    /// Into the terminal of this call; with what was typed before it, if that has not left yet.
    Type(CallId, Typed),
    /// Esc: on its own channel, past all that is queued.
    Abort,
    /// Show the session of the sub-agent that this call started.
    Enter(CallId),
    /// Back to the session that started the one that is shown.
    Back,
    /// Leave.
    Quit,
    /// To the shell, and back later.
    Suspend,
    /// Fill a picker that the screen cannot fill itself.
    Pick(Source),
    /// Show what an undo would do: of the last turn that changed files, or of all since this message.
    Undo(Option<EntryId>),
    /// The same of all since this message; once it is done, go back to before it.
    UndoAndRewind(EntryId),
    /// Put this theme on.
    SetTheme(String),
    /// Leave, and begin a new session.
    New,
    /// Leave, and go on with the session of this id.
    Resume(String),
    /// Open the user's editor on what is typed.
    Edit,
    /// Into the terminal's clipboard; the status line then says how much it was.
    Copy(String),
    /// An entry as it is recorded, the same way.
    CopyRecord(EntryId),
    /// What the mouse has selected, the same way.
    CopySelected,
}
