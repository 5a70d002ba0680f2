//! A change of one file, worked out before it is made: the same for the approval and for the act.

use std::sync::Arc;

use crate::ledger::Preview;
use crate::ledger::{CallId, ChangedFile, Facts, Summary};
use crate::tool::Preparation;

use super::super::staged_name::StagedBy;
use super::super::undo::{self, Content, Hash, Snapshots};
use super::diff::{Difference, compare};
use super::editor::{Current, Editor, EditorFailure, EditorFiles};
use super::encoding::Encoding;
use super::file::{Before, Unplaced, found, load, put, replace};
use super::seen::Seen;
use super::stop::StopFlag;
use super::target::Target;
use super::words::{counted, explain};
use super::workspace::ResolvedPath;

/// What a file is and what it is to become.
pub(super) struct FileChange {
    /// Which file.
    pub(super) target: Arc<Target>,
    /// What it is now.
    pub(super) now: Current,
    /// Its text to be.
    pub(super) after: String,
    /// How that is written down.
    pub(super) encoding: Encoding,
}

/// What making a change needs besides it.
pub(super) struct Making<'a> {
    /// The call that makes it.
    pub(super) call: CallId,
    /// Whether a person was shown its diff and allowed that.
    pub(super) is_shown: bool,
    /// What the model has seen.
    pub(super) seen: &'a Seen,
    /// The editor that may hold the file.
    pub(super) editor: &'a Editor,
    /// Where the earlier content is kept, if it is.
    pub(super) snapshots: Option<&'a Snapshots>,
    /// Whether anybody still waits for it.
    pub(super) stop: &'a StopFlag,
}

impl Making<'_> {
    /// Whose the files are that are written beside others. What belongs to no session has random names.
    fn staged_by(&self) -> Option<StagedBy<'_>> {
        self.snapshots.and_then(|snapshots| snapshots.staged_by(Some(self.call)))
    }
}

impl FileChange {
    /// Puts into a look what the approval shows, remembered for [`Self::make`], and whether that leaves something out. A change that
    /// cannot be made is shown as its reason, after `! `: it may be possible when it is made, so that says nothing of it.
    pub(super) fn preview(planned: Result<Self, String>, call: CallId, seen: &Seen, found: &mut Preparation) {
        let (text, is_partial) = match planned {
            Err(reason) => {
                seen.look_in_vain(call);
                (format!("! {reason}\n"), true)
            }
            Ok(change) => {
                let difference = change.difference();
                seen.look(call, &change.target.path, &change.now, &difference);
                found.warning = change.now.held.as_ref().map(|_| UNSAVED.to_owned());
                if change.now.disk.as_deref() == Some(change.bytes().as_slice()) && change.now.held.is_none()
                {
                    ("! the file has this content already; nothing would change\n".to_owned(), true)
                } else {
                    (difference.text, difference.is_cut)
                }
            }
        };
        (found.preview, found.is_partial) = (Preview::Diff(text), is_partial);
    }

    /// The lines that differ from what the user sees. What is no text is compared as far as it can be shown.
    pub(super) fn difference(&self) -> Difference {
        let bytes = self.bytes();
        let held = self.now.held.as_deref().filter(|held| *held != bytes);
        let before = held.or(self.now.disk.as_deref()).map(|bytes| {
            self.encoding.decode(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into_owned())
        });
        compare(&self.target.shown, before.as_deref(), &self.after)
    }

    /// Facts of its result. `path` is how the call names the file. The hashes are those of the record of changes.
    pub(super) fn facts(&self, summary: Summary, path: &str) -> Facts {
        let before = Content::of(self.now.disk.as_deref()).told();
        let after = Content::Known(Hash::of(&self.bytes())).told();
        let files = vec![ChangedFile { path: path.to_owned(), before, after }];
        Facts { summary: Some(summary), is_from_editor: self.now.held.is_some(), files, ..Facts::default() }
    }

    /// Whether it is what a person was shown: the file is as it was then, or it is as the model saw it last (another call of the same
    /// answer may have changed it) and the diff is the same but for the numbers of its lines.
    fn is_as_shown(&self, making: &Making<'_>) -> bool {
        let (call, path) = (making.call, &self.target.path);
        making.seen.is_as_looked(call, path, &self.now)
            || (self.now.held.is_none()
                && self.now.disk.as_deref().is_some_and(|disk| making.seen.is_seen(path, disk))
                && making.seen.is_same_diff(call, path, &self.difference()))
    }

    fn bytes(&self) -> Vec<u8> {
        self.encoding.encode(&self.after)
    }

    /// Makes it, after its earlier content was kept, and remembers the new content as seen. What is to be said about
    /// it besides is returned.
    ///
    /// # Errors
    /// A sentence; unless it says otherwise, the file is then as it was.
    pub(super) fn make(&self, making: &Making<'_>) -> Result<String, String> {
        if making.is_shown && !making.seen.is_looked_at(making.call, &self.target.path) {
            return Err(format!(
                "it is not known any more what was approved of `{}`; nothing was written; make the call again",
                self.target.shown
            ));
        }
        if making.is_shown && !self.is_as_shown(making) {
            return Err(format!(
                "`{}` has changed since the approved diff was made; nothing was written; read it again, \
                then repeat the change",
                self.target.shown
            ));
        }
        let after = self.bytes();
        let record = |found: &Before| {
            if let Some(snapshots) = making.snapshots {
                let change = undo::Change {
                    runs: None,
                    call: Some(making.call),
                    path: self.target.path.clone(),
                    before: Content::Absent,
                    after: Content::Known(Hash::of(&after)),
                    mode: found.mode,
                    made: found.made.clone(),
                };
                let before = self.now.disk.as_deref();
                snapshots.keep(change, before).map_err(|why| format!("{why}; nothing was changed"))?;
            }
            if making.stop.is_set() { Err("stopped before anything was changed".to_owned()) } else { Ok(()) }
        };
        let noted = || {
            making.seen.note(&self.target.path, &after);
            making.seen.is_made(making.call, &self.target.path);
        };
        let mut remarks = Vec::new();
        match (making.editor.writer(self.encoding), &self.now.disk) {
            (None, _) if self.now.held.is_some() => return Err(self.not_taken_over()),
            (Some(editor), Some(disk)) => {
                remarks.extend(self.through(making, editor, disk, &after, record)?);
                noted();
                if remarks.is_empty() {
                    making.editor.confirm(&self.target, after.clone())?;
                }
            }
            (editor, disk) => {
                let by = making.staged_by();
                let found = replace(&self.target, disk.as_deref(), &after, by, record)?;
                noted();
                remarks.extend(other_links(&found));
                // A new file: the folders that it needs were made for it.
                if let Some(Err(why)) = editor.map(|editor| editor.write(&self.target.path, &self.after)) {
                    remarks.push(untold(&why));
                }
            }
        }
        if self.now.held.is_some() {
            remarks.push(
                "(the editor had changes of it that were not saved; they are saved with this one)".to_owned(),
            );
        }
        Ok(remarks.iter().map(|remark| format!("\n{remark}")).collect())
    }

    /// Makes it through the editor, which holds the file or may open it: it gets the text first, and what it does not write itself
    /// is written here. What the disk would refuse, it does not get.
    fn through(
        &self,
        making: &Making<'_>,
        editor: &dyn EditorFiles,
        before: &[u8],
        after: &[u8],
        record: impl FnOnce(&Before) -> Result<(), String>,
    ) -> Result<Option<String>, String> {
        let by = making.staged_by();
        record(&found(&self.target, before, after, by)?)?;
        let asked = editor.write(&self.target.path, &self.after);
        let now = load(&self.target)
            .map_err(|why| self.after_asking(&asked, &format!("the file on disk cannot be read: {why}")))?;
        match &asked {
            Err(EditorFailure::Refused(_)) if self.now.held.is_none() => {}
            Err(_) => {
                let stands = match now.as_deref() == Some(before) {
                    true => "nothing was changed on disk",
                    false => "the file on disk is changed, perhaps in part",
                };
                return Err(self.after_asking(&asked, stands));
            }
            Ok(()) if now.as_deref() == Some(after) => return Ok(None),
            Ok(()) if now.is_none() => {
                return Err(self.after_asking(&asked, "the file on disk is gone"));
            }
            Ok(()) if now.as_deref() != Some(before) => {
                return Ok(Some(
                    "(the editor saved it as another text, perhaps formatted: read it again before you \
                     change it again)"
                        .to_owned(),
                ));
            }
            Ok(()) => {}
        }
        if making.stop.is_set() {
            return Err(self.after_asking(&asked, "the call was stopped; the file on disk is as it was"));
        }
        let found = put(&self.target, Some(before), after, by, |_| Ok(())).map_err(|why| {
            let as_it_was = |why: String| format!("the file on disk is as it was: {why}");
            let disk = match why {
                Unplaced::System(failure) => as_it_was(explain(&self.target.shown, &failure)),
                Unplaced::Changed => {
                    "the file on disk was changed by another program, and was left alone".to_owned()
                }
                Unplaced::Stopped(why) => as_it_was(why),
            };
            self.after_asking(&asked, &disk)
        })?;
        Ok(asked.err().as_ref().map(untold).or_else(|| other_links(&found)))
    }

    /// How things stand after the editor was asked, where the call fails: with `disk` about the file.
    fn after_asking(&self, asked: &Result<(), EditorFailure>, disk: &str) -> String {
        let shown = &self.target.shown;
        let editor = match asked {
            Ok(()) => format!("the editor has the new text of `{shown}`"),
            Err(EditorFailure::Refused(why) | EditorFailure::Broken(why)) => {
                format!("the editor was told to change `{shown}`, and {why}")
            }
        };
        format!("{editor}; {disk}; read the file again before you go on, and tell the user")
    }

    fn not_taken_over(&self) -> String {
        format!(
            "the editor has changes of `{}` that are not saved, and they cannot be changed from here; nothing was done; ask \
             the user to save the file, then read it again",
            self.target.shown
        )
    }
}

/// What a person is told whose editor holds another text than the file.
const UNSAVED: &str = "the editor has changes of this file that are not saved: the diff begins with them, \
 and the file gets the result";

fn untold(why: &EditorFailure) -> String {
    let (EditorFailure::Refused(why) | EditorFailure::Broken(why)) = why;
    format!("(the file on disk is changed; the editor did not take that over: {why})")
}

fn other_links(found: &Before) -> Option<String> {
    let others = usize::try_from(found.names.saturating_sub(1)).unwrap_or(usize::MAX);
    (others > 0).then(|| {
        format!(
            "(the file had {}: they keep the earlier content; this one is now a separate file)",
            counted(others, "other hard link")
        )
    })
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
