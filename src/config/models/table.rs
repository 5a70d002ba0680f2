//! What is known about models: the table that comes with the program, and what the user knows better.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::price::price;
use crate::config::{Config, Facts, LongFacts};
use crate::ledger::{MicroDollars, ModelRef};
use crate::model::{Abilities, ModelSpec, Price, ToolCalls};

const TABLE: &str = include_str!("../../../assets/models.json");

/// The facts of `assets/models.json`, by vendor and name.
#[derive(Debug, Clone, Default)]
pub struct Table {
    rows: BTreeMap<(String, String), Facts>,
    /// Models that Chat Completions does not serve, although it is their vendor's protocol.
    without_chat: BTreeSet<(String, String)>,
}

impl Table {
    /// The table that comes with the program.
    pub fn embedded() -> Self {
        let whole: Value = serde_json::from_str(TABLE).unwrap_or_else(|why| {
            debug_assert!(false, "the table of models cannot be read: {why}");
            tracing::error!("the table of models cannot be read, so nothing is known of any: {why}");
            Value::Null
        });
        let rows = whole.get("models").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let has_none = |row: &&Value| row.get("chat") == Some(&Value::Bool(false));
        let without_chat = rows.iter().filter(has_none).filter_map(row).map(|(name, _)| name).collect();
        Self { rows: rows.iter().filter_map(row).collect(), without_chat }
    }

    /// Whether Chat Completions serves this model of a vendor that has another protocol too.
    pub(super) fn has_chat(&self, vendor: &str, name: &str) -> bool {
        !self.without_chat.contains(&(vendor.to_owned(), name.to_owned()))
    }

    /// The facts about one model of a vendor.
    pub fn get(&self, vendor: &str, name: &str) -> Option<Facts> {
        self.rows.get(&(vendor.to_owned(), name.to_owned())).cloned()
    }

    /// The names of a vendor's models.
    pub fn names<'a>(&'a self, vendor: &'a str) -> impl Iterator<Item = &'a str> {
        self.rows.keys().filter(move |(of, _)| of == vendor).map(|(_, name)| name.as_str())
    }

    /// Vendors that have a model of this name.
    pub(super) fn vendors_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.rows.keys().filter(move |(_, of)| of == name).map(|(vendor, _)| vendor.as_str())
    }
}

fn row(row: &Value) -> Option<((String, String), Facts)> {
    let text = |name: &str| row.get(name)?.as_str().map(str::to_owned);
    let number = |path: &str| row.pointer(path)?.as_u64();
    let price = |path: &str| number(path).map(MicroDollars);
    let facts = Facts {
        window: number("/window"),
        max_output: number("/max_output"),
        usd_in: price("/in"),
        usd_out: price("/out"),
        usd_cache_read: price("/cache_read"),
        usd_cache_write: price("/cache_write"),
        long: LongFacts {
            above: number("/long/above"),
            usd_in: price("/long/in"),
            usd_out: price("/long/out"),
            usd_cache_read: price("/long/cache_read"),
            usd_cache_write: price("/long/cache_write"),
        },
        abilities: abilities(row),
    };
    Some(((text("vendor")?, text("id")?), facts))
}

/// A missing member says that nobody knows, not that it cannot.
fn abilities(row: &Value) -> Abilities {
    let known = |name: &str| row.get(name)?.as_bool();
    let efforts = row.get("extra_efforts").and_then(Value::as_array).into_iter().flatten();
    Abilities {
        tools: known("tools"),
        vision: known("vision"),
        reasoning: known("reasoning"),
        adaptive_thinking: known("adaptive_thinking"),
        thinking_always_on: known("thinking_always_on"),
        seed: None,
        extra_efforts: efforts.filter_map(Value::as_str).map(str::to_owned).collect(),
    }
}

/// Whose models a provider serves. A provider of the configuration that is called like a vendor serves that
/// vendor's; all others have no row.
pub(super) fn vendor_of(provider: &str) -> &str {
    match provider {
        "openai-chat" => "openai",
        "gemini" => "google",
        "ollama" | "llamacpp" | "vllm" | "lmstudio" => "local",
        other => other,
    }
}

/// What is known about a model: the user's word first, then what its server told (`asked`), then the table, then the
/// stated defaults.
pub fn resolve(model: &ModelRef, config: &Config, table: &Table, asked: Facts) -> ModelSpec {
    if model.provider == "rehearsal" {
        return ModelSpec { price: Some(Price::default()), ..ModelSpec::unknown(model.clone()) };
    }
    let said = config.models.get(&model.to_string()).cloned().unwrap_or_default();
    let known = table.get(vendor_of(&model.provider), &model.name).unwrap_or_default();
    let window = said.window.or(asked.window).or(known.window).unwrap_or(ModelSpec::UNKNOWN_WINDOW);
    // Without a limit of its own a model gets the default; of a small window a quarter, so that the prompt has room.
    // What it thinks counts too, so one that is known to reason gets more.
    let abilities = said.abilities.clone().or(asked.abilities).or(known.abilities.clone());
    let reasons = abilities.reasoning == Some(true);
    let default = if reasons { ModelSpec::USUAL_OUTPUT } else { ModelSpec::UNKNOWN_OUTPUT };
    let usual = default.min(window / 4).max(1);
    let max_output = said.max_output.or(known.max_output).unwrap_or(usual).min(window);
    let price = price(&said, &known);
    ModelSpec {
        model: model.clone(),
        window,
        max_output,
        output_is_stated: said.max_output.is_some(),
        price,
        abilities,
        tool_calls: ToolCalls::Native,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Rates;

    #[test]
    fn the_table_is_whole_and_sane() {
        let table = Table::embedded();
        let written = TABLE.lines().filter(|line| line.starts_with("{\"id\"")).count();
        assert!(written > 100);
        assert_eq!(table.rows.len(), written);
        for ((vendor, name), facts) in &table.rows {
            let window = facts.window.unwrap();
            assert!(window >= 8_000, "{vendor}/{name}");
            assert!(facts.max_output.is_none_or(|most| most < window), "{vendor}/{name}");
            assert_eq!(facts.usd_in.is_some(), facts.usd_out.is_some(), "{vendor}/{name}");
            assert!(facts.usd_in.is_none_or(|price| price.0 < 1_000_000_000), "{vendor}/{name}");
            assert!(facts.abilities.tools.is_some() && facts.abilities.vision.is_some(), "{vendor}/{name}");
            let long = facts.long;
            assert!(long.above.is_none_or(|above| above < window), "{vendor}/{name}");
            assert_eq!(long.above.is_some(), long.usd_in.is_some() && long.usd_out.is_some(), "{name}");
            assert!(long.usd_in >= facts.usd_in || long.above.is_none(), "{vendor}/{name}");
        }
    }

    #[test]
    fn a_known_model_an_unknown_one_and_the_free_one() {
        let (config, table) = (Config::default(), Table::embedded());
        let spec = |text: &str| resolve(&ModelRef::parse(text), &config, &table, Facts::default());
        let sonnet = spec("anthropic/claude-sonnet-4-5");
        assert_eq!((sonnet.window, sonnet.max_output), (200_000, 64_000));
        let rates =
            Rates { input: 3_000_000, output: 15_000_000, cache_read: 300_000, cache_write: 3_750_000 };
        assert_eq!(sonnet.price, Some(Price::flat(rates)));
        assert_eq!(spec("near/x"), ModelSpec::unknown(ModelRef::parse("near/x")));
        assert_eq!(spec("script").price, None);
        assert_eq!(spec("rehearsal").price, Some(Price::default()));
        assert_eq!(spec("mistral/mistral-large-latest").max_output, ModelSpec::UNKNOWN_OUTPUT);
        // Of these no limit is known; the second thinks, and its thoughts count.
        assert_eq!(spec("xai/grok-4.20-non-reasoning").max_output, ModelSpec::UNKNOWN_OUTPUT);
        assert_eq!(spec("xai/grok-4.7").max_output, ModelSpec::USUAL_OUTPUT);
        assert_eq!((sonnet.output_is_stated, sonnet.output_to_ask(None)), (false, 32_768));
        let fable = spec("anthropic/claude-fable-5-1").abilities;
        assert_eq!((fable.adaptive_thinking, fable.thinking_always_on), (Some(true), Some(true)));
        assert_eq!(fable.extra_efforts, ["xhigh", "max"]);
        let tools = |text: &str| spec(text).abilities.tools;
        assert_eq!(tools("near/x"), None);
        assert_eq!((tools("ollama/llama3.1:8b"), tools("ollama/phi4:14b")), (Some(true), Some(false)));
    }
}
