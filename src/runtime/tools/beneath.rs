//! Opening what lies below a folder that is held open, without ever following a link.
//!
//! On Linux the kernel holds that (`openat2`, from 5.6 on). Elsewhere, and where a filter refuses that call, the path is
//! opened component by component, each without following a link.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

/// To go through a folder nobody needs to read it.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) const THROUGH: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) const THROUGH: OFlags = OFlags::RDONLY;

/// How a file is opened that nobody has looked at yet: without waiting for the other end of a pipe, and without taking a
/// terminal.
const READING: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// The root of the file system, to go through.
///
/// # Errors
/// The system's.
pub(super) fn top() -> io::Result<OwnedFd> {
    Ok(rustix::fs::open("/", THROUGH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

/// Opens `path`, which is relative and has no `..`, below `folder`.
///
/// # Errors
/// The system's; also when a part of the path is a symlink, which is said in words.
pub(super) fn open(folder: impl AsFd, path: &Path, how: OFlags) -> io::Result<OwnedFd> {
    let folder = folder.as_fd();
    if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(io::Error::other("it is not a resolved path"));
    }
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    match at_once(folder, path, how) {
        // The kernel does not know the call, a filter refuses it, or a link is in the way: which one it is gets a name.
        Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::LOOP | Errno::NOTDIR | Errno::MLINK) => {
            by_parts(folder, path, how)
        }
        opened => Ok(opened?),
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn at_once(folder: BorrowedFd<'_>, path: &Path, how: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(folder, path, how | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty(), resolve)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn at_once(_folder: BorrowedFd<'_>, _path: &Path, _how: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

fn by_parts(folder: BorrowedFd<'_>, path: &Path, how: OFlags) -> io::Result<OwnedFd> {
    let mut parts = path.components().map(Component::as_os_str).peekable();
    let mut held: Option<OwnedFd> = None;
    while let Some(part) = parts.next() {
        let at = held.as_ref().map_or(folder, AsFd::as_fd);
        let how = if parts.peek().is_some() { THROUGH | OFlags::DIRECTORY } else { how };
        held = Some(one(at, part, how)?);
    }
    held.ok_or_else(|| io::Error::other("it is not the name of a file"))
}

/// Opens one name in a folder.
///
/// # Errors
/// As [`open`].
pub(super) fn one(folder: impl AsFd, name: &OsStr, how: OFlags) -> io::Result<OwnedFd> {
    let folder = folder.as_fd();
    rustix::fs::openat(folder, name, how | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
        .map_err(|failure| no_entry(folder, name, failure))
}

/// Opens a folder to be gone through.
///
/// # Errors
/// As [`open`].
pub(super) fn folder(folder: impl AsFd, path: &Path) -> io::Result<OwnedFd> {
    open(folder, path, THROUGH | OFlags::DIRECTORY)
}

/// Opens what is there for reading, whatever it is. Never waits.
///
/// # Errors
/// As [`open`].
pub(super) fn file(folder: impl AsFd, path: &Path) -> io::Result<File> {
    open(folder, path, READING).map(File::from)
}

/// Opens a folder, so that its names can be read.
///
/// # Errors
/// As [`open`].
pub(super) fn names(folder: impl AsFd, path: &Path) -> io::Result<rustix::fs::Dir> {
    let folder = open(folder, path, OFlags::RDONLY | OFlags::DIRECTORY)?;
    Ok(rustix::fs::Dir::new(folder)?)
}

/// What is at a name, links not followed.
///
/// # Errors
/// The system's.
pub(super) fn stat(folder: impl AsFd, name: &OsStr) -> io::Result<Stat> {
    Ok(rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// The content of a regular file of at most so many bytes; `None` when it is another kind of file, or larger.
///
/// # Errors
/// As [`open`].
pub(super) fn small(folder: impl AsFd, path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    whole(file(folder, path)?, most)
}

/// The content of an open file, if it is a regular one of at most so many bytes.
///
/// # Errors
/// The system's.
pub(super) fn whole(file: File, most: u64) -> io::Result<Option<Vec<u8>>> {
    let meta = file.metadata()?;
    if !meta.is_file() || meta.len() > most {
        return Ok(None);
    }
    let mut content = Vec::new();
    // Somebody may be writing to it, and some files only say their size by being read.
    file.take(most + 1).read_to_end(&mut content)?;
    Ok((content.len() as u64 <= most).then_some(content))
}

/// What the system says, or that there is a link where none was.
fn no_entry(folder: BorrowedFd<'_>, name: &OsStr, failure: Errno) -> io::Error {
    let is_link = matches!(failure, Errno::LOOP | Errno::NOTDIR | Errno::MLINK)
        && stat(folder, name).is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_symlink());
    if is_link { self::is_link(name) } else { failure.into() }
}

/// There is a link where none was.
pub(super) fn is_link(name: &OsStr) -> io::Error {
    io::Error::other(format!("`{}` has just become a symlink; check it again", name.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    type PathWalk = fn(BorrowedFd<'_>, &Path, OFlags) -> io::Result<OwnedFd>;

    #[test]
    fn both_ways_of_opening_follow_no_link_and_climb_nowhere() {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("in/deep")).unwrap();
        fs::create_dir(base.join("out")).unwrap();
        fs::write(base.join("in/deep/file"), "ours").unwrap();
        fs::write(base.join("out/file"), "theirs").unwrap();
        symlink("../out", base.join("in/link")).unwrap();
        symlink("../../out/file", base.join("in/deep/link")).unwrap();
        let top = super::folder(top().unwrap(), base.join("in").strip_prefix("/").unwrap()).unwrap();
        let ways: [PathWalk; 2] = [|folder, path, how| open(folder, path, how), by_parts];
        for way in ways {
            let read = |path: &str| way(top.as_fd(), Path::new(path), READING).map(File::from);
            assert_eq!(whole(read("deep/file").unwrap(), 9).unwrap().unwrap(), b"ours");
            let why = read("link/file").unwrap_err().to_string();
            assert!(why.contains("`link` has just become a symlink"), "{why}");
            assert!(read("deep/link").is_err());
            assert_eq!(read("nothing").unwrap_err().kind(), io::ErrorKind::NotFound);
        }
        assert!(open(top.as_fd(), Path::new("../out/file"), READING).is_err());
        assert!(open(top.as_fd(), Path::new("/etc/passwd"), READING).is_err());
    }

    #[test]
    fn what_is_no_small_regular_file_has_no_content() {
        let held = tempfile::tempdir().unwrap();
        fs::write(held.path().join("four"), "four").unwrap();
        let folder = File::open(held.path()).unwrap();
        assert_eq!(small(&folder, Path::new("four"), 4).unwrap().unwrap(), b"four");
        assert_eq!(small(&folder, Path::new("four"), 3).unwrap(), None);
        let made = std::process::Command::new("mkfifo").arg(held.path().join("pipe")).status().unwrap();
        assert!(made.success());
        assert_eq!(small(&folder, Path::new("pipe"), 9).unwrap(), None, "and it did not wait");
    }
}
