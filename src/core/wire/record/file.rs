//! A session file as bytes: one record a line, the last of which a dying process may have torn.

use std::sync::Arc;

use memchr::{memchr, memmem};
use serde::Deserialize;
use serde_json::Value;

use crate::ledger::{Block, Body, Entry, EntryId, Millis};

use super::other_program::foreign_to;
use super::{RecordError, decode, derived, left_out, time};

/// Members of the first line of an import.
pub(super) const IMPORTED_FROM: &str = "imported_from";
pub(super) const IMPORTED_TO: &str = "imported_to";
/// A member of the first line of a session that works in a copy of another one's folder.
pub(super) const COPIED_FROM: &str = "copied_from";

/// How many entries before the end of a run its answer may stand.
const NEAR: usize = 8;

/// A session file, read.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionFile {
    /// The entries, oldest first; the first is `session_started`.
    pub entries: Vec<Arc<Entry>>,
    /// What is left of a line that was being written when the process died; it was never acknowledged.
    pub torn_tail: Option<TornTail>,
    /// Lines of an unknown `type`: a newer version wrote them. They stay in the file.
    pub skipped: Vec<Skipped>,
    /// Content fields that were left out of a copy.
    pub left_out: usize,
    /// The session was made from another one, as its first line says.
    pub is_copy: bool,
    /// The last entry that came with an import, as its first line says: what a file says of decisions, nobody here has seen.
    pub imported_to: Option<EntryId>,
    /// Its folder is a copy of the last of these, each further one a copy of the one before: only a branch that was made here says so.
    pub copied_from: Vec<String>,
    /// The first entry with a member that does not follow from the rest of its line, and which.
    pub(super) misfit: Option<(EntryId, &'static str)>,
    /// How many lines at the end were on disk and are missing, as far as somebody knows.
    pub missing_lines: u64,
    /// Nothing tells how many lines were on disk, so some may be missing.
    pub has_unknown_end: bool,
    /// Bytes up to the end of the last whole line: what a writer keeps before it appends.
    pub sound_bytes: u64,
}

/// The torn end of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornTail {
    /// Number of the line, from 1.
    pub line: usize,
    /// How many bytes there are of it.
    pub bytes: u64,
}

/// A line that was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Number of the line, from 1.
    pub line: usize,
    /// Its `type`.
    pub kind: String,
}

/// Reads a session file that can be continued.
///
/// # Errors
/// Those of [`read_document`], and [`RecordError::LeftOut`] where something was left out.
pub fn read_session(bytes: &[u8]) -> Result<SessionFile, RecordError> {
    read(bytes, |value| refuse_left_out(value).map(|()| 0))
}

fn refuse_left_out(value: &Value) -> Result<(), RecordError> {
    match left_out::left_out(value).first() {
        Some(name) => Err(RecordError::LeftOut(format!("`{name}`"))),
        None => Ok(()),
    }
}

/// Reads these lines of a session file and no others: its first line, and some that follow, in order. What stands among
/// them is what stands in the file only if nothing in it was withdrawn.
///
/// # Errors
/// Any of a line.
pub fn read_lines<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Result<Vec<Arc<Entry>>, RecordError> {
    let mut entries = Vec::new();
    for (number, line) in (1..).zip(lines) {
        let value: Value =
            serde_json::from_slice(line).map_err(|fault| RecordError::NotAnObject(fault.to_string()))?;
        refuse_left_out(&value)?;
        match decode(&value) {
            Ok(entry) => entries.push(Arc::new(entry)),
            Err(RecordError::UnknownType(_)) if number > 1 => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(entries)
}

/// Reads a session file, or a copy without some of its contents: in their place stands that they were left out.
///
/// # Errors
/// [`RecordError::Empty`] when nothing is left of the first line, [`RecordError::NotASession`] when it is
/// another record, [`RecordError::Newer`], and [`RecordError::Line`] for any other line that cannot be read.
pub fn read_document(bytes: &[u8]) -> Result<SessionFile, RecordError> {
    read(bytes, |value| Ok(left_out::fill(value).len()))
}

fn read(
    bytes: &[u8],
    prepare: fn(&mut Value) -> Result<usize, RecordError>,
) -> Result<SessionFile, RecordError> {
    let mut file = SessionFile {
        entries: Vec::new(),
        torn_tail: None,
        skipped: Vec::new(),
        left_out: 0,
        is_copy: false,
        imported_to: None,
        copied_from: Vec::new(),
        misfit: None,
        missing_lines: 0,
        has_unknown_end: false,
        sound_bytes: 0,
    };
    for (number, line, rest) in numbered(bytes) {
        match serde_json::from_slice::<Value>(line) {
            Ok(mut value) => {
                file.left_out += prepare(&mut value).map_err(|fault| at_line(number, fault))?;
                file.take(number, &value)?;
            }
            Err(_) if line.trim_ascii().is_empty() => {}
            // The last line is torn if it is no JSON. Should it have its newline, then pages of it were lost.
            Err(_) if rest.is_empty() && (!file.entries.is_empty() || is_torn_first(line)) => {
                file.torn_tail = Some(TornTail { line: number, bytes: line.len() as u64 });
                break;
            }
            Err(_) if file.entries.is_empty() => {
                return Err(RecordError::NotASession("text that is not JSON".to_owned()));
            }
            Err(fault) => return Err(at_line(number, RecordError::NotAnObject(fault.to_string()))),
        }
        file.sound_bytes += line.len() as u64;
    }
    if file.entries.is_empty() { Err(RecordError::Empty) } else { Ok(file) }
}

/// Whether this can be what is left of a first line of ours: one is a JSON object, and has no other end.
pub(super) fn is_torn_first(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.is_empty() || line.first() == Some(&b'{')
}

/// The lines of a file, their newlines with them: the number from 1, the line, and what follows it.
pub(super) fn numbered(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8], &[u8])> {
    let mut rest = bytes;
    (1..).map_while(move |number| {
        let end = memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at(end);
        rest = after;
        (!line.is_empty()).then_some((number, line, after))
    })
}

impl SessionFile {
    /// The last entry that came with an import, of a session of ours or of another program: nobody here saw
    /// what was decided up to there.
    pub fn came_to(&self) -> Option<EntryId> {
        self.imported_to.max(foreign_to(&self.entries))
    }

    fn take(&mut self, line: usize, value: &Value) -> Result<(), RecordError> {
        let kind = value.get("type").and_then(Value::as_str).unwrap_or("a record without a type");
        if self.entries.is_empty() && kind != "session_started" {
            return Err(RecordError::NotASession(kind.to_owned()));
        }
        if self.entries.is_empty() {
            (self.is_copy, self.imported_to) = (is_copy(value), imported_to(value));
            self.copied_from = copied_from(value);
        }
        match decode(value) {
            Ok(mut entry) => {
                if self.misfit.is_none() {
                    self.misfit = derived::another(value, &entry).map(|member| (entry.id, member));
                }
                self.share_answer(&mut entry);
                self.entries.push(Arc::new(entry));
            }
            Err(RecordError::UnknownType(kind)) => self.skipped.push(Skipped { line, kind }),
            Err(newer @ RecordError::Newer { .. }) => return Err(newer),
            Err(fault) => return Err(at_line(line, fault)),
        }
        Ok(())
    }

    /// The end of a run says the answer again, which was read just before: it is held once.
    fn share_answer(&self, entry: &mut Entry) {
        let Body::TurnEnded(ended) = &mut entry.body else { return };
        let near = self.entries.iter().rev().take(NEAR);
        let said = near.filter_map(|entry| if let Body::Assistant(m) = &entry.body { Some(m) } else { None });
        let mut texts = said
            .flat_map(|message| &message.blocks)
            .filter_map(|block| if let Block::Text(text) = block { Some(text) } else { None });
        if let Some(same) = texts.find(|text| ***text == *ended.text) {
            ended.text = Arc::clone(same);
        }
    }
}

/// Where an import ends; all of it, where an earlier version did not say.
pub(super) fn imported_to(first: &Value) -> Option<EntryId> {
    let known = first.get(IMPORTED_TO).and_then(|last| EntryId::parse(last.as_str()?));
    known.or_else(|| first.get(IMPORTED_FROM).map(|_| EntryId(u64::MAX)))
}

/// The folders that the one of this session is a copy of.
pub(super) fn copied_from(first: &Value) -> Vec<String> {
    let folders = first.get(COPIED_FROM).and_then(Value::as_array).into_iter().flatten();
    folders.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// What the first line of a session names that was made from another one.
pub(super) fn is_copy(first: &Value) -> bool {
    ["forked_from", IMPORTED_FROM].iter().any(|how| first.get(how).is_some())
}

fn at_line(line: usize, fault: RecordError) -> RecordError {
    RecordError::Line { line, fault: Box::new(fault) }
}

/// What lists of sessions show of a first line, whatever the format's version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstLine {
    /// The session's id.
    pub session: String,
    /// Its folder.
    pub cwd: String,
    /// When it began.
    pub started: Millis,
    /// The model it began with; empty when the line does not say.
    pub model: String,
    /// The version of its format; 0 when the line does not say.
    pub version: u64,
    /// The session that it was forked from, and the last entry that both have: `SESSION@e14`.
    pub forked_from: Option<String>,
}

/// The members that are read of it; the others, such as the system prompt, only have to be JSON.
#[derive(Deserialize)]
struct FirstMembers {
    #[serde(rename = "type")]
    kind: String,
    session: String,
    cwd: String,
    at: Value,
    model: Option<Value>,
    version: Option<Value>,
    forked_from: Option<Value>,
}

/// How a first line begins that we write: the members that are read stand before its hashes and contents.
const OURS: &[u8] = br#"{"type":"session_started","entry":"#;
/// What follows these members. In a text its quotes would be escaped.
const CHAINED: &[u8] = br#","prev":""#;

/// The members of a whole line that stand before its hashes and contents, as an object of their own: in a long line, few of its bytes. `None`: it
/// has no hash.
pub(super) fn before_contents(line: &[u8]) -> Option<Vec<u8>> {
    let is_whole = line.trim_ascii_end().ends_with(b"}");
    let end = memmem::find(line, CHAINED).filter(|_| is_whole)?;
    Some([line.get(..end)?, b"}"].concat())
}

/// Reads the first line of a session file alone. Of a line that we wrote, the system prompt is not looked at.
pub fn first_line(line: &[u8]) -> Option<FirstLine> {
    let head = before_contents(line).filter(|_| line.starts_with(OURS));
    let head = head.and_then(|head| serde_json::from_slice(&head).ok());
    let members: FirstMembers = match head {
        Some(members) => members,
        None => serde_json::from_slice(line).ok()?,
    };
    let text = |member: Option<Value>| member.as_ref().and_then(Value::as_str).map(str::to_owned);
    (members.kind == "session_started").then_some(())?;
    Some(FirstLine {
        session: members.session,
        cwd: members.cwd,
        started: time::from_value(&members.at)?,
        model: text(members.model).unwrap_or_default(),
        version: members.version.as_ref().and_then(Value::as_u64).unwrap_or_default(),
        forked_from: text(members.forked_from),
    })
}
