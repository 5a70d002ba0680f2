//! When the next frame is due: a key is shown at once, news are gathered for a moment, and no second has more than
//! 120 frames.

use std::time::Duration;

use tokio::time::Instant;

/// How long news are gathered: an answer that streams is drawn forty times a second, whatever its speed.
const GATHER: Duration = Duration::from_millis(25);
/// How long after Esc what comes of it is shown nearly at once.
const ATTENTION: Duration = Duration::from_millis(100);
const BRIEFLY: Duration = Duration::from_millis(1);
/// A frame is earned so often, and up to [`BURST`] of them may be spent at once: together 120 in any second.
const EARNED_EVERY: Duration = Duration::from_micros(16_667);
const BURST: u32 = 60;

/// What the frames so far allow. It reads no clock: whoever asks says what time it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct FramePacing {
    last: Instant,
    /// The last frame that showed news.
    news: Option<Instant>,
    /// When all that was spent will have been earned again.
    settled: Instant,
    attentive_until: Option<Instant>,
}

impl FramePacing {
    /// Before the first frame.
    pub(super) fn new(now: Instant) -> Self {
        Self { last: now, news: None, settled: now, attentive_until: None }
    }

    /// The person pressed Esc and waits for what comes of it.
    pub(super) fn expect(&mut self, now: Instant) {
        self.attentive_until = Some(now + ATTENTION);
    }

    /// The last frame.
    pub(super) fn last(&self) -> Instant {
        self.last
    }

    /// The earliest moment of a frame that shows what was typed.
    pub(super) fn for_input(&self) -> Instant {
        let debt = EARNED_EVERY * (BURST - 1);
        self.settled.checked_sub(debt).map_or(self.last, |due| due.max(self.last))
    }

    /// The earliest moment of a frame that shows news.
    pub(super) fn for_news(&self, now: Instant) -> Instant {
        let is_attentive = self.attentive_until.is_some_and(|until| now <= until);
        let gather = if is_attentive { BRIEFLY } else { GATHER };
        self.news.map_or(self.for_input(), |shown| self.for_input().max(shown + gather))
    }

    /// A frame was drawn.
    pub(super) fn drawn(&mut self, now: Instant, with_news: bool) {
        self.last = now;
        if with_news {
            self.news = Some(now);
        }
        self.settled = self.settled.max(now) + EARNED_EVERY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_second_has_more_than_120_frames_however_much_is_typed() {
        let start = Instant::now();
        let mut pace = FramePacing::new(start);
        let mut frames = Vec::new();
        for step in 0..30_000_u64 {
            let now = start + Duration::from_micros(step * 100);
            if pace.for_input() <= now {
                pace.drawn(now, step % 2 == 0);
                frames.push(now);
            }
        }
        let most = frames.iter().map(|from| {
            frames.iter().filter(|at| *at >= from && **at < *from + Duration::from_secs(1)).count()
        });
        assert!((100..=120).contains(&most.max().unwrap()));
        assert!(frames.len() > 200, "it goes on");
    }

    #[test]
    fn a_key_is_due_at_once_while_news_are_gathered() {
        let start = Instant::now();
        let mut pace = FramePacing::new(start);
        assert!(pace.for_news(start) <= start);
        pace.drawn(start, true);
        assert!(pace.for_input() <= start);
        assert_eq!(pace.for_news(start), start + GATHER);
        pace.drawn(start + GATHER / 2, false);
        assert_eq!(pace.for_news(start + GATHER / 2), start + GATHER, "a key puts no news off");
    }

    #[test]
    fn what_follows_esc_is_due_soon() {
        let start = Instant::now();
        let mut pace = FramePacing::new(start);
        pace.expect(start);
        assert!(pace.for_news(start) <= start);
        pace.drawn(start, true);
        assert_eq!(pace.for_news(start), start + BRIEFLY);
        assert_eq!(pace.for_news(start + ATTENTION * 2), start + GATHER);
    }
}
