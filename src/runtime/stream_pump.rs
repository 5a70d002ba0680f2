//! A model's answer on its way to the loop: what hurries is passed on in pieces, what is slow at once.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use crate::agent::Input;
use crate::ledger::EntryId;
use crate::model::{FailureClass, ModelEvent, ModelFailure, ModelNews};

/// Most news of a model that are gathered at once; a server that is faster than that waits for a moment.
const MOST_NEWS: usize = 256;
/// Most bytes of them, about.
const MOST_GATHERED: usize = 1 << 20;
/// So many pieces without a breath between them are a hurry: a short answer that is there at once is not held up.
const HURRY: u32 = 8;

/// Passes an answer on as it comes, with a `breath` between the pieces of one that hurries; one that stops without an end has failed.
pub(super) async fn hear(
    stream: impl Stream<Item = ModelNews> + Unpin,
    breath: Duration,
    message: EntryId,
    inputs: mpsc::Sender<Input>,
) {
    let mut stream = stream.fuse();
    let mut ended = false;
    let (mut passed_on, mut hurried) = (Instant::now(), 0);
    while !ended && let Some(first) = stream.next().await {
        let next = passed_on + breath;
        hurried = if Instant::now() < next { hurried + 1 } else { 0 };
        if hurried > HURRY {
            sleep_until(next).await;
        }
        let several = gathered(first, &mut stream).await;
        passed_on = Instant::now();
        for news in joined(several) {
            ended |= matches!(news, ModelNews::Finished | ModelNews::Failed(_));
            if inputs.send(Input::Model(message, news)).await.is_err() {
                return;
            }
        }
    }
    if !ended {
        let failure =
            ModelFailure::new(FailureClass::Transient, "The model's stream ended without an end.").unheard();
        if inputs.send(Input::Model(message, ModelNews::Failed(failure))).await.is_err() {
            tracing::debug!("an answer stopped after the loop had ended");
        }
    }
}

/// News and what follows them at once. A server that writes faster than anybody reads is heard in large pieces, so that
/// it leaves time for everything else; nobody waits here for what is still on its way.
async fn gathered(first: ModelNews, stream: &mut (impl Stream<Item = ModelNews> + Unpin)) -> Vec<ModelNews> {
    let mut gathered = bytes(&first);
    let mut news = vec![first];
    let mut is_patient = true;
    while news.len() < MOST_NEWS && gathered < MOST_GATHERED {
        match poll_fn(|context| Poll::Ready(stream.poll_next_unpin(context))).await {
            Poll::Ready(Some(more)) => {
                gathered += bytes(&more);
                news.push(more);
                is_patient = true;
            }
            // The connection may have more, and only needs its turn to say so.
            Poll::Pending if std::mem::take(&mut is_patient) => tokio::task::yield_now().await,
            Poll::Pending | Poll::Ready(None) => break,
        }
    }
    news
}

fn bytes(news: &ModelNews) -> usize {
    match news {
        ModelNews::Event(
            ModelEvent::Text(text) | ModelEvent::Thinking(text) | ModelEvent::CallArguments { text, .. },
        ) => text.len(),
        ModelNews::Event(_) | ModelNews::ToolsRefused | ModelNews::Finished | ModelNews::Failed(_) => 0,
    }
}

/// The same news with each text in one piece: what is there at once need not be said in as many steps as it was sent.
fn joined(several: Vec<ModelNews>) -> Vec<ModelNews> {
    let mut joined: Vec<ModelNews> = Vec::with_capacity(several.len().min(4));
    for news in several {
        match (joined.last_mut(), news) {
            (Some(ModelNews::Event(ModelEvent::Text(text))), ModelNews::Event(ModelEvent::Text(more)))
            | (
                Some(ModelNews::Event(ModelEvent::Thinking(text))),
                ModelNews::Event(ModelEvent::Thinking(more)),
            ) => text.push_str(&more),
            (
                Some(ModelNews::Event(ModelEvent::CallArguments { index, text })),
                ModelNews::Event(ModelEvent::CallArguments { index: same, text: more }),
            ) if *index == same => text.push_str(&more),
            (_, news) => joined.push(news),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    const BREATH: Duration = Duration::from_millis(1);

    fn text(words: &str) -> ModelNews {
        ModelNews::Event(ModelEvent::Text(words.to_owned()))
    }

    #[test]
    fn texts_of_one_kind_are_joined_and_nothing_changes_its_place() {
        let thought = |words: &str| ModelNews::Event(ModelEvent::Thinking(words.to_owned()));
        let piece =
            |index, text: &str| ModelNews::Event(ModelEvent::CallArguments { index, text: text.to_owned() });
        let done = || ModelNews::Event(ModelEvent::ThinkingDone { replay: None });
        let said = vec![
            thought("a"),
            thought("b"),
            done(),
            thought("c"),
            text("d"),
            text("e"),
            piece(0, "{"),
            piece(0, "}"),
            piece(1, "{}"),
            text("f"),
            ModelNews::Finished,
        ];
        let heard = [
            thought("ab"),
            done(),
            thought("c"),
            text("de"),
            piece(0, "{}"),
            piece(1, "{}"),
            text("f"),
            ModelNews::Finished,
        ];
        assert_eq!(joined(said), heard);
    }

    #[tokio::test]
    async fn a_flood_is_gathered_up_to_a_bound_and_what_is_slow_is_not_waited_for() {
        let mut flood = stream::iter((0..1_000).map(|_| text("x")));
        assert_eq!(gathered(text("first"), &mut flood).await.len(), MOST_NEWS);
        let mut large = stream::iter((0..1_000).map(|_| text(&"x".repeat(100_000))));
        assert_eq!(gathered(text("first"), &mut large).await.len(), 12);
        // A connection that needs a turn of its own before each piece.
        let mut its_turn = false;
        let mut left = 5;
        let mut polite = stream::poll_fn(move |context| {
            its_turn = !its_turn;
            if its_turn {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            left -= 1;
            Poll::Ready((left >= 0).then(|| text("x")))
        });
        assert_eq!(gathered(text("first"), &mut polite).await.len(), 6);
        let mut slow = stream::iter([text("x")]).chain(stream::pending());
        assert_eq!(gathered(text("first"), &mut slow).await.len(), 2);
    }

    /// How long an answer of so many words took to be passed on, and in how many pieces; before each word its server
    /// needs so many turns and so much time.
    async fn passed_on(count: u32, turns: u32, apart: Duration, breath: Duration) -> (Duration, u32) {
        let words = stream::iter(0..count).then(move |_| async move {
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
            if !apart.is_zero() {
                tokio::time::sleep(apart).await;
            }
            text("x")
        });
        let (inputs, mut heard) = mpsc::channel(1_000);
        let began = Instant::now();
        hear(Box::pin(words.chain(stream::iter([ModelNews::Finished]))), breath, EntryId(1), inputs).await;
        let took = began.elapsed();
        let mut pieces = 0;
        while let Some(Input::Model(_, news)) = heard.recv().await {
            pieces += u32::from(matches!(news, ModelNews::Event(_)));
        }
        (took, pieces)
    }

    #[tokio::test(start_paused = true)]
    async fn a_hurry_is_held_up_and_neither_a_short_answer_nor_a_slow_one_is() {
        assert_eq!(passed_on(HURRY, 3, Duration::ZERO, BREATH).await, (Duration::ZERO, HURRY));
        let (took, pieces) = passed_on(100, 3, Duration::ZERO, BREATH).await;
        assert!(took >= BREATH * (pieces - HURRY - 1) && pieces > 2 * HURRY, "{pieces} in {took:?}");
        assert_eq!(passed_on(100, 0, 5 * BREATH, BREATH).await, (500 * BREATH, 100));
    }

    /// Words of a server that sends them as they come, whether somebody takes them or not.
    #[tokio::test(start_paused = true)]
    async fn where_nobody_reads_word_by_word_fewer_pieces_come_at_the_same_time() {
        let (words, sent) = mpsc::channel(1_000);
        tokio::spawn(async move {
            for _ in 0..100 {
                tokio::time::sleep(10 * BREATH).await;
                words.send(text("x")).await.ok();
            }
            words.send(ModelNews::Finished).await.ok();
        });
        let sent = stream::unfold(sent, |mut sent| async { Some((sent.recv().await?, sent)) });
        let (inputs, mut heard) = mpsc::channel(1_000);
        let began = Instant::now();
        hear(Box::pin(sent), 25 * BREATH, EntryId(1), inputs).await;
        let took = began.elapsed();
        let (mut pieces, mut said) = (0, 0);
        while let Some(Input::Model(_, news)) = heard.recv().await {
            if let ModelNews::Event(ModelEvent::Text(words)) = news {
                pieces += 1;
                said += words.len();
            }
        }
        assert!(said == 100 && pieces <= 50, "{pieces} pieces of {said}");
        assert!(took <= 1_030 * BREATH, "{took:?}");
    }
}
