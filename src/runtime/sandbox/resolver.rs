//! Where many paths lead, with one look at each folder that they share: a few hundred places are known at the start.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::real;

/// The folders that were resolved so far, by the bytes of their paths.
#[derive(Debug, Default)]
pub(super) struct Resolver(BTreeMap<OsString, Resolved>);

/// Where a path leads, and whether anything is there.
#[derive(Debug, Clone)]
struct Resolved {
    leads: PathBuf,
    is_there: bool,
}

impl Resolver {
    /// Where a path stands (links of its folder are followed, it itself is not) and where it leads, as [`real`] says.
    pub(super) fn names(&mut self, path: &Path) -> (PathBuf, PathBuf) {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return (path.to_owned(), real(path));
        };
        if path.components().any(|part| part == Component::ParentDir) {
            return (real(parent).join(name), real(path));
        }
        let folder = self.folder(parent);
        let stands = folder.leads.join(name);
        let leads = look(&stands, folder.is_there).leads;
        (stands, leads)
    }

    fn folder(&mut self, path: &Path) -> Resolved {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Resolved { leads: path.to_owned(), is_there: true };
        };
        if let Some(known) = self.0.get(path.as_os_str()) {
            return known.clone();
        }
        let above = self.folder(parent);
        let found = look(&above.leads.join(name), above.is_there);
        self.0.insert(path.as_os_str().to_owned(), found.clone());
        found
    }
}

/// Follows one name in a folder that was resolved; nothing is looked for where nothing can be.
fn look(stands: &Path, may_be_there: bool) -> Resolved {
    let found = if may_be_there { stands.symlink_metadata().ok() } else { None };
    match found {
        Some(found) if found.is_symlink() => Resolved { leads: real(stands), is_there: true },
        found => Resolved { leads: stands.to_owned(), is_there: found.is_some() },
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
            let stands = real(path.parent().unwrap()).join(path.file_name().unwrap());
            assert_eq!(resolver.names(&path), (stands, real(&path)), "{}", path.display());
        }
        assert_eq!(resolver.names(Path::new("/")).1, Path::new("/"));
    }
}
