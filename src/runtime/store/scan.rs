//! All sessions looked through on several threads, and told of in their order as soon as they are known.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use super::failure_text::cannot;
use super::{find, side_by_side, whole};

/// Most files that a thread takes at once, so that threads seldom wait for each other.
const BATCH: usize = 64;
/// How often each thread comes back at least, so that none is left with the largest files.
const TIMES: usize = 32;
/// Files up to this size are read into memory that is used again.
const SMALL: u64 = 8 * 1024 * 1024;

/// What was found in each of some files, the number of the first being given.
type FoundBatch<T> = (usize, Vec<T>);

/// Looks through the bytes of each session, and tells what was found, newest session first. Telling begins while others are
/// still looked through; it ends all when it breaks.
pub fn scan<T: Send>(
    state: &Path,
    look: impl Fn(&Path, Result<&[u8], String>) -> T + Sync,
    tell: impl FnMut(T) -> ControlFlow<()>,
) {
    let files = find::files(state);
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let threads = side_by_side::threads(files.len());
    let batch = (files.len() / (threads * TIMES)).clamp(1, BATCH);
    thread::scope(|scope| {
        let (sender, receiver) = channel::<FoundBatch<T>>();
        for _ in 0..threads {
            let sender = sender.clone();
            scope.spawn(|| work((&files, batch), &next, &is_over, &look, sender));
        }
        drop(sender);
        in_order(receiver.iter(), tell);
        is_over.store(true, Ordering::Relaxed);
    });
}

fn work<T: Send>(
    (files, most): (&[PathBuf], usize),
    next: &AtomicUsize,
    is_over: &AtomicBool,
    look: &(impl Fn(&Path, Result<&[u8], String>) -> T + Sync),
    sender: Sender<FoundBatch<T>>,
) {
    let mut buffer = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let begin = next.fetch_add(most, Ordering::Relaxed);
        let Some(batch) = files.get(begin..files.len().min(begin + most)).filter(|batch| !batch.is_empty())
        else {
            return;
        };
        let found = batch.iter().map(|path| {
            let read = read(path, &mut buffer);
            look(path, read.map(|()| buffer.as_slice()))
        });
        if sender.send((begin, found.collect())).is_err() {
            return;
        }
    }
}

fn read(path: &Path, buffer: &mut Vec<u8>) -> Result<(), String> {
    let (file, found) = whole::open(path, false)?;
    if found.len() > SMALL {
        *buffer = whole::bytes(path)?;
        return Ok(());
    }
    // One read, where a growing buffer would need several.
    buffer.resize(usize::try_from(found.len()).unwrap_or(0), 0);
    let read = fill(&file, buffer).map_err(|fault| cannot("read", path, &fault))?;
    buffer.truncate(read);
    Ok(())
}

/// Reads until the buffer is full or the file ends. Returns how many bytes there are.
fn fill(mut file: &File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut full = 0;
    while let Some(rest) = buffer.get_mut(full..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(read) => full += read,
            Err(fault) if fault.kind() == io::ErrorKind::Interrupted => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(full)
}

/// Tells each thing when all before it are told.
fn in_order<T>(found: impl Iterator<Item = FoundBatch<T>>, mut tell: impl FnMut(T) -> ControlFlow<()>) {
    let (mut waiting, mut next) = (BTreeMap::new(), 0);
    for (begin, batch) in found {
        waiting.insert(begin, batch);
        while let Some(batch) = waiting.remove(&next) {
            next += batch.len();
            for one in batch {
                if tell(one).is_break() {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_early_waits_for_what_stands_before_it() {
        let mut told = Vec::new();
        let found = [(2, vec![2, 3]), (0, vec![0, 1]), (6, vec![6]), (4, vec![4, 5])];
        in_order(found.into_iter(), |number| {
            told.push(number);
            if number == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(told, [0, 1, 2, 3, 4, 5], "and nothing is told after the end");
    }
}
