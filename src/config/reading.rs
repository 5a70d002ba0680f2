//! Reads files that others may have written: regular files alone, never more than asked for.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::runtime::open_regular;

/// What reading gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reading<Content = String> {
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

/// Reads at most `most` bytes as text. A pipe or a device is refused without waiting for it.
pub(crate) fn read(path: &Path, most: u64) -> Reading {
    read_and_found(path, most).0
}

/// The same, and what was found of the very file that was read.
pub(crate) fn read_and_found(path: &Path, most: u64) -> (Reading, Option<Metadata>) {
    match opened(path) {
        Ok((file, found)) => (text_of(file, most), Some(found)),
        Err(Reading::Refused(why)) => (Reading::Refused(why), None),
        Err(Reading::Absent | Reading::Text { .. }) => (Reading::Absent, None),
    }
}

/// The same, as the bytes that are there.
pub(crate) fn bytes(path: &Path, most: u64) -> Reading<Vec<u8>> {
    opened(path).map_or_else(|not| not, |(file, _)| bytes_of(file, most))
}

fn text_of(file: File, most: u64) -> Reading {
    match bytes_of(file, most) {
        Reading::Text { text, cut } => {
            Reading::Text { text: String::from_utf8_lossy(&text).into_owned(), cut }
        }
        Reading::Absent => Reading::Absent,
        Reading::Refused(why) => Reading::Refused(why),
    }
}

fn opened(path: &Path) -> Result<(File, Metadata), Reading<Vec<u8>>> {
    open_regular(path).map_err(|error| match error.kind() {
        // Whoever made the link wants what is there to count.
        ErrorKind::NotFound if path.is_symlink() => Reading::Refused("it is a link to nothing".to_owned()),
        ErrorKind::NotFound | ErrorKind::NotADirectory => Reading::Absent,
        _ => Reading::Refused(error.to_string()),
    })
}

fn bytes_of(file: File, most: u64) -> Reading<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Err(error) = file.take(most + 1).read_to_end(&mut bytes) {
        return Reading::Refused(error.to_string());
    }
    let cut = bytes.len() as u64 > most;
    bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Reading::Text { text: bytes, cut }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    /// A pipe that takes the file's place at any moment, between a look and the opening too: nobody waits for it.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_that_takes_the_place_of_a_file_is_not_waited_for() {
        use rustix::fs::{RenameFlags, renameat_with};
        let place = tempfile::tempdir().unwrap();
        let (file, pipe) = (place.path().join("AGENTS.md"), place.path().join("pipe"));
        std::fs::write(&file, "words").unwrap();
        mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        let is_over = AtomicBool::new(false);
        let (mut texts, mut refused) = (0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    renameat_with(CWD, &file, CWD, &pipe, RenameFlags::EXCHANGE).unwrap();
                }
            });
            for _ in 0..20_000 {
                match read(&file, 100) {
                    Reading::Text { text, cut } => {
                        assert_eq!((text.as_str(), cut), ("words", false));
                        texts += 1;
                    }
                    Reading::Refused(why) => {
                        assert_eq!(why, "it is not a regular file");
                        refused += 1;
                    }
                    Reading::Absent => panic!("it is always there"),
                }
            }
            is_over.store(true, Relaxed);
        });
        assert!(texts > 0 && refused > 0, "{texts} {refused}");
    }

    #[test]
    fn a_link_to_nothing_is_refused_and_what_is_not_there_is_absent() {
        let place = tempfile::tempdir().unwrap();
        let link = place.path().join("link.md");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        assert_eq!(read(&link, 9), Reading::Refused("it is a link to nothing".to_owned()));
        assert_eq!(read(&place.path().join("none.md"), 9), Reading::Absent);
    }
}
