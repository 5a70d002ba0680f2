//! A file that is written whole or not at all: what stood there stays until all of the new text is on disk.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// As the system's own tools make files; the umask takes its part.
const NEW_FILE_MODE: u32 = 0o666;
/// Bytes in which a file shows that it is a report: whoever writes one may begin it with a comment.
const TELLING: u64 = 4096;
/// What stands before the first element of a document, from its first letters to its last.
const BEFORE_ROOT: [(&str, &str); 2] = [("<?", "?>"), ("<!--", "-->")];
/// How the first element of a report begins: `testsuite`, or `testsuites` around several.
const REPORT: &str = "<testsuite";

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

/// Whether a file is there that does not begin like a report, so that none replaces it. An empty file has nothing to lose.
pub(super) fn is_no_report(path: &Path) -> bool {
    if !fs::metadata(path).is_ok_and(|there| there.is_file()) {
        return false;
    }
    let mut begins = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(TELLING).read_to_end(&mut begins));
    let begins = String::from_utf8_lossy(&begins);
    let root = root(&begins);
    // What cannot be read is not known to be one.
    read.is_err() || !root.is_empty() && !root.starts_with(REPORT)
}

/// The text from the first element of its document on.
fn root(text: &str) -> &str {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    while let Some((_, after)) = BEFORE_ROOT
        .iter()
        .find(|(begin, _)| rest.starts_with(*begin))
        .and_then(|(_, end)| rest.split_once(*end))
    {
        rest = after.trim_start();
    }
    rest
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

    #[test]
    fn only_what_begins_like_a_report_is_replaced_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        assert!(!is_no_report(&file), "there is none");
        for (text, is_other) in [
            ("", false),
            ("\n", false),
            ("<testsuites/>", false),
            ("\u{feff}<?xml version=\"1.0\"?>\n<!-- of a CI -->\n<testsuite name=\"a\">", false),
            ("{\"type\":\"session_started\"}", true),
            ("<!doctype html><html>", true),
            ("<?xml version=\"1.0\"?>\n<project><testsuite/></project>", true),
            ("<?xml version=\"1.0\" <testsuite", true),
        ] {
            fs::write(&file, text).unwrap();
            assert_eq!(is_no_report(&file), is_other, "{text}");
        }
    }
}
