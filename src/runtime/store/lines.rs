//! The bytes of many sessions, one file after the other in the same memory.

use std::fs::Metadata;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

use memchr::memchr_iter;

use super::failure_text::cannot;
use super::whole;

/// Files up to this size are read at once.
const SMALL: u64 = 8 * 1024 * 1024;

/// Reads files, and keeps its memory for the next one.
#[derive(Debug, Default)]
pub(super) struct LineReader {
    buffer: Vec<u8>,
}

impl LineReader {
    /// Hands on each line of a file with its newline. Returns what the file was when it was opened, and how many bytes
    /// were read.
    ///
    /// # Errors
    /// A sentence: it cannot be read, or cannot be a session's.
    pub(super) fn each_line(
        &mut self,
        path: &Path,
        mut take: impl FnMut(&[u8]),
    ) -> Result<(Metadata, u64), String> {
        let unreadable = |fault: std::io::Error| cannot("read", path, &fault);
        let (file, found) = whole::open(path, false)?;
        self.buffer.clear();
        if found.len() <= SMALL {
            self.buffer.reserve(usize::try_from(found.len()).unwrap_or(0));
            // Whoever writes it at the moment may add to it: what is not read now is read next time.
            let read = file.take(found.len()).read_to_end(&mut self.buffer).map_err(unreadable)?;
            split(&self.buffer, take);
            return Ok((found, read as u64));
        }
        let (mut reader, mut bytes) = (BufReader::with_capacity(1 << 16, file), 0);
        loop {
            self.buffer.clear();
            let most = whole::MOST_OF_A_LINE as u64;
            let read =
                (&mut reader).take(most + 1).read_until(b'\n', &mut self.buffer).map_err(unreadable)? as u64;
            if read > most {
                return Err(unreadable(std::io::Error::other(format!(
                    "one of its lines is larger than {} MB",
                    most / 1_000_000
                ))));
            }
            if read == 0 {
                self.buffer = Vec::new();
                return Ok((found, bytes));
            }
            bytes += read;
            take(&self.buffer);
        }
    }
}

/// Whether a line, which may have its newline, is an object as far as its ends tell.
pub(super) fn is_object(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"{") && line.ends_with(b"}")
}

/// Hands on each line with its newline, and what follows the last one.
pub(super) fn split(bytes: &[u8], mut take: impl FnMut(&[u8])) {
    let mut begins = 0;
    for end in memchr_iter(b'\n', bytes) {
        take(bytes.get(begins..=end).unwrap_or_default());
        begins = end + 1;
    }
    let rest = bytes.get(begins..).unwrap_or_default();
    if !rest.is_empty() {
        take(rest);
    }
}
