//! A model call that is made again: when, and why, where that was not said yet.

use crate::ledger::{Body, FailedCall};
use crate::view::View;

use super::words::duration;

/// What is said of the wait before a model call is made again. The note on the failed call has said why, on its one line.
pub(super) fn said(view: &View, (attempt, most): (u64, u64), wait_ms: u64, reason: &str) -> String {
    let retry = format!("retry {attempt} of {most} in {}", duration(wait_ms));
    let is_told = !reason.contains('\n') && last_failure(view).is_some_and(|failed| failed.message == reason);
    if is_told { format!("model call: {retry}") } else { format!("model call failed: {reason}; {retry}") }
}

/// How the last model call failed of which the ledger tells that.
fn last_failure(view: &View) -> Option<&FailedCall> {
    view.rows().iter().rev().find_map(|row| match &row.entry.body {
        Body::Note(note) => note.failed_call(),
        _ => None,
    })
}
