//! The books on disk: one append-only file a session, written by one process at a time.

mod adopt;
mod ahead;
mod checking;
mod ephemeral;
#[cfg(all(test, target_os = "linux"))]
mod failing_tests;
mod failure_text;
mod find;
mod foreign_file;
mod head;
mod line_ends;
mod lines;
mod list;
mod list_cache;
mod lock;
mod making;
mod place;
pub(in crate::runtime) mod plain;
mod remove;
mod retention;
mod salts;
mod scan;
mod side_by_side;
mod spending;
mod still_there;
pub mod subagents;
mod summary;
mod whole;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

pub use adopt::adopt;
pub use checking::checked;
pub use ephemeral::NoStore;
pub use find::{exact, files, find, head as first_line_of, is_unwritten, latest, never_begun};
pub use foreign_file::ForeignFile;
pub use head::{broken_chain, damage, incomplete, known};
pub use line_ends::broken_line;
pub use list::{Listing, list};
pub use lock::held;
pub use place::{SNAPSHOTS, can_be_an_id};
pub use plain::open as open_plain;
pub use remove::remove;
pub use retention::{Old, old, remove_if_old, remove_old};
pub use salts::Salts;
pub use scan::scan;
pub use side_by_side::each;
pub use spending::{SessionSpending, spending};
pub use summary::{Summary, summarise, title_of};

use crate::ledger::{Entry, Millis};
use crate::policy::shell::shell_word;
use crate::wire::record::{self, Chain, Links, SessionFile, follow};

use super::{StoreError, StorePort};
use ahead::MadeAhead;
use checking::LONG;
use failure_text::not_written;
use head::{HeadFile, damage_of};
use making::make;
use place::place;
use still_there::still_there;

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
    /// What the next line follows.
    chain: Chain,
    /// The same of what is durable.
    durable_chain: Chain,
    salts: Salts,
    head: HeadFile,
    /// The file of `plan`, if it was made before its first entry.
    ahead: Option<MadeAhead>,
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
        Ok(Self {
            plan,
            file: None,
            length: 0,
            durable: 0,
            is_ragged: false,
            lacks_newline: false,
            chain: Chain::default(),
            durable_chain: Chain::default(),
            salts: Salts::new()?,
            head: HeadFile::default(),
            ahead: None,
        })
    }

    /// Opens a session to go on with it: locked, read, and a torn tail cut off before the first append.
    ///
    /// # Errors
    /// A sentence: another process has it, it cannot be read or written, or its content is refused.
    pub fn open(path: &Path) -> Result<(Self, SessionFile), String> {
        let (file, found) = whole::open(path, true)?;
        lock::take(&file, path)?;
        let bytes = whole::read(&file, &found, path)?;
        let (session, links) = read_and_follow(&bytes, path);
        let mut session = session?;
        let whole = usize::try_from(session.sound_bytes).ok().and_then(|length| bytes.get(..length));
        let whole = whole.unwrap_or_default();
        let lacks_newline = !whole.is_empty() && !whole.ends_with(b"\n");
        let links = links.map_err(|(line, fault)| broken(path, line, &fault))?;
        session.missing_lines = links.missing();
        session.has_unknown_end = links.chained() > 0 && known(path).is_none();
        let chain = links.chain(lacks_newline);
        let store = Self {
            plan: None,
            file: Some((path.to_owned(), file)),
            length: session.sound_bytes,
            durable: session.sound_bytes,
            is_ragged: session.torn_tail.is_some(),
            lacks_newline,
            durable_chain: chain.clone(),
            chain,
            salts: Salts::new()?,
            head: HeadFile::default(),
            ahead: None,
        };
        Ok((store, session))
    }

    /// The bytes of a session's file, whatever they are.
    ///
    /// # Errors
    /// A sentence: it is not a regular file, cannot be read, or is too large to be a session (2 GiB, a line 256 MiB).
    pub fn bytes(path: &Path) -> Result<Vec<u8>, String> {
        whole::bytes(path)
    }

    /// Reads a session to look at it, whoever writes it at the moment.
    ///
    /// # Errors
    /// A sentence: it cannot be read, or its content is refused.
    pub fn read(path: &Path) -> Result<SessionFile, String> {
        read_bytes(&Self::bytes(path)?, path)
    }

    /// The same, and what is wrong first with its lines, for whoever tells what they say.
    ///
    /// # Errors
    /// As [`SessionStore::read`].
    pub fn audited(path: &Path) -> Result<(SessionFile, Option<String>), String> {
        let known = known(path);
        let bytes = Self::bytes(path)?;
        let (audit, entries) = checked(&bytes, known.unwrap_or_default());
        let file = record::sound_file(&bytes, &audit, entries).map_or_else(|| read_bytes(&bytes, path), Ok);
        Ok((file?, damage_of(path, &audit)))
    }

    /// The same, to be looked at only: also of a copy without some of its contents.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn document(path: &Path) -> Result<(SessionFile, Option<String>), String> {
        let known = known(path);
        let bytes = Self::bytes(path)?;
        let file = record::read_document(&bytes).map_err(|fault| format!("{}: {fault}", path.display()))?;
        Ok((file, damage(path, known, &bytes)))
    }

    /// The hash of the last line: 64 hexadecimal digits.
    pub fn head(&self) -> &str {
        self.chain.head()
    }

    /// How many lines there are.
    pub fn lines(&self) -> u64 {
        self.chain.lines()
    }

    /// Where the session is; `None` before its first entry.
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|(path, _)| path.as_path())
    }

    /// With the file of a new session made now, for one that is about to begin. It goes when the store is dropped without an entry. What
    /// cannot be made is made, or told, with the first entry.
    #[must_use]
    pub fn made_ahead(self, at: Millis) -> Self {
        let path = self.plan.as_ref().map(|(state, id)| place(state, id, at));
        Self { ahead: path.and_then(MadeAhead::made), ..self }
    }

    /// With the name of that file made durable already: its first entry does not wait for that any more. May block.
    #[must_use]
    pub fn named_ahead(mut self) -> Self {
        if let Some(ahead) = &mut self.ahead {
            ahead.name();
        }
        self
    }

    /// Makes the file on the first append.
    fn opened(&mut self, at: Millis) -> Result<(&mut File, &Path), StoreError> {
        if let (None, Some((state, id))) = (&self.file, &self.plan) {
            let path = place(state, id, at);
            let file = match self.ahead.take().and_then(|ahead| ahead.taken(&path)) {
                Some(file) => file,
                None => make(&path)?,
            };
            self.file = Some((path, file));
        }
        let (path, file) = self.file.as_mut().ok_or_else(|| "the session has no file".to_owned())?;
        Ok((file, path))
    }

    fn write(&mut self, bytes: &[u8], at: Millis) -> Result<(), StoreError> {
        let (length, is_ragged) = (self.length, self.is_ragged);
        let (file, path) = self.opened(at)?;
        still_there(file, path)?;
        let cut = if is_ragged { file.set_len(length) } else { Ok(()) };
        cut.and_then(|()| file.write_all(bytes)).map_err(|fault| not_written(path, &fault).into())
    }

    /// After a failed write or sync: what may not be durable goes at once, so that the file is well-formed whatever
    /// comes next. A file that never held a whole line is no session.
    fn withdraw(&mut self) {
        self.length = self.durable;
        self.chain = self.durable_chain.clone();
        self.is_ragged = true;
        let Some((path, file)) = &self.file else { return };
        if file.set_len(self.length).is_ok() {
            self.is_ragged = false;
        }
        if self.length == 0 && still_there(file, path).is_ok() {
            std::fs::remove_file(path).ok();
        }
        if self.length == 0 {
            self.file = None;
        }
    }
}

impl StorePort for SessionStore {
    fn append(&mut self, entries: &[Arc<Entry>]) -> Result<(), StoreError> {
        let Some(first) = entries.first() else { return Ok(()) };
        let mut bytes = Vec::new();
        if self.lacks_newline {
            bytes.push(b'\n');
        }
        let mut chain = self.chain.clone();
        for entry in entries {
            let line = chain.line(record::encode(entry), &mut || self.salts.salt());
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        match self.write(&bytes, first.at) {
            Ok(()) => {
                self.length += bytes.len() as u64;
                (self.is_ragged, self.lacks_newline) = (false, false);
                self.chain = chain;
                Ok(())
            }
            Err(fault) => {
                self.withdraw();
                Err(fault)
            }
        }
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        let Some((path, file)) = &self.file else { return Ok(()) };
        // Asked afterwards: what is durable now is in the file that the next process will read.
        let synced = file.sync_data().map_err(|fault| not_written(path, &fault));
        match synced.and_then(|()| still_there(file, path)) {
            Ok(()) => {
                self.durable = self.length;
                self.durable_chain = self.chain.clone();
                self.head.write(path, &self.durable_chain);
                Ok(())
            }
            Err(fault) => {
                self.withdraw();
                Err(fault.into())
            }
        }
    }
}

type Followed = Result<Links, (usize, record::ChainFault)>;

/// Reads a session and follows its chain. For a long one that is done side by side: neither needs the other.
fn read_and_follow(bytes: &[u8], path: &Path) -> (Result<SessionFile, String>, Followed) {
    let links = || follow(bytes, known(path).unwrap_or_default());
    if bytes.len() < LONG {
        return (read_bytes(bytes, path), links());
    }
    thread::scope(|scope| {
        let follower = scope.spawn(links);
        let session = read_bytes(bytes, path);
        (session, follower.join().unwrap_or_else(|_panicked| links()))
    })
}

fn broken(path: &Path, line: usize, fault: &record::ChainFault) -> String {
    let id = shell_word(&path.file_stem().unwrap_or_default().to_string_lossy());
    format!(
        "{}: line {line}: {fault}; `countersign sessions check {id}` lists what is wrong, and says \
        how what stands before it can be saved",
        path.display()
    )
}

fn read_bytes(bytes: &[u8], path: &Path) -> Result<SessionFile, String> {
    record::read_session(bytes).map_err(|fault| format!("{}: {fault}", path.display()))
}
