//! What became of the calls that a dead process left open, where nobody goes on with their session.

use std::sync::Arc;

use super::{Body, Entry, Fault, Millis, Outcome, Recovered, Settlement, lost_text, recover};

/// The results of the calls that these entries leave open, in the words of recovery. What waited for a decision waits no more: it was not
/// started. They are for whoever reads the session, and are written into no file.
///
/// # Errors
/// As [`recover`].
pub fn results_left_open(entries: &[Arc<Entry>]) -> Result<Vec<Arc<Entry>>, Fault> {
    let died_at = entries.last().map_or(Millis(0), |last| last.at);
    let Recovered { mut ledger, waiting, loaded, .. } = recover(entries.to_vec(), died_at)?;
    for (_, token) in waiting {
        let lost = Settlement::synthetic(Outcome::Lost { started: false }, lost_text(false));
        ledger.settle(died_at, token, lost);
    }
    let added = ledger.entries().iter().skip(loaded);
    Ok(added.filter(|entry| matches!(entry.body, Body::ToolResult(_))).cloned().collect())
}
