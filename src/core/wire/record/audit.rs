//! A session file read to its end whatever is wrong with it: every fault by its line and entry.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::de::IgnoredAny;

use crate::ledger::{self, CHAINED_VERSION, CallId, Entry, EntryId, LeftOut, Millis, resting_places};
use crate::policy;

use super::contradictions::contradictions;
use super::file::{SessionFile, is_torn_first};
use super::hashed_line::HashedLine;
use super::other_program::foreign_to;
use super::read_line::{ReadLine, ReadRecord, lines};
use super::{ChainFault, Links, RecordError, Skipped, TornTail};

/// Why nothing is missing in a session that is kept here, unless somebody took it out.
const NEVER_LEFT_OUT: &str = "nothing of countersign leaves anything out of a session that it keeps";

/// What can be said of a session file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Audit {
    /// Entries that could be read.
    pub entries: usize,
    /// Calls that they made.
    pub calls: usize,
    /// What is wrong, in the order of the lines. Empty: the session is well-formed.
    pub faults: Vec<LineFault>,
    /// Calls without a result at the end: the session was left in their midst, or is being written.
    pub open: Vec<CallId>,
    /// What is left of a last line that was never acknowledged.
    pub torn_tail: Option<TornTail>,
    /// Lines of an unknown `type`, and members that are not known: readers ignore them.
    pub skipped: Vec<Skipped>,
    /// The last entry before the first fault at which no call is open: up to here a session can be saved.
    pub sound_to: Option<EntryId>,
    /// How many entries that is.
    pub sound_entries: usize,
    /// Lines with a hash.
    pub chained: u64,
    /// Lines before them, which an older version wrote.
    pub unchained: u64,
    /// Content fields that were left out of a redacted document.
    pub redacted: u64,
    /// Something was left out, with or without hashes.
    pub lacks_content: bool,
    /// Calls of which something was left out, so that it is not known whether all that is said of them is
    /// about one action.
    pub unheld: BTreeSet<CallId>,
    /// The hash of the last line, if it has one.
    pub head: Option<String>,
    /// The first line with a hash whose time is earlier than that of the line before: a clock was set back,
    /// or a time was changed.
    pub earlier: Option<usize>,
    /// The latest time of all entries, and the last line that has it: whoever knows what time it is can say whether it is still to come.
    pub latest: Option<(usize, Millis)>,
    /// The session began with a version without receipts, or is a copy without hashes: its lines are not held against each other.
    pub is_older: bool,
    /// The file was made anew: what stands in it is not what was written, wherever it differs.
    pub is_replaced: bool,
    /// The last entry that came with an import, as the first line says, or the lines of another program show:
    /// nobody here has seen what was decided up to there.
    pub imported_to: Option<EntryId>,
    /// The id that an import had, if it has another one here.
    pub imported_from: Option<String>,
}

/// Something wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineFault {
    /// Which line, from 1.
    pub line: usize,
    /// Its entry, as far as that can be read.
    pub entry: Option<String>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.entry {
            Some(entry) => write!(f, "line {} ({entry}): {}", self.line, self.what),
            None => write!(f, "line {}: {}", self.line, self.what),
        }
    }
}

/// Reads all of a session file and says what is wrong with its lines, except where they contradict each other: for copies, which leave
/// out permissions, and in which contradictions are found again.
pub fn audit(bytes: &[u8]) -> Audit {
    audit_lines(bytes, Links::default())
}

/// The same, with what is known of the chain.
pub fn audit_lines(bytes: &[u8], links: Links) -> Audit {
    audited(bytes, links, false).0
}

/// All that is wrong, with what is known of the chain.
pub fn audit_with(bytes: &[u8], links: Links) -> Audit {
    audit_entries(bytes, links).0
}

/// The same, and the entries that could be read, for whoever checks more of them.
pub fn audit_entries(bytes: &[u8], links: Links) -> (Audit, Vec<Arc<Entry>>) {
    audited(bytes, links, true)
}

/// What the entries of a session that can be continued say against each other first: for whoever goes on with it. Its chain was followed
/// when it was read, and its lines are not read again.
pub fn contradiction(file: &SessionFile) -> Option<ledger::Fault> {
    let entries = &file.entries;
    let mut faults = policy::audit(entries);
    if faults.is_empty() && is_of_this_format(entries) {
        faults = contradictions(entries, &LeftOut::default(), file.is_copy);
        if let (true, Some((entry, member))) = (faults.is_empty(), file.misfit) {
            let what = format!("`{member}` does not follow from the rest of the line");
            return Some(ledger::Fault { entry, what });
        }
    }
    faults.into_iter().min_by_key(|(position, _)| *position).map(|(_, fault)| fault)
}

/// The same of lines that were read already, which must be all of a file in their order.
pub fn audit_read<'f>(lines: impl Iterator<Item = ReadLine<'f>>, links: Links) -> (Audit, Vec<Arc<Entry>>) {
    followed(lines, links, true)
}

fn audited(bytes: &[u8], links: Links, is_strict: bool) -> (Audit, Vec<Arc<Entry>>) {
    followed(lines(bytes).map(ReadLine::of), links, is_strict)
}

fn followed<'f>(
    lines: impl Iterator<Item = ReadLine<'f>>,
    links: Links,
    is_strict: bool,
) -> (Audit, Vec<Arc<Entry>>) {
    let mut found = AuditState { links, is_strict, ..AuditState::default() };
    for ReadLine { number, line, is_last, read } in lines {
        match read {
            Ok(record) => {
                if found.take(number, record).is_break() {
                    // What follows is not looked at, so nothing of it is missing.
                    found.links = Links::default();
                    break;
                }
            }
            Err(_) if line.trim_ascii().is_empty() && number > 1 && found.links.chained() == 0 => {
                found.links.lose(line);
            }
            Err(_) if line.trim_ascii().is_empty() && line.ends_with(b"\n") => {
                found.links.lose(line);
                let what = "an empty line was inserted".to_owned();
                found.audit.faults.push(LineFault { line: number, entry: None, what });
            }
            Err(why) if is_last && !found.is_empty() && found.is_torn(line, &why) => {
                found.audit.torn_tail = Some(TornTail { line: number, bytes: line.len() as u64 });
            }
            // Of a torn first line nothing is left.
            Err(_) if is_last && found.is_empty() && is_torn_first(line) => {}
            Err(_) if found.is_empty() => {
                let what = RecordError::NotASession("text that is not JSON".to_owned());
                found.fault(number, None, &what);
                found.links = Links::default();
                break;
            }
            Err(why) => {
                found.links.lose(line);
                found.fault(number, None, &unreadable(line, &why));
            }
        }
    }
    if found.is_empty() {
        found.fault(1, None, &RecordError::Empty);
    }
    found.conclude()
}

#[derive(Default)]
struct AuditState {
    links: Links,
    audit: Audit,
    entries: Vec<Arc<Entry>>,
    lines: Vec<usize>,
    left_out: LeftOut,
    is_copy: bool,
    /// Contradictions are faults, too.
    is_strict: bool,
}

impl AuditState {
    fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.audit.faults.is_empty()
    }

    /// Whether a last line that is no JSON comes from a crash: it is the beginning of one, and nothing more was on disk. What has its
    /// newline, or anything behind its end, was written whole and changed afterwards.
    fn is_torn(&self, line: &[u8], why: &serde_json::Error) -> bool {
        let is_beginning = why.is_eof() && !line.ends_with(b"\n");
        self.links.missing() == 0 && (is_beginning || line.ends_with(b"\0"))
    }

    fn fault(&mut self, line: usize, entry: Option<String>, what: &RecordError) {
        self.audit.faults.push(LineFault { line, entry, what: what.to_string() });
    }

    /// Holds a line against the chain.
    fn follow(
        &mut self,
        line: usize,
        hashed: HashedLine<'_>,
        form: Option<ChainFault>,
        entry: Option<&String>,
    ) {
        let chained = self.links.take(hashed);
        if let Err(fault) = chained.and(form.map_or(Ok(()), Err)) {
            self.audit.is_replaced |= fault == ChainFault::Replaced;
            self.audit.faults.push(LineFault { line, entry: entry.cloned(), what: fault.to_string() });
        }
    }

    /// The chain as a whole.
    fn conclude_chain(&mut self) {
        if let Some(what) = self.links.missing_in_words() {
            self.audit.faults.push(LineFault { line: self.links.lines() + 1, entry: None, what });
        }
        (self.audit.chained, self.audit.unchained) = (self.links.chained(), self.links.unchained());
        self.audit.redacted = self.links.redacted();
        self.audit.head = self.links.head().map(str::to_owned);
    }

    /// Nothing can be said of a file of another kind, or of a newer version: then the reading ends.
    fn take(&mut self, line: usize, record: ReadRecord<'_>) -> std::ops::ControlFlow<()> {
        let named = record.named;
        self.follow(line, record.hashed, record.form, named.as_ref());
        if self.entries.is_empty() {
            self.is_copy |= record.is_copy;
            (self.audit.imported_to, self.audit.imported_from) = record.import;
        }
        if self.is_empty()
            && let Some(kind) = record.other_kind
        {
            self.fault(line, named, &RecordError::NotASession(kind));
            return std::ops::ControlFlow::Break(());
        }
        if let Some(name) = record.left_out.first() {
            self.audit.lacks_content = true;
            if self.links.is_kept() {
                let what = format!("`{name}` was left out, and {NEVER_LEFT_OUT}");
                self.audit.faults.push(LineFault { line, entry: named.clone(), what });
            }
        }
        match record.entry {
            Ok(entry) => {
                let unknown = record.unknown_mode.into_iter().chain(record.unknown_member);
                self.audit.skipped.extend(unknown.map(|kind| Skipped { line, kind }));
                if let Some(member) = record.misfit.filter(|_| self.is_strict) {
                    let what = format!("`{member}` does not follow from the rest of the line");
                    self.audit.faults.push(LineFault { line, entry: named, what });
                }
                self.left_out.add(self.entries.len(), record.left_out);
                self.entries.push(Arc::new(entry));
                self.lines.push(line);
            }
            Err(RecordError::UnknownType(kind)) => self.audit.skipped.push(Skipped { line, kind }),
            Err(newer @ RecordError::Newer { .. }) => {
                self.fault(line, named, &newer);
                return std::ops::ControlFlow::Break(());
            }
            Err(fault) => self.fault(line, named, &fault),
        }
        std::ops::ControlFlow::Continue(())
    }

    /// Where the times of lines with hashes first go back. The first line of a copy was written last.
    fn goes_back(&self) -> Option<usize> {
        let hashed = self.entries.iter().zip(&self.lines).skip(usize::from(self.is_copy));
        let hashed = hashed.filter(|(_, line)| **line as u64 > self.audit.unchained);
        let mut last = None;
        for (entry, line) in hashed {
            if last.replace(entry.at).is_some_and(|last| entry.at < last) {
                return Some(*line);
            }
        }
        None
    }

    fn conclude(mut self) -> (Audit, Vec<Arc<Entry>>) {
        self.conclude_chain();
        // What is left out is not compared, and everything else is: one missing field must not hide what is
        // wrong elsewhere.
        let whole = self.left_out.completed(&self.entries);
        let (mut faults, open) = ledger::audit(&whole);
        let chained = self.lines.iter().position(|line| *line as u64 > self.audit.unchained);
        let held = policy::audit_chained(&whole, chained.unwrap_or(usize::MAX), &self.left_out);
        faults.extend(held.faults);
        self.audit.unheld = held.unheld;
        // What contradicts a fault is brought about by it.
        let is_sound = faults.is_empty() && self.audit.faults.is_empty();
        if self.is_strict && is_sound && is_of_this_format(&whole) {
            faults.extend(contradictions(&whole, &self.left_out, self.is_copy));
        }
        for (position, fault) in faults {
            let line = self.lines.get(position).copied().unwrap_or_default();
            self.audit.faults.push(LineFault {
                line,
                entry: Some(fault.entry.to_string()),
                what: fault.what,
            });
        }
        self.audit.faults.sort_by_key(|fault| fault.line);
        let first_bad = self.audit.faults.first().map_or(usize::MAX, |fault| fault.line);
        let sound = self.lines.iter().filter(|line| **line < first_bad).count();
        let sound = if self.audit.is_replaced { 0 } else { sound };
        let place = resting_places(&whole).into_iter().rfind(|place| *place <= sound);
        self.audit.sound_entries = place.unwrap_or_default();
        let last = place.and_then(|place| self.entries.get(place.checked_sub(1)?));
        self.audit.sound_to = last.map(|entry| entry.id);
        self.audit.imported_to = self.audit.imported_to.max(foreign_to(&self.entries));
        self.audit.entries = self.entries.len();
        self.audit.earlier = self.goes_back();
        let dated = self.entries.iter().zip(&self.lines).map(|(entry, line)| (*line, entry.at));
        self.audit.latest = dated.max_by_key(|(_, at)| *at);
        self.audit.is_older = !is_of_this_format(&self.entries);
        self.audit.calls = whole.iter().map(|entry| calls(entry)).sum();
        self.audit.open = open.into_iter().collect();
        drop(whole);
        (self.audit, self.entries)
    }
}

/// Programs of earlier versions counted and named some things otherwise.
fn is_of_this_format(entries: &[Arc<Entry>]) -> bool {
    let began = entries.first().map(|entry| &entry.body);
    matches!(began, Some(ledger::Body::SessionStarted(started)) if started.version >= CHAINED_VERSION)
}

/// Why a line is no record. A newline behind a beginning would be read as a part of it.
fn unreadable(line: &[u8], why: &serde_json::Error) -> RecordError {
    match serde_json::from_slice::<IgnoredAny>(line.trim_ascii_end()) {
        Err(cut) if cut.is_eof() => RecordError::CutOff,
        _ => RecordError::NotAnObject(why.to_string()),
    }
}

/// How many calls an entry makes; the check of a goal and a command of the user are one each.
fn calls(entry: &Entry) -> usize {
    match &entry.body {
        ledger::Body::Assistant(message) => message.calls().count(),
        ledger::Body::Validation(_) | ledger::Body::Command(_) => 1,
        _ => 0,
    }
}
