//! Where a path really leads: symlinks followed as far as they exist, `..` only after that.

use std::path::{Path, PathBuf};

use super::borders::{Borders, LeftOut};
use super::way::{PathWalk, as_written};
use super::words::explain;
use crate::policy::{KeptFiles, RuleKind};
use crate::runtime::sandbox::Confinement;
use crate::tool::{Preparation, Territory};

/// The folder that tools work in.
#[derive(Debug)]
pub(in crate::runtime) struct Workspace {
    root: PathBuf,
    /// Its absolute names: where it is, and as it was given.
    names: Vec<String>,
    home: Option<PathBuf>,
    borders: Borders,
}

/// A resolved path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::runtime) struct ResolvedPath {
    /// Absolute, without symlinks and `..`.
    pub(in crate::runtime) path: PathBuf,
    /// As shown to people and models: relative within the workspace, absolute elsewhere.
    pub(super) shown: String,
    /// Where it lies, as the policy sees it.
    pub(super) territory: Territory,
    /// Whether it was a folder when it was resolved: what was decided was about that.
    pub(super) is_folder: bool,
}

/// What a walk does not open, because of rules.
pub(super) struct KeptBelow<'w> {
    kept: KeptFiles,
    folders: &'w [String],
}

impl KeptBelow<'_> {
    /// What a rule says of a file; `shown` as [`Workspace::show`] writes it.
    pub(super) fn said_of(&self, shown: &str) -> Option<RuleKind> {
        self.kept.rule_for(shown, self.folders).map(|rule| rule.kind)
    }
}

impl Workspace {
    /// A workspace at `root`, an absolute path; `home` is what `~` stands for.
    pub(in crate::runtime) fn new(root: PathBuf, home: Option<PathBuf>) -> Self {
        let names = names_of(&root);
        let root = root.canonicalize().unwrap_or(root);
        let borders = Borders::new(&root, home.as_deref());
        Self { root, names, home, borders }
    }

    /// The same, without what a sandbox hides: that counts as outside.
    pub(super) fn hiding(&self, confinement: &Confinement) -> Self {
        let borders = Borders::new(&self.root, self.home.as_deref()).hiding(confinement);
        Self { root: self.root.clone(), names: self.names.clone(), home: self.home.clone(), borders }
    }

    /// Makes what the first look needs.
    pub(super) fn warm_up(&self) {
        self.borders.hidden();
    }

    /// What a walk from a resolved place leaves out; `is_folder`: whether it is one now.
    pub(super) fn left_out_below(&self, start: &ResolvedPath, is_folder: bool) -> LeftOut {
        self.borders.left_out_below(&start.path, start.is_folder || is_folder)
    }

    /// The rules that keep files below a resolved place from being read; `is_folder`: what is named itself was decided about.
    pub(super) fn kept_below(&self, start: &ResolvedPath, is_folder: bool) -> KeptBelow<'_> {
        let kept = if start.is_folder || is_folder {
            self.borders.kept_below(&start.shown, &self.names)
        } else {
            KeptFiles::default()
        };
        KeptBelow { kept, folders: &self.names }
    }

    /// A look at a call before anything was looked at: it knows the folder alone.
    pub(super) fn unlooked(&self) -> Preparation {
        Preparation { folders: self.names.clone(), ..Preparation::default() }
    }

    /// The folder itself.
    pub(in crate::runtime) fn root(&self) -> &Path {
        &self.root
    }

    /// Resolves a path as a model writes it; nothing of it needs to exist.
    ///
    /// # Errors
    /// A sentence, when links go in a circle.
    pub(in crate::runtime) fn resolve(&self, text: &str) -> Result<ResolvedPath, String> {
        self.find(text).map(|(place, _)| place)
    }

    /// The same, with the way to it: the folder that it lies in is held open.
    ///
    /// # Errors
    /// As [`Self::resolve`].
    pub(super) fn find(&self, text: &str) -> Result<(ResolvedPath, PathWalk), String> {
        let way =
            PathWalk::of(&self.root.join(self.expand(text))).map_err(|failure| explain(text, &failure))?;
        let way = way.ok_or_else(|| {
            format!("`{text}` goes through too many symlinks, or a loop of them; use the final path")
        })?;
        let path = way.path();
        let shown = self.show(&path);
        let is_folder = way.is_folder();
        let territory = self.borders.territory(&path, is_folder);
        Ok((ResolvedPath { path, shown, territory, is_folder }, way))
    }

    /// Notes of a call that a path of it cannot be resolved, and why. Links in a loop lead nowhere, so there is nothing to ask a
    /// person about: the call fails. What only could not be looked at counts as outside.
    pub(super) fn unresolved(&self, text: &str, why: &str, found: &mut Preparation) {
        match PathWalk::of(&self.root.join(self.expand(text))) {
            Ok(None) => found.invalid = Some(why.to_owned()),
            Ok(Some(_)) | Err(_) => found.outside.push(text.to_owned()),
        }
    }

    /// How a resolved path is written.
    pub(super) fn show(&self, path: &Path) -> String {
        match path.strip_prefix(&self.root) {
            Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
            Ok(rest) => rest.display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }

    /// Where a path is as it is written, links not looked at.
    pub(in crate::runtime) fn as_written(&self, text: &str) -> PathBuf {
        as_written(&self.root.join(self.expand(text)))
    }

    /// What kind of place a path is by its words alone.
    pub(super) fn territory(&self, path: &Path) -> Territory {
        self.borders.territory(path, false)
    }

    fn expand(&self, text: &str) -> PathBuf {
        let after_home = if text == "~" { Some("") } else { text.strip_prefix("~/") };
        match (after_home, &self.home) {
            (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
            _ => PathBuf::from(text),
        }
    }
}

/// The absolute names of a folder: where it is, and as it is given, if a link is on the way.
pub fn names_of(folder: &Path) -> Vec<String> {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let given = Some(folder).filter(|given| *given != real && given.is_absolute());
    std::iter::once(real.as_path()).chain(given).map(|name| name.display().to_string()).collect()
}
