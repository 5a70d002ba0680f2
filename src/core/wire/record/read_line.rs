//! A line of a session file read by itself: all that can be said of it without those before it, so that lines can be read side by side.

use serde_json::Value;

use crate::ledger::{Body, Entry, EntryId};

use super::chain::HASH;
use super::chain_fault::ChainFault;
use super::file::{IMPORTED_FROM, imported_to, is_copy, numbered};
use super::hashed_line::HashedLine;
use super::known_members::unknown;
use super::members::{Member, member, members, record, unquoted};
use super::{RecordError, decode, derived, left_out};

/// A line that was read.
#[derive(Debug)]
pub struct ReadLine<'f> {
    pub(super) number: usize,
    pub(super) line: &'f [u8],
    /// Whether it is the last one of the file.
    pub(super) is_last: bool,
    /// What stands in it, or why it is no JSON.
    pub(super) read: Result<ReadRecord<'f>, serde_json::Error>,
}

/// What stands in a line.
#[derive(Debug)]
pub(super) struct ReadRecord<'f> {
    pub(super) hashed: HashedLine<'f>,
    /// What is wrong with how it is written, beside its hashes.
    pub(super) form: Option<ChainFault>,
    /// Its entry, as it names it.
    pub(super) named: Option<String>,
    /// Its type, if it is not the one that a file begins with.
    pub(super) other_kind: Option<String>,
    /// Whether it says that the session was made from another one.
    pub(super) is_copy: bool,
    /// The last entry that it says came with an import, and the id that the session had.
    pub(super) import: (Option<EntryId>, Option<String>),
    /// Content fields that were left out of it.
    pub(super) left_out: Vec<String>,
    pub(super) entry: Result<Entry, RecordError>,
    /// A member that does not follow from the rest of it.
    pub(super) misfit: Option<&'static str>,
    /// A permission mode that is not known.
    pub(super) unknown_mode: Option<String>,
    /// A member that is not known, among those that the hash covers as they are.
    pub(super) unknown_member: Option<String>,
}

/// The lines of a file, unread, each with its number from 1 and whether it is the last one.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8], bool)> {
    numbered(bytes).map(|(number, line, rest)| (number, line, rest.is_empty()))
}

impl<'f> ReadLine<'f> {
    /// Reads one of [`lines`].
    pub fn of((number, line, is_last): (usize, &'f [u8], bool)) -> Self {
        let members = members(line);
        let known = members.as_deref().and_then(record);
        let value = known.map_or_else(|| serde_json::from_slice::<Value>(line), Ok);
        let read = value.map(|mut value| {
            let unknown_member = unread_member(members.as_deref().unwrap_or_default());
            let (hashed, form) = HashedLine::strictly(line, &members.unwrap_or_default());
            let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
            let (named, kind) = (text("entry"), text("type"));
            let is_copy = is_copy(&value);
            let import = (imported_to(&value), text(IMPORTED_FROM));
            let left_out = left_out::fill(&mut value);
            let entry = decode(&value);
            let found = entry.as_ref().ok();
            let misfit = found.and_then(|entry| derived::another(&value, entry));
            let unknown_mode = found.and_then(|entry| unread_mode(&value, entry));
            let other_kind = match kind {
                Some(kind) if kind == "session_started" => None,
                kind => Some(kind.unwrap_or_else(|| "a record without a type".to_owned())),
            };
            ReadRecord {
                hashed,
                form,
                named,
                other_kind,
                is_copy,
                import,
                left_out,
                entry,
                misfit,
                unknown_mode,
                unknown_member,
            }
        });
        Self { number, line, is_last, read }
    }
}

/// The first member of a line with a hash that is not known, and of what it is one. Readers ignore it.
fn unread_member(members: &[Member<'_>]) -> Option<String> {
    let at = members.iter().position(|(name, _)| name == HASH)?;
    let head = members.get(..at)?;
    let kind = unquoted(member(head, "type")?);
    let name = unknown(kind, head.iter().map(|(name, _)| &**name))?;
    Some(format!("{name} of {kind}"))
}

/// The permission mode of a session, if it says one that is not known.
fn unread_mode(value: &Value, entry: &Entry) -> Option<String> {
    let Body::SessionStarted(started) = &entry.body else { return None };
    value.get("mode").filter(|_| started.mode.is_none()).map(|mode| format!("mode {mode}"))
}
