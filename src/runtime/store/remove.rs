//! Forgetting a session.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::failure_text::cannot;
use super::find::with_made_ahead;
use super::place::SNAPSHOTS;
use super::subagents::above;
use super::{head, list_cache, lock, plain};

/// Removes a session's file for good, with what undo keeps beside it, unless another process writes it.
///
/// # Errors
/// A sentence: somebody has it, or it cannot be removed.
pub fn remove(state: &Path, path: &Path) -> Result<(), String> {
    let file = plain::open(path).map_err(|fault| cannot("open", path, &fault))?;
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
        stem.is_some_and(|stem| above(stem).any(|above| above == id))
    };
    with_made_ahead(state).into_iter().filter(is_below).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_session_has_started_goes_with_it() {
        let state = tempfile::tempdir().unwrap();
        let folder = state.path().join("sessions/2026/01");
        std::fs::create_dir_all(&folder).unwrap();
        let file = |id: &str| {
            let path = folder.join(format!("{id}.jsonl"));
            std::fs::write(&path, "").unwrap();
            path
        };
        // An id that is the beginning of others, of which one looks like that of a sub-agent.
        let short = file("01a21db5-e221-745d-a97f");
        let whole = "01a21db5-e221-745d-a97f-ce32a18bfec8";
        let others = [file(whole), file("01a21db5-e221-745d-a97f-c12345678901")];
        remove(state.path(), &short).unwrap();
        assert!(!short.exists() && others.iter().all(|path| path.exists()));

        let below = [file(&format!("{whole}-c1")), file(&format!("{whole}-c1-c12"))];
        let beside = file(&format!("{whole}-c1x"));
        let [own, other] = others;
        remove(state.path(), &own).unwrap();
        assert!(!own.exists() && below.iter().all(|path| !path.exists()));
        assert!(other.exists() && beside.exists());
    }
}
