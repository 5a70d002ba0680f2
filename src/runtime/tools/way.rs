//! A path is resolved once, folder by folder, each opened in the one before and held: links are followed here, as far
//! as they exist, and nowhere after that.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FileType, OFlags};

use super::anchor::Anchor;
use super::beneath;

/// As many links as the system itself follows.
const MOST_LINKS: usize = 40;

/// Where a path led: the last folder of it that was there, held open, and the names below that.
#[derive(Debug)]
pub(super) struct PathWalk {
    folder: Arc<OwnedFd>,
    /// Its path: absolute, without links and `..`.
    at: PathBuf,
    /// The names that follow: nothing, a file, or what is missing.
    rest: Vec<OsString>,
}

impl PathWalk {
    /// Walks an absolute path as the system would; from the first missing part on it is taken as written. `None` when
    /// links go in a circle.
    ///
    /// # Errors
    /// The system's: its root cannot be opened, or too many files are open.
    pub(super) fn of(path: &Path) -> io::Result<Option<Self>> {
        let top = (Arc::new(beneath::top()?), PathBuf::from("/"));
        let mut left: VecDeque<OsString> = parts(path).collect();
        let (mut above, mut here, mut rest) = (Vec::new(), top.clone(), Vec::<OsString>::new());
        let mut links = 0;
        while let Some(part) = left.pop_front() {
            if part == ".." {
                if rest.pop().is_none() {
                    here = above.pop().unwrap_or_else(|| top.clone());
                }
                continue;
            }
            if !rest.is_empty() {
                rest.push(part);
                continue;
            }
            match step(&here.0, &part)? {
                NameKind::Folder(folder) => {
                    let path = here.1.join(&part);
                    above.push(std::mem::replace(&mut here, (Arc::new(folder), path)));
                }
                NameKind::Other => rest.push(part),
                NameKind::Link(target) => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Ok(None);
                    }
                    if target.is_absolute() {
                        above.clear();
                        here = top.clone();
                    }
                    for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
                        left.push_front(part);
                    }
                }
            }
        }
        Ok(Some(Self { folder: here.0, at: here.1, rest }))
    }

    /// Where it led: absolute, without links and `..`.
    pub(super) fn path(&self) -> PathBuf {
        self.rest.iter().fold(self.at.clone(), |path, name| path.join(name))
    }

    /// Whether it led to a folder, which is held open then.
    pub(super) fn is_folder(&self) -> bool {
        self.rest.is_empty()
    }

    /// The name in its folder, which is the one that was found. Fails when that stands elsewhere by now.
    ///
    /// # Errors
    /// The system's; also words that say what has changed.
    pub(super) fn anchor(&self) -> io::Result<Anchor> {
        match self.folder_still()? {
            Some(folder) => Anchor::below(folder, &self.rest),
            None => Anchor::of(&self.path()),
        }
    }

    /// The same, making the folders that are missing. Gives the first that was made, too.
    ///
    /// # Errors
    /// As [`Self::anchor`].
    pub(super) fn making(&self) -> io::Result<(Anchor, Option<PathBuf>)> {
        match self.folder_still()? {
            Some(folder) => Anchor::making_below(folder, &self.at, &self.rest),
            None => Anchor::making(&self.path()),
        }
    }

    /// The folder, if it is the one at its path; `None` when it was removed: then nobody can have put it elsewhere, and
    /// what stands at its path is found without following links.
    fn folder_still(&self) -> io::Result<Option<Arc<OwnedFd>>> {
        let held = rustix::fs::fstat(&self.folder)?;
        let now = beneath::folder(beneath::top()?, self.at.strip_prefix("/").unwrap_or(&self.at));
        let is_it = now.as_ref().is_ok_and(|now| {
            rustix::fs::fstat(now).is_ok_and(|now| (now.st_dev, now.st_ino) == (held.st_dev, held.st_ino))
        });
        if is_it {
            return Ok(Some(Arc::clone(&self.folder)));
        }
        if held.st_nlink == 0 {
            return Ok(None);
        }
        let name = self.at.file_name().unwrap_or(self.at.as_os_str()).display();
        let what = match now {
            Ok(_) => "another folder has taken its place".to_owned(),
            Err(failure) if failure.kind() == io::ErrorKind::NotFound => "it is gone".to_owned(),
            Err(failure) => failure.to_string(),
        };
        Err(io::Error::other(format!(
            "the folder `{name}` has moved since this was decided ({what}): nothing was done; check it again"
        )))
    }
}

/// What a name in a folder is.
enum NameKind {
    Folder(OwnedFd),
    Link(PathBuf),
    /// A file, nothing, or what cannot be looked at.
    Other,
}

fn step(folder: &OwnedFd, name: &OsStr) -> io::Result<NameKind> {
    match beneath::one(folder, name, beneath::THROUGH | OFlags::DIRECTORY) {
        Ok(inner) => return Ok(NameKind::Folder(inner)),
        // Whatever could not be held must not be taken for something that is not there.
        Err(failure) if is_exhausted(&failure) => return Err(failure),
        Err(_) => {}
    }
    match link(folder, name) {
        Ok(Some(target)) => Ok(NameKind::Link(target)),
        Err(failure) if is_exhausted(&failure) => Err(failure),
        Ok(None) | Err(_) => Ok(NameKind::Other),
    }
}

/// Where a link leads. It is held while it is read, so that it is that link which was found.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn link(folder: &OwnedFd, name: &OsStr) -> io::Result<Option<PathBuf>> {
    let found = beneath::one(folder, name, OFlags::PATH)?;
    if !FileType::from_raw_mode(rustix::fs::fstat(&found)?.st_mode).is_symlink() {
        return Ok(None);
    }
    Ok(Some(target(rustix::fs::readlinkat(found.as_fd(), "", Vec::new())?)))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn link(folder: &OwnedFd, name: &OsStr) -> io::Result<Option<PathBuf>> {
    if !FileType::from_raw_mode(beneath::stat(folder, name)?.st_mode).is_symlink() {
        return Ok(None);
    }
    Ok(Some(target(rustix::fs::readlinkat(folder.as_fd(), name, Vec::new())?)))
}

fn target(text: std::ffi::CString) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    OsString::from_vec(text.into_bytes()).into()
}

fn is_exhausted(failure: &io::Error) -> bool {
    use rustix::io::Errno;
    let codes = [Errno::MFILE, Errno::NFILE, Errno::NOMEM];
    codes.iter().any(|code| failure.raw_os_error() == Some(code.raw_os_error()))
}

fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}

/// A path as it is written, `.` and `..` taken out of the words alone.
pub(super) fn as_written(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part @ (Component::Normal(_) | Component::RootDir | Component::Prefix(_)) => plain.push(part),
        }
    }
    plain
}
