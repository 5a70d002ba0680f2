//! The snapshots of a session on disk, and putting files back from them.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::ledger::CallId;

use super::super::private_file::replace_private;
use super::super::regular::opened_own;
use super::super::staged_name::StagedBy;
use super::super::store;
use super::super::tools::anchor::Anchor;
use super::agreement::Agreement;
use super::blobs;
use super::files::{content_of, look, named, open, put_back, roll_back, staged_by};
use super::journal::{RESTORING, cannot_keep, head, journaled, kept_beside, read_head, set_aside, text_of};
use super::plan::{FileAction, Plan, PlannedChange, UndoScope, plan};
use super::record::{Change, Content, MOST_BYTES};

const CHANGES: &str = "changes";

/// The snapshots of one session.
#[derive(Debug, Clone)]
pub struct Snapshots {
    place: RestorePoint,
}

#[derive(Debug, Clone)]
enum RestorePoint {
    Folder(PathBuf),
    /// Beside the session's file, which is made with its first entry.
    Session {
        state: PathBuf,
        id: String,
    },
}

/// What an undo did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Restored {
    /// The first of the calls that were taken back, where that is known.
    pub since: Option<CallId>,
    /// The files that have their earlier content again, or are gone again.
    pub files: Vec<PathBuf>,
    /// Those of them that are gone again.
    pub deleted: Vec<PathBuf>,
    /// Files of a restore that was cut off, changed by somebody else since: left alone.
    pub left: Vec<PathBuf>,
}

/// What became of a restore that the end of a process may have cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    /// There was none, or the books tell of it.
    Nothing,
    /// It is done.
    Done(Restored),
    /// It was none of this session's: these files are named in it that the books do not know. Nothing was done, and what
    /// was to be done is kept there.
    Refused(Vec<PathBuf>, PathBuf),
    /// This line of it, counted from 1, cannot be read. Nothing was done, and what was to be done is kept there.
    Damaged(usize, PathBuf),
    /// This much is done, and told again until the books have it. These files could not be put back, each
    /// with why, and what was to be done is kept there.
    Failed(Restored, Vec<(PathBuf, String)>, PathBuf),
}

impl Restored {
    fn has(&mut self, change: Change) {
        if change.after == Content::Absent {
            self.deleted.push(change.path.clone());
        }
        self.files.push(change.path);
    }
}

impl Snapshots {
    /// Those beside the file of the session `id`. `state` is the program's state folder.
    pub fn of_session(state: PathBuf, id: String) -> Self {
        Self { place: RestorePoint::Session { state, id } }
    }

    /// Those beside this session file.
    pub fn beside(file: &Path) -> Self {
        Self { place: RestorePoint::Folder(folder_of(file)) }
    }

    pub(super) fn folder(&self) -> Result<PathBuf, String> {
        match &self.place {
            RestorePoint::Folder(folder) => Ok(folder.clone()),
            RestorePoint::Session { state, id } => {
                let mut files = store::files(state).into_iter();
                let file = files.find(|file| file.file_stem().is_some_and(|stem| stem == id.as_str()));
                file.map(|file| folder_of(&file)).ok_or_else(|| format!("session {id} has no file yet"))
            }
        }
    }

    /// Whose a file is that a call of the session writes beside its place; `None`: an undo of it.
    pub(in crate::runtime) fn staged_by(&self, call: Option<CallId>) -> Option<StagedBy<'_>> {
        match &self.place {
            RestorePoint::Folder(folder) => staged_by(folder, call),
            RestorePoint::Session { id, .. } => Some(StagedBy { session: id, call }),
        }
    }

    /// Keeps what a file is before a change, then puts the change on record; both are on disk when this returns.
    /// `change.before` is found out here, from `content`.
    ///
    /// # Errors
    /// A sentence; the change must not be made then.
    pub(in crate::runtime) fn keep(&self, change: Change, content: Option<&[u8]>) -> Result<(), String> {
        let folder = self.folder()?;
        let before = match content {
            None => Content::Absent,
            Some(content) if content.len() as u64 > MOST_BYTES => Content::Large(content.len() as u64),
            Some(content) => Content::Known(blobs::put(&folder, content).map_err(cannot_keep)?),
        };
        append(&folder, &[Change { before, ..change }]).map_err(cannot_keep)
    }

    /// All changes on record, oldest first; none when there is no record.
    ///
    /// # Errors
    /// A sentence: it cannot be read, or a line that is not the last is damaged.
    pub fn changes(&self) -> Result<Vec<Change>, String> {
        let path = self.folder()?.join(CHANGES);
        let Some(text) = text_of(&path).map_err(|why| format!("cannot read {}: {why}", path.display()))?
        else {
            return Ok(Vec::new());
        };
        // What follows the last line's end was cut off by a crash, before its change was made.
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let lines = whole.lines().enumerate();
        lines
            .map(|(at, line)| {
                let damaged =
                    || format!("line {} of {} is damaged; nothing can be undone", at + 1, path.display());
                Change::decode(line).ok_or_else(damaged)
            })
            .collect()
    }

    /// What an undo would do, on the files as they are. What the books do not agree with is refused.
    ///
    /// # Errors
    /// As [`Self::changes`].
    pub fn plan(&self, which: &UndoScope, books: &Agreement) -> Result<Plan, String> {
        Ok(plan(&self.changes()?, which, |change| books.has(change), look))
    }

    /// Does what was planned: all of it, or nothing. What is replaced is kept, and the undo is put on record, before
    /// anything is touched. When the process dies before the books tell of it, [`Self::finish`] does the rest.
    /// `entries` is how many entries they have now: it is one after these that tells.
    ///
    /// # Errors
    /// A sentence: something was refused, has changed since the plan, or cannot be written. All files are then as they
    /// were, but those that it names.
    pub fn restore(&self, plan: &Plan, entries: u64) -> Result<Restored, String> {
        if let Some(refusal) = plan.refused.first() {
            return Err(format!("{} {}; nothing was undone", refusal.path.display(), refusal.why));
        }
        let folder = self.folder()?;
        let fail = |path: &Path, why: String| format!("{}: {why}; nothing was undone", path.display());
        for step in &plan.steps {
            self.check(&folder, step).map_err(|why| fail(&step.path, why))?;
        }
        let changes: Vec<Change> = plan.steps.iter().map(change_of).collect();
        append(&folder, &changes).map_err(cannot_keep)?;
        // The first line is no change: it says which calls are taken back, and where the books stood.
        let lines = head(plan.since, entries) + &lines(&changes);
        replace_private(&folder, RESTORING, lines.as_bytes()).map_err(|why| {
            // It may stand there without being durable: nobody is to finish what is refused here.
            fs::remove_file(folder.join(RESTORING)).ok();
            cannot_keep(why)
        })?;
        for (done, change) in changes.iter().enumerate() {
            if let Err(why) = put_back(&folder, change) {
                let stay = roll_back(&folder, changes.get(..done).unwrap_or_default());
                if stay.is_empty() {
                    fs::remove_file(folder.join(RESTORING)).ok();
                    return Err(fail(&change.path, why));
                }
                // What was to be done stays on record: whoever takes the session up again finishes it, or is told.
                return Err(format!(
                    "{}: {why}; not all of it could be reverted: {} stay as the undo made them. Resume the \
                     session to finish the undo",
                    change.path.display(),
                    named(&stay)
                ));
            }
        }
        let mut restored = Restored { since: plan.since, ..Restored::default() };
        changes.into_iter().for_each(|change| restored.has(change));
        Ok(restored)
    }

    /// Finishes a restore that the end of the process cut off before the books told of it. `is_told` says whether they tell
    /// of one that takes back the calls since that one, after so many entries. Doing it twice does no harm. To be called
    /// when a session is taken up again, before anything else changes files.
    ///
    /// # Errors
    /// A sentence: something cannot be read or written; it can be tried again.
    pub fn finish(
        &self,
        books: &Agreement,
        is_told: impl FnOnce(CallId, u64) -> bool,
    ) -> Result<Finished, String> {
        let folder = self.folder()?;
        let journal = folder.join(RESTORING);
        let lines = text_of(&journal).map_err(|why| format!("cannot read {}: {why}", journal.display()))?;
        let Some(lines) = lines else { return Ok(Finished::Nothing) };
        let (since, entries) = lines.lines().next().map(read_head).unwrap_or_default();
        if since.zip(entries).is_some_and(|(since, entries)| is_told(since, entries)) {
            fs::remove_file(journal).map_err(cannot_keep)?;
            return Ok(Finished::Nothing);
        }
        let record = self.changes()?;
        let changes = match journaled(&lines) {
            Ok(changes) => changes,
            Err(line) => return Ok(Finished::Damaged(line, set_aside(&folder)?)),
        };
        let is_asked_for =
            |change: &Change| since.is_some_and(|since| books.asks_for(change, since, &record));
        let (changes, refused): (Vec<_>, Vec<_>) = changes.into_iter().partition(is_asked_for);
        if !refused.is_empty() {
            let kept = set_aside(&folder)?;
            return Ok(Finished::Refused(refused.into_iter().map(|change| change.path).collect(), kept));
        }
        let (mut restored, mut failed) = (Restored { since, ..Restored::default() }, Vec::new());
        for change in changes {
            // What cannot be looked at, such as a symlink, is not what was there: it stays as it is.
            let found = look(&change.path).ok();
            let is_there = found.as_ref() == Some(&change.after);
            if is_there && change.runs.is_none() {
                restored.has(change);
            } else if is_there || found.as_ref() == Some(&change.before) {
                let before = found.unwrap_or(change.before.clone());
                let change = Change { before, ..change };
                match put_back(&folder, &change) {
                    Ok(()) => restored.has(change),
                    Err(why) => failed.push((change.path, why)),
                }
            } else {
                restored.left.push(change.path);
            }
        }
        if failed.is_empty() {
            return Ok(Finished::Done(restored));
        }
        // What fails now would be tried again after other work, or would keep the session from going on.
        // Until the books tell of what was done, there is no other work, and the process may end before they
        // do. Of one that does not say where they stood, nobody knows when they tell.
        let is_to_be_told = entries.is_some() && !restored.files.is_empty();
        let kept = if is_to_be_told { kept_beside(&folder, &lines) } else { set_aside(&folder)? };
        Ok(Finished::Failed(restored, failed, kept))
    }

    /// Whether a restore failed half-way and was not finished since: another one would take its record's place.
    ///
    /// # Errors
    /// A sentence: its record cannot be read.
    pub fn is_unfinished(&self, is_told: impl FnOnce(CallId, u64) -> bool) -> Result<bool, String> {
        let journal = self.folder()?.join(RESTORING);
        let lines = text_of(&journal).map_err(|why| format!("cannot read {}: {why}", journal.display()))?;
        let Some(lines) = lines else { return Ok(false) };
        let (since, entries) = lines.lines().next().map(read_head).unwrap_or_default();
        // Earlier programs did not write where the books stood.
        Ok(!since.is_some_and(|since| is_told(since, entries.unwrap_or_default())))
    }

    /// Gives up a restore that [`Self::finish`] cannot finish. What was to be done is kept there.
    ///
    /// # Errors
    /// A sentence: its record stays where it is.
    pub fn give_up(&self) -> Result<PathBuf, String> {
        set_aside(&self.folder()?)
    }

    /// Whether a step can be done as it was planned; keeps what it will replace.
    fn check(&self, folder: &Path, step: &PlannedChange) -> Result<(), String> {
        if look(&step.path)? != step.from {
            return Err("it has changed since this was planned".to_owned());
        }
        if let Content::Known(hash) = &step.from {
            let file =
                Anchor::of(&step.path).map_err(|failure| failure.to_string()).and_then(|at| open(&at))?;
            let content = file.map(content_of).transpose()?.unwrap_or_default();
            let kept = blobs::put(folder, &content).map_err(cannot_keep)?;
            if kept != *hash {
                return Err("it has changed since this was planned".to_owned());
            }
        }
        match &step.action {
            FileAction::Delete => Ok(()),
            FileAction::Restore(hash) => {
                blobs::get(folder, hash).map(drop).map_err(|failure| failure.to_string())
            }
        }
    }
}

/// `ID.jsonl` has its snapshots in `ID.files`.
fn folder_of(file: &Path) -> PathBuf {
    file.with_extension(store::SNAPSHOTS)
}

fn change_of(step: &PlannedChange) -> Change {
    let after = match &step.action {
        FileAction::Restore(hash) => Content::Known(hash.clone()),
        FileAction::Delete => Content::Absent,
    };
    Change {
        call: None,
        path: step.path.clone(),
        before: step.from.clone(),
        after,
        mode: step.mode,
        runs: step.runs,
        made: step.made.clone(),
    }
}

/// Adds lines to the record, after cutting off what a crash left unfinished.
pub(super) fn append(folder: &Path, changes: &[Change]) -> io::Result<()> {
    let path = folder.join(CHANGES);
    if !path.exists() {
        return replace_private(folder, CHANGES, lines(changes).as_bytes());
    }
    let (mut file, _) = opened_own(OpenOptions::new().read(true).append(true), &path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if whole < bytes.len() {
        file.set_len(whole as u64)?;
    }
    file.write_all(lines(changes).as_bytes())?;
    file.sync_data()
}

/// Takes the lines off the record that were added last, of changes that were not made. A record that ends otherwise stays as it is.
pub(super) fn withdraw(folder: &Path, changes: &[Change]) -> io::Result<()> {
    let (mut file, _) = opened_own(OpenOptions::new().read(true).write(true), &folder.join(CHANGES))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let Some(before) = bytes.strip_suffix(lines(changes).as_bytes()) else { return Ok(()) };
    file.set_len(before.len() as u64)?;
    file.sync_data()
}

fn lines(changes: &[Change]) -> String {
    changes.iter().map(|change| change.encode() + "\n").collect()
}
