//! The file of a session that is about to begin, made before its first entry. A file without an entry is no session.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::making::{make_locked, sync_folder};
use super::still_there::still_there;

/// It goes with this, unless it was taken.
#[derive(Debug)]
pub(super) struct MadeAhead {
    path: PathBuf,
    file: Option<File>,
    /// Whether its name is durable.
    is_named: bool,
}

impl MadeAhead {
    /// Makes it, if that can be done.
    pub(super) fn made(path: PathBuf) -> Option<Self> {
        let file = Some(make_locked(&path).ok()?);
        Some(Self { path, file, is_named: false })
    }

    pub(super) fn name(&mut self) {
        self.is_named = self.is_named || sync_folder(&self.path).is_ok();
    }

    /// The file with a durable name, if it is the one at this place.
    pub(super) fn taken(mut self, wanted: &Path) -> Option<File> {
        if self.path != wanted || still_there(self.file.as_ref()?, wanted).is_err() {
            return None;
        }
        self.name();
        self.file.take_if(|_| self.is_named)
    }
}

impl Drop for MadeAhead {
    fn drop(&mut self) {
        let Some(file) = self.file.take() else { return };
        if still_there(&file, &self.path).is_ok() {
            std::fs::remove_file(&self.path).ok();
        }
    }
}
