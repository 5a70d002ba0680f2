//! The file of a session that is about to begin, made before its first entry. A file without an entry is no session.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::ledger::Millis;

use super::making::{make_locked, sync_folder};
use super::{SessionStore, place, still_there};

/// It goes with this, unless it was taken.
#[derive(Debug)]
pub(super) struct MadeAhead {
    path: PathBuf,
    file: Option<File>,
    /// Whether its name is durable.
    is_named: bool,
}

impl SessionStore {
    /// With the file of a new session made now, for one that is about to begin. It goes when the store is dropped without an entry. What
    /// cannot be made is made, or told, with the first entry.
    #[must_use]
    pub fn made_ahead(self, at: Millis) -> Self {
        let path = self.plan.as_ref().map(|(state, id)| place(state, id, at));
        let made = |path: PathBuf| {
            let file = Some(make_locked(&path).ok()?);
            Some(MadeAhead { path, file, is_named: false })
        };
        Self { ahead: path.and_then(made), ..self }
    }

    /// With the name of that file made durable already: its first entry does not wait for that any more. May block.
    #[must_use]
    pub fn named_ahead(mut self) -> Self {
        if let Some(ahead) = &mut self.ahead {
            ahead.name();
        }
        self
    }
}

impl MadeAhead {
    fn name(&mut self) {
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
