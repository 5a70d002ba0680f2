//! Files read whole and replaced whole: the new content stands there at once or not at all.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;

use rustix::fs::FileType;

use super::super::staged_name::StagedBy;
use super::anchor::Anchor;
use super::target::Target;
use super::words::{explain, size};

/// The largest file that is held in memory.
pub(super) const MOST_BYTES: u64 = 10 << 20;

/// Opens a plain file, refusing whatever is not one (reading a pipe would wait for ever).
///
/// # Errors
/// A sentence that says what to do instead.
pub(super) fn open(target: &Target) -> Result<(File, Metadata), String> {
    let anchor = target.anchor().map_err(|failure| explain(&target.shown, &failure))?;
    open_in(&anchor, &target.shown)
}

fn open_in(anchor: &Anchor, shown: &str) -> Result<(File, Metadata), String> {
    let is_folder = || format!("`{shown}` is a folder; use `list` to see what is in it");
    let opened = anchor.open().and_then(|file| {
        let meta = file.metadata()?;
        Ok((file, meta))
    });
    match (opened, anchor.kind()) {
        (Ok((_, meta)), _) if meta.is_dir() => Err(is_folder()),
        (Ok((_, meta)), _) if !meta.is_file() => Err(no_file(shown)),
        (Ok(opened), _) => Ok(opened),
        (Err(_), Ok(FileType::Directory)) => Err(is_folder()),
        // Nothing can be opened that has nobody at its other end, as a socket.
        (Err(failure), Ok(kind)) if kind != FileType::RegularFile => {
            Err(format!("{} ({failure})", no_file(shown)))
        }
        (Err(failure), _) => Err(explain(shown, &failure)),
    }
}

fn no_file(shown: &str) -> String {
    format!("`{shown}` is neither a file nor a folder (a device, pipe or socket); do not use it")
}

/// The content of a file, if there is one.
///
/// # Errors
/// A sentence, also when it is too large to be held.
pub(super) fn load(target: &Target) -> Result<Option<Vec<u8>>, String> {
    let opened = open_if_there(target)?;
    opened.map(|(file, meta)| content(target, file, &meta)).transpose()
}

/// Opens a plain file, if there is one.
///
/// # Errors
/// As [`open`].
pub(super) fn open_if_there(target: &Target) -> Result<Option<(File, Metadata)>, String> {
    let anchor = match target.anchor() {
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => return Ok(None),
        anchor => anchor.map_err(|failure| explain(&target.shown, &failure))?,
    };
    match anchor.kind() {
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(failure) => return Err(explain(&target.shown, &failure)),
        Ok(_) => {}
    }
    open_in(&anchor, &target.shown).map(Some)
}

/// The content of an open file.
///
/// # Errors
/// As [`load`].
pub(super) fn content(target: &Target, file: File, meta: &Metadata) -> Result<Vec<u8>, String> {
    let large = |bytes: u64| {
        format!(
            "`{}` is too large for this ({}; at most {}); use `shell` with sed or a script",
            target.shown,
            size(bytes),
            size(MOST_BYTES)
        )
    };
    if meta.len() > MOST_BYTES {
        return Err(large(meta.len()));
    }
    let content = all_of(file).map_err(|failure| explain(&target.shown, &failure))?;
    // Some files, as those in /proc, only say their size by being read.
    if content.len() as u64 > MOST_BYTES { Err(large(content.len() as u64)) } else { Ok(content) }
}

fn all_of(file: File) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut content)?;
    Ok(content)
}

/// What is known of a file just before it is replaced.
pub(super) struct Before {
    /// Its permissions; `None` when there is no file.
    pub(super) mode: Option<u32>,
    /// The first of the folders that had to be made for it.
    pub(super) made: Option<PathBuf>,
    /// How many names it has.
    pub(super) names: u64,
}

/// What is known of a file that is changed by somebody else; it must still have the content `before`, and its folder must take the
/// new one: that is written beside it and removed again. `by`: whose that is.
///
/// # Errors
/// A sentence; nothing is changed then.
pub(super) fn found(
    target: &Target,
    before: &[u8],
    content: &[u8],
    by: Option<StagedBy<'_>>,
) -> Result<Before, String> {
    let say = |why: Unplaced| why.sentence(&target.shown);
    let anchor = target.anchor().map_err(Unplaced::System).map_err(say)?;
    let tried = anchor.stage_by(by, content).and_then(|staged| staged.like(&anchor.open()?));
    let now = tried.map_err(Unplaced::System).map_err(say)?;
    refuse_other(&anchor, Some(before)).map_err(say)?;
    Ok(Before { mode: Some(now.permissions().mode() & 0o7777), made: None, names: now.nlink() })
}

/// Why a content was not put in the place of a file, which is as it was.
pub(super) enum Unplaced {
    /// The system's reason.
    System(io::Error),
    /// The file is not what it was when the change was made up.
    Changed,
    /// Whoever was asked before the act said no, in this sentence.
    Stopped(String),
}

impl Unplaced {
    /// As the result of a call that did nothing else.
    fn sentence(self, shown: &str) -> String {
        match self {
            Self::System(failure) => format!("{}; nothing was changed", explain(shown, &failure)),
            Self::Changed => format!(
                "`{shown}` has changed in the meantime; nothing was written; read it again, then repeat the \
                 change"
            ),
            Self::Stopped(why) => why,
        }
    }
}

/// Writes a content beside the file and puts it in its place; permissions, extended attributes and owner stay as they
/// were, but for setuid and setgid. Missing folders are made. `ready` is asked when only the rename is left; then the file must still have the content `before`. `by`: whose the file beside it is.
///
/// # Errors
/// A sentence; the file is then as it was.
pub(super) fn replace(
    target: &Target,
    before: Option<&[u8]>,
    content: &[u8],
    by: Option<StagedBy<'_>>,
    ready: impl FnOnce(&Before) -> Result<(), String>,
) -> Result<Before, String> {
    put(target, before, content, by, ready).map_err(|why| why.sentence(&target.shown))
}

/// The same; the reason is not in words yet, since something else may have happened before it.
///
/// # Errors
/// The reason; the file is then as it was.
pub(super) fn put(
    target: &Target,
    before: Option<&[u8]>,
    content: &[u8],
    by: Option<StagedBy<'_>>,
    ready: impl FnOnce(&Before) -> Result<(), String>,
) -> Result<Before, Unplaced> {
    let fail = Unplaced::System;
    let (anchor, made) = target.making().map_err(fail)?;
    let staged = anchor.stage_by(by, content).map_err(fail)?;
    let now = match anchor.open() {
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => None,
        now => Some(now.and_then(|now| staged.like(&now)).map_err(fail)?),
    };
    let mode = now.as_ref().map(|now| now.permissions().mode() & 0o7777);
    let found = Before { mode, made, names: now.map_or(1, |now| now.nlink()) };
    // Twice: what is not as it was is not put on record, and that takes a moment.
    refuse_other(&anchor, before)?;
    ready(&found).map_err(Unplaced::Stopped)?;
    refuse_other(&anchor, before)?;
    staged.place(before.is_some()).map_err(fail)?;
    Ok(found)
}

fn refuse_other(anchor: &Anchor, before: Option<&[u8]>) -> Result<(), Unplaced> {
    let now = match anchor.open() {
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => None,
        file => Some(file.and_then(all_of).map_err(Unplaced::System)?),
    };
    if now.as_deref() == before { Ok(()) } else { Err(Unplaced::Changed) }
}
