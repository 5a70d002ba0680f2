//! What is said of a session that goes on in a copy of the one that was left.

use crate::config::Invocation;
use crate::ledger::{Body, Change};
use crate::runtime::SessionStore;
use crate::runtime::store::find;
use crate::session::compose::{Session, state_dir};

/// A session that begins like the one that was left looks the same: it says so.
pub(super) fn said_of_a_copy(mut session: Session, left: &str, own: &Invocation) -> Session {
    let began = session.before.first().map(|entry| &entry.body);
    if let Some(Body::SessionStarted(started)) = began
        && started.forked_from.as_deref().is_some_and(|from| from.starts_with(left))
    {
        let files = match put_back(&session.id, left, own) {
            0 => "",
            1 => "1 file is as it was before. ",
            many => &format!("{many} files are as they were before. "),
        };
        session.message = Some(format!(
            "{files}You continue in a copy now; /sessions has the session that it was made from, as it was."
        ));
    }
    session
}

/// How many files were put back right before the conversation went on in this copy: its own entries end before that.
fn put_back(copy: &str, left: &str, own: &Invocation) -> usize {
    let file = state_dir(own).ok().and_then(|state| find(&state, left).ok());
    let Some(file) = file.and_then(|path| SessionStore::read(&path).ok()) else { return 0 };
    let mut is_after = false;
    for entry in file.entries.iter().rev() {
        match &entry.body {
            Body::Change(Change::Rewound { branch, .. }) if branch == copy => is_after = true,
            Body::Change(Change::FilesRestored(done)) if is_after => {
                return done.restored.len() + done.deleted.len();
            }
            Body::Note(_) => {}
            _ if is_after => break,
            _ => {}
        }
    }
    0
}
