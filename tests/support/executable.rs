//! A program of a few lines that a test can start at once.

use std::path::Path;
use std::process::Command;

/// Writes `text` to `path` as an executable file.
///
/// A child writes it: a file that this process has open for writing is inherited by whatever another test forks in that
/// moment, and starting it then fails with "Text file busy".
pub(crate) fn executable(path: &Path, text: &str) {
    let script = "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"";
    let done = Command::new("/bin/sh").args(["-c", script, "sh"]).arg(path).arg(text).status().unwrap();
    assert!(done.success(), "{} was not written", path.display());
}
