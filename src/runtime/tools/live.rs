//! The output of a running command for the screen: small pieces at a pace a screen can use, never a queue.

use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::tool::Shown;

pub(super) const EVERY: Duration = Duration::from_millis(30);
const PIECE_BYTES: usize = 16 << 10;

/// Collects what comes between two pieces; when that is too much, only the newest of it is shown.
#[derive(Debug)]
pub(in crate::runtime) struct Live {
    output: mpsc::Sender<Shown>,
    waiting: Vec<u8>,
    skipped: u64,
    sent: Option<Instant>,
}

impl Live {
    /// Live output to this listener.
    pub(in crate::runtime) fn new(output: mpsc::Sender<Shown>) -> Self {
        Self { output, waiting: Vec::new(), skipped: 0, sent: None }
    }

    /// Takes in what came.
    pub(in crate::runtime) fn push(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
        let too_much = self.waiting.len().saturating_sub(PIECE_BYTES);
        if too_much > 0 {
            // On to the next character: a piece starts whole.
            let rest = self.waiting.get(too_much..).unwrap_or_default();
            let cut = too_much + rest.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
            self.waiting.drain(..cut);
            self.skipped += cut as u64;
        }
    }

    /// How long the next piece has to wait still; `None` when there is nothing to send.
    pub(in crate::runtime) fn due_in(&self) -> Option<Duration> {
        if self.waiting.is_empty() || self.output.is_closed() {
            return None;
        }
        Some(self.sent.map_or(Duration::ZERO, |sent| EVERY.saturating_sub(sent.elapsed())))
    }

    /// Sends what waits; a character that is not complete stays, unless it is the last there is. Never waits: what
    /// a full channel does not take is offered again with what comes then.
    pub(in crate::runtime) fn send(&mut self, is_last: bool) {
        self.sent = Some(Instant::now());
        let whole = if is_last { self.waiting.len() } else { complete(&self.waiting) };
        let Some((piece, rest)) = self.waiting.split_at_checked(whole) else { return };
        if piece.is_empty() {
            return;
        }
        let mut text = String::new();
        if self.skipped > 0 {
            text = format!("[… {} bytes of live output not shown …]\n", self.skipped);
        }
        text.push_str(&String::from_utf8_lossy(piece));
        if self.output.try_send(text.into()).is_ok() {
            self.skipped = 0;
            self.waiting = rest.to_vec();
        }
    }
}

/// How many of the bytes are there before a character that is only begun.
pub(super) fn complete(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    let is_begun = std::str::from_utf8(last).is_err_and(|fault| fault.error_len().is_none());
    bytes.len() - if is_begun { last.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_never_torn() {
        let (sender, mut receiver) = mpsc::channel(8);
        let mut live = Live::new(sender);
        live.push(b"a\xe2\x82");
        live.send(false);
        live.push(b"\xacb\xff");
        live.send(false);
        live.push(b"\xe2");
        live.send(true);
        let pieces: Vec<_> = std::iter::from_fn(|| receiver.try_recv().ok()).collect();
        assert_eq!(pieces, ["a", "€b\u{fffd}", "\u{fffd}"].map(Shown::from));
    }

    #[test]
    fn a_listener_that_does_not_listen_costs_nothing_and_gets_the_newest() {
        let (sender, mut receiver) = mpsc::channel(1);
        let mut live = Live::new(sender);
        live.push(b"first");
        live.send(false);
        for _ in 0..100 {
            live.push(&[b'x'; 1000]);
            live.send(false);
            assert!(live.waiting.len() <= PIECE_BYTES);
        }
        assert_eq!(receiver.try_recv().unwrap(), "first".into());
        live.send(true);
        let Shown::Text(late) = receiver.try_recv().unwrap() else { panic!("text stays text") };
        assert!(late.starts_with("[… 83616 bytes of live output not shown …]\nxxx"));
    }
}
