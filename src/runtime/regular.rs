//! Opens files that others may have put there: regular files only, and never one that could be waited for.
//!
//! What is checked is what is read: the kind and the size come from the open descriptor. A check of the path before it is
//! opened would say nothing, since a pipe can take the file's place in between.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a regular file to read it, and says what was opened. Links are followed.
///
/// # Errors
/// As the system says it, and [`io::ErrorKind::InvalidInput`] for a pipe, a device, a socket or a folder.
pub fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    opened(OpenOptions::new().read(true), path)
}

/// The same with options of one's own.
///
/// # Errors
/// As [`open_regular`].
pub(super) fn opened(options: &mut OpenOptions, path: &Path) -> io::Result<(File, Metadata)> {
    opened_with(options, OFlags::empty(), path)
}

/// The same for a file that only this program makes, and writes: one behind a link is another's.
///
/// # Errors
/// As [`open_regular`], and that it is a link.
pub(super) fn opened_own(options: &mut OpenOptions, path: &Path) -> io::Result<(File, Metadata)> {
    opened_with(options, OFlags::NOFOLLOW, path)
}

fn opened_with(options: &mut OpenOptions, more: OFlags, path: &Path) -> io::Result<(File, Metadata)> {
    // A pipe is opened without its other end, a device without its carrier; a terminal does not become ours.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | more;
    let file = options.custom_flags(flags.bits().cast_signed()).open(path)?;
    let found = file.metadata()?;
    if found.is_file() {
        Ok((file, found))
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn a_pipe_a_device_and_a_folder_are_refused_at_once() {
        let place = tempfile::tempdir().unwrap();
        let pipe = place.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        std::fs::write(place.path().join("file"), "x").unwrap();
        std::os::unix::fs::symlink("/dev/zero", place.path().join("link")).unwrap();
        for other in [pipe.as_path(), place.path(), Path::new("/dev/zero"), &place.path().join("link")] {
            let refused = open_regular(other).unwrap_err();
            assert_eq!(refused.to_string(), "it is not a regular file", "{}", other.display());
        }
        assert_eq!(open_regular(&place.path().join("file")).unwrap().1.len(), 1);
        assert_eq!(open_regular(&place.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
