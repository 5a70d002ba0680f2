//! The links of a copy. What led to a place in the folder leads to the same place in the copy, so that what is written through a link
//! changes nothing in the folder itself.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

/// Most links on the way of one path, as the system has it.
const MOST_LINKS: usize = 40;

/// The links that a copy is to have, by their paths in the folder. They are made last, so that nothing is written through one of them.
pub(super) struct CopiedLinks<'a> {
    /// The folder, and its copy, without links in their paths.
    source: PathBuf,
    root: &'a Path,
    all: Vec<(PathBuf, PathBuf)>,
}

impl<'a> CopiedLinks<'a> {
    pub(super) fn new(source: &Path, root: &'a Path) -> Self {
        let source = source.canonicalize().unwrap_or_else(|_| source.to_owned());
        Self { source, root, all: Vec::new() }
    }

    /// Adds one, with what it names.
    pub(super) fn add(&mut self, file: &Path, target: PathBuf) {
        self.all.push((file.to_owned(), target));
    }

    /// Makes them, and says which lead out of the copy: what these lead to is no copy.
    ///
    /// # Errors
    /// A sentence: one cannot be made.
    pub(super) fn make(self) -> Result<Vec<PathBuf>, String> {
        // All folders are there before the first link is.
        let folders: BTreeSet<PathBuf> =
            self.all.iter().map(|(file, _)| self.root.join(above(file))).collect();
        for folder in folders {
            fs::create_dir_all(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
        }
        let failed = |file: &Path, why: io::Error| format!("cannot copy the link {}: {why}", file.display());
        for (file, target) in &self.all {
            symlink(self.target(file, target), self.root.join(file)).map_err(|why| failed(file, why))?;
        }
        let mut shared = Vec::new();
        for (file, _) in self.all {
            match leads(self.root, &file) {
                Some(place) if place.starts_with(self.root) => {}
                // Only from the place of the copy: in the folder it leads elsewhere.
                Some(place) if place.starts_with(&self.source) => {
                    tracing::warn!("the link {} is left out of the copy: it leads out of it", file.display());
                    fs::remove_file(self.root.join(&file)).map_err(|why| failed(&file, why))?;
                }
                Some(_) => shared.push(file),
                // In a circle, it leads nowhere.
                None => {}
            }
        }
        Ok(shared)
    }

    /// What it names in the copy.
    fn target(&self, file: &Path, target: &Path) -> PathBuf {
        let folder = above(file);
        let place = leads(&self.source.join(folder), target);
        let inside = place.as_deref().and_then(|place| place.strip_prefix(&self.source).ok());
        match inside {
            Some(inside) if !self.stays(folder, target) => {
                let top: PathBuf = folder.components().map(|_| Component::ParentDir).collect();
                let there = top.join(inside);
                if there.as_os_str().is_empty() { PathBuf::from(".") } else { there }
            }
            Some(_) | None => target.to_owned(),
        }
    }

    /// Whether a path goes from one place of the folder to another without ever leaving it, and through no other link.
    fn stays(&self, from: &Path, target: &Path) -> bool {
        let mut place = from.to_owned();
        target.components().all(|part| {
            let is_plain = leads(&self.source, &place) == Some(self.source.join(&place));
            is_plain
                && match part {
                    Component::Normal(name) => {
                        place.push(name);
                        true
                    }
                    Component::ParentDir => place.pop(),
                    Component::CurDir => true,
                    Component::RootDir | Component::Prefix(_) => false,
                }
        })
    }
}

fn above(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

/// Where a path leads from a folder once all links on the way are followed, whether something is there or not. `None`: in a circle.
fn leads(from: &Path, path: &Path) -> Option<PathBuf> {
    let (mut place, mut left, mut links) = (from.to_owned(), path.to_owned(), 0);
    loop {
        let mut parts = left.components();
        let Some(part) = parts.next() else { return Some(place) };
        let rest = parts.as_path().to_owned();
        let next = match part {
            Component::Normal(name) => {
                place.push(name);
                match fs::read_link(&place) {
                    Ok(_) if links == MOST_LINKS => return None,
                    Ok(target) => {
                        links += 1;
                        place.pop();
                        target.join(rest)
                    }
                    Err(_) => rest,
                }
            }
            Component::ParentDir => {
                place.pop();
                rest
            }
            Component::RootDir => {
                place = PathBuf::from("/");
                rest
            }
            Component::CurDir | Component::Prefix(_) => rest,
        };
        left = next;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::runtime::trial::TrialFolder;

    #[test]
    fn what_leads_into_the_folder_leads_into_the_copy() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let (work, other) = (top.join("work"), top.join("other"));
        for folder in [&work.join("real"), &work.join("sub/deep"), &other] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(work.join("real/f"), "mine").unwrap();
        fs::write(other.join("f"), "theirs").unwrap();
        symlink(&work, top.join("alias")).unwrap();
        symlink(work.join("real"), other.join("back")).unwrap();
        let links = [
            ("kept", PathBuf::from("real")),
            ("sub/deep/kept", PathBuf::from("../../real")),
            ("absolute", work.join("real")),
            ("sub/absolute", work.join("real")),
            ("whole", work.clone()),
            ("by_name", PathBuf::from("../work/real")),
            ("by_alias", top.join("alias/real")),
            ("by_another", other.join("back")),
            ("elsewhere", other.clone()),
            ("through", PathBuf::from("elsewhere/back")),
            ("above", PathBuf::from("elsewhere/../work/real")),
            ("chain", PathBuf::from("absolute")),
            ("not_there", work.join("new")),
            ("circle", PathBuf::from("circle")),
        ];
        for (file, target) in &links {
            symlink(target, work.join(file)).unwrap();
        }
        for beside in [false, true] {
            let never = AtomicBool::new(false);
            let copy = match beside {
                true => TrialFolder::copy_beside(&work, &never).unwrap(),
                false => TrialFolder::copy(&work, &never).unwrap(),
            };
            let named = |file: &str| fs::read_link(copy.path().join(file)).unwrap();
            for (file, target) in
                links.iter().filter(|(file, _)| file.ends_with("kept") || *file == "elsewhere")
            {
                assert_eq!(named(file), *target, "{file} is as it was");
            }
            assert_eq!(named("sub/absolute"), Path::new("../real"));
            for (file, _) in &links {
                if let Some(leads) = leads(copy.path(), Path::new(file)) {
                    assert!(!leads.starts_with(&work), "{file}: {}", leads.display());
                    assert_eq!(leads.starts_with(copy.path()), *file != "elsewhere", "{file}");
                }
            }
            let named =
                ["kept", "absolute", "by_name", "by_alias", "by_another", "through", "above", "chain"];
            for file in named.iter().chain(&["sub/absolute", "sub/deep/kept"]) {
                fs::write(copy.path().join(file).join("f"), "changed").unwrap();
            }
            fs::write(copy.path().join("not_there"), "made").unwrap();
            assert_eq!(fs::read(work.join("real/f")).unwrap(), b"mine");
            assert!(!work.join("new").exists() && copy.path().join("new").exists());
            assert_eq!(copy.shared(), [Path::new("elsewhere")]);
        }
    }

    /// Here it leads nowhere, and beside the copy of a folder in a repository it would lead to the folder.
    #[test]
    fn a_link_that_leads_to_the_folder_only_from_the_copy_is_left_out() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let (source, copy) = (top.join("outer/work"), top.join("copy"));
        fs::create_dir_all(&source).unwrap();
        fs::create_dir_all(&copy).unwrap();
        let mut links = CopiedLinks::new(&source, &copy);
        links.add(Path::new("odd"), PathBuf::from("../outer/work/real"));
        links.add(Path::new("out"), PathBuf::from("../outer/other"));
        assert_eq!(links.make().unwrap(), [Path::new("out")]);
        assert!(copy.join("odd").symlink_metadata().is_err());
    }
}
