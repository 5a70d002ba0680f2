//! Reads a session's file whole, within bounds: what no session can be is refused before it fills the memory.

use std::fs::{File, Metadata, OpenOptions};
use std::io::Read;
use std::path::Path;

use crate::runtime::regular::opened;

use super::failure_text::cannot;

/// Most bytes of a session.
const MOST: u64 = 2 * 1024 * 1024 * 1024;
/// Most bytes of one of its lines. A hole in a file reads as one endless line.
pub(super) const MOST_OF_A_LINE: usize = 256 * 1024 * 1024;
/// Bytes that are read at once.
const PIECE: usize = 1024 * 1024;

/// Opens it to read, and to append to where that is wished.
///
/// # Errors
/// A sentence: it is not a regular file, cannot be opened, or is too large to be a session.
pub(super) fn open(path: &Path, appends: bool) -> Result<(File, Metadata), String> {
    let found = opened(OpenOptions::new().read(true).append(appends), path);
    let (file, found) = found.map_err(|fault| cannot("open", path, &fault))?;
    fits(&found, path)?;
    Ok((file, found))
}

/// That a file is not too large to be a session.
///
/// # Errors
/// A sentence: it is.
pub(super) fn fits(found: &Metadata, path: &Path) -> Result<(), String> {
    if found.len() > MOST {
        return Err(too_large(
            path,
            &format!("it has {} MB, but a session can have at most 2,147", found.len() / 1_000_000),
        ));
    }
    Ok(())
}

/// All bytes of an open file.
///
/// # Errors
/// A sentence: it cannot be read, or has a line that is too long.
pub(super) fn read(file: &File, found: &Metadata, path: &Path) -> Result<Vec<u8>, String> {
    read_within(file, found, path, MOST_OF_A_LINE)
}

/// All bytes of the file that a path names.
///
/// # Errors
/// As [`open`] and [`read`].
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let (file, found) = open(path, false)?;
    read(&file, &found, path)
}

fn read_within(file: &File, found: &Metadata, path: &Path, most_of_a_line: usize) -> Result<Vec<u8>, String> {
    // A size that was made up, such as that of a file with holes, reserves no memory.
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or(0).min(PIECE * 64));
    let mut line_begins = 0;
    let mut left = MOST;
    loop {
        let before = bytes.len();
        let piece = file.take(left.min(PIECE as u64)).read_to_end(&mut bytes);
        let piece = piece.map_err(|fault| cannot("read", path, &fault))?;
        if piece == 0 {
            return Ok(bytes);
        }
        left -= piece as u64;
        let new = bytes.get(before..).unwrap_or_default();
        if let Some(end) = new.iter().rposition(|byte| *byte == b'\n') {
            line_begins = before + end + 1;
        }
        if bytes.len() - line_begins > most_of_a_line {
            return Err(too_large(
                path,
                &format!("one of its lines is larger than {} MB", most_of_a_line / 1_000_000),
            ));
        }
    }
}

pub(super) fn too_large(path: &Path, why: &str) -> String {
    format!("the session file {} is too large: {why}; move it away, or delete it", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_an_end_is_refused_and_many_lines_are_read() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("s.jsonl");
        let line = [vec![b'x'; PIECE], b"\n".to_vec()].concat();
        std::fs::write(&path, line.repeat(5)).unwrap();
        let (file, found) = open(&path, false).unwrap();
        assert_eq!(read_within(&file, &found, &path, 2 * PIECE).unwrap().len(), 5 * line.len());
        let (file, found) = open(&path, false).unwrap();
        file.set_len(3).unwrap_err();
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().set_len(30 << 20).unwrap();
        let why = read_within(&file, &found, &path, 2 * PIECE).unwrap_err();
        assert!(why.contains("one of its lines is larger than 2 MB"), "{why}");
    }
}
