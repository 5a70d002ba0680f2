//! Files that are made for this run of the program and end with it.

use std::fs::read_dir;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tempfile::TempDir;

/// A folder that nobody else reads, made with its first file and removed when its last clone is gone.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeptFiles(Arc<OnceLock<TempDir>>);

impl KeptFiles {
    /// Writes a file of its own, whose name begins and ends so. `called`: how the name of the folder begins, if this is its first file.
    ///
    /// # Errors
    /// When the folder or the file cannot be made or written.
    pub(crate) fn keep(
        &self,
        bytes: &[u8],
        called: &str,
        (begins, ends): (&str, &str),
    ) -> io::Result<PathBuf> {
        let folder = match self.0.get() {
            Some(folder) => folder,
            None => {
                let made = tempfile::Builder::new().prefix(called).tempdir()?;
                self.0.get_or_init(|| made)
            }
        };
        let mut file = tempfile::Builder::new().prefix(begins).suffix(ends).tempfile_in(folder)?;
        file.write_all(bytes)?;
        Ok(file.keep()?.1)
    }

    /// Whether a path is that of one of these, there or gone.
    pub(crate) fn is_one(&self, path: &Path) -> bool {
        self.0.get().is_some_and(|folder| path.parent() == Some(folder.path()))
    }

    /// Those that are there, in the order of their names; none, if they cannot be listed.
    pub(crate) fn there(&self) -> Vec<PathBuf> {
        let entries = self.0.get().and_then(|folder| read_dir(folder.path()).ok());
        let mut paths: Vec<PathBuf> =
            entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        paths
    }
}
