//! A change of one file, worked out before it is made: the same for the approval and for the act.

use std::sync::Arc;

use crate::ledger::{CallId, Preview};

use super::super::undo::{self, Content, Hash, Snapshots};
use super::diff::{Difference, compare};
use super::encoding::Encoding;
use super::file::replace;
use super::seen::Seen;
use super::stop::StopFlag;
use super::target::Target;
use super::words::counted;
use super::workspace::ResolvedPath;

/// What a file is and what it is to become.
pub(super) struct FileChange {
    /// Which file.
    pub(super) target: Arc<Target>,
    /// Its content now; `None` when it is new.
    pub(super) before: Option<Vec<u8>>,
    /// Its text to be.
    pub(super) after: String,
    /// How that is written down.
    pub(super) encoding: Encoding,
}

/// What making a change needs besides it.
pub(super) struct Making<'a> {
    /// The call that makes it.
    pub(super) call: CallId,
    /// What the model has seen.
    pub(super) seen: &'a Seen,
    /// Where the earlier content is kept, if it is.
    pub(super) snapshots: Option<&'a Snapshots>,
    /// Whether anybody still waits for it.
    pub(super) stop: &'a StopFlag,
}

impl FileChange {
    /// What the approval shows, remembered for [`Self::make`], and whether it leaves something out. A change that cannot
    /// be made is shown as its reason, after `! `: it may be possible when it is made, so that says nothing of it.
    pub(super) fn preview(planned: Result<Self, String>, call: CallId, seen: &Seen) -> (Preview, bool) {
        let (text, is_partial) = match planned {
            Err(reason) => (format!("! {reason}\n"), true),
            Ok(change) => {
                seen.look(call, &change.target.path, change.before.as_deref());
                if change.before.as_deref() == Some(change.bytes().as_slice()) {
                    ("! the file has this content already; nothing would change\n".to_owned(), true)
                } else {
                    let difference = change.difference();
                    (difference.text, difference.is_cut)
                }
            }
        };
        (Preview::Diff(text), is_partial)
    }

    /// The lines that differ. What is no text is compared as far as it can be shown.
    pub(super) fn difference(&self) -> Difference {
        let before = self.before.as_deref().map(|bytes| {
            self.encoding.decode(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into_owned())
        });
        compare(&self.target.shown, before.as_deref(), &self.after)
    }

    fn bytes(&self) -> Vec<u8> {
        self.encoding.encode(&self.after)
    }

    /// Makes it, after its earlier content was kept, and remembers the new content as seen. What is to be said about
    /// it besides is returned.
    ///
    /// # Errors
    /// A sentence; the file is then as it was.
    pub(super) fn make(&self, making: &Making<'_>) -> Result<Option<String>, String> {
        let before = self.before.as_deref();
        if !making.seen.is_as_looked(making.call, &self.target.path, before) {
            return Err(format!(
                "`{}` has changed since the approved diff was made; nothing was written; read it again, \
                then repeat the change",
                self.target.shown
            ));
        }
        let after = self.bytes();
        let found = replace(&self.target, before, &after, |found| {
            if let Some(snapshots) = making.snapshots {
                let change = undo::Change {
                    call: Some(making.call),
                    path: self.target.path.clone(),
                    before: Content::Absent,
                    after: Content::Known(Hash::of(&after)),
                    mode: found.mode,
                    made: found.made.clone(),
                };
                snapshots.keep(change, before).map_err(|why| format!("{why}; nothing was changed"))?;
            }
            if making.stop.is_set() { Err("stopped before anything was changed".to_owned()) } else { Ok(()) }
        })?;
        making.seen.note(&self.target.path, &after);
        making.seen.is_made(making.call, &self.target.path);
        let others = usize::try_from(found.names.saturating_sub(1)).unwrap_or(usize::MAX);
        Ok((others > 0).then(|| {
            format!(
                "(the file had {}: they keep the earlier content; this one is now a separate file)",
                counted(others, "other hard link")
            )
        }))
    }
}

/// Why a file that is not what the model saw is left alone.
pub(super) fn refuse_changed(place: &ResolvedPath, before: &[u8], seen: &Seen) -> Result<(), String> {
    if seen.has_changed(&place.path, before) {
        return Err(format!(
            "`{}` has changed since it was read; read it again, then repeat the change on the current \
            version",
            place.shown
        ));
    }
    Ok(())
}
