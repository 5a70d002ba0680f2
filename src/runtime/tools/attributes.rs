//! Extended attributes of a file that is replaced: labels, tags and access lists stay, rights of a program do not.

use std::ffi::CStr;
use std::fs::File;
use std::io;

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
use rustix::io::Errno;

/// The most that Linux takes for all names, and for one value.
const MOST_BYTES: usize = 1 << 16;

/// Copies what is to stay. What only the system may set, such as a label of SELinux, stays where that is permitted.
///
/// # Errors
/// The system's, when an attribute of the user cannot be kept.
pub(super) fn copy(from: &File, to: &File) -> io::Result<()> {
    let mut names = vec![0; MOST_BYTES];
    let length = match flistxattr(from, names.as_mut_slice()) {
        // A file system without them has none to keep.
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(()),
        length => length?,
    };
    names.truncate(length);
    let mut value = vec![0; MOST_BYTES];
    for name in
        names.split_inclusive(|byte| *byte == 0).filter_map(|name| CStr::from_bytes_with_nul(name).ok())
    {
        if !stays(name.to_bytes()) {
            continue;
        }
        let copied = fgetxattr(from, name, value.as_mut_slice()).and_then(|length| {
            fsetxattr(to, name, value.get(..length).unwrap_or_default(), XattrFlags::empty())
        });
        if name.to_bytes().starts_with(b"user.") {
            copied?;
        }
    }
    Ok(())
}

/// Capabilities are rights that the content had; what IMA and EVM keep are sums of it; `trusted` is the file system's own.
fn stays(name: &[u8]) -> bool {
    const OF_THE_CONTENT: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];
    !OF_THE_CONTENT.contains(&name) && !name.starts_with(b"trusted.")
}
