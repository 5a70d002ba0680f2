//! One session in short, made of a few lines of its file.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use crate::ledger::Millis;
use crate::wire::record::{FirstLine, Outline, first_line};

use super::lines::{LineReader, split};

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
    /// What the user said first, with a word in the place of an image of the clipboard; empty when nothing was said.
    pub first_message: String,
    /// The name that the user gave it, if they did.
    pub name: Option<String>,
    /// The tags that the user gave it, in order.
    pub tags: Vec<String>,
    /// Whether somebody signed it.
    pub is_sealed: bool,
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

/// One session in short.
///
/// # Errors
/// A sentence: it cannot be read, or does not begin like a session.
pub fn summarise(path: &Path) -> Result<Summary, String> {
    summarise_with(&mut LineReader::default(), path).map(|(summary, _)| summary)
}

pub(super) fn summarise_with(reader: &mut LineReader, path: &Path) -> Result<(Summary, Metadata), String> {
    let mut made = SummaryMaker::default();
    let (found, bytes) = reader.each_line(path, |line| made.read(line))?;
    Ok((made.summary(path, bytes)?, found))
}

/// The title of a session, of the bytes of its file.
pub fn title_of(bytes: &[u8]) -> String {
    let mut outline = Outline::default();
    split(bytes, |line| outline.read_title(line));
    outline.title().to_owned()
}

/// Makes a summary of lines.
#[derive(Default)]
struct SummaryMaker {
    head: Option<FirstLine>,
    outline: Outline,
    lines: u64,
    entries: u64,
}

impl SummaryMaker {
    fn read(&mut self, line: &[u8]) {
        self.lines += 1;
        if self.lines == 1 {
            (self.head, self.entries) = (first_line(line), 1);
        } else {
            self.entries += u64::from(line.ends_with(b"\n"));
            self.outline.read(line);
        }
    }

    fn summary(self, path: &Path, bytes: u64) -> Result<Summary, String> {
        let head = self.head.ok_or_else(|| no_session(path))?;
        Ok(Summary {
            id: head.session,
            cwd: head.cwd,
            started: head.started,
            model: head.model,
            first_message: self.outline.first_message.unwrap_or_default(),
            name: self.outline.name,
            tags: self.outline.tags.into_iter().collect(),
            is_sealed: self.outline.is_sealed,
            ending: self.outline.ending,
            entries: self.entries,
            bytes,
            path: path.to_owned(),
        })
    }
}

pub(super) fn no_session(path: &Path) -> String {
    format!("{}: its first line is not session_started", path.display())
}
