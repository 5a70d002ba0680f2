//! What an undo would do, as both fronts show it before it is done.

use crate::ledger::{Body, CallId, EntryId, Millis, UserMessage};
use crate::view::View;

use super::chip_text::with_chips;
use super::commands::typed;
use super::text::{fit, sanitize};

/// What is said where no call of the agent changed a file.
pub(crate) const NOTHING_TO_UNDO: &str = "nothing to undo (changes made by commands are not tracked)";

/// Cells of a message that is named by its first words.
const MOST_OF_MESSAGE: usize = 30;

/// What an undo would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoPreview {
    /// The first call that would be taken back.
    pub since: CallId,
    /// Each file, and what becomes of it or why it stays.
    pub files: Vec<(String, String)>,
    /// The commands that ran since then: nobody knows what they changed, and it stays.
    pub commands: Vec<String>,
    /// A file cannot be put back, so nothing is.
    pub is_refused: bool,
}

impl UndoPreview {
    /// What it comes to, in one line; the message after which it began is named by its first words.
    pub fn words(&self, view: &View) -> String {
        let what = if self.is_refused { "cannot undo" } else { "undo" };
        let files = match self.files.len() {
            1 => "1 file".to_owned(),
            many => format!("{many} files"),
        };
        let said = view.message_before(self.since).and_then(|row| match &row.entry.body {
            Body::User(said) => Some(with_chips(said, &view.settings)),
            _ => None,
        });
        let since = match said.as_deref().map(str::trim).and_then(|said| said.lines().next()) {
            Some(line) => format!("since “{}”", fit(&sanitize(line), MOST_OF_MESSAGE)),
            None => "in this session".to_owned(),
        };
        format!("{what} what was done to {files} {since}")
    }

    /// What is said of each of the commands.
    pub const STAYS: &'static str = "its changes stay";

    /// Why nothing is done, if nothing is.
    pub fn refused(&self) -> Option<String> {
        self.is_refused.then(|| "nothing was undone: not every file can be put back".to_owned())
    }
}

/// A message of the user that one can go back to.
#[derive(Debug, Clone, Copy)]
pub(super) struct SaidByUser<'a> {
    pub(super) id: EntryId,
    pub(super) message: &'a UserMessage,
    pub(super) at: Millis,
}

/// The user's messages, oldest first. What a command of theirs ran, as in `!command`, is none; nor is the call of a custom command
/// that ran and sent nothing. Of one that sent its message, the call stands for both.
pub(super) fn said_by_user(view: &View) -> Vec<SaidByUser<'_>> {
    let rows = view.rows();
    let runs = |at: usize| {
        let next = rows.get(at + 1..).into_iter().flatten().map(|row| &row.entry.body);
        // Between them stands the tombstone of a command that no model is told of.
        let mut next = next.filter(|body| !matches!(body, Body::Tombstone(_)));
        matches!(next.next(), Some(Body::Command(_)))
    };
    let mut said: Vec<SaidByUser<'_>> = Vec::new();
    // The call of a custom command that has run something, until its message comes.
    let mut called: Option<SaidByUser<'_>> = None;
    for (at, row) in rows.iter().enumerate() {
        let Body::User(sent) = &row.entry.body else { continue };
        let now = SaidByUser { id: row.entry.id, message: sent, at: row.entry.at };
        if runs(at) {
            called = (!sent.content.starts_with('!')).then_some(now);
            continue;
        }
        let is_sent = |call: &SaidByUser<'_>| call.message.content == typed(now.message, &view.settings);
        let call = called.take().filter(is_sent);
        // Its words are those of the message: alone, the call could be words that only look like one.
        said.push(call.map_or(now, |call| SaidByUser { message: now.message, ..call }));
    }
    said
}

/// How long ago something was, as people say it.
pub fn ago(ms: u64) -> String {
    let minutes = ms / 60_000;
    match (minutes, minutes / 60, minutes / (60 * 24)) {
        (0, ..) => "just now".to_owned(),
        (minutes, 0, _) => format!("{minutes} min ago"),
        (_, hours, 0) => format!("{hours} h ago"),
        (.., 1) => "1 day ago".to_owned(),
        (.., days) => format!("{days} days ago"),
    }
}
