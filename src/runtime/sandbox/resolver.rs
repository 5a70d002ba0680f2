//! Where many paths lead, with one look at each folder that they share: a few hundred places are known at the start.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::real;

/// The folders that were resolved so far, by the bytes of their paths.
#[derive(Debug, Default)]
pub(super) struct Resolver(BTreeMap<OsString, Resolved>);

/// Where a path leads, whether anything is there, and whether that may be a folder.
#[derive(Debug, Clone)]
struct Resolved {
    leads: PathBuf,
    is_there: bool,
    may_be_folder: bool,
}

/// The names of a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlaceNames {
    /// Where it stands: links of its folder are followed, it itself is not.
    pub(super) stands: PathBuf,
    /// Where it leads, as [`real`] says.
    pub(super) leads: PathBuf,
    /// `false` where nothing is there, and for what is no folder: so nobody needs to look again.
    pub(super) may_be_folder: bool,
}

impl Resolver {
    /// The names of a path.
    pub(super) fn names(&mut self, path: &Path) -> PlaceNames {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return PlaceNames { stands: path.to_owned(), leads: real(path), may_be_folder: true };
        };
        if path.components().any(|part| part == Component::ParentDir) {
            return PlaceNames { stands: real(parent).join(name), leads: real(path), may_be_folder: true };
        }
        let folder = self.folder(parent);
        let stands = folder.leads.join(name);
        let Resolved { leads, may_be_folder, .. } = look(&stands, folder.is_there);
        PlaceNames { stands, leads, may_be_folder }
    }

    fn folder(&mut self, path: &Path) -> Resolved {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Resolved { leads: path.to_owned(), is_there: true, may_be_folder: true };
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
        Some(found) if found.is_symlink() => {
            Resolved { leads: real(stands), is_there: true, may_be_folder: true }
        }
        found => Resolved {
            leads: stands.to_owned(),
            is_there: found.is_some(),
            may_be_folder: found.is_some_and(|found| found.is_dir()),
        },
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
            let names = resolver.names(&path);
            assert_eq!((names.stands, &names.leads), (stands, &real(&path)), "{}", path.display());
            assert!(names.may_be_folder || !names.leads.is_dir(), "{}", path.display());
        }
        assert_eq!(resolver.names(Path::new("/")).leads, Path::new("/"));
        let is_looked_into = ["a/b/file", "missing", "missing/deep/er", "a/b/file/below", "link/file"];
        assert!(is_looked_into.iter().all(|path| !resolver.names(&base.join(path)).may_be_folder));
    }
}
