//! A session file in which an audit found nothing wrong, without reading it again.

use std::sync::Arc;

use serde_json::Value;

use crate::ledger::Entry;

use super::audit::Audit;
use super::file::{SessionFile, copied_from, imported_to, is_copy, numbered};

/// What [`read_session`](super::read_session) makes of such a file. `None`: it has to be read, since something is wrong, left out or not known.
pub fn sound_file(bytes: &[u8], audit: &Audit, entries: Vec<Arc<Entry>>) -> Option<SessionFile> {
    let is_plain = audit.faults.is_empty() && audit.skipped.is_empty() && !audit.lacks_content;
    let (_, first, _) = numbered(bytes).next().filter(|_| is_plain && !entries.is_empty())?;
    let first: Value = serde_json::from_slice(first).ok()?;
    let torn = audit.torn_tail.as_ref().map_or(0, |torn| torn.bytes);
    Some(SessionFile {
        entries,
        torn_tail: audit.torn_tail.clone(),
        skipped: Vec::new(),
        left_out: 0,
        is_copy: is_copy(&first),
        imported_to: imported_to(&first),
        copied_from: copied_from(&first),
        misfit: None,
        missing_lines: 0,
        has_unknown_end: false,
        sound_bytes: (bytes.len() as u64).saturating_sub(torn),
    })
}
