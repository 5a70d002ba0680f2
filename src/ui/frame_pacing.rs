//! When the next frame is due: a key is shown at once, news are gathered for a moment, and no second has more than
//! 120 frames.

use std::time::Duration;

use tokio::time::Instant;

/// How long news are gathered: an answer that streams is drawn forty times a second, whatever its speed.
const GATHER: Duration = Duration::from_millis(25);
/// How long news are gathered that change no more than figures.
const SELDOM: Duration = Duration::from_millis(125);
/// How long after Esc what comes of it is shown nearly at once.
const ATTENTION: Duration = Duration::from_millis(100);
const BRIEFLY: Duration = Duration::from_millis(1);
/// A frame is earned so often, and up to [`BURST`] of them may be spent at once: together 120 in any second.
const EARNED_EVERY: Duration = Duration::from_micros(16_667);
const BURST: u32 = 60;

/// What the last frame does not show yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unseen {
    /// It shows everything.
    Nothing,
    /// How much was said where nobody reads it word by word.
    Figures,
    /// Something else.
    News,
}

/// What the frames so far allow. It reads no clock: whoever asks says what time it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct FramePacing {
    last: Instant,
    /// The last frame that showed news.
    news: Option<Instant>,
    /// When news were last taken in without a frame.
    looked: Option<Instant>,
    /// When all that was spent will have been earned again.
    settled: Instant,
    attentive_until: Option<Instant>,
    unseen: Unseen,
    /// Whether news are left where they wait until the next look at them.
    gathers: bool,
}

impl FramePacing {
    /// Before the first frame.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            last: now,
            news: None,
            looked: None,
            settled: now,
            attentive_until: None,
            unseen: Unseen::Nothing,
            gathers: false,
        }
    }

    /// The person pressed Esc and waits for what comes of it.
    pub(super) fn expect(&mut self, now: Instant) {
        self.attentive_until = Some(now + ATTENTION);
    }

    /// There is something to show.
    pub(super) fn hear(&mut self, what: Unseen) {
        self.unseen = self.unseen.max(what);
        self.gathers = true;
    }

    /// Whether news are taken in as they come.
    pub(super) fn listens(&self) -> bool {
        !self.gathers
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

    /// When to look at the news again, and at what they change, if there is something to show.
    pub(super) fn for_news(&self, now: Instant) -> Option<Instant> {
        if self.gathers {
            let is_attentive = self.attentive_until.is_some_and(|until| now <= until);
            let gather = if is_attentive { BRIEFLY } else { GATHER };
            let looked = self.looked.max(self.news);
            return Some(looked.map_or(self.for_input(), |looked| self.for_input().max(looked + gather)));
        }
        (self.unseen != Unseen::Nothing).then(|| self.for_figures())
    }

    fn for_figures(&self) -> Instant {
        self.news.map_or(self.for_input(), |shown| self.for_input().max(shown + SELDOM))
    }

    /// News were looked at. Whether a frame shows them now; if not, they can wait with those that follow.
    pub(super) fn looked(&mut self, now: Instant) -> bool {
        let is_due = self.unseen == Unseen::News || self.for_figures() <= now;
        if !is_due {
            self.looked = Some(now);
            self.gathers = false;
        }
        is_due
    }

    /// A frame was drawn, which left some of the news for the next one if `is_behind`.
    pub(super) fn drawn(&mut self, now: Instant, is_behind: bool) {
        self.last = now;
        if self.gathers || self.unseen != Unseen::Nothing {
            self.news = Some(now);
        }
        self.settled = self.settled.max(now) + EARNED_EVERY;
        (self.unseen, self.gathers) = (Unseen::Nothing, false);
        if is_behind {
            self.hear(Unseen::News);
        }
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
                if step % 2 == 0 {
                    pace.hear(Unseen::News);
                }
                pace.drawn(now, false);
                frames.push(now);
            }
        }
        let most = frames.iter().map(|from| {
            frames.iter().filter(|at| *at >= from && **at < *from + Duration::from_secs(1)).count()
        });
        assert!((100..=120).contains(&most.max().unwrap()));
        assert!(frames.len() > 200, "it goes on");
    }

    fn heard(pace: &mut FramePacing, now: Instant) -> Option<Instant> {
        pace.hear(Unseen::News);
        pace.for_news(now)
    }

    #[test]
    fn a_key_is_due_at_once_while_news_are_gathered() {
        let start = Instant::now();
        let mut pace = FramePacing::new(start);
        assert_eq!(pace.for_news(start), None);
        assert!(heard(&mut pace, start) <= Some(start) && !pace.listens());
        pace.drawn(start, false);
        assert!(pace.for_input() <= start && pace.listens());
        assert_eq!(pace.for_news(start), None);
        assert_eq!(heard(&mut pace, start), Some(start + GATHER));
        assert!(pace.looked(start + GATHER), "news are shown");
    }

    #[test]
    fn a_key_puts_no_news_off() {
        let start = Instant::now();
        let mut pace = FramePacing::new(start);
        heard(&mut pace, start);
        pace.drawn(start, false);
        pace.drawn(start + GATHER / 2, false);
        assert_eq!(heard(&mut pace, start + GATHER / 2), Some(start + GATHER));
    }

    #[test]
    fn what_follows_esc_is_due_soon() {
        let start = Instant::now();
        let mut pace = FramePacing::new(start);
        pace.expect(start);
        assert!(heard(&mut pace, start) <= Some(start));
        pace.drawn(start, false);
        assert_eq!(heard(&mut pace, start), Some(start + BRIEFLY));
        assert_eq!(pace.for_news(start + ATTENTION * 2), Some(start + GATHER));
    }

    #[test]
    fn a_frame_that_is_behind_is_followed_by_another() {
        let start = Instant::now();
        let mut pace = FramePacing::new(start);
        heard(&mut pace, start);
        pace.drawn(start, true);
        assert!(!pace.listens());
        assert_eq!(pace.for_news(start), Some(start + GATHER));
        assert!(pace.looked(start + GATHER));
    }

    #[test]
    fn figures_are_drawn_eight_times_a_second_and_hold_up_no_news() {
        let start = Instant::now();
        let mut pace = FramePacing::new(start);
        let (mut frames, mut looks) = (0, 0);
        // A piece each millisecond, as far as they are taken in.
        for ms in 0..1_000 {
            let now = start + Duration::from_millis(ms);
            if pace.listens() {
                pace.hear(Unseen::Figures);
            }
            if pace.for_news(now).is_some_and(|due| due <= now) {
                looks += 1;
                if pace.looked(now) {
                    pace.drawn(now, false);
                    frames += 1;
                }
            }
        }
        assert_eq!(frames, 8);
        assert!((38..=41).contains(&looks), "{looks}");
        // The last piece is shown although no other follows.
        let end = start + Duration::from_millis(999);
        pace.hear(Unseen::Figures);
        assert!(!pace.looked(end) && pace.listens());
        let due = pace.for_news(end).unwrap();
        assert!(due > end && due <= end + SELDOM);
        assert!(pace.looked(due));
        // News among the figures wait as long as any others.
        pace.drawn(due, false);
        let (figures, news) = (due + GATHER, due + GATHER * 2);
        pace.hear(Unseen::Figures);
        assert!(!pace.looked(figures));
        assert_eq!(heard(&mut pace, figures), Some(news));
        pace.hear(Unseen::Figures);
        assert!(pace.looked(news));
    }
}
