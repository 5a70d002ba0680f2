//! A file that is written whole or not at all: what stood there stays until all of the new text is on disk.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// As the system's own tools make files; the umask takes its part.
const NEW_FILE_MODE: u32 = 0o666;
/// Bytes in which a file shows that it is XML.
const TELLING: u64 = 64;

/// Writes this text in the place of the file.
///
/// # Errors
/// It cannot be written. The file is then as it was.
pub(super) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    // A terminal or a pipe cannot be replaced, and has nothing to lose.
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return fs::write(path, text);
    }
    // Behind a link stands the file that is meant.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let permissions = match OpenOptions::new().write(true).open(path) {
        Ok(there) => Some(there.metadata()?.permissions()),
        Err(why) if why.kind() == io::ErrorKind::NotFound => None,
        // What may not be written may not be replaced either.
        Err(why) => return Err(why),
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut making = tempfile::Builder::new();
    making.prefix(".countersign-");
    if permissions.is_none() {
        making.permissions(Permissions::from_mode(NEW_FILE_MODE));
    }
    let mut fresh = making.tempfile_in(folder.unwrap_or_else(|| Path::new(".")))?;
    fresh.write_all(text.as_bytes())?;
    if let Some(permissions) = permissions {
        fresh.as_file().set_permissions(permissions)?;
    }
    fresh.as_file().sync_data()?;
    fresh.persist(path).map_err(|fault| fault.error)?;
    Ok(())
}

/// Whether a file is there that is no XML, so that no report replaces it.
pub(super) fn is_no_report(path: &Path) -> bool {
    if !fs::metadata(path).is_ok_and(|there| there.is_file()) {
        return false;
    }
    let mut begins = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(TELLING).read_to_end(&mut begins));
    let begins = begins.strip_prefix(b"\xef\xbb\xbf".as_slice()).unwrap_or(&begins).trim_ascii_start();
    // What cannot be read is not known to be one.
    read.is_err() || !begins.is_empty() && !begins.starts_with(b"<")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_its_permissions_and_a_link_leads_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        fs::write(&file, "before").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_whole(&link, "after").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "after");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write_whole(&folder.path().join("new"), "new").unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "nothing is left beside them");
    }
}
