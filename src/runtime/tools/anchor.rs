//! A folder held open: what is done in it happens there, wherever its path leads meanwhile.
//!
//! A path is resolved once, when a call is looked at ([`super::way`]). Here it is used without following links, so a
//! folder that became a link in between is refused instead of followed.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, Permissions};
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use uuid::Uuid;

use super::super::staged_name::{STAGED, StagedBy};
use super::attributes;
use super::beneath;

/// As the system's own tools make files and folders; the umask takes its part.
const NEW_FILE_MODE: u32 = 0o666;
const NEW_FOLDER_MODE: u32 = 0o777;
/// Permissions that a new content may have: whoever wrote it does not hand on the rights of the file's owner or group.
const PERMISSIONS: u32 = 0o1777;

/// A name in a folder that is held open.
#[derive(Debug)]
pub(in crate::runtime) struct Anchor {
    folder: Arc<OwnedFd>,
    name: OsString,
}

impl Anchor {
    /// The folder of `path`, which is absolute, without symlinks and `..` ([`super::workspace::ResolvedPath::path`]).
    ///
    /// # Errors
    /// The system's; also when a part of the path is a symlink by now, or when there is no last part.
    pub(in crate::runtime) fn of(path: &Path) -> io::Result<Self> {
        Self::below(Arc::new(beneath::top()?), &names(path)?)
    }

    /// The same, making the folders that are missing. Gives the first that was made, too.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub(in crate::runtime) fn making(path: &Path) -> io::Result<(Self, Option<PathBuf>)> {
        Self::making_below(Arc::new(beneath::top()?), Path::new("/"), &names(path)?)
    }

    /// The last of `names`, in the folder that the others lead to from `folder`. Without names it is that folder.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub(super) fn below(folder: Arc<OwnedFd>, names: &[OsString]) -> io::Result<Self> {
        let Some((name, between)) = names.split_last() else { return Ok(Self { folder, name: ".".into() }) };
        let between: PathBuf = between.iter().collect();
        let folder = match between.as_os_str().is_empty() {
            true => folder,
            false => Arc::new(beneath::folder(&folder, &between)?),
        };
        Ok(Self { folder, name: name.clone() })
    }

    /// The same, making the folders that are missing. Gives the first that was made, too; `at` is the path of `folder`.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub(super) fn making_below(
        mut folder: Arc<OwnedFd>,
        at: &Path,
        names: &[OsString],
    ) -> io::Result<(Self, Option<PathBuf>)> {
        let Some((name, between)) = names.split_last() else {
            return Ok((Self { folder, name: ".".into() }, None));
        };
        let (mut at, mut made) = (at.to_owned(), None);
        for part in between {
            at.push(part);
            let inner = match beneath::folder(&folder, Path::new(part)) {
                Err(failure) if failure.kind() == io::ErrorKind::NotFound => {
                    let fresh = rustix::fs::mkdirat(&folder, part, Mode::from_raw_mode(NEW_FOLDER_MODE as _));
                    match fresh {
                        Ok(()) if made.is_none() => made = Some(at.clone()),
                        Ok(()) | Err(Errno::EXIST) => {}
                        Err(failure) => return Err(failure.into()),
                    }
                    beneath::folder(&folder, Path::new(part))?
                }
                inner => inner?,
            };
            folder = Arc::new(inner);
        }
        Ok((Self { folder, name: name.clone() }, made))
    }

    fn name(&self) -> &Path {
        Path::new(&self.name)
    }

    /// Opens what is there for reading, without waiting for the other end of a pipe.
    ///
    /// # Errors
    /// The system's; a symlink is not followed.
    pub(in crate::runtime) fn open(&self) -> io::Result<File> {
        beneath::file(&self.folder, self.name())
    }

    /// Opens the folder of this name, to go through.
    ///
    /// # Errors
    /// The system's; a symlink is not followed.
    pub(super) fn folder(&self) -> io::Result<OwnedFd> {
        beneath::folder(&self.folder, self.name())
    }

    /// What kind of file is there.
    ///
    /// # Errors
    /// The system's; a symlink is not followed.
    pub(super) fn kind(&self) -> io::Result<FileType> {
        let kind = FileType::from_raw_mode(beneath::stat(&self.folder, &self.name)?.st_mode);
        if kind.is_symlink() { Err(beneath::is_link(&self.name)) } else { Ok(kind) }
    }

    /// Writes a content beside the name, synced, to be put in its place.
    ///
    /// # Errors
    /// The system's; nothing is left then.
    pub(in crate::runtime) fn stage(&self, content: &[u8]) -> io::Result<Staged<'_>> {
        self.stage_as(OsString::from(format!("{STAGED}{}", Uuid::now_v7().simple())), content)
    }

    /// The same under a name by which it is known whose it is, should the process be killed now.
    ///
    /// # Errors
    /// As [`Self::stage`].
    pub(in crate::runtime) fn stage_by(
        &self,
        by: Option<StagedBy<'_>>,
        content: &[u8],
    ) -> io::Result<Staged<'_>> {
        let Some(by) = by else { return self.stage(content) };
        match self.stage_as(by.beside(&self.name), content) {
            // What is there stays there: it is not known here who is at it.
            Err(failure) if failure.kind() == io::ErrorKind::AlreadyExists => self.stage(content),
            staged => staged,
        }
    }

    /// The name of what a killed process has left here, if it has: a regular file with no other name.
    pub(in crate::runtime) fn left_by(&self, by: StagedBy<'_>) -> Option<OsString> {
        let name = by.beside(&self.name);
        let found = beneath::stat(&self.folder, &name).ok()?;
        let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
        (is_file && found.st_nlink == 1).then_some(name)
    }

    /// Removes the same. To be called only where nobody else can be writing it.
    ///
    /// # Errors
    /// The system's.
    pub(in crate::runtime) fn remove_left_by(&self, by: StagedBy<'_>) -> io::Result<Option<OsString>> {
        let Some(name) = self.left_by(by) else { return Ok(None) };
        rustix::fs::unlinkat(&self.folder, &name, AtFlags::empty())?;
        Ok(Some(name))
    }

    fn stage_as(&self, name: OsString, content: &[u8]) -> io::Result<Staged<'_>> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.folder, &name, flags, Mode::from_raw_mode(NEW_FILE_MODE as _))?;
        let mut staged = Staged { anchor: self, name, file: File::from(file), is_placed: false };
        staged.file.write_all(content)?;
        staged.file.sync_all()?;
        Ok(staged)
    }

    /// Removes the file of this name.
    ///
    /// # Errors
    /// The system's.
    pub(in crate::runtime) fn remove(&self) -> io::Result<()> {
        rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty())?;
        self.sync();
        Ok(())
    }

    /// Removes the folder of this name if it is empty.
    ///
    /// # Errors
    /// The system's.
    pub(in crate::runtime) fn remove_folder(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::REMOVEDIR)?)
    }

    /// Makes the names of the folder durable. Some file systems cannot; the content is safe without it.
    fn sync(&self) {
        let open = beneath::one(&self.folder, OsStr::new("."), OFlags::RDONLY | OFlags::DIRECTORY);
        open.map(rustix::fs::fsync).ok();
    }
}

/// A content that lies beside its place; gone when dropped before it was put there.
#[derive(Debug)]
pub(in crate::runtime) struct Staged<'a> {
    anchor: &'a Anchor,
    name: OsString,
    file: File,
    is_placed: bool,
}

impl Staged<'_> {
    /// Gives it the permissions and the extended attributes of another file and, where that is permitted, its owner.
    /// What makes a program run with rights of its owner (setuid, setgid, capabilities) was given to the content that was
    /// there, and is left out.
    ///
    /// # Errors
    /// The system's.
    pub(in crate::runtime) fn like(&self, other: &File) -> io::Result<Metadata> {
        let (now, meta) = (self.file.metadata()?, other.metadata()?);
        if (now.uid(), now.gid()) != (meta.uid(), meta.gid()) {
            // Only root can give files away; for everybody else the file becomes theirs, as with any editor.
            fchown(&self.file, Some(meta.uid()), Some(meta.gid())).ok();
        }
        // Before the mode, which may forbid writing them.
        attributes::copy(other, &self.file)?;
        self.with_mode(meta.mode())?;
        Ok(meta)
    }

    /// Gives it these permissions, without setuid and setgid.
    ///
    /// # Errors
    /// The system's.
    pub(in crate::runtime) fn with_mode(&self, mode: u32) -> io::Result<()> {
        self.file.set_permissions(Permissions::from_mode(mode & PERMISSIONS))
    }

    /// Puts it in its place, at once. `over`: what is there is replaced; otherwise nothing may be there.
    ///
    /// # Errors
    /// The system's; the place is then as it was.
    pub(in crate::runtime) fn place(mut self, over: bool) -> io::Result<()> {
        let (folder, name) = (&self.anchor.folder, &self.anchor.name);
        let plain = || rustix::fs::renameat(folder, &self.name, folder, name);
        let moved = if over {
            plain()
        } else {
            match rustix::fs::renameat_with(folder, &self.name, folder, name, RenameFlags::NOREPLACE) {
                // Not every file system can; whoever asked has just seen that nothing is there.
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => plain(),
                moved => moved,
            }
        };
        moved?;
        self.is_placed = true;
        self.anchor.sync();
        Ok(())
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if !self.is_placed {
            rustix::fs::unlinkat(&self.anchor.folder, &self.name, AtFlags::empty()).ok();
        }
    }
}

/// The names of an absolute path that has no `..`.
fn names(path: &Path) -> io::Result<Vec<OsString>> {
    let below = path.strip_prefix("/").map_err(|_outside| io::Error::other("it is not a resolved path"))?;
    let names: Vec<OsString> = below.iter().map(OsStr::to_owned).collect();
    match names.last() {
        None => Err(io::Error::other("it is not the name of a file")),
        Some(_) if names.iter().any(|name| name == "..") => {
            Err(io::Error::other("it is not a resolved path"))
        }
        Some(_) => Ok(names),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::ledger::CallId;

    #[test]
    fn a_folder_that_became_a_link_is_not_followed() {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("in/deep")).unwrap();
        fs::create_dir_all(base.join("out")).unwrap();
        fs::write(base.join("out/file"), "theirs").unwrap();
        symlink("../out", base.join("in/link")).unwrap();
        symlink("../out/file", base.join("in/file")).unwrap();
        let why = Anchor::of(&base.join("in/link/file")).unwrap_err().to_string();
        assert!(why.contains("`link` has just become a symlink"), "{why}");
        assert!(Anchor::making(&base.join("in/link/new/file")).is_err());
        let why = Anchor::of(&base.join("in/file")).unwrap().open().unwrap_err().to_string();
        assert!(why.contains("`file` has just become a symlink"), "{why}");
        assert_eq!(fs::read_dir(base.join("out")).unwrap().count(), 1);
    }

    #[test]
    fn what_is_held_open_stays_the_same_folder() {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("in")).unwrap();
        fs::create_dir_all(base.join("out")).unwrap();
        let anchor = Anchor::of(&base.join("in/file")).unwrap();
        let staged = anchor.stage(b"ours").unwrap();
        fs::rename(base.join("in"), base.join("moved")).unwrap();
        symlink("out", base.join("in")).unwrap();
        staged.place(false).unwrap();
        assert_eq!(fs::read(base.join("moved/file")).unwrap(), b"ours");
        assert_eq!(fs::read_dir(base.join("out")).unwrap().count(), 0);
    }

    #[test]
    fn what_was_left_is_known_by_its_name_and_nothing_else_is() {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        let anchor = Anchor::of(&base.join("file")).unwrap();
        let by = StagedBy { session: "s1", call: Some(CallId(1)) };
        let name = by.beside(OsStr::new("file"));
        assert_eq!(anchor.left_by(by), None);
        // As if the process had been killed now.
        std::mem::forget(anchor.stage_by(Some(by), b"ours").unwrap());
        assert_eq!(anchor.left_by(by), Some(name.clone()));
        assert_eq!(anchor.left_by(StagedBy { call: Some(CallId(2)), ..by }), None);
        assert_eq!(anchor.left_by(StagedBy { session: "s2", ..by }), None);
        // It is in nobody's way, and stays until it is removed.
        anchor.stage_by(Some(by), b"new").unwrap().place(false).unwrap();
        assert_eq!(fs::read(base.join("file")).unwrap(), b"new");
        assert_eq!(fs::read(base.join(&name)).unwrap(), b"ours");
        assert_eq!(anchor.remove_left_by(by).unwrap(), Some(name.clone()));
        assert_eq!(fs::read_dir(&base).unwrap().count(), 1);
        // A link, a folder, and a file that has another name, too, are not it.
        symlink("file", base.join(&name)).unwrap();
        assert_eq!(anchor.remove_left_by(by).unwrap(), None);
        fs::remove_file(base.join(&name)).unwrap();
        fs::create_dir(base.join(&name)).unwrap();
        assert_eq!(anchor.remove_left_by(by).unwrap(), None);
        fs::remove_dir(base.join(&name)).unwrap();
        fs::hard_link(base.join("file"), base.join(&name)).unwrap();
        assert_eq!(anchor.remove_left_by(by).unwrap(), None);
        assert_eq!(fs::read_dir(&base).unwrap().count(), 2);
    }

    #[test]
    fn what_appeared_meanwhile_is_not_written_over_and_nothing_is_left() {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        let (anchor, made) = Anchor::making(&base.join("a/b/file")).unwrap();
        assert_eq!(made, Some(base.join("a")));
        let staged = anchor.stage(b"ours").unwrap();
        fs::write(base.join("a/b/file"), "theirs").unwrap();
        assert_eq!(staged.place(false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(base.join("a/b/file")).unwrap(), b"theirs");
        assert_eq!(fs::read_dir(base.join("a/b")).unwrap().count(), 1);
    }
}
