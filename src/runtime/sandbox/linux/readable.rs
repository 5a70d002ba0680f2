//! What may be read: everything but what is hidden, said as a list of what is allowed.
//!
//! Landlock knows no "but": a folder that is allowed is allowed with all it holds. So the folders above a hidden
//! path are never allowed themselves, and each of their other entries is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Files and folders, without symlinks, that together hold all of `root` but `hidden` (absolute, links followed).
/// What stands above something hidden is left out, so it cannot be listed.
pub(super) fn without(root: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    let mut allowed = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let is_hidden = hidden.iter().any(|one| path.starts_with(one));
        let is_link = path.is_symlink();
        if is_hidden || is_link {
            continue;
        }
        if !hidden.iter().any(|one| one.starts_with(&path)) {
            allowed.push(path);
            continue;
        }
        open.extend(entries(&path, hidden));
    }
    allowed
}

/// What a folder holds; of one that cannot be listed, the way down to what is hidden.
fn entries(folder: &Path, hidden: &[PathBuf]) -> BTreeSet<PathBuf> {
    match folder.read_dir() {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(_) => {
            let below = hidden.iter().filter_map(|one| one.strip_prefix(folder).ok());
            below.filter_map(|rest| Some(folder.join(rest.components().next()?))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn everything_is_allowed_but_what_is_hidden_and_what_stands_above_it() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["home/.ssh", "home/.config/gh", "home/.config/nvim", "home/src", "usr/bin"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::write(root.join("home/.netrc"), "").unwrap();
        fs::write(root.join("home/notes"), "").unwrap();
        symlink(root.join("home/.ssh"), root.join("home/way-in")).unwrap();
        let hidden = ["home/.ssh", "home/.config/gh", "home/.netrc", "home/.aws"].map(|name| root.join(name));
        let mut allowed = without(&root, &hidden);
        allowed.sort();
        assert_eq!(
            allowed,
            ["home/.config/nvim", "home/notes", "home/src", "usr"].map(|name| root.join(name))
        );
        assert_eq!(without(&root, &[]), [root]);
    }
}
