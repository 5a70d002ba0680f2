//! Folders as `list`, `glob` and `search` see them: ignore files respected, links not followed, `.git` left out.
//!
//! The walk goes from a folder that is held open, and opens each folder and file below that without following a link: one
//! that is exchanged for a link meanwhile is left out, and nothing is seen behind it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Stat};

use super::beneath;
use super::borders::LeftOut;
use super::ignored::{Excludes, IgnoreFiles, Rules};
use super::stop::StopFlag;
use super::target::Target;
use super::words::counted;

/// A walk from a folder, in the order of names. What is named outright is walked even if it is ignored; what is
/// hidden is left out, and not even counted.
pub(super) struct Walk<'a> {
    top: OwnedFd,
    base: PathBuf,
    folders: Vec<Folder>,
    hidden: LeftOut,
    excludes: Excludes,
    stop: &'a StopFlag,
    descends: bool,
    /// Whether what ignore files leave out is told, without going into it.
    tells_ignored: bool,
    /// Folders that could not be read.
    pub(super) unreadable: usize,
    /// Entries that ignore files, or their name, left out.
    pub(super) left_out: usize,
}

/// A folder whose entries are being walked.
struct Folder {
    /// Its path below the top.
    below: PathBuf,
    entries: std::vec::IntoIter<(OsString, FileType)>,
    rules: Arc<Rules>,
}

/// Something that the walk came by.
pub(super) struct WalkEntry {
    below: PathBuf,
    /// What it is, as far as the folder says.
    pub(super) kind: FileType,
    /// Whether ignore files leave it out: only a walk that tells them has such entries.
    pub(super) is_ignored: bool,
}

impl WalkEntry {
    /// Its path below the top.
    pub(super) fn below(&self) -> &Path {
        &self.below
    }

    /// Its name in its folder.
    pub(super) fn name(&self) -> &OsStr {
        self.below.file_name().unwrap_or_default()
    }
}

impl<'a> Walk<'a> {
    /// Through all of a folder.
    ///
    /// # Errors
    /// The system's, when the folder cannot be read.
    pub(super) fn through(
        target: &Target,
        hidden: LeftOut,
        excludes: Excludes,
        stop: &'a StopFlag,
    ) -> io::Result<Self> {
        Self::new(target, hidden, excludes, stop, true)
    }

    /// Through what stands in a folder itself.
    ///
    /// # Errors
    /// As [`Self::through`].
    pub(super) fn of_one(
        target: &Target,
        hidden: LeftOut,
        excludes: Excludes,
        stop: &'a StopFlag,
    ) -> io::Result<Self> {
        Self::new(target, hidden, excludes, stop, false)
    }

    fn new(
        target: &Target,
        hidden: LeftOut,
        mut excludes: Excludes,
        stop: &'a StopFlag,
        descends: bool,
    ) -> io::Result<Self> {
        let (top, base) = (target.anchor()?.folder()?, target.path.clone());
        let rules = excludes.above(&base);
        let mut walk = Self {
            top,
            base,
            folders: Vec::new(),
            hidden,
            excludes,
            stop,
            descends,
            tells_ignored: false,
            unreadable: 0,
            left_out: 0,
        };
        walk.enter(PathBuf::new(), &rules)?;
        Ok(walk)
    }

    /// The same walk, which also tells what ignore files leave out; it does not go into such folders.
    pub(super) fn telling_ignored(self) -> Self {
        Self { tells_ignored: true, ..self }
    }

    /// Where an entry is: absolute.
    pub(super) fn path(&self, entry: &WalkEntry) -> PathBuf {
        self.base.join(&entry.below)
    }

    /// Opens a file that the walk came by. Never waits.
    ///
    /// # Errors
    /// The system's; also when there is a link by now, at it or on the way to it.
    pub(super) fn open(&self, entry: &WalkEntry) -> io::Result<File> {
        beneath::file(&self.top, &entry.below)
    }

    /// What an entry is, links not followed.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(super) fn stat(&self, entry: &WalkEntry) -> io::Result<Stat> {
        let folder = beneath::folder(&self.top, entry.below.parent().unwrap_or(Path::new("")))?;
        beneath::stat(folder, entry.name())
    }

    /// Where a link leads, as it says.
    pub(super) fn link(&self, entry: &WalkEntry) -> Option<PathBuf> {
        let folder = beneath::folder(&self.top, entry.below.parent().unwrap_or(Path::new(""))).ok()?;
        let target = rustix::fs::readlinkat(folder, entry.name(), Vec::new()).ok()?;
        Some(OsStr::from_bytes(target.as_bytes()).into())
    }

    /// What is to be said of ignore files, if anything.
    pub(super) fn remark(&self) -> Option<String> {
        let count = self.excludes.unused();
        (count > 0).then(|| {
            format!(
                "({} not used: a link, not a regular file, too large, or with too many patterns)",
                counted(count, "ignore file")
            )
        })
    }

    /// Reads the names of a folder and its ignore files.
    fn enter(&mut self, below: PathBuf, rules: &Arc<Rules>) -> io::Result<()> {
        let mut names = beneath::names(&self.top, &below)?;
        let (mut entries, mut found) = (Vec::new(), IgnoreFiles::default());
        while let Some(entry) = names.read() {
            if self.stop.is_set() {
                break;
            }
            let Ok(entry) = entry else {
                self.unreadable += 1;
                break;
            };
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            found.see(name);
            let kind = match entry.file_type() {
                FileType::Unknown => names
                    .fd()
                    .and_then(|folder| rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW))
                    .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
                known => known,
            };
            entries.push((name.to_owned(), kind));
        }
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        let rules = self.excludes.of(names.fd()?, &self.base.join(&below), found, rules);
        self.folders.push(Folder { below, entries: entries.into_iter(), rules });
        Ok(())
    }
}

impl Iterator for Walk<'_> {
    type Item = WalkEntry;

    fn next(&mut self) -> Option<WalkEntry> {
        loop {
            if self.stop.is_set() {
                return None;
            }
            let folder = self.folders.last_mut()?;
            let Some((name, kind)) = folder.entries.next() else {
                self.folders.pop();
                continue;
            };
            let below = folder.below.join(&name);
            let path = self.base.join(&below);
            if self.hidden.hides(&path) {
                continue;
            }
            let is_folder = kind == FileType::Directory;
            let rules = Arc::clone(&folder.rules);
            let is_ignored = self.excludes.hide(&rules, &path, is_folder);
            if name == ".git" || is_ignored && !self.tells_ignored {
                self.left_out += 1;
                continue;
            }
            if is_folder && self.descends && !is_ignored && self.enter(below.clone(), &rules).is_err() {
                self.unreadable += 1;
            }
            return Some(WalkEntry { below, kind, is_ignored });
        }
    }
}
