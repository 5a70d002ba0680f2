//! Files read whole and replaced whole: the new content stands there at once or not at all.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};

use super::words::{explain, size};
use super::workspace::Place;

/// The largest file that is held in memory.
pub(super) const MOST_BYTES: u64 = 10 << 20;
/// As the system's own tools make files; the umask takes its part.
const NEW_FILE_MODE: u32 = 0o666;

/// What stands at a path, refusing whatever is not a plain file (opening a pipe would wait for ever).
///
/// # Errors
/// A sentence that says what to do instead.
pub(super) fn examine(place: &Place) -> Result<Metadata, String> {
    let shown = &place.shown;
    let meta = fs::metadata(&place.path).map_err(|failure| explain(shown, &failure))?;
    if meta.is_dir() {
        return Err(format!("`{shown}` is a folder; use `list` to see what is in it"));
    }
    if !meta.is_file() {
        return Err(format!(
            "`{shown}` is neither a file nor a folder (a device, pipe or socket); leave it alone"
        ));
    }
    Ok(meta)
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
    let large = |bytes: u64| {
        format!("`{}` is too large for this ({}); use `shell` with sed or a script", place.shown, size(bytes))
    };
    let meta = examine(place)?;
    if meta.len() > MOST_BYTES {
        return Err(large(meta.len()));
    }
    let mut content = Vec::new();
    File::open(&place.path)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut content))
        .map_err(|failure| explain(&place.shown, &failure))?;
    // Some files, as those in /proc, only say their size by being read.
    if content.len() as u64 > MOST_BYTES { Err(large(content.len() as u64)) } else { Ok(Some(content)) }
}

/// Writes a content beside the file and puts it in its place; mode and owner stay as they were. `wanted` is asked
/// last, when only the rename is left. Missing folders are made.
///
/// # Errors
/// A sentence; the file is then as it was.
pub(super) fn replace(place: &Place, content: &[u8], wanted: impl Fn() -> bool) -> Result<(), String> {
    let fail = |failure: io::Error| format!("{}; nothing was changed", explain(&place.shown, &failure));
    let folder = place.path.parent().ok_or_else(|| format!("`{}` is not a file name", place.shown))?;
    fs::create_dir_all(folder).map_err(fail)?;
    let before = fs::metadata(&place.path).ok();
    let mut fresh = tempfile::Builder::new()
        .prefix(".countersign-")
        .permissions(Permissions::from_mode(NEW_FILE_MODE))
        .tempfile_in(folder)
        .map_err(fail)?;
    fresh.write_all(content).map_err(fail)?;
    if let Some(before) = before {
        keep_owner_and_mode(fresh.as_file(), &before).map_err(fail)?;
    }
    fresh.as_file().sync_all().map_err(fail)?;
    if !wanted() {
        return Err("stopped before anything was changed".to_owned());
    }
    fresh.persist(&place.path).map_err(|failure| fail(failure.error))?;
    Ok(())
}

fn keep_owner_and_mode(file: &File, before: &Metadata) -> io::Result<()> {
    let now = file.metadata()?;
    if (now.uid(), now.gid()) != (before.uid(), before.gid()) {
        // Only root can give files away; for everybody else the file becomes theirs, as with any editor.
        fchown(file, Some(before.uid()), Some(before.gid())).ok();
    }
    file.set_permissions(before.permissions())
}
