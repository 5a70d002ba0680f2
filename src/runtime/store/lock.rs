//! One writer a session: a lock of the file itself, which the system releases when a process ends, however it ends.

use std::fs::{File, TryLockError};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use super::failure_text::cannot;
use super::plain;
use crate::policy::shell::shell_word;

/// A child that was just being started when its program was killed holds the lock until it has become another
/// program: that is no other writer, and is over in a moment.
const MOMENT: Duration = Duration::from_millis(500);
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Most bytes that are read of the system's list of locks.
const MOST_LOCKS: u64 = 1024 * 1024;

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

/// Who else has the session open, in words; `None`: nobody, as far as can be told.
pub fn held(path: &Path) -> Option<String> {
    let file = plain::open(path).ok()?;
    // What is taken here is given back when the file is closed.
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Some(holder(path)),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

fn taken(path: &Path) -> String {
    let id = path.file_stem().unwrap_or_default().to_string_lossy();
    let who = holder(path);
    let word = shell_word(&id);
    format!("session {id} is {who}; close it there first, or view it with `countersign inspect {word}`")
}

fn holder(path: &Path) -> String {
    let process = process_of(path).map(|process| format!(" (process {process})")).unwrap_or_default();
    format!("open in another countersign{process}")
}

/// The process that has the lock, where the system tells: `1: FLOCK  ADVISORY  WRITE 1234 fe:01:5678 0 EOF`.
fn process_of(path: &Path) -> Option<u32> {
    let inode = path.metadata().ok()?.ino();
    let mut locks = String::new();
    File::open("/proc/locks").ok()?.take(MOST_LOCKS).read_to_string(&mut locks).ok()?;
    locks.lines().find_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let (kind, process, place) = (words.next()?, words.nth(2)?, words.next()?);
        let is_it = kind == "FLOCK" && place.rsplit(':').next()?.parse() == Ok(inode);
        process.parse().ok().filter(|_| is_it)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_in_a_command_is_one_word() {
        let said = taken(Path::new("/nowhere/it's $(mine).jsonl"));
        assert!(said.ends_with(r"`countersign inspect 'it'\''s $(mine)'`"), "{said}");
        assert!(taken(Path::new("/nowhere/0198-ab.jsonl")).ends_with("`countersign inspect 0198-ab`"));
    }
}
