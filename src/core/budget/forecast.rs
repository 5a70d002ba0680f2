//! What the next request would cost: a fold over the answers of a session, and the sum for one request.

use std::collections::VecDeque;

use crate::ledger::{Body, Entry, MicroDollars, Millis, ModelRef, Usage};
use crate::model::Price;

/// How long providers keep a prompt in their caches, at least (Anthropic and OpenAI: five minutes after its last use).
const CACHE_LIFETIME_MS: u64 = 5 * 60 * 1_000;
/// The answers of which a session says how long its answers are.
const ANSWERS: usize = 20;

/// What a session's answers tell of the next one.
#[derive(Debug, Clone, Default)]
pub struct Pace {
    /// Tokens of the last answers, oldest first.
    answers: VecDeque<u64>,
    last: Option<LastPrompt>,
}

/// The prompt of the last answer.
#[derive(Debug, Clone)]
struct LastPrompt {
    model: ModelRef,
    tokens: u64,
    at: Millis,
    /// Its provider said that its cache served or kept some of it.
    is_cached: bool,
    /// Its provider bills what it writes to its cache.
    bills_writes: bool,
}

/// The next request, before it is sent. All tokens are estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forecast {
    /// Tokens of the prompt that the provider's cache probably still has.
    pub cached: u64,
    /// Tokens of the prompt that are new to it.
    pub fresh: u64,
    /// Until when the cache keeps what it has; later all of the prompt is new.
    pub cached_until: Millis,
    /// What the provider writes to its cache has a rate of its own.
    pub bills_writes: bool,
    /// What the model costs; `None`: unknown.
    pub price: Option<Price>,
    /// Tokens of the shortest and of the longest of the session's last answers; `None`: there are none yet.
    pub answer: Option<(u64, u64)>,
}

/// What a request costs by its forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Its prompt.
    pub prompt: MicroDollars,
    /// Its answer: at least and at most, as far as the session's answers tell.
    pub answer: Option<(MicroDollars, MicroDollars)>,
}

impl Cost {
    /// The prompt and the longest answer.
    pub fn most(&self) -> MicroDollars {
        let answer = self.answer.map_or(0, |(_, most)| most.0);
        MicroDollars(self.prompt.0.saturating_add(answer))
    }
}

impl Pace {
    /// Takes in one entry. Entries must come in ledger order.
    pub fn read(&mut self, entry: &Entry) {
        match &entry.body {
            // What we counted ourselves says nothing of a provider's cache, and a cut answer nothing of a whole one.
            Body::Assistant(said) if !said.usage.estimated && said.usage.input > 0 => {
                let Usage { input, output, cache_read, cache_write, .. } = said.usage;
                if output > 0 && !said.interrupted {
                    self.answers.push_back(output);
                    if self.answers.len() > ANSWERS {
                        self.answers.pop_front();
                    }
                }
                self.last = Some(LastPrompt {
                    model: said.model.clone(),
                    tokens: input,
                    at: entry.at,
                    is_cached: cache_read > 0 || cache_write > 0,
                    bills_writes: cache_write > 0,
                });
            }
            // The prompts after it begin otherwise.
            Body::Compaction(_) => self.last = None,
            _ => {}
        }
    }

    /// A request of `tokens` to this model, made now.
    pub fn forecast(&self, now: Millis, model: &ModelRef, tokens: u64, price: Option<Price>) -> Forecast {
        let last = self.last.as_ref().filter(|last| last.model == *model && last.is_cached);
        let until = last.map_or(Millis(0), |last| Millis(last.at.0.saturating_add(CACHE_LIFETIME_MS)));
        let cached = last.filter(|_| now < until).map_or(0, |last| last.tokens.min(tokens));
        Forecast {
            cached,
            fresh: tokens.saturating_sub(cached),
            cached_until: until,
            bills_writes: self.last.as_ref().is_some_and(|last| last.model == *model && last.bills_writes),
            price,
            answer: self.answers.iter().min().copied().zip(self.answers.iter().max().copied()),
        }
    }
}

impl Forecast {
    /// The same request with more new tokens, sent at another time.
    #[must_use]
    pub fn with(mut self, more: u64, now: Millis) -> Self {
        if now >= self.cached_until {
            self.fresh = self.fresh.saturating_add(self.cached);
            self.cached = 0;
        }
        self.fresh = self.fresh.saturating_add(more);
        self
    }

    /// What it costs; `None`: the price of the model is unknown.
    pub fn cost(&self) -> Option<Cost> {
        let price = self.price?;
        let prompt = Usage {
            input: self.cached.saturating_add(self.fresh),
            cache_read: self.cached,
            cache_write: if self.bills_writes { self.fresh } else { 0 },
            ..Usage::default()
        };
        let paid = price.cost(&prompt);
        let more = |output| {
            let whole = price.cost(&Usage { output, ..prompt });
            MicroDollars(whole.0.saturating_sub(paid.0))
        };
        Some(Cost { prompt: paid, answer: self.answer.map(|(least, most)| (more(least), more(most))) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ledger::{AssistantMessage, EntryId, Stop};
    use crate::model::Rates;

    const CENT: u64 = 10_000;

    fn price() -> Price {
        let rates =
            Rates { input: 10_000_000, output: 50_000_000, cache_read: 1_000_000, cache_write: 12_500_000 };
        Price::flat(rates)
    }

    fn answered(at: u64, usage: Usage) -> Entry {
        let said = AssistantMessage {
            id: EntryId(at),
            model: ModelRef::parse("a/one"),
            blocks: Vec::new(),
            stop: Stop::End,
            usage,
            interrupted: false,
        };
        Entry { id: EntryId(at), at: Millis(at), body: Body::Assistant(Arc::new(said)) }
    }

    fn next(pace: &Pace, now: u64, model: &str, tokens: u64) -> Forecast {
        pace.forecast(Millis(now), &ModelRef::parse(model), tokens, Some(price()))
    }

    #[test]
    fn what_the_cache_has_is_cheap_until_it_forgets_it_and_only_for_the_same_model() {
        let mut pace = Pace::default();
        assert_eq!((next(&pace, 1, "a/one", 1_000).cached, next(&pace, 1, "a/one", 1_000).answer), (0, None));
        pace.read(&answered(
            1_000,
            Usage { input: 9_000, output: 100, cache_write: 9_000, ..Usage::default() },
        ));
        let soon = next(&pace, 2_000, "a/one", 10_000);
        assert_eq!((soon.cached, soon.fresh, soon.answer), (9_000, 1_000, Some((100, 100))));
        // 9,000 read at 1 USD, 1,000 written at 12.50 USD a million; 100 written at 50 USD.
        let cost = soon.cost().unwrap();
        assert_eq!((cost.prompt.0, cost.answer), (21_500, Some((MicroDollars(5_000), MicroDollars(5_000)))));
        assert_eq!(cost.most().0, 26_500);
        for (now, model) in [(301_000, "a/one"), (2_000, "b/two")] {
            let cold = next(&pace, now, model, 10_000);
            assert_eq!((cold.cached, cold.fresh), (0, 10_000), "{now} {model}");
        }
        assert_eq!(next(&pace, 300_999, "a/one", 10_000).cached, 9_000);
        let typed = soon.with(1_000, Millis(300_999));
        assert_eq!((typed.cached, typed.fresh), (9_000, 2_000));
        let later = soon.with(1_000, Millis(301_000));
        assert_eq!((later.cached, later.fresh), (0, 11_000));
        assert_eq!(later.cost().unwrap().prompt.0, 13 * CENT + 7_500);
    }

    #[test]
    fn a_cache_that_nobody_spoke_of_serves_nothing_and_a_summary_begins_anew() {
        let mut pace = Pace::default();
        pace.read(&answered(1, Usage { input: 9_000, output: 100, ..Usage::default() }));
        assert_eq!(next(&pace, 2, "a/one", 10_000).cached, 0);
        assert_eq!(
            next(&pace, 2, "a/one", 10_000).cost().unwrap().prompt.0,
            10 * CENT,
            "not billed as written"
        );
        pace.read(&answered(2, Usage { input: 9_000, output: 300, cache_read: 8_000, ..Usage::default() }));
        let warm = next(&pace, 3, "a/one", 10_000);
        assert_eq!((warm.cached, warm.answer), (9_000, Some((100, 300))));
        // An answer that was cut off keeps what is known.
        pace.read(&answered(3, Usage { input: 50, output: 7, estimated: true, ..Usage::default() }));
        assert_eq!(next(&pace, 4, "a/one", 10_000), Forecast { ..warm });
        for at in 4..30 {
            pace.read(&answered(at, Usage { input: 9_000, output: at, cache_read: 1, ..Usage::default() }));
        }
        assert_eq!(next(&pace, 30, "a/one", 10_000).answer, Some((10, 29)), "the last twenty");
        assert_eq!(pace.forecast(Millis(30), &ModelRef::parse("a/one"), 1, None).cost(), None);
    }
}
