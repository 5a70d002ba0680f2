//! The timers of a session's loop: their names, and how waits are spread.

use super::TimerId;

/// The timers of a session's loop.
#[derive(Debug)]
pub(super) struct Timers {
    /// The timer that watches the wall-time limit, while it runs.
    pub(super) wall: Option<TimerId>,
    /// The name of the last timer that was set.
    pub(super) last: u64,
    /// State of the generator that spreads waits.
    pub(super) jitter: u64,
}

impl Timers {
    /// No timer is set; waits are spread by this seed.
    pub(super) fn new(seed: u64) -> Self {
        Self { wall: None, last: 0, jitter: seed | 1 }
    }

    /// A name for another timer.
    pub(super) fn mint(&mut self) -> TimerId {
        self.last += 1;
        TimerId(self.last)
    }

    /// The next number of a xorshift generator.
    pub(super) fn random(&mut self) -> u64 {
        self.jitter ^= self.jitter << 13;
        self.jitter ^= self.jitter >> 7;
        self.jitter ^= self.jitter << 17;
        self.jitter
    }
}
