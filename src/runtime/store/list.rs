//! The sessions that there are, in one line each.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use crate::ledger::Millis;
use crate::wire::record::{Outline, first_line};

use super::{cannot, find, plain, whole};

/// All sessions of a state folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// Those that can be read, newest first.
    pub sessions: Vec<Summary>,
    /// Those that cannot, with a sentence why.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// One session in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its id.
    pub id: String,
    /// Its folder.
    pub cwd: String,
    /// When it began.
    pub started: Millis,
    /// The model it began with.
    pub model: String,
    /// What the user said first; empty when nothing was said.
    pub first_message: String,
    /// The name that the user gave it, if they did.
    pub name: Option<String>,
    /// Why its last run ended; `None` when none has, or when it was cut off or goes on.
    pub ending: Option<String>,
    /// How many entries it has.
    pub entries: u64,
    /// How large its file is.
    pub bytes: u64,
    /// Where it is.
    pub path: PathBuf,
}

impl Summary {
    /// What it is known by: its name, else what the user said first.
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.first_message)
    }
}

/// Lists the sessions. Of each file a few lines are understood; the rest is counted.
pub fn list(state: &Path) -> Listing {
    let mut listing = Listing::default();
    for path in find::files(state) {
        match summarise(&path) {
            Ok(summary) => listing.sessions.push(summary),
            Err(why) => listing.unreadable.push((path, why)),
        }
    }
    listing
}

/// One session in short.
///
/// # Errors
/// A sentence: it cannot be read, or does not begin like a session.
pub fn summarise(path: &Path) -> Result<Summary, String> {
    let unreadable = |fault: std::io::Error| unreadable(path, &fault);
    let mut lines = SessionLines::open(path)?;
    lines.advance().map_err(unreadable)?;
    let head = first_line(&lines.line)
        .ok_or_else(|| format!("{}: its first line is not session_started", path.display()))?;
    let mut outline = Outline::default();
    let mut entries = 1;
    while lines.advance().map_err(unreadable)? {
        entries += u64::from(lines.line.ends_with(b"\n"));
        outline.read(&lines.line);
    }
    Ok(Summary {
        id: head.session,
        cwd: head.cwd,
        started: head.started,
        model: head.model,
        first_message: outline.first_message.unwrap_or_default(),
        name: outline.name,
        ending: outline.ending,
        entries,
        bytes: lines.bytes,
        path: path.to_owned(),
    })
}

pub(super) fn unreadable(path: &Path, fault: &std::io::Error) -> String {
    cannot("read", path, fault)
}

/// The lines of a session's file, one at a time.
pub(super) struct SessionLines {
    reader: BufReader<File>,
    /// The line that was read last.
    pub(super) line: Vec<u8>,
    bytes: u64,
}

impl SessionLines {
    /// Opens a file that can be a session's.
    ///
    /// # Errors
    /// A sentence: it cannot be opened, or is too large.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let file = plain::open(path).map_err(|fault| cannot("open", path, &fault))?;
        // A hole in a file reads as one endless line.
        whole::fits(&file.metadata().map_err(|fault| unreadable(path, &fault))?, path)?;
        Ok(Self { reader: BufReader::new(file), line: Vec::new(), bytes: 0 })
    }

    /// Reads the next line into `line`; false at the end.
    pub(super) fn advance(&mut self) -> std::io::Result<bool> {
        self.line.clear();
        let most = whole::MOST_OF_A_LINE as u64;
        let read = self.reader.by_ref().take(most + 1).read_until(b'\n', &mut self.line)?;
        if read as u64 > most {
            return Err(std::io::Error::other(format!(
                "one of its lines is larger than {} \
                MB",
                most / 1_000_000
            )));
        }
        self.bytes += read as u64;
        Ok(read > 0)
    }
}
