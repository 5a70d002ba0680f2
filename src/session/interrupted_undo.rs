//! An undo that a crash has cut off is finished when the session is taken up, and what was half written then is removed.

use std::sync::Arc;

use super::undo::Undoing;
use crate::agent::{Agent, Effect, Input, Intent};
use crate::ledger::{Entry, Millis};

/// Files that a notice names.
const MOST_NAMED: usize = 10;

/// A crash may have cut an undo off, or a failure: the rest of it is done before anything else happens, and the books say so. What cannot be
/// done is told, and keeps nobody from going on.
pub(super) fn finish_undo(
    undo: &Undoing,
    before: &[Arc<Entry>],
    agent: &mut Agent,
    now: Millis,
    notices: &mut Vec<String>,
) -> Vec<Effect> {
    let books = undo.agreement(before);
    // First: it is in the way of an undo that is done again.
    notices.extend(removed_notice(&undo.remove_leftovers(&books)));
    let (done, trouble) = undo.finish(before, &books);
    let what = match &trouble {
        None => "An interrupted undo was completed",
        Some(_) => "This much of it is done",
    };
    notices.extend(trouble);
    let Some(done) = done else { return Vec::new() };
    notices.push(format!("{what}: {}.", done.words()));
    agent.step(now, Input::Intent(Intent::Restored(done)))
}

/// What is told of half-written files that were removed; `files` were to have their contents.
fn removed_notice(files: &[String]) -> Option<String> {
    let what = match files {
        [] => return None,
        [_] => "the half-written copy beside it was removed",
        _several => "the half-written copies beside them were removed",
    };
    let named: Vec<&str> = files.iter().take(MOST_NAMED).map(String::as_str).collect();
    let more = match files.len().saturating_sub(named.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("The program was killed while it wrote {}{more}; {what}.", named.join(", ")))
}
