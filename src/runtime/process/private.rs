//! The folder that a command has for itself, and its end: whatever the command left in it, however deep.
//!
//! What removes folders by recursion needs stack and open files for each level, and a command can make more levels than there
//! are of both: the program would end with the command.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::TempDir;
use uuid::Uuid;

/// A folder for temporary files that nobody else can read; removed when dropped.
///
/// # Errors
/// It cannot be made.
pub(crate) fn private_folder() -> io::Result<TempDir> {
    let only_us = Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix("countersign-").permissions(only_us).tempdir()
}

/// Removed when dropped, when nobody is left who writes in it.
#[derive(Debug)]
pub(super) struct Private(Option<TempDir>);

impl Private {
    pub(super) fn of(folder: Option<TempDir>) -> Self {
        Self(folder)
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        if let Some(folder) = self.0.take()
            && let Err(why) = remove(&folder.keep())
        {
            tracing::warn!(%why, "a folder of a command is left");
        }
    }
}

/// Removes a folder with all it holds. Each folder in it is brought up to its first level before it is emptied, so depth
/// costs nothing; symlinks are removed, never followed.
fn remove(root: &Path) -> io::Result<()> {
    let mut waiting = vec![root.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            if !entry.file_type()?.is_dir() {
                fs::remove_file(&path)?;
                continue;
            }
            // One that nobody may write in cannot be moved nor emptied.
            fs::set_permissions(&path, Permissions::from_mode(0o700))?;
            let up = root.join(Uuid::now_v7().simple().to_string());
            fs::rename(&path, &up)?;
            waiting.push(up);
        }
        if folder != root {
            fs::remove_dir(&folder)?;
        }
    }
    fs::remove_dir(root)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn whatever_is_left_goes_and_nothing_else() {
        let held = tempfile::tempdir().unwrap();
        let (root, other) = (held.path().join("private"), held.path().join("other"));
        // Twenty thousand levels, put together from a hundred and more of paths that are as long as the system takes.
        let steps = "d/".repeat(150);
        let mut below = held.path().join("first");
        fs::create_dir_all(below.join(&steps)).unwrap();
        for number in 0..140 {
            let next = held.path().join(number.to_string());
            fs::create_dir_all(next.join(&steps)).unwrap();
            fs::rename(&below, next.join(&steps).join("below")).unwrap();
            below = next;
        }
        fs::create_dir_all(&root).unwrap();
        fs::rename(&below, root.join("deep")).unwrap();
        fs::create_dir_all(root.join("closed/inner")).unwrap();
        fs::write(root.join("closed/inner/file"), "x").unwrap();
        fs::create_dir(&other).unwrap();
        fs::write(other.join("kept"), "x").unwrap();
        symlink(&other, root.join("closed/inner/link")).unwrap();
        symlink(&other, root.join("link")).unwrap();
        for (folder, mode) in [("closed/inner", 0o000), ("closed", 0o500), ("deep", 0o000)] {
            fs::set_permissions(root.join(folder), Permissions::from_mode(mode)).unwrap();
        }
        remove(&root).unwrap();
        assert!(!root.exists());
        assert_eq!(fs::read_to_string(other.join("kept")).unwrap(), "x");
    }
}
