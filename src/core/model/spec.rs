//! Facts about a model that the loop needs: window, output limit, price, abilities.

use strum::IntoStaticStr;

use crate::ledger::{MicroDollars, ModelRef, Usage};

use super::Effort;

/// What is known about a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSpec {
    /// Which.
    pub model: ModelRef,
    /// Most input tokens.
    pub window: u64,
    /// Most output tokens, thinking included.
    pub max_output: u64,
    /// A person said how many those are: then all of them are asked for.
    pub output_is_stated: bool,
    /// What it costs; `None` when unknown: tokens are shown, not money.
    pub price: Option<Price>,
    /// What it can do.
    pub abilities: Abilities,
    /// How it is to call tools at first.
    pub tool_calls: ToolCalls,
}

/// How a model calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ToolCalls {
    /// By its protocol.
    #[default]
    Native,
    /// In its text, which is read for calls.
    #[strum(serialize = "string")]
    InText,
}

impl ToolCalls {
    /// As people read it: `native` or `string`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What a model can do. `None`: nobody knows, and the server's answer decides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Abilities {
    /// Takes tools by its protocol.
    pub tools: Option<bool>,
    /// Takes images.
    pub vision: Option<bool>,
    /// Thinks before it answers.
    pub reasoning: Option<bool>,
    /// Takes `thinking: {"type": "adaptive"}`.
    pub adaptive_thinking: Option<bool>,
    /// Its thinking cannot be turned off.
    pub thinking_always_on: Option<bool>,
    /// Its protocol has a field for a seed.
    pub seed: Option<bool>,
    /// Efforts that it takes besides low, medium and high: `none`, `minimal`, `xhigh`, `max`.
    pub extra_efforts: Vec<String>,
}

impl Abilities {
    /// The levels of effort that it takes, the least first; empty for a model that is known not to reason. All of
    /// them for a model that nobody knows.
    pub fn efforts(&self) -> Vec<Effort> {
        let takes = |level: &Effort| match (self.reasoning, level) {
            (None, _) => true,
            (Some(false), _) => false,
            // One that thinks by itself does so unless it is told not to, and some cannot be told.
            (Some(true), Effort::None)
                if self.adaptive_thinking == Some(true) && self.thinking_always_on != Some(true) =>
            {
                true
            }
            (Some(true), Effort::Low | Effort::Medium | Effort::High) => true,
            (Some(true), other) => self.extra_efforts.iter().any(|extra| extra == other.as_str()),
        };
        Effort::ALL.iter().copied().filter(takes).collect()
    }

    /// What to ask for when `wanted` is wanted: that, or the next lower level that it takes, or else its lowest.
    /// `None`: it does not reason.
    pub fn effort(&self, wanted: Effort) -> Option<Effort> {
        let taken = self.efforts();
        taken.iter().rev().find(|level| **level <= wanted).or(taken.first()).copied()
    }

    /// Whether it finds out itself how long to think. An older model that reasons has a number of tokens for it.
    pub fn thinks_adaptively(&self) -> bool {
        self.adaptive_thinking.unwrap_or(self.reasoning != Some(true))
    }

    /// What is known here, and of the rest what `other` knows.
    pub fn or(self, other: Self) -> Self {
        Self {
            tools: self.tools.or(other.tools),
            vision: self.vision.or(other.vision),
            reasoning: self.reasoning.or(other.reasoning),
            adaptive_thinking: self.adaptive_thinking.or(other.adaptive_thinking),
            thinking_always_on: self.thinking_always_on.or(other.thinking_always_on),
            seed: self.seed.or(other.seed),
            extra_efforts: if self.extra_efforts.is_empty() {
                other.extra_efforts
            } else {
                self.extra_efforts
            },
        }
    }
}

impl ModelSpec {
    /// Window of a model that nobody knows, in tokens.
    pub const UNKNOWN_WINDOW: u64 = 128_000;
    /// Output limit of a model that nobody knows, in tokens.
    pub const UNKNOWN_OUTPUT: u64 = 8_192;
    /// What one request asks for at most, in tokens, as long as the effort is not high: no answer needs more, and vendors
    /// count what is asked for against limits of their own.
    pub const USUAL_OUTPUT: u64 = 32_768;

    /// Why it cannot be asked with a seed, if its protocol has no field for one.
    pub fn refusal_of_seed(&self) -> Option<String> {
        let refuses = self.abilities.seed == Some(false);
        let why = || {
            format!(
                "{} takes no seed: of the model protocols, only Chat Completions has a field for one",
                self.model
            )
        };
        refuses.then(why)
    }

    /// A model that nobody knows: the stated defaults, price and abilities unknown.
    pub fn unknown(model: ModelRef) -> Self {
        Self {
            model,
            window: Self::UNKNOWN_WINDOW,
            max_output: Self::UNKNOWN_OUTPUT,
            output_is_stated: false,
            price: None,
            abilities: Abilities::default(),
            tool_calls: ToolCalls::Native,
        }
    }

    /// Whether nothing is known of it, so that its window is a guess as well. Of a seed the protocol tells, not the model.
    pub fn is_unknown(&self) -> bool {
        let abilities = Abilities { seed: None, ..self.abilities.clone() };
        self.window == Self::UNKNOWN_WINDOW && self.price.is_none() && abilities == Abilities::default()
    }

    /// How many output tokens a request of this effort asks for, thinking included: those that a person stated, or as many
    /// as the model can write, but no more than an answer of that effort needs.
    pub fn output_to_ask(&self, effort: Option<Effort>) -> u64 {
        let needed = match effort {
            _ if self.output_is_stated => u64::MAX,
            Some(Effort::XHigh | Effort::Max) => u64::MAX,
            Some(Effort::High) => 2 * Self::USUAL_OUTPUT,
            Some(Effort::None | Effort::Minimal | Effort::Low | Effort::Medium) | None => Self::USUAL_OUTPUT,
        };
        self.max_output.min(needed)
    }
}

/// What a model costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Price {
    /// For every request that is not long.
    pub rates: Rates,
    /// For requests with a long prompt, if those cost something else.
    pub long: Option<LongPrompt>,
}

/// The rates of requests with a long prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongPrompt {
    /// A prompt of more tokens than this is long, what a cache served included.
    pub above: u64,
    /// What all of such a request is billed at, its written tokens too.
    pub rates: Rates,
}

/// US dollars per million tokens, in micro-dollars: 3 USD is 3,000,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rates {
    /// Prompt tokens that no cache served.
    pub input: u64,
    /// Written tokens.
    pub output: u64,
    /// Prompt tokens read from the cache.
    pub cache_read: u64,
    /// Prompt tokens written to the cache.
    pub cache_write: u64,
}

impl Price {
    /// One that does not depend on the prompt's length.
    pub fn flat(rates: Rates) -> Self {
        Self { rates, long: None }
    }

    /// The rates of a request whose prompt has this many tokens.
    pub fn rates_for(&self, prompt: u64) -> Rates {
        self.long.filter(|long| prompt > long.above).map_or(self.rates, |long| long.rates)
    }

    /// What `usage` costs, rounded up to a whole micro-dollar.
    pub fn cost(&self, usage: &Usage) -> MicroDollars {
        self.rates_for(usage.input).cost(usage)
    }
}

impl Rates {
    fn cost(&self, usage: &Usage) -> MicroDollars {
        let plain = usage.input.saturating_sub(usage.cache_read).saturating_sub(usage.cache_write);
        let sum = [
            (plain, self.input),
            (usage.cache_read, self.cache_read),
            (usage.cache_write, self.cache_write),
            (usage.output, self.output),
        ]
        .into_iter()
        .map(|(tokens, rate)| u128::from(tokens) * u128::from(rate))
        .fold(0, u128::saturating_add);
        MicroDollars(u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_of_a_model_of_which_only_its_protocol_is_known_is_a_guess() {
        let mut spec = ModelSpec::unknown(ModelRef::parse("own/new"));
        spec.abilities.seed = Some(true);
        assert!(spec.is_unknown());
        assert!(!ModelSpec { window: 8_000, ..spec.clone() }.is_unknown());
        assert!(!ModelSpec { price: Some(Price::default()), ..spec }.is_unknown());
    }

    #[test]
    fn the_nearest_effort_is_one_that_the_model_takes() {
        let abilities = |reasoning, extra: &[&str]| Abilities {
            reasoning,
            extra_efforts: extra.iter().map(|level| (*level).to_owned()).collect(),
            ..Abilities::default()
        };
        let unknown = abilities(None, &[]);
        assert!(Effort::ALL.iter().all(|level| unknown.effort(*level) == Some(*level)));
        let none = abilities(Some(false), &[]);
        assert_eq!((none.effort(Effort::High), none.efforts()), (None, Vec::new()));
        let some = abilities(Some(true), &["none", "xhigh"]);
        for (wanted, given) in [
            (Effort::None, Effort::None),
            (Effort::Minimal, Effort::None),
            (Effort::Low, Effort::Low),
            (Effort::XHigh, Effort::XHigh),
            (Effort::Max, Effort::XHigh),
        ] {
            assert_eq!(some.effort(wanted), Some(given));
        }
        assert_eq!(abilities(Some(true), &[]).effort(Effort::None), Some(Effort::Low), "its lowest");
    }

    #[test]
    fn what_thinks_by_itself_can_be_told_not_to_unless_it_cannot() {
        let abilities = |always: Option<bool>| Abilities {
            reasoning: Some(true),
            adaptive_thinking: Some(true),
            thinking_always_on: always,
            ..Abilities::default()
        };
        assert_eq!(abilities(Some(true)).effort(Effort::None), Some(Effort::Low));
        for always in [None, Some(false)] {
            assert_eq!(abilities(always).effort(Effort::None), Some(Effort::None));
        }
    }

    #[test]
    fn a_request_asks_for_as_much_output_as_its_effort_needs_and_the_model_has() {
        let spec = |max_output, output_is_stated| ModelSpec {
            max_output,
            output_is_stated,
            ..ModelSpec::unknown(ModelRef::parse("near/x"))
        };
        let large = spec(128_000, false);
        for (effort, asked) in [
            (None, 32_768),
            (Some(Effort::None), 32_768),
            (Some(Effort::Medium), 32_768),
            (Some(Effort::High), 65_536),
            (Some(Effort::XHigh), 128_000),
            (Some(Effort::Max), 128_000),
        ] {
            assert_eq!(large.output_to_ask(effort), asked, "{effort:?}");
            assert_eq!(spec(16_384, false).output_to_ask(effort), 16_384, "never more than it has");
            assert_eq!(spec(100_000, true).output_to_ask(effort), 100_000, "a person's word holds");
        }
    }

    #[test]
    fn a_long_prompt_bills_the_whole_request_at_its_rates() {
        let rates = Rates { input: 2_000_000, output: 10_000_000, cache_read: 100_000, cache_write: 0 };
        let dearer = Rates { input: 4_000_000, output: 15_000_000, cache_read: 200_000, cache_write: 0 };
        let price = Price { rates, long: Some(LongPrompt { above: 1_000, rates: dearer }) };
        let usage = |input| Usage { input, output: 100, cache_read: 900, ..Usage::default() };
        assert_eq!(price.cost(&usage(1_000)).0, 100 * 2 + 90 + 100 * 10, "at the bound it is not long");
        assert_eq!(price.cost(&usage(1_001)).0, 101 * 4 + 180 + 100 * 15, "cache and output too");
        assert_eq!(Price::flat(rates).cost(&usage(1_001)).0, 101 * 2 + 90 + 100 * 10);
    }
}
