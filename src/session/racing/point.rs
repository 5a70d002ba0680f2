//! The point from which all lanes of a race begin: what the repository is now.

use std::path::Path;

use crate::runtime::git;
use crate::session::subagents::is_commit;

/// Where lanes begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Point {
    /// The commit.
    pub(crate) commit: String,
    /// Whether it holds changes that are not committed: it is no commit of a branch then.
    pub(crate) is_with_changes: bool,
    /// Files that git does not know. They are in no lane.
    pub(crate) untracked: usize,
}

/// The last commit with what was changed since in files that git knows. Neither the files nor the index are touched.
///
/// # Errors
/// Why there is none, in one line.
pub(crate) fn point(folder: &Path) -> Result<Point, String> {
    let last = git(folder, ["rev-parse", "--verify", "HEAD"])
        .map_err(|why| format!("a race needs a git repository with a commit in it: {why}"))?;
    // A commit that nothing refers to; nothing where there are no changes. It needs a name.
    let named = ["-c", "user.name=countersign", "-c", "user.email=countersign@localhost"];
    let git_as = |words: &[&str]| git(folder, named.iter().chain(words));
    let stash = git_as(&["stash", "create"])?;
    let with_changes = match stash.as_str() {
        "" => String::new(),
        stash => {
            let (tree, said) = (format!("{stash}^{{tree}}"), "What was not committed when a race began");
            git_as(&["commit-tree", &tree, "-p", &last, "-m", said])?
        }
    };
    let listed = git(folder, ["ls-files", "--others", "--exclude-standard", "--directory"])?;
    let is_with_changes = !with_changes.is_empty();
    let commit = if is_with_changes { with_changes } else { last };
    if !is_commit(&commit) {
        return Err(format!("git names no commit to begin with, but `{commit}`"));
    }
    Ok(Point { commit, is_with_changes, untracked: listed.lines().count() })
}
