//! Session files read side by side.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// Threads that read; more would wait for the disk.
const MOST_THREADS: usize = 8;

/// What `read` makes of each file, in the order of the files.
pub fn each<T: Send>(files: &[PathBuf], read: impl Fn(&Path) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    // Sessions differ much in size: whoever is done takes the next.
    let next = AtomicUsize::new(0);
    let work = || {
        let take = || {
            let at = next.fetch_add(1, Relaxed);
            files.get(at).map(|path| (at, read(path)))
        };
        std::iter::from_fn(take).collect::<Vec<_>>()
    };
    let mut all: Vec<(usize, T)> = thread::scope(|scope| {
        let readers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        readers.into_iter().flat_map(|reader| reader.join().unwrap_or_default()).collect()
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, made)| made).collect()
}
