//! Where many paths lead, with one look at each folder that they share: a few hundred places are known at the start.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::real;

/// What was resolved so far.
#[derive(Debug, Default)]
pub(super) struct Resolver(BTreeMap<PathBuf, PathBuf>);

impl Resolver {
    /// Where a path leads, as [`real`] says.
    pub(super) fn real(&mut self, path: &Path) -> PathBuf {
        if path.components().any(|part| matches!(part, Component::ParentDir | Component::CurDir)) {
            return real(path);
        }
        if let Some(known) = self.0.get(path) {
            return known.clone();
        }
        let stands = self.stands(path);
        let is_link = stands.symlink_metadata().is_ok_and(|found| found.is_symlink());
        let leads = if is_link { real(&stands) } else { stands };
        self.0.insert(path.to_owned(), leads.clone());
        leads
    }

    /// Where a path stands: links of its folder are followed, and it itself is not.
    pub(super) fn stands(&mut self, path: &Path) -> PathBuf {
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => self.real(parent).join(name),
            _ => path.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn it_says_what_resolving_each_path_by_itself_says() {
        let folder = tempfile::TempDir::new().unwrap();
        let base = folder.path();
        fs::create_dir_all(base.join("a/b/c")).unwrap();
        fs::write(base.join("a/b/file"), "x").unwrap();
        symlink("a/b", base.join("link")).unwrap();
        symlink("link/file", base.join("twice")).unwrap();
        symlink("nowhere", base.join("loose")).unwrap();
        symlink("circle", base.join("circle")).unwrap();
        let mut resolver = Resolver::default();
        for path in [
            "a/b/c",
            "a/b/file",
            "link",
            "link/c",
            "link/file",
            "twice",
            "loose",
            "loose/x",
            "circle",
            "circle/x",
            "missing/deep/er",
            "link/missing/x",
            "a/../link/c",
            "a/./b",
            "a/b/file/below",
        ] {
            let path = base.join(path);
            assert_eq!(resolver.real(&path), real(&path), "{}", path.display());
        }
        assert_eq!(resolver.real(Path::new("/")), Path::new("/"));
    }
}
