//! Files read whole and replaced whole: the new content stands there at once or not at all.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;

use super::anchor::Anchor;
use super::words::{explain, size};
use super::workspace::Place;

/// The largest file that is held in memory.
pub(super) const MOST_BYTES: u64 = 10 << 20;

/// Opens a plain file, refusing whatever is not one (reading a pipe would wait for ever).
///
/// # Errors
/// A sentence that says what to do instead.
pub(super) fn open(place: &Place) -> Result<(File, Metadata), String> {
    let shown = &place.shown;
    let is_folder = || format!("`{shown}` is a folder; use `list` to see what is in it");
    if place.path.is_dir() {
        return Err(is_folder());
    }
    let opened = Anchor::of(&place.path).and_then(|anchor| anchor.open()).and_then(|file| {
        let meta = file.metadata()?;
        Ok((file, meta))
    });
    match opened {
        Ok((_, meta)) if meta.is_dir() => Err(is_folder()),
        Ok((_, meta)) if !meta.is_file() => Err(no_file(shown)),
        // Nothing can be opened that has nobody at its other end, as a socket.
        Err(failure) if is_special(place) => Err(format!("{} ({failure})", no_file(shown))),
        Err(failure) => Err(explain(shown, &failure)),
        Ok(opened) => Ok(opened),
    }
}

fn no_file(shown: &str) -> String {
    format!("`{shown}` is neither a file nor a folder (a device, pipe or socket); leave it alone")
}

fn is_special(place: &Place) -> bool {
    fs::symlink_metadata(&place.path)
        .is_ok_and(|meta| !meta.is_file() && !meta.is_dir() && !meta.is_symlink())
}

/// The content of a file, if there is one.
///
/// # Errors
/// A sentence, also when it is too large to be held.
pub(super) fn load(place: &Place) -> Result<Option<Vec<u8>>, String> {
    match fs::symlink_metadata(&place.path) {
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(failure) => return Err(explain(&place.shown, &failure)),
        Ok(_) => {}
    }
    let (file, meta) = open(place)?;
    let large = |bytes: u64| {
        format!("`{}` is too large for this ({}); use `shell` with sed or a script", place.shown, size(bytes))
    };
    if meta.len() > MOST_BYTES {
        return Err(large(meta.len()));
    }
    let content = all_of(file).map_err(|failure| explain(&place.shown, &failure))?;
    // Some files, as those in /proc, only say their size by being read.
    if content.len() as u64 > MOST_BYTES { Err(large(content.len() as u64)) } else { Ok(Some(content)) }
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

/// Writes a content beside the file and puts it in its place; mode and owner stay as they were. Missing folders are
/// made. `ready` is asked when only the rename is left; then the file must still have the content `before`.
///
/// # Errors
/// A sentence; the file is then as it was.
pub(super) fn replace(
    place: &Place,
    before: Option<&[u8]>,
    content: &[u8],
    ready: impl FnOnce(&Before) -> Result<(), String>,
) -> Result<Before, String> {
    let fail = |failure: io::Error| format!("{}; nothing was changed", explain(&place.shown, &failure));
    let (anchor, made) = Anchor::making(&place.path).map_err(fail)?;
    let staged = anchor.stage(content).map_err(fail)?;
    let now = anchor.open().and_then(|file| file.metadata());
    let now = match now {
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => None,
        now => Some(now.map_err(fail)?),
    };
    if let Some(now) = &now {
        staged.like(now).map_err(fail)?;
    }
    let mode = now.as_ref().map(|now| now.permissions().mode() & 0o7777);
    let found = Before { mode, made, names: now.map_or(1, |now| now.nlink()) };
    // Twice: what is not as it was is not put on record, and that takes a moment.
    refuse_other(&anchor, place, before)?;
    ready(&found)?;
    refuse_other(&anchor, place, before)?;
    staged.place(before.is_some()).map_err(fail)?;
    Ok(found)
}

fn refuse_other(anchor: &Anchor, place: &Place, before: Option<&[u8]>) -> Result<(), String> {
    let now = match anchor.open() {
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => None,
        file => {
            let content = file.and_then(all_of).map_err(|failure| explain(&place.shown, &failure))?;
            Some(content)
        }
    };
    if now.as_deref() == before {
        return Ok(());
    }
    Err(format!(
        "`{}` has changed while this was being done; nothing was written; read it again, then repeat the change",
        place.shown
    ))
}
