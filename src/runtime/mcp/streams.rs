//! How often the streams of events of a server at an address are begun anew: with a pause that grows, and not without end where
//! they bring nothing. The SDK begins one at once after a fault, and as soon as the server wishes after an end.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::transport::common::client_side_sse::SseRetryPolicy;
use sse_stream::Sse;
use tokio::time::Instant;

/// The shortest pause between the beginnings of two streams, and how often it is doubled at most.
const SHORTEST: Duration = Duration::from_secs(1);
const MOST_DOUBLINGS: u32 = 3;
/// After so many tries in a row, which take minutes, the pause is the longest.
const MANY_TRIES: usize = 40;
/// Most tries in a row for a stream that goes on behind nothing, and most in a row behind one event that the
/// server turns away.
const MOST_TRIES: u32 = 5;
/// Most streams in a row that end soon and bring no message, where they go on behind nothing. One that goes
/// on behind an event is never one too many: a server may be asked in this way until a call has its result,
/// and the call has a limit.
const MOST_BARREN: u32 = 8;
/// A stream that has lasted so long did not end soon. Proxies end those that say nothing after some ten
/// seconds, or after a minute.
const LASTING: Duration = Duration::from_secs(5);
/// Streams that begin so far apart are a burden for nobody. The longest pause.
const RARE: Duration = Duration::from_secs(60);
/// Most streams of which it is known that they were not read to their end.
const MOST_REFUSED: usize = 64;
/// Most events of which it is known how often the server has turned away who asked behind them.
const MOST_TURNED_AWAY: usize = 64;

/// The tries to reach a server for a stream: without end, as whoever reads it says when it is enough. A call
/// that waits for its result goes on where the network was gone; [`Streams`] gives the others up.
#[derive(Debug)]
pub(super) struct Tries;

impl SseRetryPolicy for Tries {
    fn retry(&self, before: usize) -> Option<Duration> {
        let doublings = u32::try_from(before).unwrap_or(MOST_DOUBLINGS).min(MOST_DOUBLINGS);
        Some(if before < MANY_TRIES { SHORTEST * (1_u32 << doublings) } else { RARE })
    }
}

/// The streams of one server.
#[derive(Debug, Clone, Default)]
pub(super) struct Streams(Arc<Mutex<BegunStreams>>);

#[derive(Debug, Default)]
struct BegunStreams {
    /// When the last one was begun, or will be.
    last: Option<Instant>,
    /// How many in a row ended soon without a message: the pause grows with them.
    soon: u32,
    /// How many of these go on behind nothing.
    barren: u32,
    /// How many tries in a row for one behind nothing have failed.
    missed: u32,
    /// How many tries in a row for one behind an event the server has turned away. No two calls go on behind the
    /// same event, so that what became of one call's stream gives up no other.
    turned_away: VecDeque<(String, u32)>,
    /// The last event of each that was not read to its end.
    refused: VecDeque<Option<String>>,
}

impl Streams {
    /// The pause before one is begun that goes on behind this event; `None`: it is not begun any more.
    pub(super) fn pause(&self, behind: Option<&str>) -> Option<Duration> {
        let (mut known, now) = (self.known(), Instant::now());
        if known.refused.iter().any(|event| event.as_deref() == behind) {
            return None;
        }
        let Some(last) = known.last else {
            known.last = Some(now);
            return Some(Duration::ZERO);
        };
        if now.saturating_duration_since(last) >= RARE {
            known.forgive();
        }
        let is_given_up = match behind {
            None => known.barren >= MOST_BARREN || known.missed >= MOST_TRIES,
            Some(event) => known.turned_away(event) >= MOST_TRIES,
        };
        if is_given_up {
            tracing::warn!(
                "an MCP server is not asked for a stream of events any more: none has brought anything"
            );
            return None;
        }
        let begins = now.max(last + SHORTEST * (1_u32 << known.soon.min(MOST_DOUBLINGS)));
        known.soon = known.soon.saturating_add(1);
        known.barren = known.barren.saturating_add(u32::from(behind.is_none()));
        known.last = Some(begins);
        Some(begins.saturating_duration_since(now))
    }

    /// One that answers a request.
    pub(super) fn answering(&self) -> OneStream {
        OneStream { all: self.clone(), behind: None, begun: Instant::now(), is_asked_for: false }
    }

    /// One that was asked for, behind this event.
    pub(super) fn behind(&self, event: Option<String>) -> OneStream {
        let mut known = self.known();
        known.missed = 0;
        known.turned_away.clear();
        drop(known);
        OneStream { all: self.clone(), behind: event, begun: Instant::now(), is_asked_for: true }
    }

    /// One that was asked for behind this event did not begin, as the server has turned it away, or was not
    /// reached.
    pub(super) fn missed(&self, behind: Option<&str>, is_turned_away: bool) {
        let mut known = self.known();
        match behind {
            None => known.missed = known.missed.saturating_add(1),
            Some(event) if is_turned_away => known.turn_away(event),
            Some(_) => {}
        }
    }

    fn known(&self) -> MutexGuard<'_, BegunStreams> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BegunStreams {
    /// One brought something, or lasted: it counts as the first.
    fn forgive(&mut self) {
        (self.soon, self.barren) = (0, 0);
    }

    fn turned_away(&self, behind: &str) -> u32 {
        self.turned_away.iter().find(|(event, _)| event == behind).map_or(0, |(_, tries)| *tries)
    }

    fn turn_away(&mut self, behind: &str) {
        let tries = self.turned_away(behind).saturating_add(1);
        self.turned_away.retain(|(event, _)| event != behind);
        self.turned_away.push_back((behind.to_owned(), tries));
        if self.turned_away.len() > MOST_TURNED_AWAY {
            self.turned_away.pop_front();
        }
    }
}

/// One stream, as far as it was read.
#[derive(Debug)]
pub(super) struct OneStream {
    all: Streams,
    /// Its last event that has a name.
    behind: Option<String>,
    /// When it began.
    begun: Instant,
    /// Whether it answers no request.
    is_asked_for: bool,
}

impl OneStream {
    /// An event of it, without a wish to be asked again at once.
    pub(super) fn take(&mut self, mut event: Sse) -> Sse {
        if let Some(id) = &event.id {
            self.behind = Some(id.clone());
        }
        if self.is_asked_for && event.data.as_ref().is_some_and(|data| !data.trim().is_empty()) {
            self.all.known().forgive();
        }
        let shortest = u64::try_from(SHORTEST.as_millis()).unwrap_or(u64::MAX);
        event.retry = event.retry.map(|wished| wished.max(shortest));
        event
    }

    /// It is not read on, and not begun anew behind what was read of it.
    pub(super) fn refuse(&self) {
        // An answer without names is not begun anew by anybody.
        if !self.is_asked_for && self.behind.is_none() {
            return;
        }
        let mut known = self.all.known();
        known.refused.push_back(self.behind.clone());
        if known.refused.len() > MOST_REFUSED {
            known.refused.pop_front();
        }
    }
}

impl Drop for OneStream {
    /// It has ended, or nobody reads it on.
    fn drop(&mut self) {
        if self.is_asked_for && self.begun.elapsed() >= LASTING {
            self.all.known().forgive();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    /// The pauses of so many streams that end at once, in seconds, as far as there are some.
    async fn pauses(streams: &Streams, behind: Option<&str>, count: usize) -> Vec<u64> {
        let mut pauses = Vec::new();
        for _ in 0..count {
            let Some(pause) = streams.pause(behind) else { break };
            pauses.push(pause.as_secs());
            advance(pause).await;
        }
        pauses
    }

    fn event(id: Option<&str>, data: &str) -> Sse {
        Sse { id: id.map(str::to_owned), data: Some(data.to_owned()), ..Sse::default() }
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_and_what_brings_nothing_has_an_end() {
        let streams = Streams::default();
        assert_eq!(pauses(&streams, None, 99).await, [0, 1, 2, 4, 8, 8, 8, 8, 8]);
        // A call that waits for its result asks on.
        assert_eq!(pauses(&streams, Some("1"), 9).await, [8; 9]);
        // What is long ago counts as none.
        advance(RARE).await;
        assert_eq!(pauses(&streams, None, 3).await, [0, 2, 4]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_makes_the_pause_short_again() {
        let streams = Streams::default();
        for (data, next) in [("", [4_u64, 8]), ("{}", [1, 2])] {
            pauses(&streams, None, 3).await;
            streams.answering().take(event(None, "{}"));
            streams.behind(None).take(event(Some("1"), data));
            assert_eq!(pauses(&streams, None, 2).await, next, "{data}");
            advance(RARE).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_a_proxy_ends_is_asked_for_again_without_end() {
        let streams = Streams::default();
        for minutes in 0..30 {
            assert_eq!(streams.pause(None), Some(Duration::ZERO), "{minutes}");
            let one = streams.behind(None);
            advance(Duration::from_secs(55)).await;
            drop(one);
        }
        // Nor do the streams of a call that waits for its result count against it.
        pauses(&streams, Some("1"), 20).await;
        assert!(streams.pause(None).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_asks_on_where_the_server_is_not_reached_and_not_where_it_turns_it_away() {
        let streams = Streams::default();
        for _ in 0..1_000 {
            assert!(streams.pause(Some("1")).is_some());
            streams.missed(Some("1"), false);
        }
        for _ in 0..MOST_TRIES {
            assert!(streams.pause(None).is_some() && streams.pause(Some("1")).is_some());
            streams.missed(None, false);
            streams.missed(Some("1"), true);
        }
        assert!(streams.pause(None).is_none() && streams.pause(Some("1")).is_none());
        assert!(streams.pause(Some("2")).is_some(), "another call is not given up with it");
        (0..1_000).for_each(|event| streams.missed(Some(&event.to_string()), true));
        assert_eq!(streams.known().turned_away.len(), MOST_TURNED_AWAY);
        drop(streams.behind(None));
        assert!(streams.pause(Some("1")).is_some());
        let seconds = |before| Tries.retry(before).map(|pause| pause.as_secs());
        assert_eq!([0, 1, 2, 3, 39, 40].map(seconds), [1, 2, 4, 8, 8, 60].map(Some));
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_not_read_to_its_end_is_not_asked_for_again() {
        let streams = Streams::default();
        streams.answering().refuse();
        assert!(streams.pause(None).is_some(), "nobody asks for it");
        let mut answer = streams.answering();
        answer.take(event(Some("7"), ""));
        answer.refuse();
        assert!(streams.pause(Some("7")).is_none() && streams.pause(Some("8")).is_some());
        streams.behind(None).refuse();
        assert!(streams.pause(None).is_none());
        (0..1_000).for_each(|_| answer.refuse());
        assert_eq!(streams.known().refused.len(), MOST_REFUSED);
    }

    #[test]
    fn a_wish_to_be_asked_at_once_is_raised() {
        let mut one = Streams::default().behind(None);
        for (wished, left) in [(Some(0), Some(1_000)), (Some(30_000), Some(30_000)), (None, None)] {
            assert_eq!(one.take(Sse { retry: wished, ..Sse::default() }).retry, left);
        }
    }
}
