//! What the model was shown of files, so that it never overwrites what it has not seen.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use tokio::sync::watch;

/// Hashes of the contents last shown or written, by real path. Clones share one memory; a watch channel that nobody
/// waits on is the shortest way to share it among tools that run side by side.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen(watch::Sender<BTreeMap<PathBuf, u64>>);

impl Seen {
    /// Remembers a content.
    pub(super) fn note(&self, path: &Path, content: &[u8]) {
        self.0.send_modify(|hashes| {
            hashes.insert(path.to_owned(), hash(content));
        });
    }

    /// Whether the file was seen with another content than this. A file that was never seen has not changed.
    pub(super) fn has_changed(&self, path: &Path, content: &[u8]) -> bool {
        self.0.borrow().get(path).is_some_and(|seen| *seen != hash(content))
    }
}

fn hash(content: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    hasher.finish()
}
