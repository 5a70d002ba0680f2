//! Whether the file that is written is still the one that its path names.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::failure_text::not_written;

/// That the path still names this file: what is written to one that was moved, replaced or removed is lost.
pub(super) fn still_there(file: &File, path: &Path) -> Result<(), String> {
    let names = |found: std::fs::Metadata| (found.dev(), found.ino());
    let ours = file.metadata().map(names).map_err(|fault| not_written(path, &fault))?;
    match std::fs::metadata(path).map(names) {
        Ok(there) if there == ours => Ok(()),
        Ok(_) => Err(format!(
            "cannot write the session: {} was replaced by another file; restore the original",
            path.display()
        )),
        Err(fault) => Err(format!(
            "cannot write the session: {fault}: {} was moved or removed; put it back",
            path.display()
        )),
    }
}
