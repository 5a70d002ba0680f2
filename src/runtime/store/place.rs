//! Where the file of a session lies, and what it can be called.

use std::path::{Path, PathBuf};

use chrono::DateTime;

use crate::ledger::Millis;

/// How the folder beside a session's file ends that keeps what undo needs: `ID.files`.
pub const SNAPSHOTS: &str = "files";
/// Longer names of files are refused by the system, once an ending is added.
const MOST_OF_ID: usize = 200;

/// Whether this could be a session's id: it is the name of its file.
pub fn can_be_an_id(text: &str) -> bool {
    let is_short = (1..=MOST_OF_ID).contains(&text.len());
    is_short && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// Sessions lie by the month in which they began.
pub(super) fn folder(state: &Path, at: Millis) -> PathBuf {
    let moment = i64::try_from(at.0).ok().and_then(DateTime::from_timestamp_millis).unwrap_or_default();
    state.join("sessions").join(moment.format("%Y/%m").to_string())
}

pub(super) fn place(state: &Path, id: &str, at: Millis) -> PathBuf {
    folder(state, at).join(format!("{id}.jsonl"))
}
