//! The file that gets the last answer (`-o`): replaced whole when the run has completed, and otherwise left as it is.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::cli::outcome::complain;
use crate::config::exit::Exit;
use crate::config::fault::Fault;

/// As the system's own tools make files; the umask takes its part.
const NEW_FILE_MODE: u32 = 0o666;

/// A place for the answer, checked before anything is sent.
#[derive(Debug)]
pub(super) struct AnswerFile {
    /// The path as it was typed.
    named: PathBuf,
    /// Its folder, without links.
    folder: PathBuf,
    /// The file in it.
    path: PathBuf,
}

impl AnswerFile {
    /// Checks that the answer can be written there.
    ///
    /// # Errors
    /// The folder is missing or cannot be written to, or what has the name is a link, a folder, a pipe or a device.
    pub(super) fn at(named: &Path) -> Result<Self, Fault> {
        let Some(name) = named.file_name() else {
            return Err(refused(named, "it has no file name"));
        };
        let folder = folder_of(named).map_err(|why| refused(named, &why.to_string()))?;
        let path = folder.join(name);
        let file = Self { named: named.to_owned(), folder, path };
        file.mode().map_err(|why| refused(named, &why))?;
        // Found now and not when the answer is there: nothing can be made in this folder.
        tempfile::tempfile_in(&file.folder).map_err(|why| refused(named, &why.to_string()))?;
        Ok(file)
    }

    /// Writes the answer of a run that has completed; of another one, says that the file is as it was.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub(super) fn keep(&self, exit: Exit, answer: &str) -> Result<(), Fault> {
        if exit == Exit::Completed {
            return self.write(answer);
        }
        complain(&format!("note: {} was not written: the run did not complete", self.named.display()));
        Ok(())
    }

    /// Puts the answer in the file's place. It ends with a newline, as on stdout.
    ///
    /// # Errors
    /// It cannot be written, or the place was exchanged during the run. The file is then as it was.
    fn write(&self, answer: &str) -> Result<(), Fault> {
        self.replace(answer).map_err(|why| {
            let what = format!("cannot write the answer to {}: {why}", self.named.display());
            Fault::failed(what, "the file is as it was; the answer is on stdout")
        })
    }

    fn replace(&self, answer: &str) -> Result<(), String> {
        let said = |why: io::Error| why.to_string();
        if folder_of(&self.named).map_err(said)? != self.folder {
            return Err("its folder was replaced during the run".to_owned());
        }
        let mode = Permissions::from_mode(self.mode()?.unwrap_or(NEW_FILE_MODE));
        let mut beside = tempfile::Builder::new();
        let beside = beside.prefix(".countersign-").permissions(mode.clone());
        let mut fresh = beside.tempfile_in(&self.folder).map_err(said)?;
        fresh.write_all(answer.as_bytes()).and_then(|()| fresh.write_all(b"\n")).map_err(said)?;
        if self.mode()?.is_some() {
            fresh.as_file().set_permissions(mode).map_err(said)?;
        }
        fresh.as_file().sync_data().map_err(said)?;
        // A rename replaces what has the name; it follows no link.
        fresh.persist(&self.path).map_err(|failure| failure.error.to_string())?;
        Ok(())
    }

    /// The permissions of the file that is there, if one is.
    fn mode(&self) -> Result<Option<u32>, String> {
        match fs::symlink_metadata(&self.path) {
            Ok(found) if found.is_symlink() => Err("it is a link; name the file that it leads to".to_owned()),
            Ok(found) if !found.is_file() => Err("it is not a regular file".to_owned()),
            Ok(found) => Ok(Some(found.permissions().mode() & 0o777)),
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(why) => Err(why.to_string()),
        }
    }
}

fn folder_of(named: &Path) -> io::Result<PathBuf> {
    let folder = named.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or_else(|| Path::new(".")).canonicalize()
}

fn refused(named: &Path, why: &str) -> Fault {
    let what = format!("-o: the answer cannot be written to {}: {why}", named.display());
    Fault::usage(what, "name a file in a folder that exists and can be written to")
}
