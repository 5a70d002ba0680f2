//! Reads the hash chain of a session file line by line and says what is wrong with it. It holds bytes against hashes; what
//! the records mean is checked elsewhere.

use sha2::{Digest as _, Sha256};

use crate::ledger::CHAINED_VERSION;

use super::chain::{Chain, hex};
use super::chain_fault::ChainFault;
use super::hashed_line::HashedLine;
use super::members::members;

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
    /// The file is one that we keep: only copies lack contents.
    is_kept: bool,
}

impl Links {
    /// Holds the file against what is known of it, too: so many lines were on disk, and this was the hash of the last.
    pub fn knowing(lines: u64, hash: String) -> Self {
        Self { known: Some((lines, hash)), ..Self::default() }
    }

    /// Holds the file against what is known of all that we keep, too: nothing was left out of it.
    pub fn kept(self) -> Self {
        Self { is_kept: true, ..self }
    }

    /// Whether nothing may be left out.
    pub(super) fn is_kept(&self) -> bool {
        self.is_kept
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

    /// The same in words, if there are any.
    pub fn missing_in_words(&self) -> Option<String> {
        lines_are_missing(self.missing())
    }

    /// Reads the next line, its newline with it.
    ///
    /// # Errors
    /// [`ChainFault`]. The chain goes on with the hash that the line gives itself, so that later faults are found too.
    pub fn read(&mut self, line: &[u8]) -> Result<(), ChainFault> {
        self.take(HashedLine::of(line, &members(line).unwrap_or_default()))
    }

    /// The same of a line that was held against its own hashes.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(super) fn take(&mut self, hashed: HashedLine<'_>) -> Result<(), ChainFault> {
        let HashedLine { line, version, own } = hashed;
        self.lines += 1;
        let Some(own) = own else {
            self.must_be_chained |= self.lines == 1 && version >= u64::from(CHAINED_VERSION);
            self.before.update(line);
            self.unchained += 1;
            let is_missing = self.must_be_chained || self.head.is_some();
            return if is_missing { Err(ChainFault::Unchained) } else { Ok(()) };
        };
        let is_downgraded = self.lines == 1 && version < u64::from(CHAINED_VERSION);
        let expected = self.head.take().unwrap_or_else(|| hex(&self.before.clone().finalize()));
        self.redacted += own.redacted;
        let follows = self.is_lost || own.prev == Some(expected.as_str());
        let found = own.held.and(if follows { Ok(()) } else { Err(ChainFault::OutOfOrder) });
        let is_known =
            self.known.as_ref().is_none_or(|(line, hash)| *line != self.lines || *hash == own.claimed);
        self.head = Some(own.claimed.to_owned());
        self.is_lost = false;
        let found = if is_downgraded { found.and(Err(ChainFault::Downgraded)) } else { found };
        if is_known { found } else { found.and(Err(ChainFault::Replaced)) }
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

/// That so many lines were on disk and are not in the file, in words, if there are any.
pub fn lines_are_missing(lines: u64) -> Option<String> {
    match lines {
        0 => None,
        1 => Some("one more line was on disk and is missing here".to_owned()),
        lines => Some(format!("{lines} more lines were on disk and are missing here")),
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
