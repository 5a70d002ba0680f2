//! What is wrong with a session as far as a look at its lines tells that understands none of them: next to no work, for whoever reads all
//! sessions and few lines of each.

use std::path::Path;

use memchr::memmem;

use crate::wire::record::{ChainFault, lines_are_missing};

use super::head::{lines_on_disk, not_well_formed};
use super::lines::{is_object, split};

/// How a line names the hash of the one before it.
const HASH: &[u8] = br#","prev":""#;

/// What a look at the lines of a session tells that is wrong with it, in a sentence: next to no work, for whoever reads few of its lines.
pub fn broken_line(session: &Path, bytes: &[u8]) -> Option<String> {
    let mut ends = LineEnds::default();
    split(bytes, |line| ends.read(line));
    ends.fault(session)
}

/// Looks at the lines as they are read.
#[derive(Debug, Default)]
pub(super) struct LineEnds {
    /// Lines that were written to their end.
    whole: u64,
    bytes: u64,
    /// Whether the first line has a hash: then each has one.
    is_chained: bool,
    fault: Option<String>,
}

impl LineEnds {
    /// Looks at the next line, its newline with it. A last line that was not written to its end is no damage; an empty one says nothing.
    pub(super) fn read(&mut self, line: &[u8]) {
        self.bytes += line.len() as u64;
        if !line.ends_with(b"\n") {
            return;
        }
        self.whole += 1;
        if self.fault.is_some() || line.trim_ascii().is_empty() {
            return;
        }
        let has_hash = memmem::find(line, HASH).is_some();
        self.is_chained |= self.whole == 1 && has_hash;
        if !is_object(line) {
            self.fault = Some(format!("line {}: it is not a JSON object", self.whole));
        } else if self.is_chained && !has_hash {
            self.fault = Some(format!("line {}: {}", self.whole, ChainFault::Unchained));
        }
    }

    /// What is wrong first, in a sentence, when all was read.
    pub(super) fn fault(self, session: &Path) -> Option<String> {
        let fault = match self.fault {
            Some(fault) => fault,
            None => self.missing(session)?,
        };
        Some(not_well_formed(session, &fault))
    }

    /// Lines that are known to have been on disk and were not read. Nothing where the file has more now than was read: it is being written.
    fn missing(&self, session: &Path) -> Option<String> {
        let (known, _) = lines_on_disk(session)?;
        let missing = lines_are_missing(known.saturating_sub(self.whole))?;
        let has_grown = session.metadata().is_ok_and(|file| file.len() > self.bytes);
        (!has_grown).then_some(missing)
    }
}
