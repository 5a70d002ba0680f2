//! The repository around a folder, found by reading files alone: no git is run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::reading::{self, Reading};

/// Most bytes of the files of git that are read here.
const MOST_BYTES: u64 = 4096;
/// Most bytes of the file of packed references.
const MOST_PACKED: u64 = 1 << 20;
/// Most branches that are named.
const MOST_BRANCHES: usize = 500;
/// How many folders deep the name of a branch goes.
const DEEPEST: usize = 6;

/// The root of the repository that `folder` lies in: the nearest folder upward that has a `.git`.
pub fn root(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|candidate| candidate.join(".git").exists()).map(Path::to_path_buf)
}

/// The folders from the repository's root down to `folder`; `folder` alone outside of a repository.
pub fn path_down(folder: &Path) -> Vec<PathBuf> {
    let Some(root) = root(folder) else { return vec![folder.to_path_buf()] };
    let mut folders: Vec<PathBuf> =
        folder.ancestors().take_while(|above| above.starts_with(&root)).map(Path::to_path_buf).collect();
    folders.reverse();
    folders
}

/// The branch that is checked out around `folder`, or the first digits of the commit when none is.
pub fn branch(folder: &Path) -> Option<String> {
    let dot_git = root(folder)?.join(".git");
    let git = if dot_git.is_dir() { dot_git } else { linked(&dot_git)? };
    let head = text(&git.join("HEAD"))?;
    match head.trim().strip_prefix("ref:") {
        Some(reference) => {
            let reference = reference.trim();
            Some(reference.strip_prefix("refs/heads/").unwrap_or(reference).to_owned())
        }
        None => Some(head.trim().chars().take(9).collect()).filter(|commit: &String| !commit.is_empty()),
    }
}

/// The branches of the repository around `folder`, by name, as far as files name them.
pub fn branches(folder: &Path) -> Vec<String> {
    let Some(dot_git) = root(folder).map(|root| root.join(".git")) else { return Vec::new() };
    let git = if dot_git.is_dir() { Some(dot_git) } else { linked(&dot_git) };
    let Some(git) = git else { return Vec::new() };
    // A linked work tree shares those of the repository.
    let shared = text(&git.join("commondir")).map(|path| git.join(path.trim()));
    let git = shared.unwrap_or(git);
    let mut names = BTreeSet::new();
    loose(&git.join("refs/heads"), "", DEEPEST, &mut names);
    if let Reading::Text { text, .. } = reading::read(&git.join("packed-refs"), MOST_PACKED) {
        let packed = text.lines().filter_map(|line| line.split_once(" refs/heads/"));
        names.extend(packed.map(|(_, name)| name.to_owned()));
    }
    names.into_iter().filter(|name| !name.chars().any(char::is_control)).take(MOST_BRANCHES).collect()
}

/// The branches that have a file of their own.
fn loose(folder: &Path, before: &str, depth: usize, names: &mut BTreeSet<String>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.take(MOST_BRANCHES) {
        let Some(name) = entry.file_name().to_str().map(|name| format!("{before}{name}")) else { continue };
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => {
                loose(&entry.path(), &format!("{name}/"), depth - 1, names);
            }
            Ok(kind) if kind.is_file() && names.len() < MOST_BRANCHES && !name.ends_with(".lock") => {
                names.insert(name);
            }
            _ => {}
        }
    }
}

/// A work tree of its own, or a submodule, keeps `gitdir: PATH` in a file.
fn linked(dot_git: &Path) -> Option<PathBuf> {
    let path = PathBuf::from(text(dot_git)?.trim().strip_prefix("gitdir:")?.trim());
    Some(dot_git.parent()?.join(path))
}

fn text(path: &Path) -> Option<String> {
    match reading::read(path, MOST_BYTES) {
        Reading::Text { text, .. } => Some(text),
        Reading::Absent | Reading::Refused(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_branch_a_commit_and_nothing() {
        let place = tempfile::tempdir().unwrap();
        let below = place.path().join("a/b");
        fs::create_dir_all(&below).unwrap();
        fs::create_dir(place.path().join(".git")).unwrap();
        fs::write(place.path().join(".git/HEAD"), "ref: refs/heads/fix/empty\n").unwrap();
        assert_eq!(branch(&below).as_deref(), Some("fix/empty"));
        fs::write(place.path().join(".git/HEAD"), "0123456789abcdef0123456789abcdef01234567\n").unwrap();
        assert_eq!(branch(&below).as_deref(), Some("012345678"));
        fs::remove_file(place.path().join(".git/HEAD")).unwrap();
        assert_eq!(branch(&below), None);
    }

    #[test]
    fn branches_are_named_wherever_they_are_kept() {
        let place = tempfile::tempdir().unwrap();
        let git = place.path().join(".git");
        fs::create_dir_all(git.join("refs/heads/fix")).unwrap();
        for name in ["main", "fix/empty", "main.lock"] {
            fs::write(git.join("refs/heads").join(name), "0\n").unwrap();
        }
        fs::write(
            git.join("packed-refs"),
            "# pack\n01 refs/heads/old\n02 refs/tags/v1\n03 refs/heads/main\n",
        )
        .unwrap();
        assert_eq!(branches(place.path()), ["fix/empty", "main", "old"]);
        assert_eq!(branches(Path::new("/")), [""; 0]);
    }

    #[test]
    fn a_linked_work_tree() {
        let place = tempfile::tempdir().unwrap();
        let tree = place.path().join("tree");
        let git = place.path().join("main/.git/worktrees/tree");
        fs::create_dir_all(&tree).unwrap();
        fs::create_dir_all(&git).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/side\n").unwrap();
        fs::write(tree.join(".git"), "gitdir: ../main/.git/worktrees/tree\n").unwrap();
        assert_eq!(branch(&tree).as_deref(), Some("side"));
    }

    #[test]
    fn the_path_down_begins_at_the_root() {
        let place = tempfile::tempdir().unwrap();
        let below = place.path().join("a/b");
        fs::create_dir_all(&below).unwrap();
        fs::create_dir(place.path().join(".git")).unwrap();
        let folders = path_down(&below);
        assert_eq!(folders, [place.path().to_path_buf(), place.path().join("a"), below]);
    }
}
