//! Session files of other agents: what was said and done there becomes entries of ours, a line at a time.

mod claude;
mod codex;
mod entries;
mod lines;
mod reading;

use serde_json::Value;

use crate::ledger::{Entry, ForeignTool, Millis};

use claude::Thread;
use entries::EntryMaker;
use lines::value_of;
use reading::{ForeignReading, Known};

pub use reading::Counts;

/// Lines in which a file shows what it is.
const TELLING: usize = 32;
/// Most bytes of a line.
pub const MOST_OF_A_LINE: u64 = 64 * 1024 * 1024;
/// Most bytes of a file.
pub const MOST_OF_A_FILE: u64 = 1024 * 1024 * 1024;

/// What a file says of its session before it is imported: it is read once for this, and once more for its entries.
#[derive(Debug, Default)]
pub struct Survey {
    lines: usize,
    tool: Option<ForeignTool>,
    known: Known,
    thread: Thread,
}

impl Survey {
    /// One for a file of a tool that is known; `None`: the file shows it.
    pub fn of(tool: Option<ForeignTool>) -> Self {
        Self { tool, ..Self::default() }
    }

    /// Whose the file is, as far as its lines have shown.
    pub fn tool(&self) -> Option<ForeignTool> {
        self.tool
    }

    /// The folder in which the session was, if it is an absolute path.
    pub fn cwd(&self) -> Option<&str> {
        self.known.cwd.as_deref().filter(|path| path.starts_with('/'))
    }

    /// Reads a line. False when the file is of no known kind: no other line has to be read.
    pub fn read(&mut self, line: &[u8]) -> bool {
        self.lines += 1;
        let Some(value) = value_of(line) else { return self.tool.is_some() || self.lines < TELLING };
        if self.tool.is_none() {
            self.tool = recognised(&value);
        }
        match self.tool {
            Some(ForeignTool::Claude) => claude::survey(&mut self.known, &mut self.thread, &value),
            Some(ForeignTool::Codex) => codex::survey(&mut self.known, &value),
            None => return self.lines < TELLING,
        }
        true
    }
}

/// Makes entries of ours of the lines of a file, in a second reading.
#[derive(Debug)]
pub struct Import {
    tool: ForeignTool,
    thread: Thread,
    reading: ForeignReading,
}

impl Import {
    /// Begins a session of this id in this folder, at this moment: nothing in it is later. `None`: nobody knows whose the
    /// file is.
    pub fn new(survey: Survey, id: &str, cwd: &str, now: Millis) -> Option<Self> {
        let Survey { tool, known, mut thread, .. } = survey;
        thread.close();
        let tool = tool?;
        let model = known.model.as_deref().unwrap_or("unknown");
        let session = known.session.as_deref().unwrap_or_default();
        let began = known.began.unwrap_or(now).min(now);
        let maker = EntryMaker::begin(tool, (id, session), cwd, model, (began, now));
        Some(Self { tool, thread, reading: ForeignReading::new(maker, known.model) })
    }

    /// Takes a line, and returns the entries that are complete.
    pub fn read(&mut self, line: &[u8]) -> Vec<Entry> {
        if line.trim_ascii().is_empty() {
            return Vec::new();
        }
        match (value_of(line), self.tool) {
            (None, _) => self.reading.counts.unreadable += 1,
            (Some(value), ForeignTool::Claude) => claude::read(&mut self.reading, &self.thread, &value),
            (Some(value), ForeignTool::Codex) => codex::read(&mut self.reading, &value),
        }
        self.reading.maker.take()
    }

    /// The last entries, and what became of the lines.
    pub fn finish(mut self) -> (Vec<Entry>, Counts) {
        self.reading.maker.finish(self.reading.title.as_deref());
        let entries = self.reading.maker.take();
        let (messages, calls, without_result) = self.reading.maker.counted();
        (entries, Counts { messages, calls, without_result, ..self.reading.counts })
    }
}

/// Whose line it is.
fn recognised(value: &Value) -> Option<ForeignTool> {
    if codex::is_one(value) {
        Some(ForeignTool::Codex)
    } else if claude::is_one(value) {
        Some(ForeignTool::Claude)
    } else {
        None
    }
}

/// Whether the first line of a file can be one of another agent: it is an object, and no record of ours.
pub fn is_foreign(line: &[u8]) -> bool {
    let is_record =
        |value: &Value| value.get("entry").is_some() || lines::text(value, "type") == Some("session_started");
    value_of(line).is_some_and(|value| value.is_object() && !is_record(&value))
}
