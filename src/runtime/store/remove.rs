//! Forgetting a session.

use std::fs::File;
use std::path::Path;

use super::{cannot, lock};

/// Removes a session's file for good, unless another process writes it.
///
/// # Errors
/// A sentence: somebody has it, or it cannot be removed.
pub fn remove(path: &Path) -> Result<(), String> {
    let file = File::open(path).map_err(|fault| cannot("open", path, &fault))?;
    // Held until the file is gone, so that nobody begins to write what vanishes.
    lock::take(&file, path)?;
    std::fs::remove_file(path).map_err(|fault| cannot("remove", path, &fault))
}
