//! New files that hold what a session says, which may be what only this user may read; and files of ours that are written beside their
//! places.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use tempfile::NamedTempFile;

/// Only this user reads and writes it.
const PRIVATE: u32 = 0o600;

/// A new file that only this user can read and write.
///
/// # Errors
/// It is there already, or cannot be made.
pub fn new_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(path)
}

/// A file in this folder that holds all of its content durably, and has no name of its own yet: whoever gives it one replaces what had that
/// at once. It has this mode, whatever the umask is.
///
/// # Errors
/// It cannot be made or written. Nothing of it is left then.
pub(crate) fn staged(folder: &Path, content: &[u8], mode: u32) -> io::Result<NamedTempFile> {
    // Nobody else can open it before it is whole: such files are made with the mode `PRIVATE`.
    let mut fresh = tempfile::Builder::new().prefix(".fresh-").tempfile_in(folder)?;
    fresh.write_all(content)?;
    if mode != PRIVATE {
        fresh.as_file().set_permissions(Permissions::from_mode(mode))?;
    }
    fresh.as_file().sync_all()?;
    Ok(fresh)
}

/// Writes a file that only this user can read and write, durably and in the place of one that has its name. The folder is made when it is
/// missing.
///
/// # Errors
/// It cannot be written, and what was there stays; or the folder cannot be synced, and nobody knows whether a power failure would bring it back.
pub(crate) fn replace_private(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    staged(folder, content, PRIVATE)?.persist(folder.join(name)).map_err(|failure| failure.error)?;
    OpenOptions::new().read(true).open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_else_can_read_it_and_nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let made = new_private(&path).unwrap();
        assert_eq!(made.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(new_private(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_has_the_mode_that_is_wanted() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("made");
        for content in ["before", "after"] {
            replace_private(&folder, "file", content.as_bytes()).unwrap();
            let file = folder.join("file");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), content);
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        let staged = staged(&folder, b"x", 0o644).unwrap();
        assert_eq!(staged.as_file().metadata().unwrap().permissions().mode() & 0o777, 0o644);
        drop(staged);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
    }
}
