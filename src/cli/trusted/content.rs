//! What trust is given to: the files of a folder that may start programs, permit things or send data, and their hash.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::cli::fault::Fault;
use crate::cli::reading::{self, Reading};

/// The configuration of a project, below its folder.
pub(in crate::cli) const CONFIG: &str = ".countersign/config.toml";

/// The files that count, in this order. What joins them is hashed from then on, so that trust given before has to be
/// given again where such a file is.
const FILES: &[&str] = &[CONFIG];

/// Most bytes of one file.
const MOST_BYTES: u64 = 1024 * 1024;

/// A folder and its files, read once: what is shown, hashed and obeyed is the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Content {
    /// The folder, as it was named.
    folder: PathBuf,
    /// The folder with its symlinks resolved; `None` if that is no text, or cannot be done.
    real: Option<String>,
    /// Each file that is there: its name in [`FILES`], and what it holds.
    files: Vec<(&'static str, Vec<u8>)>,
}

impl Content {
    /// Reads the files; `None` where there are none.
    ///
    /// # Errors
    /// A file that is there and cannot be read, or is too large; exit 2.
    pub(in crate::cli) fn of(folder: &Path) -> Result<Option<Self>, Fault> {
        let mut files = Vec::new();
        for name in FILES {
            let path = folder.join(name);
            match reading::bytes(&path, MOST_BYTES) {
                Reading::Absent => {}
                Reading::Refused(why) => return Err(unreadable(&path, &why)),
                Reading::Text { cut: true, .. } => {
                    return Err(unreadable(&path, "it is larger than a megabyte"));
                }
                Reading::Text { text, .. } => files.push((*name, text)),
            }
        }
        let real = folder.canonicalize().ok().and_then(|real| Some(real.to_str()?.to_owned()));
        Ok((!files.is_empty()).then(|| Self { folder: folder.to_owned(), real, files }))
    }

    /// The folder as it was named.
    pub(in crate::cli) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder's real path, under which trust is kept.
    pub(in crate::cli) fn real(&self) -> Option<&str> {
        self.real.as_deref()
    }

    /// The path of one of the files.
    pub(in crate::cli) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The text of one of the files, if it is there; bytes that are not UTF-8 are replaced.
    pub(in crate::cli) fn text(&self, name: &str) -> Option<String> {
        let file = self.files.iter().find(|(known, _)| *known == name);
        file.map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
    }

    /// SHA-256 over names and contents, each with its length before it, so that no two sets of files share one.
    pub(in crate::cli) fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        for (name, bytes) in &self.files {
            for part in [name.as_bytes(), bytes] {
                hasher.update((part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
        }
        hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn unreadable(path: &Path, why: &str) -> Fault {
    Fault::usage(
        format!("cannot read the configuration {}: {why}", path.display()),
        "make it a readable file, or move it away",
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_byte_counts_and_no_file_is_no_content() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(Content::of(place.path()).unwrap(), None);
        fs::create_dir(place.path().join(".countersign")).unwrap();
        let hash = |text: &[u8]| {
            fs::write(place.path().join(CONFIG), text).unwrap();
            Content::of(place.path()).unwrap().unwrap().hash()
        };
        let texts: [&[u8]; 5] = [b"", b"a", b"a\n", b"\xff", b"\xfe"];
        let hashes: std::collections::BTreeSet<String> = texts.iter().map(|text| hash(text)).collect();
        assert_eq!(hashes.len(), texts.len());
        assert!(hashes.iter().all(|hash| hash.len() == 64));
        assert_eq!(hash(b"a"), hash(b"a"));
    }

    #[test]
    fn a_file_that_is_moved_between_names_is_another_content() {
        let of = |files: &[(&'static str, &str)]| {
            let files = files.iter().map(|(name, text)| (*name, text.as_bytes().to_vec())).collect();
            Content { folder: PathBuf::new(), real: None, files }.hash()
        };
        assert_ne!(of(&[("a", "bc")]), of(&[("ab", "c")]));
        assert_ne!(of(&[("a", "b"), ("c", "d")]), of(&[("a", "bc"), ("", "d")]));
    }
}
