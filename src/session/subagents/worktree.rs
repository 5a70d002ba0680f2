//! A git worktree of its own for a sub-agent that asks for one, and for each lane of a race: what it changes stays there, for a
//! person to look at and take.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::runtime::git;

/// A worktree that a sub-agent works in.
#[derive(Debug, Clone)]
pub(super) struct Worktree {
    /// Its top folder.
    pub(super) top: PathBuf,
    /// The folder that is worked in: where the session's own folder is in its repository.
    pub(super) folder: PathBuf,
    /// The commit that it began with.
    began: String,
}

/// Where the worktree of this session is, if it is there.
pub(crate) fn worktree_of(cwd: &Path, id: &str) -> Option<PathBuf> {
    place(cwd, id).ok().filter(|top| top.is_dir())
}

/// Beside the repository.
fn place(cwd: &Path, id: &str) -> Result<PathBuf, String> {
    let repository = PathBuf::from(git(cwd, ["rev-parse", "--show-toplevel"])?);
    let name = repository.file_name().unwrap_or_default().to_string_lossy();
    Ok(repository.with_file_name(format!("{name}-{id}")))
}

/// The name of the commit that a lane has made, whatever its branch is by now.
pub(crate) fn as_made(branch: &str) -> String {
    format!("refs/countersign/{branch}")
}

impl Worktree {
    /// Makes one at this commit, or at the last one, beside the repository. Changes that are not committed are not in it.
    ///
    /// # Errors
    /// Why it cannot be made, in one line.
    pub(super) fn make(cwd: &Path, id: &str, at: Option<&str>) -> Result<Self, String> {
        let began = at.map_or_else(|| git(cwd, ["rev-parse", "HEAD"]), |commit| Ok(commit.to_owned()))?;
        let prefix = git(cwd, ["rev-parse", "--show-prefix"])?;
        let top = place(cwd, id)?;
        let words =
            [OsStr::new("worktree"), "add".as_ref(), "--detach".as_ref(), top.as_ref(), began.as_ref()];
        alone(|| git(cwd, words))?;
        let top = top.canonicalize().map_err(|fault| format!("{}: {fault}", top.display()))?;
        let folder = if prefix.is_empty() { top.clone() } else { top.join(prefix) };
        Ok(Self { folder, top, began })
    }

    /// One that a process left which is gone: its top folder, and the commit that it began with.
    pub(super) fn left(top: PathBuf, began: String) -> Self {
        Self { folder: top.clone(), top, began }
    }

    /// After the end: one without changes is removed; of another it is said where it is.
    pub(super) fn end(&self) -> Option<String> {
        if self.is_as_it_began() {
            return self.remove().err();
        }
        Some(format!(
            "Its changes are in a git worktree of its own: {}. Nothing of them is in this folder.",
            self.top.display()
        ))
    }

    /// After the end of a lane: what it made becomes a branch, and the worktree goes. Says so, or where the worktree still is.
    pub(super) fn end_as(&self, branch: &str) -> String {
        if self.is_as_it_began() {
            let left = self.remove().err().map(|why| format!(" Its worktree could not be removed: {why}."));
            return format!("It changed no file.{}", left.unwrap_or_default());
        }
        match self.keep_as(branch).and_then(|()| self.remove()) {
            Ok(()) => {
                let lane = branch.rsplit('/').next().unwrap_or_default();
                format!(
                    "/adopt {lane} takes its changes into this folder, as does `countersign race adopt {lane}`: the user decides that. \
                     Until then they are the branch {branch}, and nothing of them is here."
                )
            }
            Err(why) => format!(
                "Its changes are in the git worktree {}, since they could not become the branch {branch}: {why}.",
                self.top.display()
            ),
        }
    }

    fn is_as_it_began(&self) -> bool {
        let is_same = git(&self.top, ["rev-parse", "HEAD"]).is_ok_and(|head| head == self.began);
        is_same && git(&self.top, ["status", "--porcelain"]).is_ok_and(|status| status.is_empty())
    }

    /// Commits all that is in it, except what is ignored, to a new branch.
    fn keep_as(&self, branch: &str) -> Result<(), String> {
        git(&self.top, ["add", "--all", "--", ":/"])?;
        let tree = git(&self.top, ["write-tree"])?;
        let words = ["commit-tree", &tree, "-p", "HEAD", "-m", "What a lane of a race made"];
        // Whoever has told git no name has one here.
        let nobody = ["-c", "user.name=countersign", "-c", "user.email=countersign@localhost"];
        let is_known = git(&self.top, ["var", "GIT_COMMITTER_IDENT"]).is_ok();
        let commit = git(&self.top, if is_known { &[] } else { &nobody[..] }.iter().chain(&words))?;
        // This name stays when somebody goes on with the branch.
        git(&self.top, ["update-ref", &as_made(branch), &commit])?;
        // Only where there is no such branch.
        git(&self.top, ["update-ref", &format!("refs/heads/{branch}"), &commit, ""]).map(drop)
    }

    fn remove(&self) -> Result<(), String> {
        let top: &OsStr = self.top.as_ref();
        alone(|| git(&self.top, [OsStr::new("worktree"), "remove".as_ref(), "--force".as_ref(), top]))
            .map(drop)
    }
}

/// One after the other: of several that add or remove worktrees of a repository at once, git lets one fail.
fn alone<T>(work: impl FnOnce() -> T) -> T {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    work()
}
