//! The sessions that there are, in one line each.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::SystemTime;

use super::lines::LineReader;
use super::list_cache::{ListCache, ListedFile, stamp_of};
use super::subagents::is_of_subagent;
use super::summary::{Summary, summarise_with};
use super::{find, side_by_side};

/// All sessions of a state folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// Those that can be read, newest first.
    pub sessions: Vec<Summary>,
    /// Those that cannot, with a sentence why.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// Lists the sessions. A file that was left empty before its first line is none. What was read of a file before is taken
/// from the cache while the file is the same.
pub fn list(state: &Path) -> Listing {
    // Neither needs the other, and each takes a while where there are thousands.
    let (files, cache) = thread::scope(|scope| {
        let cache = scope.spawn(|| ListCache::load(state));
        (own_files(state), cache.join().unwrap_or_default())
    });
    let now = SystemTime::now();
    let numbered: Vec<(usize, &PathBuf)> = files.iter().enumerate().collect();
    let listed: Vec<ListedFile> = side_by_side::each(&numbered, |scratch, (number, path)| {
        one(scratch, path, (*number, files.len()), &cache, now)
    });
    cache.renew(state, &files, &listed);
    let mut listing = Listing::default();
    for (path, one) in files.into_iter().zip(listed) {
        match one.summary {
            Ok(summary) => listing.sessions.push(summary),
            Err(_) if find::is_unwritten(&path) => {}
            Err(why) => listing.unreadable.push((path, why)),
        }
    }
    listing
}

/// Sub-agents belong to the sessions that started them.
fn own_files(state: &Path) -> Vec<PathBuf> {
    let mut files = find::with_made_ahead(state);
    files.retain(|path| !is_of_subagent(path));
    files
}

fn one(
    reader: &mut LineReader,
    path: &Path,
    place: (usize, usize),
    cache: &ListCache,
    now: SystemTime,
) -> ListedFile {
    if let Some((summary, stamp)) = cache.known(path, place) {
        return ListedFile { summary: Ok(summary), stamp: Some(stamp), is_fresh: false };
    }
    match summarise_with(reader, path) {
        Ok((summary, found)) => {
            let stamp = stamp_of(&summary, &found, now);
            ListedFile { summary: Ok(summary), stamp, is_fresh: true }
        }
        Err(why) => ListedFile { summary: Err(why), stamp: None, is_fresh: true },
    }
}
