//! How long a server is listened to that goes on and says nothing: each piece starts the wait for the next one anew.

use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use tokio::time::{Instant, timeout};

use crate::model::{ModelEvent, ModelNews};

/// How many times the wait between two pieces a server may go on without news. A model that thinks for long is kept alive by
/// comments and pings, for many minutes.
const MOST_WAITS: u32 = 30;
/// Bytes of a refusal that say enough.
const ENOUGH: usize = 256 * 1024;

/// The time in which a server sent something and told nothing.
#[derive(Debug)]
pub(super) struct Patience {
    idle: Duration,
    used: Duration,
    /// When the last piece had come.
    last: Instant,
}

impl Patience {
    /// With this wait between two pieces.
    pub(super) fn new(idle: Duration) -> Self {
        Self { idle, used: Duration::ZERO, last: Instant::now() }
    }

    /// The most of it.
    pub(super) fn whole(&self) -> Duration {
        self.idle.saturating_mul(MOST_WAITS)
    }

    /// The same of a piece that came now.
    pub(super) fn is_over(&mut self, news: &[ModelNews]) -> bool {
        let since = std::mem::replace(&mut self.last, Instant::now()).elapsed();
        self.is_used_up(since, news)
    }

    /// A piece came so long after the one before, with these news; whether it is used up. A process that was stopped meanwhile has not waited.
    fn is_used_up(&mut self, waited: Duration, news: &[ModelNews]) -> bool {
        let is_news = |news: &ModelNews| !matches!(news, ModelNews::Event(ModelEvent::Usage(_)));
        if news.iter().any(is_news) {
            self.used = Duration::ZERO;
            return false;
        }
        self.used = self.used.saturating_add(waited.min(self.idle));
        self.used >= self.whole()
    }
}

/// As much of a refusal as comes within this time, and no more than says enough. What breaks off still says something.
pub(super) async fn refusal<E>(pieces: impl Stream<Item = Result<Bytes, E>>, within: Duration) -> Vec<u8> {
    let mut body = Vec::new();
    let reading = async {
        let mut pieces = pin!(pieces);
        while let Some(Ok(bytes)) = pieces.next().await {
            body.extend_from_slice(&bytes);
            if body.len() > ENOUGH {
                break;
            }
        }
    };
    timeout(within, reading).await.unwrap_or_default();
    body
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::stream;
    use tokio::time::{Instant, sleep};

    use super::*;
    use crate::ledger::Usage;

    #[test]
    fn who_says_nothing_is_left_after_many_waits_and_news_begin_them_anew() {
        let second = Duration::from_secs(1);
        let mut patience = Patience::new(second);
        let words = [ModelNews::Event(ModelEvent::Text("a".to_owned()))];
        let counted = [ModelNews::Event(ModelEvent::Usage(Usage::default()))];
        for _ in 0..3 {
            for _ in 1..MOST_WAITS {
                assert!(!patience.is_used_up(second, &[]));
            }
            assert!(!patience.is_used_up(second, &words));
        }
        assert!(!patience.is_used_up(Duration::from_secs(1_000_000), &[]), "it was stopped");
        for _ in 2..MOST_WAITS {
            assert!(!patience.is_used_up(second, &counted));
        }
        assert!(patience.is_used_up(second, &counted));
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_that_comes_byte_by_byte_is_read_for_one_wait_in_all() {
        let pieces = stream::unfold((), |()| async {
            sleep(Duration::from_secs(50)).await;
            Some((Ok::<_, Infallible>(Bytes::from_static(b"x")), ()))
        });
        let begun = Instant::now();
        assert_eq!(refusal(pieces, Duration::from_secs(120)).await, b"xx");
        assert_eq!(begun.elapsed().as_secs(), 120);
    }

    #[tokio::test]
    async fn a_refusal_without_an_end_is_read_as_far_as_it_says_enough() {
        let pieces = stream::repeat_with(|| Ok::<_, Infallible>(Bytes::from_static(&[b'x'; 4_096])));
        let body = refusal(pieces, Duration::from_secs(120)).await;
        assert_eq!(body.len(), ENOUGH + 4_096);
    }
}
