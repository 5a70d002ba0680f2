//! New files that hold what a session says: it may be what only this user may read.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// A new file that only this user can read and write.
///
/// # Errors
/// It is there already, or cannot be made.
pub fn new_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn nobody_else_can_read_it_and_nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let made = new_private(&path).unwrap();
        assert_eq!(made.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(new_private(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }
}
