//! What the model was shown of files, and what a person was shown of a call, so that nothing is changed that nobody saw.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use tokio::sync::watch;

use crate::ledger::CallId;

use super::diff::Difference;
use super::editor::Current;

/// Calls that were looked at and never run are forgotten after so many others. What a person allowed of one that is forgotten
/// is not made.
const MOST_CALLS: usize = 1000;

/// Clones share one memory; a watch channel that nobody waits on is the shortest way to share it among tools that
/// run side by side.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen(watch::Sender<Memory>);

#[derive(Debug, Default)]
struct Memory {
    /// Hashes of the contents last shown or written, by real path.
    shown: BTreeMap<PathBuf, u64>,
    /// What each call was to change when it was looked at, by real path.
    looks: BTreeMap<(CallId, PathBuf), Look>,
    /// Calls of which it could not be said then what they would change: the whole call was shown, and why.
    unsaid: BTreeSet<CallId>,
}

/// A file when a call that changes it was looked at.
#[derive(Debug)]
struct Look {
    /// On disk and in the editor; `None`: it was not there.
    contents: [Option<u64>; 2],
    /// The diff without the numbers of its lines; `None`: it was cut.
    diff: Option<u64>,
}

impl Seen {
    /// Remembers a content as shown to the model.
    pub(super) fn note(&self, path: &Path, content: &[u8]) {
        self.0.send_modify(|memory| {
            memory.shown.insert(path.to_owned(), hash(content));
        });
    }

    /// Whether the file was seen with another content than this. A file that was never seen has not changed.
    pub(super) fn has_changed(&self, path: &Path, content: &[u8]) -> bool {
        self.0.borrow().shown.get(path).is_some_and(|seen| *seen != hash(content))
    }

    /// Whether the file was seen with this content.
    pub(super) fn is_seen(&self, path: &Path, content: &[u8]) -> bool {
        self.0.borrow().shown.get(path).is_some_and(|seen| *seen == hash(content))
    }

    /// Remembers the diff of a call and the content on which it was made.
    pub(super) fn look(&self, call: CallId, path: &Path, now: &Current, difference: &Difference) {
        let (key, look) =
            ((call, path.to_owned()), Look { contents: hashes(now), diff: hash_of_diff(difference) });
        self.0.send_modify(|memory| {
            memory.unsaid.remove(&call);
            memory.looks.insert(key, look);
            if memory.looks.len() > MOST_CALLS {
                memory.looks.pop_first();
            }
        });
    }

    /// Remembers that it could not be said what a call would change: a person is shown the whole call instead.
    pub(super) fn look_in_vain(&self, call: CallId) {
        self.0.send_modify(|memory| {
            memory.looks.retain(|(of, _), _| *of != call);
            memory.unsaid.insert(call);
            if memory.unsaid.len() > MOST_CALLS {
                memory.unsaid.pop_first();
            }
        });
    }

    /// Whether it is known what a look at this call has found.
    pub(super) fn is_looked_at(&self, call: CallId, path: &Path) -> bool {
        let memory = self.0.borrow();
        memory.unsaid.contains(&call) || memory.looks.contains_key(&(call, path.to_owned()))
    }

    /// Whether that was this content. A call that was shown whole can be made on any; one of which no look is known, on none.
    pub(super) fn is_as_looked(&self, call: CallId, path: &Path, now: &Current) -> bool {
        let memory = self.0.borrow();
        match memory.looks.get(&(call, path.to_owned())) {
            Some(look) => look.contents == hashes(now),
            None => memory.unsaid.contains(&call),
        }
    }

    /// Whether that was this diff, wherever in the file its lines are now.
    pub(super) fn is_same_diff(&self, call: CallId, path: &Path, difference: &Difference) -> bool {
        let now = hash_of_diff(difference);
        let memory = self.0.borrow();
        now.is_some() && memory.looks.get(&(call, path.to_owned())).is_some_and(|look| look.diff == now)
    }

    /// The call has made its change: what it was looked at for is over.
    pub(super) fn is_made(&self, call: CallId, path: &Path) {
        self.0.send_modify(|memory| {
            memory.looks.remove(&(call, path.to_owned()));
            memory.unsaid.remove(&call);
        });
    }

    /// The call is over: what it was looked at for is, too.
    pub(super) fn over(&self, call: CallId) {
        self.0.send_modify(|memory| {
            memory.looks.retain(|(of, _), _| *of != call);
            memory.unsaid.remove(&call);
        });
    }
}

fn hashes(now: &Current) -> [Option<u64>; 2] {
    [now.disk.as_deref().map(hash), now.held.as_deref().map(hash)]
}

fn hash_of_diff(difference: &Difference) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    for line in difference.text.split_inclusive('\n') {
        // Within a hunk each line begins with its sign.
        hasher.write(if line.starts_with("@@ ") { b"@@" } else { line.as_bytes() });
    }
    (!difference.is_cut).then(|| hasher.finish())
}

fn hash(content: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    hasher.finish()
}
