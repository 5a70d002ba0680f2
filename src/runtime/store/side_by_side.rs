//! Work on many files, done on several threads at once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// Threads that read; more would wait for the disk.
const MOST_THREADS: usize = 8;
/// Items that are not worth a second thread.
const FEW: usize = 16;

/// How many threads there are to work on so many items.
pub(super) fn threads(items: usize) -> usize {
    if items <= FEW { 1 } else { most_threads() }
}

/// How many threads there are at most. The system is asked once: it reads several files for the answer.
pub(super) fn most_threads() -> usize {
    static MOST: OnceLock<usize> = OnceLock::new();
    *MOST.get_or_init(|| thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS))
}

/// What `work` makes of each item, in their order. Each thread has a scratch value of its own, and takes the next item when it
/// is done with one: sessions differ much in size.
pub fn each<T: Sync, S: Default, R: Send>(items: &[T], work: impl Fn(&mut S, &T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = || {
        let mut scratch = S::default();
        let take = || {
            let at = next.fetch_add(1, Relaxed);
            items.get(at).map(|item| (at, work(&mut scratch, item)))
        };
        std::iter::from_fn(take).collect::<Vec<_>>()
    };
    let mut all = thread::scope(|scope| {
        let workers: Vec<_> = (1..threads(items.len())).map(|_| scope.spawn(done)).collect();
        let mut all = done();
        for worker in workers {
            match worker.join() {
                Ok(results) => all.extend(results),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for count in [0, 1, 15, 17, 1_000] {
            let items: Vec<usize> = (0..count).collect();
            let doubled = each(&items, |seen: &mut usize, item| {
                *seen += 1;
                item * 2
            });
            assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }
}
