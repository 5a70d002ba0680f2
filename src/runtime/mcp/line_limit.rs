//! What a server says, read no further when one line of it has no end, or holds more values than fit into memory.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use super::tasks::Tasks;
use crate::wire::{Bulk, MOST_VALUES};

/// Most bytes of one line, which is one message. The SDK would leave out a longer one, and whoever waits for it would
/// wait in vain.
pub(super) const MOST_BYTES: usize = 16 << 20;

/// Reads as `inner` does, until a line is too long.
pub(super) struct Lines<R> {
    inner: R,
    /// Bytes of the line that is being read.
    length: usize,
    bulk: Bulk,
    most: usize,
    broke_off: Arc<Break>,
    tasks: Arc<Tasks>,
    /// The line so far, while somebody listens to the lists of tools in it.
    line: Vec<u8>,
}

/// Why nothing more is read.
#[derive(Debug, Default)]
pub(super) struct Break {
    too_long: AtomicBool,
    too_many: AtomicBool,
}

impl Break {
    /// After "it", when it broke off.
    pub(super) fn words(&self) -> Option<String> {
        if self.too_many.load(Relaxed) {
            return Some(format!("sent a message with more than {MOST_VALUES} values"));
        }
        self.too_long.load(Relaxed).then(|| format!("sent a line of more than {} MB", MOST_BYTES >> 20))
    }
}

impl<R> Lines<R> {
    /// Says in `broke_off` when a line was too long or held too much.
    pub(super) fn new(inner: R, most: usize, broke_off: Arc<Break>, tasks: Arc<Tasks>) -> Self {
        Self { inner, length: 0, bulk: Bulk::default(), most, broke_off, tasks, line: Vec::new() }
    }

    /// Passes whole lines on to who listens; they were weighed and counted before.
    fn overhear(&mut self, bytes: &[u8]) {
        if !self.tasks.listens() {
            self.line = Vec::new();
            return;
        }
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.tasks.hear(&self.line);
                self.line.clear();
            }
        }
    }

    /// Weighs what was read, a message a line; whether all of them fit.
    fn weigh(&mut self, bytes: &[u8]) -> bool {
        bytes.split_inclusive(|byte| *byte == b'\n').all(|piece| {
            let fits = self.bulk.take(piece);
            if piece.ends_with(b"\n") {
                self.bulk = Bulk::default();
            }
            fits
        })
    }

    /// Takes in what was read; whether it goes on.
    fn count(&mut self, bytes: &[u8]) -> bool {
        let ends = bytes.iter().position(|byte| *byte == b'\n');
        if self.length.saturating_add(ends.unwrap_or(bytes.len())) > self.most {
            return false;
        }
        self.length = match bytes.iter().rev().position(|byte| *byte == b'\n') {
            Some(begun) => begun,
            None => self.length + bytes.len(),
        };
        self.length <= self.most
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        let read = buffer.filled().get(before..).unwrap_or_default();
        let fits = self.weigh(read);
        if fits && self.count(read) {
            self.overhear(read);
            return Poll::Ready(Ok(()));
        }
        let why = if fits { &self.broke_off.too_long } else { &self.broke_off.too_many };
        why.store(true, Relaxed);
        Poll::Ready(Err(io::Error::other("a line is too long")))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    async fn read(said: &[u8]) -> (usize, bool) {
        read_most(said, 4).await
    }

    async fn read_most(said: &[u8], most: usize) -> (usize, bool) {
        let broke_off = Arc::new(Break::default());
        let mut lines = Lines::new(said, most, broke_off.clone(), Arc::default());
        let mut got = Vec::new();
        let mut chunk = [0; 3];
        while let Ok(size @ 1..) = lines.read(&mut chunk).await {
            got.extend_from_slice(chunk.get(..size).unwrap());
        }
        (got.len(), broke_off.words().is_some())
    }

    #[tokio::test]
    async fn a_line_may_be_as_long_as_it_may_be() {
        assert_eq!(read(b"1234\n1\n\n1234\n").await, (13, false));
        assert_eq!(read(b"1234\n12345\n").await, (9, true));
        assert_eq!(read(b"12345").await, (3, true));
        assert_eq!(read(b"1\n12345").await, (6, true));
        let heavy = format!("{{}}\n[{}]\n", "[],".repeat(60_000));
        assert!(read_most(heavy.as_bytes(), 1 << 20).await.1);
        let light = "{}\n".repeat(150_000);
        assert_eq!(read_most(light.as_bytes(), 1 << 20).await, (light.len(), false));
    }
}
