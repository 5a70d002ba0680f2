//! The books on disk: one append-only file a session, written by one process at a time.

mod adopt;
mod find;
mod list;
mod lock;
pub(in crate::runtime) mod plain;
mod remove;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::DateTime;

pub use adopt::adopt;
pub use find::{files, find, latest};
pub use list::{Listing, Summary, list, summarise};
pub use plain::open as open_plain;
pub use remove::remove;

use crate::ledger::{Entry, Millis};
use crate::wire::record::{self, SessionFile};

use super::StorePort;

/// How the folder beside a session's file ends that keeps what undo needs: `ID.files`.
pub const SNAPSHOTS: &str = "files";

/// Writes one session. The file is made with its first entry: an app that was opened and closed leaves none.
///
/// Everything lies under `STATE/sessions/YEAR/MONTH/ID.jsonl`, folders of mode 0700 and files of mode 0600.
#[derive(Debug)]
pub struct SessionStore {
    /// Where a file would be made, and for which session.
    plan: Option<(PathBuf, String)>,
    /// The file, locked by us; none before the first append.
    file: Option<(PathBuf, File)>,
    /// Bytes that are known to be sound: where something is to be cut off, it is what follows them.
    length: u64,
    /// Bytes that are known to be durable too.
    durable: u64,
    /// Whether there is something to cut off before the next write: a torn tail, or what a failed write left.
    is_ragged: bool,
    /// Whether the last line lacks its newline.
    lacks_newline: bool,
}

impl SessionStore {
    /// A store for a new session; nothing is written yet. `state` is the program's state folder.
    ///
    /// # Errors
    /// A sentence, when the id could not be the name of a file.
    pub fn create(state: &Path, id: &str) -> Result<Self, String> {
        if !can_be_an_id(id) {
            return Err(format!("`{id}` cannot be a session's id: use letters, digits, `-` and `_`"));
        }
        let plan = Some((state.to_owned(), id.to_owned()));
        Ok(Self { plan, file: None, length: 0, durable: 0, is_ragged: false, lacks_newline: false })
    }

    /// Opens a session to go on with it: locked, read, and a torn tail cut off before the first append.
    ///
    /// # Errors
    /// A sentence: another process has it, it cannot be read or written, or its content is refused.
    pub fn open(path: &Path) -> Result<(Self, SessionFile), String> {
        let file = OpenOptions::new().read(true).append(true).open(path);
        let mut file = file.map_err(|fault| cannot("open", path, &fault))?;
        lock::take(&file, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|fault| cannot("read", path, &fault))?;
        let session = read_bytes(&bytes, path)?;
        let whole = usize::try_from(session.sound_bytes).ok().and_then(|length| bytes.get(..length));
        let store = Self {
            plan: None,
            file: Some((path.to_owned(), file)),
            length: session.sound_bytes,
            durable: session.sound_bytes,
            is_ragged: session.torn_tail.is_some(),
            lacks_newline: whole.is_some_and(|whole| !whole.ends_with(b"\n")),
        };
        Ok((store, session))
    }

    /// The bytes of a session's file, whatever they are.
    ///
    /// # Errors
    /// A sentence: it is no file, or cannot be read.
    pub fn bytes(path: &Path) -> Result<Vec<u8>, String> {
        // A pipe or a device could be waited for, or read, for ever.
        let mut bytes = Vec::new();
        let read = plain::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
        read.map(|_| bytes).map_err(|fault| cannot("read", path, &fault))
    }

    /// Reads a session to look at it, whoever writes it at the moment.
    ///
    /// # Errors
    /// A sentence: it cannot be read, or its content is refused.
    pub fn read(path: &Path) -> Result<SessionFile, String> {
        read_bytes(&Self::bytes(path)?, path)
    }

    /// Where the session is; `None` before its first entry.
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|(path, _)| path.as_path())
    }

    /// Makes the file on the first append.
    fn opened(&mut self, at: Millis) -> Result<(&mut File, &Path), String> {
        if let (None, Some((state, id))) = (&self.file, &self.plan) {
            let path = folder(state, at).join(format!("{id}.jsonl"));
            let file = make(&path)?;
            self.file = Some((path, file));
        }
        let (path, file) = self.file.as_mut().ok_or("the session has no file")?;
        Ok((file, path))
    }

    fn write(&mut self, bytes: &[u8], at: Millis) -> Result<(), String> {
        let (length, is_ragged) = (self.length, self.is_ragged);
        let (file, path) = self.opened(at)?;
        let cut = if is_ragged { file.set_len(length) } else { Ok(()) };
        cut.and_then(|()| file.write_all(bytes)).map_err(|fault| nothing_was_done(path, &fault))
    }

    /// After a failed write or sync: what may not be durable goes, and a file that never held a whole line is no
    /// session.
    fn withdraw(&mut self) {
        self.length = self.durable;
        self.is_ragged = true;
        if let Some((path, _unlocked)) = self.file.take_if(|_| self.length == 0) {
            std::fs::remove_file(path).ok();
        }
    }
}

impl StorePort for SessionStore {
    fn append(&mut self, entries: &[Arc<Entry>]) -> Result<(), String> {
        let Some(first) = entries.first() else { return Ok(()) };
        let mut bytes = Vec::new();
        if self.lacks_newline {
            bytes.push(b'\n');
        }
        for entry in entries {
            bytes.extend_from_slice(record::line(&record::encode(entry)).as_bytes());
            bytes.push(b'\n');
        }
        match self.write(&bytes, first.at) {
            Ok(()) => {
                self.length += bytes.len() as u64;
                (self.is_ragged, self.lacks_newline) = (false, false);
                Ok(())
            }
            Err(fault) => {
                self.withdraw();
                Err(fault)
            }
        }
    }

    fn sync(&mut self) -> Result<(), String> {
        let Some((path, file)) = &self.file else { return Ok(()) };
        match file.sync_data() {
            Ok(()) => {
                self.durable = self.length;
                Ok(())
            }
            Err(fault) => {
                let fault = nothing_was_done(path, &fault);
                self.withdraw();
                Err(fault)
            }
        }
    }
}

fn read_bytes(bytes: &[u8], path: &Path) -> Result<SessionFile, String> {
    record::read_session(bytes).map_err(|fault| format!("{}: {fault}", path.display()))
}

/// Whether this could be a session's id: it is the name of its file.
pub fn can_be_an_id(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// Sessions lie by the month in which they began.
fn folder(state: &Path, at: Millis) -> PathBuf {
    let moment = i64::try_from(at.0).ok().and_then(DateTime::from_timestamp_millis).unwrap_or_default();
    state.join("sessions").join(moment.format("%Y/%m").to_string())
}

fn make(path: &Path) -> Result<File, String> {
    let folder = path.parent().unwrap_or(path);
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|fault| cannot("make the folder of", path, &fault))?;
    let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(path);
    let file = file.map_err(|fault| cannot("make", path, &fault))?;
    lock::take(&file, path)?;
    // The name must be as durable as the content, or a power failure takes both.
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|fault| cannot("make", path, &fault))?;
    Ok(file)
}

fn nothing_was_done(path: &Path, fault: &std::io::Error) -> String {
    format!(
        "{}; nothing was done that it would have recorded. Make room or mend the folder, then send the message again",
        cannot("write", path, fault)
    )
}

fn cannot(what: &str, path: &Path, fault: &std::io::Error) -> String {
    format!("cannot {what} the session file {}: {fault}", path.display())
}
