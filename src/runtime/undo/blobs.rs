//! Contents by their hashes: each kept once, whole or not at all.

use std::io;
use std::path::Path;

use super::super::private_file::replace_private;
use super::super::store::plain;
use super::record::{Hash, MOST_BYTES};

/// Keeps a content in `folder`, which is made when it is missing.
pub(super) fn put(folder: &Path, content: &[u8]) -> io::Result<Hash> {
    let hash = Hash::of(content);
    if get(folder, &hash).is_err() {
        replace_private(folder, hash.as_str(), content)?;
    }
    Ok(hash)
}

/// The content of this hash. What is not what its name says is an error.
pub(super) fn get(folder: &Path, hash: &Hash) -> io::Result<Vec<u8>> {
    let content = plain::read(&folder.join(hash.as_str()), MOST_BYTES)?;
    if Hash::of(&content) == *hash {
        Ok(content)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidData, format!("the saved content {hash} is damaged")))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;
    use crate::runtime::failing::failing;

    #[test]
    fn a_content_that_cannot_be_made_durable_is_not_kept() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("blobs");
        // The content's own sync, and, once that works, the folder's: here both fail.
        failing(&[libc::SYS_fsync], || put(&folder, b"before").unwrap_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        let hash = put(&folder, b"before").unwrap();
        assert_eq!(get(&folder, &hash).unwrap(), b"before");
    }
}
