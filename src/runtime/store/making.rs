//! The file of a session is made: by nobody else, and under a name that nothing else has.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use crate::runtime::StoreError;

use super::failure_text::cannot;
use super::lock;

pub(super) fn make(path: &Path) -> Result<File, StoreError> {
    let file = make_locked(path)?;
    if let Err(fault) = sync_folder(path) {
        // An empty file would be no session, and in the way when this is tried again.
        std::fs::remove_file(path).ok();
        return Err(fault.into());
    }
    Ok(file)
}

/// Makes it, and leaves it to [`sync_folder`] that its name outlives the machine.
pub(super) fn make_locked(path: &Path) -> Result<File, StoreError> {
    let folder = path.parent().unwrap_or(path);
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|fault| cannot("create the folder of", path, &fault))?;
    let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(path);
    let file = file.or_else(|fault| left_empty(path).ok_or(fault));
    let file = file.map_err(|fault| not_made(path, &fault))?;
    lock::take(&file, path).inspect_err(|_| drop(std::fs::remove_file(path)))?;
    Ok(file)
}

/// The name must be as durable as the content, or a power failure takes both.
pub(super) fn sync_folder(path: &Path) -> Result<(), String> {
    let folder = File::open(path.parent().unwrap_or(path));
    folder.and_then(|folder| folder.sync_all()).map_err(|fault| cannot("make", path, &fault))
}

/// Whoever has an empty file locked may go without writing into it; what something stands in stays.
fn not_made(path: &Path, fault: &io::Error) -> StoreError {
    let stays = || path.symlink_metadata().is_ok_and(|found| !found.is_file() || found.len() > 0);
    let why = cannot("make", path, fault);
    if fault.kind() == io::ErrorKind::AlreadyExists && stays() {
        StoreError::NameTaken(why)
    } else {
        StoreError::Unwritable(why)
    }
}

/// A file that a process left there which ended before it wrote an entry: locked, and without a byte. One that somebody writes is his.
fn left_empty(path: &Path) -> Option<File> {
    let file = OpenOptions::new().append(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path);
    let file = file.ok()?;
    file.try_lock().ok()?;
    let found = file.metadata().ok()?;
    (found.is_file() && found.len() == 0).then_some(file)
}
