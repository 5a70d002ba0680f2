//! Files of other agents, read a line at a time within bounds: a hostile one fills no memory.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _};
use std::path::Path;

use crate::runtime::regular::open_regular;
use crate::wire::foreign::{MOST_OF_A_FILE, MOST_OF_A_LINE};

/// Such a file, opened once: what is read a second time is the same file.
#[derive(Debug)]
pub struct ForeignFile {
    reader: BufReader<File>,
}

impl ForeignFile {
    /// Opens one.
    ///
    /// # Errors
    /// A sentence: it is not a regular file, cannot be opened, or is too large.
    pub fn open(path: &Path) -> Result<Self, String> {
        let (file, found) =
            open_regular(path).map_err(|fault| format!("cannot open {}: {fault}", path.display()))?;
        if found.len() > MOST_OF_A_FILE {
            return Err(format!(
                "{} has {} MB, but a file of another agent can have at most {}",
                path.display(),
                found.len() / 1_000_000,
                MOST_OF_A_FILE / 1_000_000
            ));
        }
        Ok(Self { reader: BufReader::with_capacity(1 << 16, file) })
    }

    /// Hands on its lines from the first one, until one is refused.
    ///
    /// # Errors
    /// A sentence: it cannot be read, or a line is too long; or what refused a line.
    pub fn lines(&mut self, mut take: impl FnMut(&[u8]) -> Result<bool, String>) -> Result<(), String> {
        let unreadable = |fault: std::io::Error| format!("the file cannot be read: {fault}");
        self.reader.rewind().map_err(unreadable)?;
        let (mut line, mut left) = (Vec::new(), MOST_OF_A_FILE);
        for number in 1_u64.. {
            line.clear();
            let most = left.min(MOST_OF_A_LINE + 1);
            let read = (&mut self.reader).take(most).read_until(b'\n', &mut line).map_err(unreadable)?;
            if read as u64 > MOST_OF_A_LINE {
                return Err(format!("line {number} is larger than {} MB", MOST_OF_A_LINE / 1_000_000));
            }
            left -= read as u64;
            if read == 0 || !take(&line)? {
                break;
            }
        }
        Ok(())
    }
}
