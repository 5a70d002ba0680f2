//! Files as an undo finds them and puts them back: each through its folder, held open, and no link is followed.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::super::staged_name::StagedBy;
use super::super::tools::anchor::Anchor;
use super::blobs;
use super::record::{Change, Content, Hash, MOST_BYTES, RUNS};
use crate::ledger::CallId;

/// How many files a sentence names.
const MOST_NAMED: usize = 10;

/// What a file is now.
pub(super) fn look(path: &Path) -> Result<Content, String> {
    match Anchor::of(path) {
        Ok(anchor) => look_at(&anchor),
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => Ok(Content::Absent),
        Err(failure) => Err(failure.to_string()),
    }
}

fn look_at(anchor: &Anchor) -> Result<Content, String> {
    let Some(file) = open(anchor)? else { return Ok(Content::Absent) };
    let meta = file.metadata().map_err(|failure| failure.to_string())?;
    if meta.len() > MOST_BYTES {
        return Ok(Content::Large(meta.len()));
    }
    let content = content_of(file)?;
    match content.len() as u64 {
        bytes if bytes > MOST_BYTES => Ok(Content::Large(bytes)),
        _ => Ok(Content::Known(Hash::of(&content))),
    }
}

/// All that an open file holds, up to what is kept.
pub(super) fn content_of(file: File) -> Result<Vec<u8>, String> {
    let mut content = Vec::new();
    // Somebody may be writing to it.
    file.take(MOST_BYTES + 1).read_to_end(&mut content).map_err(|failure| failure.to_string())?;
    Ok(content)
}

/// Opens the regular file of this name; `None` when nothing is there.
pub(super) fn open(anchor: &Anchor) -> Result<Option<File>, String> {
    let file = match anchor.open() {
        Ok(file) => file,
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(failure) => return Err(failure.to_string()),
    };
    match file.metadata() {
        Ok(meta) if meta.is_file() => Ok(Some(file)),
        Ok(_) => Err("it is no longer a regular file".to_owned()),
        Err(failure) => Err(failure.to_string()),
    }
}

/// Makes a file what `change.after` says, if it is still what `change.before` says. Its folder is opened once, without
/// following links: what is looked at is what is replaced.
pub(super) fn put_back(folder: &Path, change: &Change) -> Result<(), String> {
    let words = |failure: io::Error| failure.to_string();
    let changed = || "it has changed since this was planned".to_owned();
    match &change.after {
        Content::Large(_) => Err("its earlier content was not saved".to_owned()),
        Content::Absent => {
            // What is gone already is as wanted.
            let is_gone = change.before == Content::Absent;
            let anchor = match Anchor::of(&change.path) {
                Err(failure) if failure.kind() == io::ErrorKind::NotFound && is_gone => return Ok(()),
                Err(failure) if failure.kind() == io::ErrorKind::NotFound => return Err(changed()),
                anchor => anchor.map_err(words)?,
            };
            if look_at(&anchor)? != change.before {
                return Err(changed());
            }
            if is_gone {
                return Ok(());
            }
            anchor.remove().map_err(words)?;
            remove_made(change);
            Ok(())
        }
        Content::Known(hash) => {
            let content = blobs::get(folder, hash).map_err(words)?;
            let (anchor, _) = Anchor::making(&change.path).map_err(words)?;
            let staged = anchor.stage_by(staged_by(folder, change.call), &content).map_err(words)?;
            match (open(&anchor)?, change.mode) {
                (Some(now), _) => {
                    let kept = staged.like(&now).map_err(words)?;
                    if let Some(runs) = change.runs {
                        staged.with_mode(to_run(kept.mode(), runs)).map_err(words)?;
                    }
                }
                (None, Some(mode)) => staged.with_mode(mode & 0o777).map_err(words)?,
                (None, None) => {}
            }
            if look_at(&anchor)? != change.before {
                return Err(changed());
            }
            staged.place(change.before != Content::Absent).map_err(words)
        }
    }
}

/// Whose a file is that is written beside its place, of the session that has its snapshots in this folder.
pub(super) fn staged_by(folder: &Path, call: Option<CallId>) -> Option<StagedBy<'_>> {
    folder.file_stem().and_then(OsStr::to_str).map(|session| StagedBy { session, call })
}

/// Permissions with or without that to run the file: for whoever may read it.
fn to_run(mode: u32, runs: bool) -> u32 {
    if runs { mode | (mode & 0o444) >> 2 } else { mode & !RUNS }
}

/// Removes the folders that were made for the file, where they are empty.
fn remove_made(change: &Change) {
    let Some(made) = &change.made else { return };
    let above = change.path.ancestors().skip(1).take_while(|folder| folder.starts_with(made));
    for folder in above {
        if Anchor::of(folder).and_then(|anchor| anchor.remove_folder()).is_err() {
            return;
        }
    }
}

/// After a failure: what was done already is taken back, the last first. Returns the files for which that failed: they stay as they are now.
#[must_use]
pub(super) fn roll_back(folder: &Path, done: &[Change]) -> Vec<PathBuf> {
    let mut stay = Vec::new();
    for change in done.iter().rev() {
        let back = Change {
            before: change.after.clone(),
            after: change.before.clone(),
            runs: change.ran(),
            ..change.clone()
        };
        if let Err(why) = put_back(folder, &back) {
            tracing::error!("{} could not be restored: {why}", change.path.display());
            stay.push(change.path.clone());
        }
    }
    stay
}

/// Files, in a sentence.
pub(super) fn named(files: &[PathBuf]) -> String {
    let shown: Vec<String> = files.iter().take(MOST_NAMED).map(|file| file.display().to_string()).collect();
    let more = match files.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    shown.join(", ") + &more
}
