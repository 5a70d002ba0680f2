//! Where a path leads.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where a path leads, symlinks followed as far as it exists; what does not exist yet stays as written.
pub(in crate::runtime) fn real(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let Ok(found) = ancestor.canonicalize() {
            let rest = path.strip_prefix(ancestor).unwrap_or(Path::new(""));
            return if rest == OsStr::new("") { found } else { found.join(rest) };
        }
    }
    path.to_owned()
}
