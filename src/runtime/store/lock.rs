//! One writer a session: a lock of the file itself, which the system releases when a process ends, however it ends.

use std::fs::{File, TryLockError};
use std::path::Path;

use super::cannot;

/// Takes the lock, or says who might have it.
pub(super) fn take(file: &File, path: &Path) -> Result<(), String> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            let id = path.file_stem().unwrap_or_default().to_string_lossy();
            Err(format!(
                "session {id} is being written by another countersign; close it there first, or look at it with \
                 `countersign inspect {id}`"
            ))
        }
        Err(TryLockError::Error(fault)) => Err(cannot("lock", path, &fault)),
    }
}
