//! The copy of a folder, and files in it that are set to other contents. No link is followed on the way to any of them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tempfile::TempDir;

use super::links::CopiedLinks;
use super::repository::Repository;
use crate::runtime::git::command;
use crate::runtime::open_regular;
use crate::runtime::tools::anchor::Anchor;

/// Most files of a copy.
const MOST_FILES: usize = 100_000;
/// Most bytes of a copy.
const MOST_BYTES: u64 = 2 << 30;
/// Most repositories in it.
const MOST_NESTED: usize = 1_000;
/// Where a folder's settings of this program are.
const SETTINGS: &str = ".countersign";
/// Most bytes of the list of files.
const MOST_OF_LIST: u64 = 256 << 20;

/// A copy of a folder, removed when it is dropped.
#[derive(Debug)]
pub struct TrialFolder {
    folder: TempDir,
    root: PathBuf,
    nested: Vec<PathBuf>,
    shared: Vec<PathBuf>,
}

impl TrialFolder {
    /// Copies what git lists of a folder, tracked or not ignored; all of it where there is no repository. Ends early, with an error, once
    /// `stop` is set.
    ///
    /// # Errors
    /// A sentence: something cannot be read or written, or it is more than a copy may have.
    pub fn copy(source: &Path, stop: &AtomicBool) -> Result<Self, String> {
        Self::copy_in(&std::env::temp_dir(), source, stop)
    }

    /// The same, beside the folder, or beside the repository in which it lies. The copy has a repository of its own then, so that what git
    /// does in it changes nothing in the other one.
    ///
    /// # Errors
    /// As for [`Self::copy`], and that git fails.
    pub fn copy_beside(source: &Path, stop: &AtomicBool) -> Result<Self, String> {
        let repository = Repository::of(source);
        let top = repository.as_ref().map_or(source, Repository::top);
        let copy = Self::copy_in(top.parent().unwrap_or(source), source, stop)?;
        repository.map_or(Ok(()), |repository| repository.give(source, copy.path()))?;
        Ok(copy)
    }

    fn copy_in(place: &Path, source: &Path, stop: &AtomicBool) -> Result<Self, String> {
        let folder = tempfile::Builder::new().prefix("countersign-copy-").tempdir_in(place);
        let folder = folder.map_err(|why| format!("cannot make a temporary folder: {why}"))?;
        let root =
            folder.path().canonicalize().map_err(|why| format!("{}: {why}", folder.path().display()))?;
        let (mut files, nested) = match listed_by_git(source)? {
            Some(files) => with_nested(source, files)?,
            None => (walked(source, stop)?, Vec::new()),
        };
        files.extend(own_settings(source, stop)?);
        files.sort();
        files.dedup();
        if files.len() > MOST_FILES {
            return Err(too_large(source, &format!("more than {MOST_FILES} files")));
        }
        let mut copying = Copying {
            source,
            root: &root,
            bytes: 0,
            links: CopiedLinks::new(source, &root),
            plain: BTreeSet::new(),
        };
        for file in &files {
            if stop.load(Relaxed) {
                return Err("the copy was stopped".to_owned());
            }
            copying.file(file)?;
        }
        let shared = copying.links.make()?;
        Ok(Self { folder, root, nested, shared })
    }

    /// Folders of it that are repositories of their own in the source, submodules among them: their files are here, as git lists them, and
    /// their history is not.
    pub fn nested(&self) -> &[PathBuf] {
        &self.nested
    }

    /// Links in it that lead out of it: what they lead to is no copy.
    pub fn shared(&self) -> &[PathBuf] {
        &self.shared
    }

    /// The same in a sentence, if there are such.
    pub fn shared_in_words(&self) -> Option<String> {
        let (first, others) = self.shared.split_first()?;
        let more = match others.len() {
            0 => " leads".to_owned(),
            1 => " and another link lead".to_owned(),
            more => format!(" and {more} other links lead"),
        };
        Some(format!("{}{more} out of the copy: changes there are permanent", first.display()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Gives a file this content, or takes it away. `file` is a path in the folder.
    ///
    /// # Errors
    /// A sentence: the path leaves the folder, goes through a link, or cannot be written.
    pub fn set(&self, file: &Path, content: Option<&[u8]>) -> Result<(), String> {
        if !is_below(file) {
            return Err(format!("{} does not lie in the folder", file.display()));
        }
        let place = self.root.join(file);
        let failed = |why: io::Error| format!("{} in the copy: {why}", file.display());
        let Some(content) = content else {
            let anchor = match Anchor::of(&place) {
                Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(()),
                anchor => anchor.map_err(failed)?,
            };
            return match anchor.remove() {
                Err(why) if why.kind() != io::ErrorKind::NotFound => Err(failed(why)),
                _ => Ok(()),
            };
        };
        let (anchor, _) = Anchor::making(&place).map_err(failed)?;
        let staged = anchor.stage(content).map_err(failed)?;
        if let Ok(now) = anchor.open().and_then(|now| now.metadata()) {
            staged.with_mode(now.permissions().mode()).map_err(failed)?;
        }
        staged.place(true).map_err(failed)
    }

    /// Leaves the folder where it is, and says where.
    pub fn keep(self) -> PathBuf {
        let _kept = self.folder.keep();
        self.root
    }
}

/// Whether a path only goes down.
fn is_below(path: &Path) -> bool {
    !path.as_os_str().is_empty() && path.components().all(|part| matches!(part, Component::Normal(_)))
}

struct Copying<'a> {
    source: &'a Path,
    root: &'a Path,
    bytes: u64,
    links: CopiedLinks<'a>,
    /// Folders of the source that were seen not to be links.
    plain: BTreeSet<PathBuf>,
}

impl Copying<'_> {
    /// Copies one file. What is gone by now, lies behind a link, or is no file is left out.
    fn file(&mut self, file: &Path) -> Result<(), String> {
        if !is_below(file) || !self.is_plain(file.parent().unwrap_or(Path::new(""))) {
            return Ok(());
        }
        let from = self.source.join(file);
        let Ok(meta) = from.symlink_metadata() else { return Ok(()) };
        let to = self.root.join(file);
        if meta.is_symlink() {
            if let Ok(target) = fs::read_link(&from) {
                self.links.add(file, target);
            }
            return Ok(());
        }
        if !meta.is_file() {
            return Ok(());
        }
        let failed = |why: io::Error| format!("cannot copy {}: {why}", from.display());
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let (mut found, meta) = open_regular(&from).map_err(failed)?;
        let mode = meta.permissions().mode() & 0o777;
        let mut options = OpenOptions::new();
        let mut made = options.write(true).create_new(true).mode(mode | 0o200).open(&to).map_err(failed)?;
        self.bytes += copied(&mut found, &mut made, MOST_BYTES.saturating_sub(self.bytes)).map_err(failed)?;
        if self.bytes >= MOST_BYTES {
            return Err(too_large(self.source, &format!("more than {} GB", MOST_BYTES >> 30)));
        }
        Ok(())
    }

    fn is_plain(&mut self, folder: &Path) -> bool {
        if folder.as_os_str().is_empty() || self.plain.contains(folder) {
            return true;
        }
        let above = folder.parent().unwrap_or(Path::new(""));
        let is_plain = self.is_plain(above)
            && self.source.join(folder).symlink_metadata().is_ok_and(|found| found.is_dir());
        if is_plain {
            self.plain.insert(folder.to_owned());
        }
        is_plain
    }
}

fn copied(from: &mut File, to: &mut File, most: u64) -> io::Result<u64> {
    io::copy(&mut from.take(most), to).and_then(|bytes| to.flush().map(|()| bytes))
}

fn too_large(source: &Path, what: &str) -> String {
    format!(
        "{} has {what}, which is too much to copy; add what is built or downloaded to .gitignore",
        source.display()
    )
}

/// What git lists; `None`: there is no repository, or no git. Nothing that the repository's settings name is run.
fn listed_by_git(folder: &Path) -> Result<Option<Vec<PathBuf>>, String> {
    let child = command(folder, ["ls-files", "-coz", "--exclude-standard"]).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else { return Ok(None) };
    let mut list = Vec::new();
    let read = child.stdout.take().map(|stdout| stdout.take(MOST_OF_LIST + 1).read_to_end(&mut list));
    let is_whole = matches!(read, Some(Ok(_))) && list.len() as u64 <= MOST_OF_LIST;
    if !is_whole {
        child.kill().ok();
    }
    let ended = child.wait().map_err(|why| format!("git did not list the files: {why}"))?;
    if !is_whole {
        return Err(too_large(folder, "a list of files that is too long"));
    }
    let names = list.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let mut files: Vec<PathBuf> = names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect();
    // A file in conflict is listed once a side.
    files.sort();
    files.dedup();
    Ok(ended.success().then_some(files))
}

/// The files of a list, and those that git lists in the repositories which lie in it. Of such a folder git tells only the name.
fn with_nested(source: &Path, listed: Vec<PathBuf>) -> Result<(Vec<PathBuf>, Vec<PathBuf>), String> {
    let (mut files, mut nested, mut left) = (Vec::new(), Vec::new(), listed);
    while let Some(path) = left.pop() {
        let place = source.join(&path);
        let is_folder = is_below(&path) && place.symlink_metadata().is_ok_and(|found| found.is_dir());
        // Without a repository of its own, git would list the one that it lies in.
        if !is_folder || place.join(".git").symlink_metadata().is_err() {
            files.push(path);
        } else {
            let below = listed_by_git(&place)?.unwrap_or_default();
            left.extend(below.into_iter().map(|file| path.join(file)));
            // Without the slash that git ends it with.
            nested.push(path.components().collect());
        }
        if files.len() + left.len() > MOST_FILES || nested.len() > MOST_NESTED {
            return Err(too_large(
                source,
                &format!("more than {MOST_FILES} files or {MOST_NESTED} repositories"),
            ));
        }
    }
    files.sort();
    nested.sort();
    Ok((files, nested))
}

/// The settings of this program for the folder, also where git ignores them: the rules in them hold in the copy.
fn own_settings(source: &Path, stop: &AtomicBool) -> Result<Vec<PathBuf>, String> {
    let is_folder = source.join(SETTINGS).symlink_metadata().is_ok_and(|found| found.is_dir());
    if !is_folder {
        return Ok(Vec::new());
    }
    let files = walked(&source.join(SETTINGS), stop)?;
    Ok(files.into_iter().map(|file| Path::new(SETTINGS).join(file)).collect())
}

/// All files and links below a folder, without what is a repository's own.
fn walked(source: &Path, stop: &AtomicBool) -> Result<Vec<PathBuf>, String> {
    let (mut files, mut left) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(folder) = left.pop() {
        let children = fs::read_dir(source.join(&folder));
        let children =
            children.map_err(|why| format!("cannot read {}: {why}", source.join(&folder).display()))?;
        for child in children.flatten() {
            if stop.load(Relaxed) {
                return Err("the copy was stopped".to_owned());
            }
            let path = folder.join(child.file_name());
            match child.file_type() {
                Ok(kind) if kind.is_dir() && child.file_name() != ".git" => left.push(path),
                Ok(kind) if kind.is_file() || kind.is_symlink() => files.push(path),
                _ => {}
            }
            if files.len() + left.len() > MOST_FILES {
                return Err(too_large(source, &format!("more than {MOST_FILES} files")));
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn copy(source: &Path) -> TrialFolder {
        TrialFolder::copy(source, &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn a_copy_has_the_files_and_links_and_follows_none() {
        let place = tempfile::tempdir().unwrap();
        let (work, out) = (place.path().join("work"), place.path().join("out"));
        fs::create_dir_all(work.join("src")).unwrap();
        fs::create_dir_all(&out).unwrap();
        fs::write(work.join("src/a"), "ours").unwrap();
        fs::write(out.join("file"), "theirs").unwrap();
        symlink(&out, work.join("link")).unwrap();
        let copy = copy(&work);
        assert_eq!(fs::read(copy.path().join("src/a")).unwrap(), b"ours");
        assert_eq!(fs::read_link(copy.path().join("link")).unwrap(), out);
        copy.set(Path::new("src/new/b"), Some(b"made")).unwrap();
        assert_eq!(fs::read(copy.path().join("src/new/b")).unwrap(), b"made");
        copy.set(Path::new("src/a"), None).unwrap();
        copy.set(Path::new("src/a"), None).unwrap();
        assert!(!copy.path().join("src/a").exists());
        for odd in ["../out/file", "/etc/x", "link/file", "a/../../x", ""] {
            assert!(copy.set(Path::new(odd), Some(b"x")).is_err(), "{odd}");
        }
        assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
        assert_eq!(fs::read(out.join("file")).unwrap(), b"theirs");
        let root = copy.path().to_owned();
        drop(copy);
        assert!(!root.exists() && work.join("src/a").exists());
    }

    #[test]
    fn a_copy_that_is_stopped_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("a"), "x").unwrap();
        let stopped = TrialFolder::copy(place.path(), &AtomicBool::new(true)).unwrap_err();
        assert!(stopped.contains("stopped"), "{stopped}");
    }
}
