//! One writer a session: a lock of the file itself, which the system releases when a process ends, however it ends.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use super::cannot;

/// A child that was just being started when its program was killed holds the lock until it has become another
/// program: that is no other writer, and is over in a moment.
const MOMENT: Duration = Duration::from_millis(500);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Takes the lock, or says who might have it.
pub(super) fn take(file: &File, path: &Path) -> Result<(), String> {
    let deadline = Instant::now() + MOMENT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(LOOK_EVERY),
            Err(TryLockError::WouldBlock) => return Err(taken(path)),
            Err(TryLockError::Error(fault)) => return Err(cannot("lock", path, &fault)),
        }
    }
}

fn taken(path: &Path) -> String {
    let id = path.file_stem().unwrap_or_default().to_string_lossy();
    format!(
        "session {id} is open in another countersign; close it there first, or view it with `countersign \
        inspect {id}`"
    )
}
