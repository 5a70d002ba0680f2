//! What is being restored, on disk: written before anything is touched, there until the books tell of it, and
//! kept aside where it cannot be done.

use std::fs;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::super::private_file::replace_private;
use super::super::store::plain;
use super::record::Change;
use crate::ledger::CallId;

/// What is being restored: written before anything is touched, and there until the books are known to tell of
/// it.
pub(super) const RESTORING: &str = "restoring";
/// What it is called when the books do not agree with it, or it cannot be done: kept, to be looked at. A
/// later one has a number behind it.
const REFUSED: &str = "restoring.refused";
/// Bytes of a record of changes.
const MOST_OF_RECORD: u64 = 64 << 20;

/// The text of a file of ours, if it is there.
pub(super) fn text_of(path: &Path) -> Result<Option<String>, String> {
    match plain::read(path, MOST_OF_RECORD) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|fault| fault.to_string()),
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(failure) => Err(failure.to_string()),
    }
}

pub(super) fn cannot_keep(failure: io::Error) -> String {
    format!(
        "the data for undo cannot be saved beside the session: {failure}; free disk space or fix the \
        folder's permissions"
    )
}

/// Keeps what was to be restored, to be looked at, where nobody does it any more.
pub(super) fn set_aside(folder: &Path) -> Result<PathBuf, String> {
    let kept = name_for(folder, |name| name.symlink_metadata().is_err());
    fs::rename(folder.join(RESTORING), &kept).map_err(cannot_keep)?;
    Ok(kept)
}

/// Keeps it for a person too, while a part of it was done that the books do not tell of yet: until they do,
/// it stays where it is. A second name needs no room on a full disk. Where there can be none, the file itself
/// is what is kept.
pub(super) fn kept_beside(folder: &Path, lines: &str) -> PathBuf {
    let journal = folder.join(RESTORING);
    // It has its second name already if the end of a process came before the books told.
    let is_same = |name: &Path| text_of(name).is_ok_and(|text| text.is_some_and(|text| text == lines));
    let kept = name_for(folder, |name| name.symlink_metadata().is_err() || is_same(name));
    if kept.symlink_metadata().is_ok() {
        return kept;
    }
    let name = kept.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let linked = fs::hard_link(&journal, &kept);
    match linked.or_else(|_| replace_private(folder, &name, lines.as_bytes())) {
        Ok(()) => kept,
        Err(failure) => {
            tracing::warn!("what could not be restored has no second name: {failure}");
            journal
        }
    }
}

/// The first name for what is kept that will do.
fn name_for(folder: &Path, will_do: impl Fn(&Path) -> bool) -> PathBuf {
    let first = folder.join(REFUSED);
    let later = (1_u32..).map(|number| folder.join(format!("{REFUSED}.{number}")));
    iter::once(first.clone()).chain(later).find(|name| will_do(name)).unwrap_or(first)
}

/// The first line of what is being restored.
pub(super) fn head(since: Option<CallId>, entries: u64) -> String {
    format!("{}\n", json!({ "since": since.map(|call| call.to_string()), "entries": entries }))
}

/// The changes of a restore, or the number of the line that cannot be read: a part of a restore is none.
pub(super) fn journaled(lines: &str) -> Result<Vec<Change>, usize> {
    let mut changes = Vec::new();
    for (at, line) in lines.lines().enumerate() {
        let is_head = || at == 0 && serde_json::from_str::<Value>(line).is_ok_and(|head| head.is_object());
        match Change::decode(line) {
            Some(change) => changes.push(change),
            None if is_head() => {}
            None => return Err(at + 1),
        }
    }
    Ok(changes)
}

/// The reverse of [`head`].
pub(super) fn read_head(line: &str) -> (Option<CallId>, Option<u64>) {
    let head: Value = serde_json::from_str(line).unwrap_or_default();
    let since = head.get("since").and_then(Value::as_str).and_then(CallId::parse);
    (since, head.get("entries").and_then(Value::as_u64))
}
