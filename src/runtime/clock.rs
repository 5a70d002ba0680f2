//! The time that entries carry and gauges count by: a clock that nobody can set.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use crate::ledger::Millis;

/// By less than this, two clocks of one machine may differ at any time.
const MOST_BEHIND_MS: u64 = 1_000;

/// Wall time that never runs backwards, and jumps only when it is told to [catch up](Self::catch_up): the time of the start plus what a
/// monotonic clock measured since, which stands still while the machine sleeps. All copies go alike.
#[derive(Debug, Clone)]
pub struct Clock {
    started: Instant,
    epoch_ms: Arc<AtomicU64>,
}

impl Clock {
    /// Starts now. `least` is the time of the last entry of a resumed session: where the wall clock was set back
    /// meanwhile, time goes on from there.
    pub fn start(least: Millis) -> Self {
        Self::started_at(SystemTime::now(), least)
    }

    fn started_at(wall: SystemTime, least: Millis) -> Self {
        let epoch_ms = Arc::new(AtomicU64::new(since_epoch(wall).max(least.0)));
        Self { started: Instant::now(), epoch_ms }
    }

    /// Goes on from the time of the wall clock, if this one is behind: the machine slept, or its clock was wrong when this one started. To be
    /// told only where nobody counts how long something takes.
    pub fn catch_up(&self) {
        self.catch_up_with(SystemTime::now());
    }

    fn catch_up_with(&self, wall: SystemTime) {
        let behind = since_epoch(wall).saturating_sub(self.now().0);
        if behind >= MOST_BEHIND_MS {
            self.epoch_ms.fetch_add(behind, Ordering::Relaxed);
        }
    }

    /// The time, in milliseconds since 1970.
    pub fn now(&self) -> Millis {
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Millis(self.epoch_ms.load(Ordering::Relaxed).saturating_add(elapsed))
    }
}

fn since_epoch(wall: SystemTime) -> u64 {
    let since_epoch = wall.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX)
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

    /// The monotonic clock stands still meanwhile, as it does while a laptop sleeps.
    #[tokio::test(start_paused = true)]
    async fn a_clock_that_fell_behind_catches_up_when_it_is_told_to_and_never_goes_back() {
        let wall = UNIX_EPOCH + Duration::from_secs(1_000);
        let clock = Clock::started_at(wall, Millis(0));
        let shown = clock.clone();
        clock.catch_up_with(wall + Duration::from_millis(999));
        assert_eq!(clock.now(), Millis(1_000_000), "so much is no sleep");
        clock.catch_up_with(wall + Duration::from_secs(3_600));
        assert_eq!((clock.now(), shown.now()), (Millis(4_600_000), Millis(4_600_000)));
        tokio::time::advance(Duration::from_millis(1_500)).await;
        clock.catch_up_with(wall);
        assert_eq!(clock.now(), Millis(4_601_500), "the wall clock was set back");
    }
}
