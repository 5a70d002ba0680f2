//! git as this program runs it: without the repository's hooks, which nobody has allowed, and never waiting for words.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// What git prints, without the white space around it.
///
/// # Errors
/// The first line of what it complained about.
pub(crate) fn git<A: AsRef<OsStr>>(
    folder: &Path,
    words: impl IntoIterator<Item = A>,
) -> Result<String, String> {
    let printed = git_bytes(folder, words)?;
    Ok(String::from_utf8_lossy(&printed).trim().to_owned())
}

/// What git prints, byte by byte.
///
/// # Errors
/// As [`git`].
pub(crate) fn git_bytes<A: AsRef<OsStr>>(
    folder: &Path,
    words: impl IntoIterator<Item = A>,
) -> Result<Vec<u8>, String> {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"])
        .args(words)
        .env("GIT_TERMINAL_PROMPT", "0");
    // The folder says which repository is meant.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let ran = command.stdin(Stdio::null()).output().map_err(|fault| format!("git cannot be run: {fault}"))?;
    if ran.status.success() {
        return Ok(ran.stdout);
    }
    let said = String::from_utf8_lossy(&ran.stderr);
    Err(format!("git: {}", said.trim().lines().next().unwrap_or("failed")))
}
