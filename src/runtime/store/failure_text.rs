//! What could not be done with the file of a session, in words.

use std::path::Path;

/// The reason first: there is not always room for the rest.
pub(super) fn not_written(path: &Path, fault: &std::io::Error) -> String {
    format!("cannot write the session: {fault}: {}", path.display())
}

pub(super) fn cannot(what: &str, path: &Path, fault: &std::io::Error) -> String {
    format!("cannot {what} the session file {}: {fault}", path.display())
}
