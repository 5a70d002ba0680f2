//! The file that gets the last answer (`-o`): replaced whole when the last turn has completed, and otherwise left as it is.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, fchmod, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

use crate::cli::outcome::complain;
use crate::config::fault::Fault;
use crate::ledger::Ending;

/// Why the file is as it was where nothing was sent.
pub(super) const REFUSED: &str = "the run was refused";
/// As the system's own tools make files; the umask takes its part.
const NEW_FILE_MODE: u32 = 0o666;

/// A place for the answer, checked before anything is sent.
#[derive(Debug)]
pub(super) struct AnswerFile {
    /// The path as it was typed.
    named: PathBuf,
    /// Its folder, held open: what a run does to the path leads nowhere else.
    folder: OwnedFd,
    /// The name of the file in it.
    name: OsString,
}

impl AnswerFile {
    /// Checks that the answer can be written there.
    ///
    /// # Errors
    /// The folder is missing or cannot be written to, or what has the name is a link, a folder, a pipe or a device.
    pub(super) fn at(named: &Path) -> Result<Self, Fault> {
        if named == Path::new("-") {
            let next = "leave -o out; for a file of that name, write ./-";
            return Err(Fault::usage("-o -: the answer is written to stdout in any case", next));
        }
        let Some(name) = named.file_name() else {
            return Err(refused(named, "it has no file name"));
        };
        let folder = opened_folder(named).map_err(|why| refused(named, &why.to_string()))?;
        let file = Self { named: named.to_owned(), folder, name: name.to_owned() };
        file.mode().map_err(|why| refused(named, &why))?;
        // Found now and not when the answer is there: nothing can be made in this folder.
        file.fresh().map_err(|why| refused(named, &why.to_string()))?;
        file.forget();
        Ok(file)
    }

    /// Writes the answer of a run that has completed, although a call of it may have been denied: it is the answer that stdout gets. Of
    /// another one, says that the file is as it was.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub(super) fn keep(&self, ended: Ending, answer: &str) -> Result<(), Fault> {
        if ended.completed() {
            return self.write(answer);
        }
        self.leave(&format!("the run did not complete ({})", ended.words()));
        Ok(())
    }

    /// Says that the file is as it was, and why.
    pub(super) fn leave(&self, why: &str) {
        complain(&format!("note: {} was not written: {why}", self.named.display()));
    }

    /// Puts the answer in the file's place. It ends with a newline, as on stdout.
    ///
    /// # Errors
    /// It cannot be written. The file is then as it was.
    fn write(&self, answer: &str) -> Result<(), Fault> {
        self.replace(answer).map_err(|why| {
            let what = format!("cannot write the answer to {}: {why}", self.named.display());
            Fault::failed(what, "the file is as it was; the answer is on stdout")
        })
    }

    fn replace(&self, answer: &str) -> Result<(), String> {
        let said = |why: io::Error| why.to_string();
        let before = self.mode()?;
        let mut fresh = self.fresh().map_err(said)?;
        let written = before.map_or(Ok(()), |mode| fchmod(&fresh, mode).map_err(io::Error::from));
        let written = written.and_then(|()| fresh.write_all(answer.as_bytes()));
        let written = written.and_then(|()| fresh.write_all(b"\n")).and_then(|()| fresh.sync_data());
        // A rename replaces what has the name; it follows no link.
        let written =
            written.and_then(|()| Ok(renameat(&self.folder, self.fresh_name(), &self.folder, &self.name)?));
        written.map_err(|why| {
            self.forget();
            said(why)
        })
    }

    /// A file beside the answer's, for what is being written.
    fn fresh(&self) -> io::Result<File> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        Ok(openat(&self.folder, self.fresh_name(), flags, Mode::from_raw_mode(NEW_FILE_MODE))?.into())
    }

    fn fresh_name(&self) -> String {
        format!(".countersign-answer-{}", std::process::id())
    }

    /// Removes what was begun.
    fn forget(&self) {
        if let Err(why) = unlinkat(&self.folder, self.fresh_name(), AtFlags::empty()) {
            tracing::debug!("the unfinished answer was not removed: {why}");
        }
    }

    /// The permissions of the file that is there, if one is.
    fn mode(&self) -> Result<Option<Mode>, String> {
        match statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => match FileType::from_raw_mode(found.st_mode) {
                FileType::RegularFile => Ok(Some(Mode::from_raw_mode(found.st_mode & 0o777))),
                FileType::Symlink => Err("it is a link; name the file that it leads to".to_owned()),
                _ => Err("it is not a regular file".to_owned()),
            },
            Err(Errno::NOENT) => Ok(None),
            Err(why) => Err(io::Error::from(why).to_string()),
        }
    }
}

fn opened_folder(named: &Path) -> io::Result<OwnedFd> {
    let folder = named.parent().filter(|folder| !folder.as_os_str().is_empty());
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    Ok(openat(CWD, folder.unwrap_or_else(|| Path::new(".")), flags, Mode::empty())?)
}

fn refused(named: &Path, why: &str) -> Fault {
    let what = format!("-o: the answer cannot be written to {}: {why}", named.display());
    Fault::usage(what, "name a file in a folder that exists and can be written to")
}
