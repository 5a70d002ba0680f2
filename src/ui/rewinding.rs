//! Going back to before a message: what is asked as each step is recorded, and what the composer holds afterwards.

use crate::ledger::{Body, CallId, Change, Entry, EntryId, UserMessage};
use crate::view::View;

use super::commands;
use super::local::Local;
use super::pasted_words;
use super::request::Request;

/// What an entry that was just recorded makes due: after the undo that was to come first, the conversation; after its
/// entry, the session that goes on.
pub(super) fn due(rewind: &mut Option<(CallId, EntryId)>, entry: &Entry) -> Option<Request> {
    match &entry.body {
        Body::Change(Change::FilesRestored(done)) => {
            let (_, message) = rewind.take_if(|(since, _)| *since == done.since)?;
            Some(Request::Rewind(message))
        }
        Body::Change(Change::Rewound { message, branch }) => {
            Some(Request::Branch { message: *message, branch: branch.clone() })
        }
        _ => None,
    }
}

/// What the composer holds where the conversation goes on: the message, before what is being typed.
pub(super) fn draft(local: &mut Local, view: &View, message: EntryId) -> UserMessage {
    if let Some(said) = said(view, message) {
        local.message_composer().give_back_message(&said);
    }
    pasted_words::draft(local.message_composer())
}

/// A message as it was typed.
pub(super) fn said(view: &View, message: EntryId) -> Option<UserMessage> {
    let rows = view.rows();
    let at =
        rows.iter().position(|row| row.entry.id == message && matches!(row.entry.body, Body::User(_)))?;
    commands::said(view, at)
}
