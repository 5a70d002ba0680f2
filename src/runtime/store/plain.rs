//! Files of ours that somebody else may have exchanged: nothing but a regular file is opened, and nothing is waited for.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a regular file for reading. A pipe, a device or a socket is refused; it is looked at before, since to open some
/// devices does something, and after, since it may have been exchanged in between.
///
/// # Errors
/// The system's, and that it is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    let is_other = || io::Error::other("it is not a regular file");
    if !std::fs::metadata(path)?.is_file() {
        return Err(is_other());
    }
    // No file is waited for at the other end of a pipe, and none becomes our terminal.
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(is_other()) }
}

/// What a regular file holds, if that is not more than `most` bytes.
///
/// # Errors
/// As [`open`], and that it is larger.
pub(in crate::runtime) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut content)?;
    if content.len() as u64 > most {
        return Err(io::Error::other(format!("it is larger than {most} bytes")));
    }
    Ok(content)
}
