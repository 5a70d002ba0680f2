//! The point from which all lanes of a race begin: what the repository is now.

use std::path::Path;

use crate::runtime::{git, is_commit};

/// Where lanes begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Point {
    /// The commit.
    pub(crate) commit: String,
    /// Files that git does not know. They are in no lane.
    pub(crate) untracked: usize,
}

impl Point {
    /// What the lanes do not have, in words.
    pub(crate) fn left_out(&self) -> Option<String> {
        let what = match self.untracked {
            0 => return None,
            1 => "a file or folder".to_owned(),
            many => format!("{many} files or folders"),
        };
        Some(format!("not in the lanes: {what} that git does not know; `git add` includes them"))
    }
}

/// The last commit with what was changed since in files that git knows. Neither the files nor the index are touched.
///
/// # Errors
/// Why there is none, in one line.
pub(super) fn point(folder: &Path) -> Result<Point, String> {
    let last = git(folder, ["rev-parse", "--verify", "HEAD"])
        .map_err(|why| format!("a race needs a git repository with a commit in it: {why}"))?;
    // A commit that nothing refers to; nothing where there are no changes. It needs a name.
    let named = ["-c", "user.name=countersign", "-c", "user.email=countersign@localhost"];
    let git_as = |words: &[&str]| git(folder, named.iter().chain(words));
    // `stash create` fails without a word where a file was only touched.
    let status =
        ["--no-optional-locks", "status", "--porcelain", "--untracked-files=no", "--ignore-submodules"];
    let is_changed = !git(folder, status)?.is_empty();
    let stash = if is_changed { git_as(&["stash", "create"])? } else { String::new() };
    let with_changes = match stash.as_str() {
        "" => String::new(),
        stash => {
            let (tree, said) = (format!("{stash}^{{tree}}"), "What was not committed when a race began");
            git_as(&["commit-tree", &tree, "-p", &last, "-m", said])?
        }
    };
    let listed = git(
        folder,
        ["ls-files", "--others", "--exclude-standard", "--directory", "--no-empty-directory", "--", ":/"],
    )?;
    let commit = if with_changes.is_empty() { last } else { with_changes };
    if !is_commit(&commit) {
        return Err(format!("git names `{commit}`, which is not a commit to begin with"));
    }
    Ok(Point { commit, untracked: listed.lines().count() })
}
