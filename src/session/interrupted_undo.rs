//! An undo that a crash has cut off is finished when the session is taken up.

use std::sync::Arc;

use super::undo::Undoing;
use crate::agent::{Agent, Effect, Input, Intent};
use crate::ledger::{Entry, Millis};

/// A crash may have cut an undo off, or a failure: the rest of it is done before anything else happens, and the books say so. What cannot be
/// done is told, and keeps nobody from going on.
pub(super) fn finish_undo(
    undo: &Undoing,
    before: &[Arc<Entry>],
    agent: &mut Agent,
    now: Millis,
    notices: &mut Vec<String>,
) -> Vec<Effect> {
    let (done, trouble) = undo.finish(before);
    let what = match &trouble {
        None => "An interrupted undo was completed",
        Some(_) => "This much of it is done",
    };
    notices.extend(trouble);
    let Some(done) = done else { return Vec::new() };
    notices.push(format!("{what}: {}.", done.words()));
    agent.step(now, Input::Intent(Intent::Restored(done)))
}
