//! Work on many files, done on several threads at once.

use std::thread;

/// Threads that read; more would wait for the disk.
pub(super) const MOST_THREADS: usize = 8;
/// Items that are not worth a second thread.
const FEW: usize = 16;

/// How many threads there are to work on so many items.
pub(super) fn threads(items: usize) -> usize {
    if items <= FEW { 1 } else { thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS) }
}

/// What `work` makes of each item, in their order. Each thread has a scratch value of its own.
pub fn each<T: Sync, S: Default, R: Send>(items: &[T], work: impl Fn(&mut S, &T) -> R + Sync) -> Vec<R> {
    let share = items.len().div_ceil(threads(items.len())).max(1);
    let done = |items: &[T]| {
        let mut scratch = S::default();
        items.iter().map(|item| work(&mut scratch, item)).collect::<Vec<_>>()
    };
    let (first, rest) = items.split_at(share.min(items.len()));
    thread::scope(|scope| {
        let workers: Vec<_> = rest.chunks(share).map(|items| scope.spawn(|| done(items))).collect();
        let mut all = done(first);
        for worker in workers {
            match worker.join() {
                Ok(results) => all.extend(results),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    })
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
