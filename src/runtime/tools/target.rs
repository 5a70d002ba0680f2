//! What a path names, found once: the policy decides about it, and that very place is used.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::watch;

use crate::ledger::CallId;

use super::anchor::Anchor;
use super::way::PathWalk;
use super::workspace::{ResolvedPath, Workspace};

/// Calls whose folders are held open: an answer may make many, and a process may open a thousand files.
const MOST_OPEN: usize = 128;
/// Calls that are remembered at all.
const MOST_CALLS: usize = 4096;

/// A place, and the folder of it that is held open.
#[derive(Debug)]
pub(super) struct Target {
    place: ResolvedPath,
    way: Option<PathWalk>,
}

impl Deref for Target {
    type Target = ResolvedPath;

    fn deref(&self) -> &ResolvedPath {
        &self.place
    }
}

impl Target {
    /// What a path names, as a model or a person writes it; nothing of it needs to exist.
    ///
    /// # Errors
    /// A sentence, when links go in a circle.
    pub(super) fn of(workspace: &Workspace, text: &str) -> Result<Self, String> {
        workspace.find(text).map(|(place, way)| Self { place, way: Some(way) })
    }

    /// The same, of a path whose links nobody has looked at: there must be none in it.
    ///
    /// # Errors
    /// As [`Self::of`]; also when a link is in it.
    pub(super) fn as_written(workspace: &Workspace, text: &str) -> Result<Self, String> {
        let target = Self::of(workspace, text)?;
        if target.path != workspace.as_written(text) {
            return Err(format!(
                "`{text}` leads to `{}` through a symlink that has not been checked since the program \
                started: nothing was done; make the call again",
                target.shown
            ));
        }
        Ok(target)
    }

    /// The name in its folder.
    ///
    /// # Errors
    /// The system's; also when the folder stands elsewhere by now, or a link is on the way.
    pub(super) fn anchor(&self) -> io::Result<Anchor> {
        self.way.as_ref().map_or_else(|| Anchor::of(&self.place.path), PathWalk::anchor)
    }

    /// The same, making the folders that are missing. Gives the first that was made, too.
    ///
    /// # Errors
    /// As [`Self::anchor`].
    pub(super) fn making(&self) -> io::Result<(Anchor, Option<PathBuf>)> {
        self.way.as_ref().map_or_else(|| Anchor::making(&self.place.path), PathWalk::making)
    }

    /// Opens what is there for reading. Never waits.
    ///
    /// # Errors
    /// As [`Self::anchor`].
    pub(super) fn open(&self) -> io::Result<File> {
        self.anchor()?.open()
    }
}

/// What was found when calls were looked at, until they are over. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Targets(watch::Sender<BTreeMap<(CallId, String), Arc<Target>>>);

impl Targets {
    /// Keeps what the path of a call names, as it is written. Beyond the bound the place is kept and its folder is not
    /// held: it is walked to again then, without following links.
    pub(super) fn keep(&self, call: CallId, text: &str, target: &Arc<Target>) {
        self.0.send_modify(|kept| {
            let open = kept.values().filter(|target| target.way.is_some()).count();
            let target = match open {
                MOST_OPEN.. => Arc::new(Target { place: target.place.clone(), way: None }),
                _ => Arc::clone(target),
            };
            kept.insert((call, text.to_owned()), target);
            if kept.len() > MOST_CALLS {
                kept.pop_first();
            }
        });
    }

    /// What was found, if the call was looked at.
    pub(super) fn get(&self, call: CallId, text: &str) -> Option<Arc<Target>> {
        self.0.borrow().get(&(call, text.to_owned())).cloned()
    }

    /// The call is over, or will never run.
    pub(super) fn over(&self, call: CallId) {
        self.0.send_modify(|kept| kept.retain(|(of, _), _| *of != call));
    }
}
