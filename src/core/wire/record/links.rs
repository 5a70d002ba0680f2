//! Reads the hash chain of a session file line by line and says what is wrong with it. It holds bytes against hashes; what
//! the records mean is checked elsewhere.

use memchr::memmem;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::ledger::CHAINED_VERSION;

use super::canonical::{are_different, is_canonical};
use super::chain::{Chain, HASH, hex, is_content, sealed_hash};
use super::decode::is_known;
use super::members::{Member, listed, member, members, unquoted};

/// What stands once in a line, before its hash.
const HASH_BEGINS: &[u8] = b",\"hash\":\"";

/// What is wrong with a line of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ChainFault {
    /// A line without a hash where one must be.
    #[error("this line has no hash, so it was not written by countersign or was changed afterwards")]
    Unchained,
    /// A line with a hash in a session whose lines have none.
    #[error("this line has a hash, and says that the session is of a version whose lines have none")]
    Downgraded,
    /// The bytes are not those that the definition of the format asks for.
    #[error("this line is not in the canonical form of the format: {0}")]
    NotCanonical(&'static str),
    /// Another line than this was written here.
    #[error("this line was changed after it was written: its hash does not match")]
    Changed,
    /// A content field is another one.
    #[error("`{0}` was changed after it was written: its hash does not match")]
    ContentChanged(String),
    /// The file follows from its own beginning, but is another one.
    #[error("another line than this was written here: the file was made anew")]
    Replaced,
    /// It was written after another line than the one that stands before it.
    #[error(
        "this line does not follow the one before it: a line was removed, inserted, repeated or moved here"
    )]
    OutOfOrder,
}

/// Follows the chain.
#[derive(Debug, Clone, Default)]
pub struct Links {
    /// What stands before the first line with a hash.
    before: Sha256,
    /// Lines of older versions.
    unchained: u64,
    lines: u64,
    /// The hash that the last chained line gives itself.
    head: Option<String>,
    /// The line before could not be read: nobody knows its hash.
    is_lost: bool,
    redacted: u64,
    must_be_chained: bool,
    /// A line that is known to have been written, from 1, and its hash.
    known: Option<(u64, String)>,
}

impl Links {
    /// Holds the file against what is known of it, too: so many lines were on disk, and this was the hash of the last.
    pub fn knowing(lines: u64, hash: String) -> Self {
        Self { known: Some((lines, hash)), ..Self::default() }
    }

    /// A line that is no JSON: what follows it is not held against it.
    pub fn lose(&mut self, line: &[u8]) {
        self.lines += 1;
        self.is_lost = true;
        self.before.update(line);
        self.unchained += u64::from(self.head.is_none());
    }

    /// How many lines are known to have been written and are not there.
    pub fn missing(&self) -> u64 {
        self.known.as_ref().map_or(0, |(lines, _)| lines.saturating_sub(self.lines))
    }

    /// Reads the next line, its newline with it.
    ///
    /// # Errors
    /// [`ChainFault`]. The chain goes on with the hash that the line gives itself, so that later faults are found too.
    pub fn read(&mut self, line: &[u8]) -> Result<(), ChainFault> {
        self.read_members(line, &members(line).unwrap_or_default())
    }

    /// The same, and that each value has the bytes that we write for it: that takes longer, and decides nothing for who reads the
    /// values as we do.
    pub(super) fn audit_members(&mut self, line: &[u8], members: &[Member<'_>]) -> Result<(), ChainFault> {
        let chained = self.read_members(line, members);
        let is_hashed = members.iter().any(|(name, _)| name == HASH);
        if is_hashed && !members.iter().all(|(_, raw)| is_canonical(raw.get())) {
            return chained.and(Err(ChainFault::NotCanonical(
                "spaces, escapes or numbers that are written differently, or two members of the same name",
            )));
        }
        chained
    }

    /// The same of a line whose members are known.
    pub(super) fn read_members(&mut self, line: &[u8], members: &[Member<'_>]) -> Result<(), ChainFault> {
        self.lines += 1;
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let at = members.iter().position(|(name, _)| name == HASH);
        let Some(at) = at else {
            self.must_be_chained |= self.lines == 1 && version(members) >= u64::from(CHAINED_VERSION);
            self.before.update(line);
            self.unchained += 1;
            let is_missing = self.must_be_chained || self.head.is_some();
            return if is_missing { Err(ChainFault::Unchained) } else { Ok(()) };
        };
        let is_downgraded = self.lines == 1 && version(members) < u64::from(CHAINED_VERSION);
        let claimed = unquoted(members.get(at).map_or("", |(_, raw)| raw.get())).to_owned();
        let expected = self.head.take().unwrap_or_else(|| hex(&self.before.clone().finalize()));
        let found = self.held(text, members, at, &claimed, &expected);
        let is_known = self.known.as_ref().is_none_or(|(line, hash)| *line != self.lines || *hash == claimed);
        self.head = Some(claimed);
        self.is_lost = false;
        let found = if is_downgraded { found.and(Err(ChainFault::Downgraded)) } else { found };
        if is_known { found } else { found.and(Err(ChainFault::Replaced)) }
    }

    fn held(
        &mut self,
        text: &[u8],
        members: &[Member<'_>],
        at: usize,
        claimed: &str,
        expected: &str,
    ) -> Result<(), ChainFault> {
        let (head, tail) = members.split_at(at);
        let other = || ChainFault::NotCanonical("spaces, or keys that are escaped");
        let hashed = text.get(..covered(text, 0, head).ok_or_else(other)?).unwrap_or_default();
        if hex(&Sha256::digest(hashed)) != claimed {
            return Err(ChainFault::Changed);
        }
        self.redacted += contents(head, tail)?;
        // All of the line, so that nothing stands between or behind the members.
        if covered(text, hashed.len(), tail) != text.len().checked_sub(1) || !text.ends_with(b"}") {
            return Err(other());
        }
        let (before, rest) = text.split_at_checked(hashed.len()).unwrap_or_default();
        // One that begins before it ends at most in what it begins with.
        let reach = text.get(..before.len() + HASH_BEGINS.len() - 1).unwrap_or(text);
        if !rest.starts_with(HASH_BEGINS) || memmem::find(reach, HASH_BEGINS).is_some() {
            return Err(ChainFault::NotCanonical("a second `hash`"));
        }
        if self.is_lost || member(head, "prev").map(unquoted) == Some(expected) {
            Ok(())
        } else {
            Err(ChainFault::OutOfOrder)
        }
    }

    /// Lines that were read.
    pub fn lines(&self) -> usize {
        usize::try_from(self.lines).unwrap_or(usize::MAX)
    }

    /// The hash that the last line gives itself, if it is chained.
    pub fn head(&self) -> Option<&str> {
        self.head.as_deref()
    }

    /// Lines with a hash.
    pub fn chained(&self) -> u64 {
        self.lines - self.unchained
    }

    /// Lines before the chain begins.
    pub fn unchained(&self) -> u64 {
        self.unchained
    }

    /// Content fields that were left out.
    pub fn redacted(&self) -> u64 {
        self.redacted
    }

    /// What the next line follows. A last line without its newline gets one first.
    pub fn chain(mut self, lacks_newline: bool) -> Chain {
        if lacks_newline {
            self.before.update(b"\n");
        }
        match self.head {
            Some(head) => Chain::at(head, self.lines),
            None => Chain::after(&self.before, self.lines),
        }
    }
}

/// The chain of a file, from what is known of it. A last line that is no JSON was torn by a crash, and is left out.
///
/// # Errors
/// The number of the first line with a fault, from 1, and the fault.
pub fn follow(bytes: &[u8], mut links: Links) -> Result<Links, (usize, ChainFault)> {
    for (number, line, rest) in super::file::numbered(bytes) {
        if rest.is_empty() && members(line).is_none() {
            break;
        }
        links.read(line).map_err(|fault| (number, fault))?;
    }
    Ok(links)
}

/// That each content field has its hash, in the same order; how many were left out, salt and all.
fn contents(head: &[Member<'_>], tail: &[Member<'_>]) -> Result<u64, ChainFault> {
    let other =
        || ChainFault::NotCanonical("content fields, their hashes and their salts do not fit together");
    let sealed = member(head, "sealed").map_or(Some(Vec::new()), listed).ok_or_else(other)?;
    // Of a type that is not known here, nobody knows what its contents are.
    let kind = kind_of(head).ok_or(ChainFault::NotCanonical("`type` is not the first member"))?;
    if is_known(kind) && !sealed.iter().all(|(name, _)| is_content(kind, name)) {
        return Err(ChainFault::NotCanonical("something is sealed that is no content"));
    }
    // What was left out would leave the other one standing in its place.
    let names = head.iter().map(|(name, _)| &**name).chain(sealed.iter().map(|(name, _)| &**name));
    if !are_different(names.collect()) {
        return Err(ChainFault::NotCanonical("two members of the same name"));
    }
    let mut rest = tail.get(1..).unwrap_or_default();
    let mut salts = Vec::new();
    if let [(name, raw), after @ ..] = rest
        && name == "salts"
    {
        (salts, rest) = (listed(raw.get()).ok_or_else(other)?, after);
    }
    let mut salts = salts.iter().peekable();
    let mut rest = rest.iter().peekable();
    let mut redacted = 0;
    for (name, hash) in &sealed {
        let salt = salts.next_if(|(salted, _)| salted == name);
        let content = rest.next_if(|(content, _)| content == name);
        match (salt, content) {
            (Some((_, salt)), Some((_, raw))) => {
                if sealed_hash(salt, raw.get().as_bytes()) != *hash {
                    return Err(ChainFault::ContentChanged(name.clone().into_owned()));
                }
            }
            (None, None) => redacted += 1,
            _ => return Err(other()),
        }
    }
    if salts.next().is_some() || rest.next().is_some() { Err(other()) } else { Ok(redacted) }
}

/// The type of a line, which nobody can leave out.
fn kind_of<'m>(head: &'m [Member<'_>]) -> Option<&'m str> {
    head.first().filter(|(name, _)| name == "type").map(|(_, raw)| unquoted(raw.get()))
}

/// Where these members of a line end, the first of which begins at `from`, if they are written without a space between them.
fn covered(text: &[u8], from: usize, members: &[Member<'_>]) -> Option<usize> {
    let mut at = from;
    for (name, raw) in members {
        for part in [if at == 0 { "{\"" } else { ",\"" }, name, "\":"] {
            text.get(at..)?.starts_with(part.as_bytes()).then_some(())?;
            at += part.len();
        }
        // The value is a part of the line: where it is, its bytes are.
        (raw.get().as_ptr().addr() == text.as_ptr().addr() + at).then_some(())?;
        at += raw.get().len();
    }
    Some(at)
}

fn version(members: &[Member<'_>]) -> u64 {
    member(members, "version").and_then(|raw| raw.parse().ok()).unwrap_or_default()
}
