//! A whole session at once: an import, or a fork.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::ledger::Millis;
use crate::wire::record::{Links, follow};

use super::failure_text::cannot;
use super::head::HeadFile;
use super::making::make;
use super::place::{can_be_an_id, folder};

/// Writes the text of a session that is not there yet, `at` being when it began. All of it is on disk when this
/// returns; of a failed attempt nothing is left. `has_end`: it is known that what it was made from was whole, so that its lines count from
/// now on.
///
/// # Errors
/// A sentence: the id could not be the name of a file, it is there already, or it cannot be written.
pub fn adopt(state: &Path, id: &str, at: Millis, text: &str, has_end: bool) -> Result<PathBuf, String> {
    if !can_be_an_id(id) {
        return Err(format!("`{id}` cannot be a session's id: use letters, digits, `-` and `_`"));
    }
    let path = folder(state, at).join(format!("{id}.jsonl"));
    let mut file = make(&path).map_err(|why| why.to_string())?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
    written.map_err(|fault| {
        std::fs::remove_file(&path).ok();
        cannot("write", &path, &fault)
    })?;
    // Lines without hashes are not counted.
    if has_end
        && let Ok(links) = follow(text.as_bytes(), Links::default())
        && links.chained() > 0
    {
        HeadFile::default().write(&path, &links.chain(false));
    }
    Ok(path)
}
