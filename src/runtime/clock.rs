//! The time that entries carry and gauges count by: a clock that nobody can set.

use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use crate::ledger::Millis;

/// Wall time that never runs backwards and never jumps: the time of the start plus what a monotonic clock measured since.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    started: Instant,
    epoch_ms: u64,
}

impl Clock {
    /// Starts now. `least` is the time of the last entry of a resumed session: where the wall clock was set back
    /// meanwhile, time goes on from there.
    pub fn start(least: Millis) -> Self {
        Self::started_at(SystemTime::now(), least)
    }

    fn started_at(wall: SystemTime, least: Millis) -> Self {
        let since_epoch = wall.duration_since(UNIX_EPOCH).unwrap_or_default();
        let epoch_ms = u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX).max(least.0);
        Self { started: Instant::now(), epoch_ms }
    }

    /// The time, in milliseconds since 1970.
    pub fn now(&self) -> Millis {
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Millis(self.epoch_ms.saturating_add(elapsed))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_goes_on_from_the_last_entry_when_the_wall_clock_was_set_back() {
        let wall = UNIX_EPOCH + Duration::from_secs(1_000);
        let clock = Clock::started_at(wall, Millis(5_000_000));
        assert_eq!(clock.now(), Millis(5_000_000));
        tokio::time::advance(Duration::from_millis(1_500)).await;
        assert_eq!(clock.now(), Millis(5_001_500));
        assert_eq!(Clock::started_at(wall, Millis(0)).now(), Millis(1_000_000));
    }
}
