//! Where a path really leads: symlinks followed as far as they exist, `..` only after that.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::borders::{Borders, LeftOut};
use crate::runtime::sandbox::Confinement;
use crate::tool::Territory;

/// As many links as the system itself follows.
const MOST_LINKS: usize = 40;

/// The folder that tools work in.
#[derive(Debug)]
pub(in crate::runtime) struct Workspace {
    root: PathBuf,
    home: Option<PathBuf>,
    borders: Borders,
}

/// A resolved path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::runtime) struct Place {
    /// Absolute, without symlinks and `..`.
    pub(in crate::runtime) path: PathBuf,
    /// As shown to people and models: relative within the workspace, absolute elsewhere.
    pub(super) shown: String,
    /// Where it lies, as the policy sees it.
    pub(super) territory: Territory,
}

impl Workspace {
    /// A workspace at `root`, an absolute path; `home` is what `~` stands for.
    pub(in crate::runtime) fn new(root: PathBuf, home: Option<PathBuf>) -> Self {
        let root = root.canonicalize().unwrap_or(root);
        let borders = Borders::new(&root, home.as_deref());
        Self { root, home, borders }
    }

    /// The same, without what a sandbox hides: that counts as outside.
    pub(super) fn hiding(&self, confinement: &Confinement) -> Self {
        let borders = Borders::new(&self.root, self.home.as_deref()).hiding(confinement);
        Self { root: self.root.clone(), home: self.home.clone(), borders }
    }

    /// What a walk from a resolved path leaves out.
    pub(super) fn left_out_below(&self, start: &Path) -> LeftOut {
        self.borders.left_out_below(start)
    }

    /// The folder itself.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Resolves a path as a model writes it; nothing of it needs to exist.
    ///
    /// # Errors
    /// A sentence, when links go in a circle.
    pub(in crate::runtime) fn resolve(&self, text: &str) -> Result<Place, String> {
        let path = follow(&self.as_written(text)).ok_or_else(|| {
            format!("`{text}` leads through too many symlinks; use the path they should lead to")
        })?;
        let shown = self.show(&path);
        let territory = self.borders.territory(&path);
        Ok(Place { path, shown, territory })
    }

    /// The absolute path that a text names, before any link is followed.
    pub(in crate::runtime) fn as_written(&self, text: &str) -> PathBuf {
        self.root.join(self.expand(text))
    }

    /// How a resolved path is written.
    pub(super) fn show(&self, path: &Path) -> String {
        match path.strip_prefix(&self.root) {
            Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
            Ok(rest) => rest.display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }

    fn expand(&self, text: &str) -> PathBuf {
        let after_home = if text == "~" { Some("") } else { text.strip_prefix("~/") };
        match (after_home, &self.home) {
            (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
            _ => PathBuf::from(text),
        }
    }
}

/// Walks an absolute path part by part as the system would; from the first missing part on it is taken as written.
fn follow(path: &Path) -> Option<PathBuf> {
    let mut left: VecDeque<OsString> = parts(path).collect();
    let mut real = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = left.pop_front() {
        if part == ".." {
            real.pop();
            continue;
        }
        let next = real.join(&part);
        let Ok(target) = next.read_link() else {
            real = next;
            continue;
        };
        links += 1;
        if links > MOST_LINKS {
            return None;
        }
        if target.is_absolute() {
            real = PathBuf::from("/");
        }
        for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
            left.push_front(part);
        }
    }
    Some(real)
}

fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}
