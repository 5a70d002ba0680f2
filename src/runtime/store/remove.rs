//! Forgetting a session.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::find::files;
use super::{SNAPSHOTS, cannot, head, list_cache, lock};

/// Removes a session's file for good, with what undo keeps beside it, unless another process writes it.
///
/// # Errors
/// A sentence: somebody has it, or it cannot be removed.
pub fn remove(state: &Path, path: &Path) -> Result<(), String> {
    let file = File::open(path).map_err(|fault| cannot("open", path, &fault))?;
    // Held until the file is gone, so that nobody begins to write what vanishes.
    lock::take(&file, path)?;
    let snapshots = path.with_extension(SNAPSHOTS);
    match std::fs::remove_dir_all(&snapshots) {
        Err(fault) if fault.kind() != ErrorKind::NotFound => {
            return Err(format!(
                "cannot remove {}, which belongs to the session: {fault}",
                snapshots.display()
            ));
        }
        Ok(()) | Err(_) => {}
    }
    // What its sub-agents said goes with it.
    if let Some(id) = path.file_stem().and_then(|stem| stem.to_str()) {
        for subagent in below(state, id) {
            std::fs::remove_dir_all(subagent.with_extension(SNAPSHOTS)).ok();
            std::fs::remove_file(&subagent).map_err(|fault| cannot("remove", &subagent, &fault))?;
            std::fs::remove_file(head::path(&subagent)).ok();
        }
    }
    std::fs::remove_file(path).map_err(|fault| cannot("remove", path, &fault))?;
    // It may have the first words of the session.
    list_cache::forget(state);
    // Without its session it says nothing.
    std::fs::remove_file(head::path(path)).ok();
    Ok(())
}

/// The files of the sessions that this one has started, and those that they have.
fn below(state: &Path, id: &str) -> Vec<PathBuf> {
    let is_below = |path: &PathBuf| {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        stem.and_then(|stem| stem.strip_prefix(id)).is_some_and(|rest| rest.starts_with("-c"))
    };
    files(state).into_iter().filter(is_below).collect()
}
