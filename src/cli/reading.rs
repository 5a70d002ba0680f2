//! Reads files that others may have written: regular files alone, never more than asked for.

use std::{
    fs::File,
    io::{ErrorKind, Read},
    path::Path,
};

/// What reading gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reading<Content = String> {
    /// The text, and whether more was there than may be read.
    Text {
        /// The text; bytes that are not UTF-8 are replaced.
        text: Content,
        /// Whether it was cut.
        cut: bool,
    },
    /// There is no such file.
    Absent,
    /// It is there and cannot be read; says why.
    Refused(String),
}

/// Reads at most `most` bytes as text. A pipe or a device is refused before it is opened: it could wait for ever.
pub(super) fn read(path: &Path, most: u64) -> Reading {
    match bytes(path, most) {
        Reading::Text { text, cut } => {
            Reading::Text { text: String::from_utf8_lossy(&text).into_owned(), cut }
        }
        Reading::Absent => Reading::Absent,
        Reading::Refused(why) => Reading::Refused(why),
    }
}

/// The same, as the bytes that are there.
pub(super) fn bytes(path: &Path, most: u64) -> Reading<Vec<u8>> {
    match std::fs::metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Reading::Absent;
        }
        Err(error) => return Reading::Refused(error.to_string()),
        Ok(found) if !found.is_file() => return Reading::Refused("it is not a regular file".to_owned()),
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    if let Err(error) = File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes)) {
        return Reading::Refused(error.to_string());
    }
    let cut = bytes.len() as u64 > most;
    bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Reading::Text { text: bytes, cut }
}
