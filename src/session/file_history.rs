//! What sessions have recorded of changes to files: each with what the file was before and after, as far as that is kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::ledger::{Body, CallId, Change as SessionChange, Entry, EntryId, Millis, ToolUse};
use crate::runtime::SessionStore;
use crate::runtime::undo::{Agreement, Change, Content, Hash, Snapshots};

/// A session that changed files.
#[derive(Debug)]
pub(crate) struct ChangingSession {
    pub(crate) id: String,
    pub(crate) folder: PathBuf,
    pub(crate) entries: Vec<Arc<Entry>>,
    snapshots: Snapshots,
    /// What is wrong with it.
    pub(crate) damage: Option<String>,
}

/// One recorded change of one file.
#[derive(Debug, Clone)]
pub(crate) struct FileStep {
    /// The place of its session among the sources.
    pub(crate) source: usize,
    pub(crate) change: Change,
    /// When it was made.
    pub(crate) at: Millis,
    /// The call; or the undo.
    pub(crate) entry: EntryId,
}

impl FileStep {
    /// Whether a fork has this from the other one's session: the same change, in the same entry, at the same time.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (self.at, self.entry, &self.change) == (other.at, other.entry, &other.change)
    }
}

impl ChangingSession {
    /// Reads the session in this file, if it has recorded changes that `wanted` takes.
    ///
    /// # Errors
    /// A sentence: the session or its record cannot be read.
    pub(crate) fn read(path: &Path, wanted: impl Fn(&Change) -> bool) -> Result<Option<Self>, String> {
        let snapshots = Snapshots::beside(path);
        if !snapshots.changes()?.iter().any(wanted) {
            return Ok(None);
        }
        let (file, damage) = SessionStore::audited(path)?;
        let entries = file.entries;
        let (id, folder) = match entries.first().map(|first| &first.body) {
            Some(Body::SessionStarted(started)) => (started.session.clone(), PathBuf::from(&started.cwd)),
            _ => return Ok(None),
        };
        Ok(Some(Self { id, folder, entries, snapshots, damage }))
    }

    /// The changes that the session's entries agree with, oldest first; `source` is its place among the sources.
    ///
    /// # Errors
    /// The record cannot be read.
    pub(crate) fn steps(&self, source: usize, home: Option<PathBuf>) -> Result<Vec<FileStep>, String> {
        let books = Agreement::with(&self.entries, &self.folder, home);
        let (mut steps, mut last) = (Vec::new(), Millis(0));
        for change in self.snapshots.agreed(&books)? {
            let made = match change.call {
                Some(call) => self.made(call),
                None => self.restored(last),
            };
            let (entry, at) = made.unwrap_or((EntryId(0), last));
            last = last.max(at);
            steps.push(FileStep { source, change, at, entry });
        }
        Ok(steps)
    }

    /// The entry of a call, and when it was done.
    fn made(&self, call: CallId) -> Option<(EntryId, Millis)> {
        let of_call = || self.entries.iter().filter(|entry| entry.body.call() == Some(call));
        let asked = of_call().find(|entry| matches!(entry.body, Body::ToolCall(_) | Body::Command(_)))?;
        let done = of_call().find(|entry| matches!(entry.body, Body::ToolResult(_)));
        Some((asked.id, done.map_or(asked.at, |done| done.at)))
    }

    /// The first undo since then.
    fn restored(&self, since: Millis) -> Option<(EntryId, Millis)> {
        let is_undo = |entry: &&Arc<Entry>| {
            matches!(entry.body, Body::Change(SessionChange::FilesRestored(_))) && entry.at >= since
        };
        self.entries.iter().find(is_undo).map(|entry| (entry.id, entry.at))
    }

    /// A call as it was asked, or changed last.
    pub(crate) fn call(&self, call: CallId) -> Option<ToolUse> {
        called(&self.entries, call)
    }
}

/// A call as it was asked, or changed last, by a person or a hook.
pub(crate) fn called(entries: &[Arc<Entry>], call: CallId) -> Option<ToolUse> {
    let asked = entries.iter().find_map(|entry| match &entry.body {
        Body::ToolCall(asked) | Body::Command(asked) if asked.id == call => Some(asked.clone()),
        _ => None,
    })?;
    let changed = entries.iter().rev().filter_map(|entry| entry.body.changes()).find(|(of, _)| *of == call);
    Some(match changed {
        Some((_, arguments)) => ToolUse { arguments, ..asked },
        None => asked,
    })
}

/// The contents of files by their hashes.
#[derive(Debug)]
pub(crate) struct Contents<'a> {
    sources: &'a [ChangingSession],
    now: Option<(Hash, Vec<u8>)>,
}

impl<'a> Contents<'a> {
    /// Those that are kept beside these sessions, and what the file is now.
    pub(crate) fn of(sources: &'a [ChangingSession], now: Option<Vec<u8>>) -> Self {
        Self { sources, now: now.map(|bytes| (Hash::of(&bytes), bytes)) }
    }

    /// What the file was before; `None`: there was none.
    ///
    /// # Errors
    /// Why that is not known.
    pub(crate) fn before(&self, step: &FileStep) -> Result<Option<Vec<u8>>, String> {
        match &step.change.before {
            Content::Absent => Ok(None),
            Content::Large(bytes) => Err(format!("it was too large to be kept ({bytes} bytes)")),
            Content::Known(hash) => self.kept(hash),
        }
    }

    /// What the file was after; `None`: there was none any more. Only what was there before a change is kept: the rest is what the next
    /// change found, what is there now, or what the call makes when it is worked out again.
    ///
    /// # Errors
    /// Why that is not known.
    pub(crate) fn after(&self, step: &FileStep) -> Result<Option<Vec<u8>>, String> {
        let hash = match &step.change.after {
            Content::Absent => return Ok(None),
            Content::Large(bytes) => return Err(format!("it was too large to be kept ({bytes} bytes)")),
            Content::Known(hash) => hash,
        };
        self.kept(hash).or_else(|why| {
            let source = self.sources.get(step.source);
            let call = step.change.call.and_then(|call| source?.call(call));
            let before = self.before(step).ok().flatten();
            call.and_then(|call| step.change.repeated(&call, before.as_deref())).map(Some).ok_or(why)
        })
    }

    fn kept(&self, hash: &Hash) -> Result<Option<Vec<u8>>, String> {
        if let Some((_, bytes)) = self.now.as_ref().filter(|(now, _)| now == hash) {
            return Ok(Some(bytes.clone()));
        }
        let mut why = "its content was not kept".to_owned();
        for source in self.sources {
            match source.snapshots.content(hash) {
                Ok(bytes) => return Ok(Some(bytes)),
                Err(fault) => why = fault,
            }
        }
        Err(why)
    }
}
