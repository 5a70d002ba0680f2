//! A git worktree of its own for a sub-agent that asks for one, and for each lane of a race: what it changes stays there, for a
//! person to look at and take.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::runtime::store::subagents::{above, started_by};
use crate::runtime::{STAGED, git};
use crate::ui::text::sanitize;

/// A worktree that a sub-agent works in. It can write all that is in it, also the file `.git`, by which git finds its settings, and settings
/// name programs. So git is told here where the repository is, and does not look there.
#[derive(Debug, Clone)]
pub(super) struct Worktree {
    /// Its top folder.
    pub(super) top: PathBuf,
    /// The folder that is worked in: where the session's own folder is in its repository.
    pub(super) folder: PathBuf,
    /// The commit that it began with.
    began: String,
    /// Where git keeps what it knows of it: in the repository, outside of the worktree.
    books: PathBuf,
}

/// Where the worktree of this session is, if it is there.
pub(crate) fn worktree_of(cwd: &Path, id: &str) -> Option<PathBuf> {
    // Any other id is of no sub-agent, and a folder of such a name is somebody's own.
    started_by(id)?;
    place(cwd, id).ok().filter(|top| top.is_dir())
}

/// The worktrees that are still there of the sub-agents of this session, of theirs, and of its own if it is that of one; before them the
/// folder of the repository. `cwd` is the folder of the session. `None`: that is in no repository.
pub(crate) fn worktrees_of(cwd: &Path, id: &str) -> Option<(PathBuf, Vec<PathBuf>)> {
    let (own, begins) = (format!("-{id}"), format!("-{id}-c"));
    let is_its = |top: &PathBuf| {
        let name = top.file_name().unwrap_or_default().to_string_lossy();
        let calls = name.rsplit_once(&begins).map(|(_, calls)| format!("{id}-c{calls}"));
        let is_below = calls.is_some_and(|below| above(&below).any(|above| above == id));
        (is_below || started_by(id).is_some() && name.ends_with(&own)) && top.is_dir()
    };
    let listed = git(cwd, ["worktree", "list", "--porcelain"]).ok()?;
    let mut tops = listed.lines().filter_map(|line| line.strip_prefix("worktree ")).map(PathBuf::from);
    // Git names the repository's own folder first.
    let repository = tops.next()?;
    Some((repository, tops.filter(is_its).collect()))
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

/// What is said of a lane whose worktree went before it was told, if its changes became this branch then.
pub(super) fn became(cwd: &Path, branch: &str) -> Option<String> {
    let commit = |name: &str| git(cwd, ["rev-parse", "--verify", "--quiet", name]);
    let made = commit(&as_made(branch)).ok()?;
    let is_as_made = commit(&format!("refs/heads/{branch}")).is_ok_and(|there| there == made);
    is_as_made.then(|| are_on(branch))
}

/// Where the changes of a lane are, and what takes them.
fn are_on(branch: &str) -> String {
    let lane = branch.rsplit('/').next().unwrap_or_default();
    format!(
        "/adopt {lane} takes its changes into this folder, as does `countersign race adopt {lane}`: the user decides that. \
         Until then they are the branch {branch}, and nothing of them is here."
    )
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
        let books = books(cwd, &top)?;
        Ok(Self { folder, top, began, books })
    }

    /// One that a process left which is gone: its top folder, and the commit that it began with.
    ///
    /// # Errors
    /// The repository of `cwd` does not know it.
    pub(super) fn left(cwd: &Path, top: PathBuf, began: String) -> Result<Self, String> {
        let books = books(cwd, &top)?;
        Ok(Self { folder: top.clone(), top, began, books })
    }

    /// What git prints in it.
    fn git<A: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = A>) -> Result<String, String> {
        let before =
            ["--git-dir".as_ref(), self.books.as_os_str(), "--work-tree".as_ref(), self.top.as_os_str()];
        let words: Vec<OsString> = words.into_iter().map(|word| word.as_ref().to_owned()).collect();
        git(&self.top, before.into_iter().chain(words.iter().map(OsString::as_os_str)))
    }

    /// Whether its `.git` is the one that git made, and no submodule has settings of its own: else git would do what those say.
    ///
    /// # Errors
    /// What is different, in one sentence.
    pub(super) fn is_as_git_made_it(&self) -> Result<(), String> {
        let changed = |what: &str| format!("`{what}` in it is not what git made, so git is not run there");
        if leads_to(&self.top).as_ref() != Some(&self.books) {
            return Err(changed(".git"));
        }
        let repository = self.books.parent().and_then(Path::parent).unwrap_or(&self.books);
        for line in self.git(["ls-files", "--stage", "-z"])?.split('\0') {
            let Some((_, path)) = line.split_once('\t').filter(|_| line.starts_with("160000 ")) else {
                continue;
            };
            let below = self.top.join(path);
            let is_there = below.join(".git").symlink_metadata().is_ok();
            if is_there && !leads_to(&below).is_some_and(|books| books.starts_with(repository)) {
                return Err(changed(&format!("{}/.git", sanitize(path))));
            }
        }
        Ok(())
    }

    /// After the end: one without changes is removed; of another it is said where it is.
    pub(super) fn end(&self) -> Option<String> {
        if let Err(why) = self.is_as_git_made_it() {
            return Some(format!(
                "Its git worktree stays as it is: {}. The reason: {why}.",
                self.top.display()
            ));
        }
        if self.is_as_it_began() {
            return self.remove().err();
        }
        Some(format!(
            "Its changes are in a git worktree of its own: {}. Nothing of them is in this folder.",
            self.top.display()
        ))
    }

    /// Of one that never began: it goes.
    ///
    /// # Errors
    /// Something is in it that git did not put there, or it cannot be removed.
    pub(super) fn end_unused(&self) -> Result<(), String> {
        self.is_as_git_made_it()?;
        if self.is_as_it_began() { self.remove() } else { Err("something is in it".to_owned()) }
    }

    /// After the end of a lane: what it made becomes a branch, and the worktree goes. Says so, or where the worktree still is.
    pub(super) fn end_as(&self, branch: &str) -> String {
        let is_sound = self.is_as_git_made_it();
        if is_sound.is_ok() && self.is_as_it_began() {
            let left = self.remove().err().map(|why| format!(" Its worktree could not be removed: {why}."));
            return format!("It changed no file.{}", left.unwrap_or_default());
        }
        match is_sound.and_then(|()| self.keep_as(branch)).and_then(|()| self.remove()) {
            Ok(()) => are_on(branch),
            Err(why) => format!(
                "Its changes are in the git worktree {}, since they could not become the branch {branch}: {why}.",
                self.top.display()
            ),
        }
    }

    fn is_as_it_began(&self) -> bool {
        let is_same = self.git(["rev-parse", "HEAD"]).is_ok_and(|head| head == self.began);
        let status = ["status", "--porcelain", "--", ":/", &unfinished()];
        is_same && self.git(status).is_ok_and(|status| status.is_empty())
    }

    /// Commits all that is in it, except what is ignored, to a new branch.
    fn keep_as(&self, branch: &str) -> Result<(), String> {
        self.git(["add", "--all", "--", ":/", &unfinished()])?;
        let tree = self.git(["write-tree"])?;
        // Whoever was killed between the branch and the end of the worktree has made it already.
        let head = format!("refs/heads/{branch}");
        let is_made = self.git(["rev-parse", "--verify", "--quiet", &format!("{head}^{{tree}}")]);
        if is_made.is_ok_and(|there| there == tree) {
            return self.git(["update-ref", &as_made(branch), &head]).map(drop);
        }
        let words = ["commit-tree", &tree, "-p", "HEAD", "-m", "What a lane of a race made"];
        // Whoever has told git no name has one here.
        let nobody = ["-c", "user.name=countersign", "-c", "user.email=countersign@localhost"];
        let is_known = self.git(["var", "GIT_COMMITTER_IDENT"]).is_ok();
        let commit = self.git(if is_known { &[] } else { &nobody[..] }.iter().chain(&words))?;
        // This name stays when somebody goes on with the branch.
        self.git(["update-ref", &as_made(branch), &commit])?;
        // Only where there is no such branch.
        self.git(["update-ref", &head, &commit, ""]).map(drop)
    }

    fn remove(&self) -> Result<(), String> {
        let top: &OsStr = self.top.as_ref();
        alone(|| self.git([OsStr::new("worktree"), "remove".as_ref(), "--force".as_ref(), top])).map(drop)
    }
}

/// What git is told to leave out: files that a process was killed while it wrote, before they were put in their places.
fn unfinished() -> String {
    format!(":(top,exclude,glob)**/{STAGED}{}", "[0-9a-f]".repeat(32))
}

/// Where the repository of `cwd` keeps what it knows of the worktree with this top folder.
fn books(cwd: &Path, top: &Path) -> Result<PathBuf, String> {
    let common = PathBuf::from(git(cwd, ["rev-parse", "--path-format=absolute", "--git-common-dir"])?);
    let all =
        std::fs::read_dir(common.join("worktrees")).map_err(|fault| format!("its repository: {fault}"))?;
    let is_its = |books: &PathBuf| {
        let named = std::fs::read_to_string(books.join("gitdir")).unwrap_or_default();
        let named = books.join(named.trim_end());
        named.parent().and_then(|folder| folder.canonicalize().ok()).is_some_and(|folder| folder == top)
    };
    let found = all.filter_map(Result::ok).map(|entry| entry.path()).find(is_its);
    let found = found.ok_or_else(|| format!("the repository knows no worktree {}", top.display()))?;
    found.canonicalize().map_err(|fault| format!("{}: {fault}", found.display()))
}

/// Where the file `.git` of a folder leads; `None`: it is no file, or leads nowhere.
fn leads_to(folder: &Path) -> Option<PathBuf> {
    const MOST: u64 = 4096;
    let file = folder.join(".git");
    file.symlink_metadata().ok().filter(|found| found.is_file() && found.len() <= MOST)?;
    let line = std::fs::read_to_string(file).ok()?;
    folder.join(line.strip_prefix("gitdir: ")?.trim_end()).canonicalize().ok()
}

/// One after the other: of several that add or remove worktrees of a repository at once, git lets one fail.
fn alone<T>(work: impl FnOnce() -> T) -> T {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    work()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_branch_that_is_made_already_counts_and_no_half_written_file_is_in_it() {
        let outside = tempfile::tempdir().unwrap();
        let home = outside.path().canonicalize().unwrap().join("home");
        fs::create_dir(&home).unwrap();
        fs::write(home.join("a.txt"), "one\n").unwrap();
        let run = |words: &[&str]| git(&home, words).unwrap();
        run(&["init", "-q"]);
        run(&["add", "a.txt"]);
        run(&["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "one"]);
        let worktree = Worktree::make(&home, "lane", None).unwrap();
        fs::write(worktree.top.join(format!("{STAGED}{}", "0a".repeat(16))), "hal").unwrap();
        assert!(worktree.is_as_it_began());
        fs::write(worktree.top.join("b.txt"), "two\n").unwrap();
        assert!(!worktree.is_as_it_began());
        worktree.keep_as("race/x/1").unwrap();
        let files = || run(&["ls-tree", "-r", "--name-only", "race/x/1"]);
        assert_eq!(files(), "a.txt\nb.txt");
        let commit = run(&["rev-parse", "race/x/1"]);
        // As if the process had been killed before the worktree went.
        assert!(worktree.end_as("race/x/1").contains("/adopt 1 takes its changes"));
        assert!(!worktree.top.exists());
        assert_eq!(run(&["rev-parse", "race/x/1", &as_made("race/x/1")]), format!("{commit}\n{commit}"));
        // Another tree of that name is somebody else's.
        let other = Worktree::make(&home, "other", None).unwrap();
        fs::write(other.top.join("c.txt"), "three\n").unwrap();
        assert!(other.end_as("race/x/1").contains("could not become the branch"));
        assert_eq!(files(), "a.txt\nb.txt");
    }
}
