//! A git worktree of its own for a sub-agent that asks for one: what it changes stays there, for a person to look at and take.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A worktree that a sub-agent works in.
#[derive(Debug, Clone)]
pub(super) struct Worktree {
    /// Its top folder.
    top: PathBuf,
    /// The folder that is worked in: where the session's own folder is in its repository.
    pub(super) folder: PathBuf,
    /// The commit that it began with.
    began: String,
}

impl Worktree {
    /// Makes one at the last commit, beside the repository. Changes that are not committed are not in it.
    ///
    /// # Errors
    /// Why it cannot be made, in one line.
    pub(super) fn make(cwd: &Path, id: &str) -> Result<Self, String> {
        let began = git(cwd, ["rev-parse", "HEAD"])?;
        let prefix = git(cwd, ["rev-parse", "--show-prefix"])?;
        let repository = PathBuf::from(git(cwd, ["rev-parse", "--show-toplevel"])?);
        let name = repository.file_name().unwrap_or_default().to_string_lossy();
        let top = repository.with_file_name(format!("{name}-{id}"));
        git(
            cwd,
            [OsStr::new("worktree"), "add".as_ref(), "--detach".as_ref(), top.as_ref(), began.as_ref()],
        )?;
        let top = top.canonicalize().map_err(|fault| format!("{}: {fault}", top.display()))?;
        let folder = top.join(prefix);
        Ok(Self { folder, top, began })
    }

    /// After the end: one without changes is removed; of another it is said where it is.
    pub(super) fn end(&self) -> Option<String> {
        let is_same = git(&self.top, ["rev-parse", "HEAD"]).is_ok_and(|head| head == self.began);
        let is_clean = git(&self.top, ["status", "--porcelain"]).is_ok_and(|status| status.is_empty());
        if is_same && is_clean {
            let top: &OsStr = self.top.as_ref();
            return git(&self.top, [OsStr::new("worktree"), "remove".as_ref(), top]).err();
        }
        Some(format!(
            "Its changes are in a git worktree of its own: {}. Nothing of them is in this folder.",
            self.top.display()
        ))
    }
}

/// Runs git without the repository's hooks, which nobody has allowed.
fn git<A: AsRef<OsStr>>(folder: &Path, words: impl IntoIterator<Item = A>) -> Result<String, String> {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"])
        .args(words);
    let ran = command.stdin(Stdio::null()).output().map_err(|fault| format!("git cannot be run: {fault}"))?;
    let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if ran.status.success() {
        return Ok(words(&ran.stdout));
    }
    let said = words(&ran.stderr);
    Err(format!("git: {}", said.lines().next().unwrap_or("failed")))
}
