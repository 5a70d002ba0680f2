//! What a server says, read no further when one line of it has no end.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// Most bytes of one line, which is one message. The SDK would leave out a longer one, and whoever waits for it would
/// wait in vain.
pub(super) const MOST_BYTES: usize = 16 << 20;

/// Reads as `inner` does, until a line is too long.
pub(super) struct Lines<R> {
    inner: R,
    /// Bytes of the line that is being read.
    length: usize,
    most: usize,
    broke_off: Arc<AtomicBool>,
}

impl<R> Lines<R> {
    /// Sets `broke_off` when a line was too long.
    pub(super) fn new(inner: R, most: usize, broke_off: Arc<AtomicBool>) -> Self {
        Self { inner, length: 0, most, broke_off }
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
        if self.count(read) {
            return Poll::Ready(Ok(()));
        }
        self.broke_off.store(true, Relaxed);
        Poll::Ready(Err(io::Error::other("a line is too long")))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    async fn read(said: &[u8]) -> (usize, bool) {
        let broke_off = Arc::new(AtomicBool::new(false));
        let mut lines = Lines::new(said, 4, broke_off.clone());
        let mut got = Vec::new();
        let mut chunk = [0; 3];
        while let Ok(size @ 1..) = lines.read(&mut chunk).await {
            got.extend_from_slice(chunk.get(..size).unwrap());
        }
        (got.len(), broke_off.load(Relaxed))
    }

    #[tokio::test]
    async fn a_line_may_be_as_long_as_it_may_be() {
        assert_eq!(read(b"1234\n1\n\n1234\n").await, (13, false));
        assert_eq!(read(b"1234\n12345\n").await, (9, true));
        assert_eq!(read(b"12345").await, (3, true));
        assert_eq!(read(b"1\n12345").await, (6, true));
    }
}
