//! A folder held open: what is done in it happens there, wherever its path leads meanwhile.
//!
//! A path is resolved, looked at and decided on before it is used. Here it is used part by part without following
//! links, so a folder that became a link in between is refused instead of followed.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, Permissions};
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use uuid::Uuid;

/// As the system's own tools make files and folders; the umask takes its part.
const NEW_FILE_MODE: u32 = 0o666;
const NEW_FOLDER_MODE: u32 = 0o777;

/// To go through a folder nobody needs to read it.
#[cfg(any(target_os = "linux", target_os = "android"))]
const THROUGH: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const THROUGH: OFlags = OFlags::RDONLY;

/// A name in a folder that is held open.
#[derive(Debug)]
pub(in crate::runtime) struct Anchor {
    folder: OwnedFd,
    name: OsString,
}

impl Anchor {
    /// The folder of `path`, which is absolute, without symlinks and `..` ([`super::workspace::Place::path`]).
    ///
    /// # Errors
    /// The system's; also when a part of the path is a symlink by now, or when there is no last part.
    pub(in crate::runtime) fn of(path: &Path) -> io::Result<Self> {
        Self::walk(path, false).map(|(anchor, _)| anchor)
    }

    /// The same, making the folders that are missing. Gives the first that was made, too.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub(in crate::runtime) fn making(path: &Path) -> io::Result<(Self, Option<PathBuf>)> {
        Self::walk(path, true)
    }

    fn walk(path: &Path, makes: bool) -> io::Result<(Self, Option<PathBuf>)> {
        let name = path.file_name().ok_or_else(|| io::Error::other("it is not the name of a file"))?;
        let mut folder = rustix::fs::open("/", flags(THROUGH), Mode::empty())?;
        let (mut at, mut made) = (PathBuf::from("/"), None);
        for part in path.parent().unwrap_or(path).components() {
            let part = match part {
                Component::Normal(part) => part,
                Component::RootDir => continue,
                _ => return Err(io::Error::other("it is not a resolved path")),
            };
            at.push(part);
            folder = match rustix::fs::openat(&folder, part, flags(THROUGH), Mode::empty()) {
                Err(Errno::NOENT) if makes => {
                    let fresh = rustix::fs::mkdirat(&folder, part, Mode::from_raw_mode(NEW_FOLDER_MODE as _));
                    match fresh {
                        Ok(()) if made.is_none() => made = Some(at.clone()),
                        Ok(()) | Err(Errno::EXIST) => {}
                        Err(failure) => return Err(failure.into()),
                    }
                    rustix::fs::openat(&folder, part, flags(THROUGH), Mode::empty())?
                }
                Err(failure) => return Err(no_entry(&folder, part, failure)),
                Ok(inner) => inner,
            };
        }
        Ok((Self { folder, name: name.to_owned() }, made))
    }

    /// Opens what is there for reading, without waiting for the other end of a pipe.
    ///
    /// # Errors
    /// The system's; a symlink is not followed.
    pub(in crate::runtime) fn open(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty()) {
            Ok(file) => Ok(File::from(file)),
            Err(failure) => Err(no_entry(&self.folder, &self.name, failure)),
        }
    }

    /// Writes a content beside the name, synced, to be put in its place.
    ///
    /// # Errors
    /// The system's; nothing is left then.
    pub(in crate::runtime) fn stage(&self, content: &[u8]) -> io::Result<Staged<'_>> {
        let name = OsString::from(format!(".countersign-{}", Uuid::now_v7().simple()));
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
        let open = rustix::fs::openat(&self.folder, ".", flags(OFlags::RDONLY), Mode::empty());
        open.and_then(rustix::fs::fsync).ok();
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
    /// Gives it the mode and, where that is permitted, the owner of another file.
    ///
    /// # Errors
    /// The system's.
    pub(in crate::runtime) fn like(&self, other: &Metadata) -> io::Result<()> {
        let now = self.file.metadata()?;
        if (now.uid(), now.gid()) != (other.uid(), other.gid()) {
            // Only root can give files away; for everybody else the file becomes theirs, as with any editor.
            fchown(&self.file, Some(other.uid()), Some(other.gid())).ok();
        }
        self.file.set_permissions(other.permissions())
    }

    /// Gives it these permissions.
    ///
    /// # Errors
    /// The system's.
    pub(in crate::runtime) fn with_mode(&self, mode: u32) -> io::Result<()> {
        self.file.set_permissions(Permissions::from_mode(mode & 0o7777))
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

fn flags(how: OFlags) -> OFlags {
    how | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

/// What the system says, or that there is a link where none was.
fn no_entry(folder: &OwnedFd, name: &OsStr, failure: Errno) -> io::Error {
    let is_link = matches!(failure, Errno::LOOP | Errno::NOTDIR | Errno::MLINK)
        && rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|found| rustix::fs::FileType::from_raw_mode(found.st_mode).is_symlink());
    if is_link {
        return io::Error::other(format!(
            "`{}` is a symlink now and was none a moment ago; look at it again",
            name.display()
        ));
    }
    failure.into()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

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
        assert!(why.contains("`link` is a symlink now"), "{why}");
        assert!(Anchor::making(&base.join("in/link/new/file")).is_err());
        let why = Anchor::of(&base.join("in/file")).unwrap().open().unwrap_err().to_string();
        assert!(why.contains("`file` is a symlink now"), "{why}");
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
