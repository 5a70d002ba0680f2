//! Files that are made for this run of the program and end with it.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use tempfile::TempDir;

/// A folder that nobody else reads, made with its first file and removed when its last clone is gone.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeptFiles(Arc<OnceLock<TempDir>>);

impl KeptFiles {
    /// Writes a file of its own, whose name begins and ends so.
    ///
    /// # Errors
    /// When the folder or the file cannot be made or written.
    pub(crate) fn keep(&self, bytes: &[u8], (begins, ends): (&str, &str)) -> io::Result<PathBuf> {
        let folder = match self.0.get() {
            Some(folder) => folder,
            None => {
                let made = tempfile::Builder::new().prefix("countersign-").tempdir()?;
                self.0.get_or_init(|| made)
            }
        };
        let mut file = tempfile::Builder::new().prefix(begins).suffix(ends).tempfile_in(folder)?;
        file.write_all(bytes)?;
        Ok(file.keep()?.1)
    }
}
