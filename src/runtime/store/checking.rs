//! A session file checked on several threads: lines are read side by side, and held against each other in their order.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use super::side_by_side::most_threads;
use crate::ledger::Entry;
use crate::wire::record::{Audit, Links, ReadLine, audit_entries, audit_read, lines};

/// Bytes from which on a file is worth a second thread.
pub(super) const LONG: usize = 256 * 1024;
/// Lines that are handed over at once.
const BATCH: usize = 64;
/// How many batches a thread may be ahead: a long session must not be in memory twice.
const AHEAD: usize = 2;

/// All that is wrong with a session file, with what is known of its chain, and the entries that could be read.
pub fn checked(bytes: &[u8], links: Links) -> (Audit, Vec<Arc<Entry>>) {
    let readers = if bytes.len() < LONG { 1 } else { most_threads() };
    if readers < 2 {
        return audit_entries(bytes, links);
    }
    thread::scope(|scope| {
        let batches: Vec<_> = (0..readers)
            .map(|reader| {
                let (to, batches) = sync_channel(AHEAD);
                scope.spawn(move || read(bytes, (reader, readers), &to));
                batches
            })
            .collect();
        // Whoever has no more batches was the last one, or has panicked: then its thread says so at the end of the scope.
        let in_turn = (0..readers).cycle().map_while(|reader| batches.get(reader)?.recv().ok());
        audit_read(in_turn.flatten(), links)
    })
}

/// Reads every batch whose turn is this reader's. Where nobody wants more, nobody does.
fn read<'f>(bytes: &'f [u8], (reader, readers): (usize, usize), to: &SyncSender<Vec<ReadLine<'f>>>) {
    let mut unread = lines(bytes).peekable();
    let mut turn = 0;
    while unread.peek().is_some() {
        let batch = unread.by_ref().take(BATCH);
        if turn % readers == reader {
            if to.send(batch.map(ReadLine::of).collect()).is_err() {
                return;
            }
        } else {
            batch.for_each(drop);
        }
        turn += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A session of many lines without hashes, one of which is changed by `change`.
    fn session(change: impl Fn(usize, String) -> String) -> Vec<u8> {
        let first = r#"{"type":"session_started","entry":"e1","at":"2026-01-01T00:00:00Z","id":"e1","session":"s","cwd":"/w","model":"m","version":2,"system":"s"}"#;
        let entry = |n: usize| {
            let words = "a word ".repeat(9);
            format!(
                r#"{{"type":"user_message","entry":"e{n}","at":"2026-01-01T00:00:00Z","id":"e{n}","content":"{words}"}}"#
            )
        };
        let lines = (1..=4_000).map(|n| change(n, if n == 1 { first.to_owned() } else { entry(n) }) + "\n");
        lines.collect::<String>().into_bytes()
    }

    #[test]
    fn a_long_file_is_found_to_be_what_it_is_read_line_by_line() {
        let cut = |n: usize, line: String| if n == 3_000 { "{\"type\":".to_owned() } else { line };
        let repeated = |n: usize, line: String| if n == 2_500 { line.clone() + "\n" + &line } else { line };
        let other = |n: usize, line: String| if n == 1 { "{\"type\":\"x\"}".to_owned() } else { line };
        let empty = |n: usize, line: String| if n == 65 { String::new() } else { line };
        for bytes in
            [session(|_, line| line), session(cut), session(repeated), session(other), session(empty)]
        {
            assert!(bytes.len() > LONG, "read by one thread");
            assert_eq!(checked(&bytes, Links::default()), audit_entries(&bytes, Links::default()));
        }
    }

    #[test]
    fn lines_keep_their_order() {
        let (audit, entries) = checked(&session(|_, line| line), Links::default());
        assert_eq!((audit.faults.as_slice(), entries.len()), (&[][..], 4_000));
        assert!(entries.iter().zip(1..).all(|(entry, n)| entry.id.0 == n));
    }
}
