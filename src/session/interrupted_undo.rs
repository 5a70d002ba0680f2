//! An undo that a crash has cut off is finished when the session is taken up.

use std::sync::Arc;

use super::undo::Undoing;
use crate::agent::{Agent, Effect, Input, Intent};
use crate::config::fault::Fault;
use crate::ledger::{Entry, Millis};

/// A crash may have cut an undo off: the rest of it is done before anything else happens, and the books say so.
pub(super) fn finish_undo(
    undo: &Undoing,
    before: &[Arc<Entry>],
    agent: &mut Agent,
    now: Millis,
    notices: &mut Vec<String>,
) -> Result<Vec<Effect>, Fault> {
    let finished = undo.finish(before).map_err(|why| {
        Fault::failed(
            format!("an interrupted undo cannot be completed: {why}"),
            "fix that, then resume the session again",
        )
    })?;
    let done = match finished {
        Some(Ok(done)) => done,
        Some(Err(refused)) => {
            notices.push(refused);
            return Ok(Vec::new());
        }
        None => return Ok(Vec::new()),
    };
    notices.push(format!("An interrupted undo was completed: {}.", done.words()));
    Ok(agent.step(now, Input::Intent(Intent::Restored(done))))
}
