//! Going back to before a message: what is asked as each step is recorded, and what the composer holds afterwards.

use crate::ledger::{Body, Change, Entry, EntryId};
use crate::view::View;

use super::commands::typed;
use super::local::Local;
use super::request::Request;
use super::undo_preview::said_by_user;

/// What an entry that was just recorded makes due: after the undo that was to come first, the conversation; after its
/// entry, the session that goes on.
pub(super) fn due(local: &mut Local, entry: &Entry) -> Option<Request> {
    match &entry.body {
        Body::Change(Change::FilesRestored(done)) => {
            let (_, message) = local.rewind.take_if(|(since, _)| *since == done.since)?;
            Some(Request::Rewind(message))
        }
        Body::Change(Change::Rewound { message, branch }) => {
            Some(Request::Branch { message: *message, branch: branch.clone() })
        }
        _ => None,
    }
}

/// What the composer holds where the conversation goes on: the message, before what is being typed.
pub(super) fn draft(local: &mut Local, view: &View, message: EntryId) -> String {
    let said = said_by_user(view).into_iter().find(|(id, _)| *id == message);
    if let Some((_, words)) = said {
        local.composer.give_back(&typed(words, &view.settings));
    }
    local.composer.whole()
}
