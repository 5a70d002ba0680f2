//! Where the files are that rules keep from being read.

use std::path::{Path, PathBuf};

use super::{Confinement, real};
use crate::policy::{KeptFiles, in_words};

/// What rules keep, as it is looked for in folders.
pub(super) struct KeptPlaces {
    /// Rules whose files only a walk finds.
    scattered: KeptFiles,
    /// What is there without a walk, with the rule in words.
    places: Vec<(PathBuf, String)>,
    /// The folder from which rules name files, by its absolute name.
    workspace: PathBuf,
    writable: Vec<PathBuf>,
}

impl KeptPlaces {
    /// Looks at the disk for what rules name without a `*` before it.
    pub(super) fn of(confinement: &Confinement) -> Self {
        let writable: Vec<PathBuf> = confinement.writable.iter().map(|path| real(path)).collect();
        let workspace = writable.first().cloned().unwrap_or_default();
        let places = confinement.kept.places().filter_map(|kept| {
            let path = real(&workspace.join(kept.path));
            let is_it = path.symlink_metadata().is_ok_and(|found| found.is_dir() == kept.is_folder);
            is_it.then(|| (path, in_words(kept.rule)))
        });
        Self { places: places.collect(), scattered: confinement.kept.scattered(), workspace, writable }
    }

    /// Whether all of a folder must be walked through.
    pub(super) fn is_scattered(&self) -> bool {
        !self.scattered.is_empty()
    }

    /// Those in a folder, or around it.
    pub(super) fn at(&self, folder: &Path) -> Vec<(PathBuf, String)> {
        let is_at = |path: &PathBuf| path.starts_with(folder) || folder.starts_with(path);
        self.places.iter().filter(|(path, _)| is_at(path)).cloned().collect()
    }

    /// Those beside all folders that are opened.
    pub(super) fn elsewhere(&self) -> impl Iterator<Item = PathBuf> {
        let is_elsewhere = |path: &PathBuf| {
            !self.writable.iter().any(|open| path.starts_with(open) || open.starts_with(path))
        };
        self.places.iter().map(|(path, _)| path).filter(move |path| is_elsewhere(path)).cloned()
    }

    /// The rule in words that speaks of a file which a walk found.
    pub(super) fn rule_for(&self, file: &Path) -> Option<String> {
        if self.scattered.is_empty() {
            return None;
        }
        let (name, folders) = match file.strip_prefix(&self.workspace) {
            Ok(name) => (name, vec![self.workspace.to_string_lossy().into_owned()]),
            Err(_) => (file, Vec::new()),
        };
        self.scattered.rule_for(&name.to_string_lossy(), &folders).map(in_words)
    }
}
