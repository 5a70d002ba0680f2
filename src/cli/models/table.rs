//! What is known about models: the table that comes with the program, and what the user knows better.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::cli::config::{Config, Facts};
use crate::ledger::{MicroDollars, ModelRef};
use crate::model::{ModelSpec, Price};

const TABLE: &str = include_str!("../../../assets/models.json");

/// The facts of `assets/models.json`, by vendor and name.
#[derive(Debug, Clone, Default)]
pub struct Table {
    rows: BTreeMap<(String, String), Facts>,
    /// Models that take no tools.
    without_tools: BTreeSet<(String, String)>,
}

impl Table {
    /// The table that comes with the program.
    pub fn embedded() -> Self {
        let whole: Value = serde_json::from_str(TABLE).unwrap_or_default();
        let rows = whole.get("models").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let takes_none = |row: &&Value| row.get("tools") == Some(&Value::Bool(false));
        let without_tools = rows.iter().filter(takes_none).filter_map(row).map(|(name, _)| name).collect();
        Self { rows: rows.iter().filter_map(row).collect(), without_tools }
    }

    /// Whether a model takes tools by its protocol; one that nobody knows does, until its server refuses them.
    pub fn takes_tools(&self, model: &ModelRef) -> bool {
        !self.without_tools.contains(&(vendor_of(&model.provider).to_owned(), model.name.clone()))
    }

    /// The facts about one model of a vendor.
    pub fn get(&self, vendor: &str, name: &str) -> Option<Facts> {
        self.rows.get(&(vendor.to_owned(), name.to_owned())).copied()
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
    let number = |name: &str| row.get(name)?.as_u64();
    let price = |name: &str| number(name).map(MicroDollars);
    let facts = Facts {
        window: number("window"),
        max_output: number("max_output"),
        usd_in: price("in"),
        usd_out: price("out"),
        usd_cache_read: price("cache_read"),
        usd_cache_write: price("cache_write"),
    };
    Some(((text("vendor")?, text("id")?), facts))
}

/// Whose models a provider serves. A provider of the configuration that is called like a vendor serves that
/// vendor's; all others have no row.
pub(super) fn vendor_of(provider: &str) -> &str {
    match provider {
        "openai-chat" => "openai",
        "ollama" => "local",
        other => other,
    }
}

/// What is known about a model: the user's word first, then the table, then the stated defaults. A price is known
/// when both its halves are; tokens of a cache cost what plain ones do unless something else is known.
pub fn resolve(model: &ModelRef, config: &Config, table: &Table) -> ModelSpec {
    if model.provider == "rehearsal" {
        return ModelSpec { price: Some(Price::default()), ..ModelSpec::unknown(model.clone()) };
    }
    let said = config.models.get(&model.to_string()).copied().unwrap_or_default();
    let known = table.get(vendor_of(&model.provider), &model.name).unwrap_or_default();
    let window = said.window.or(known.window).unwrap_or(ModelSpec::UNKNOWN_WINDOW);
    // Without a limit of its own a model gets the default: its whole window would leave no room for the prompt.
    let max_output = said.max_output.or(known.max_output).unwrap_or(ModelSpec::UNKNOWN_OUTPUT).min(window);
    let price = match (said.usd_in.or(known.usd_in), said.usd_out.or(known.usd_out)) {
        (Some(input), Some(output)) => Some(Price {
            input: input.0,
            output: output.0,
            cache_read: said.usd_cache_read.or(known.usd_cache_read).unwrap_or(input).0,
            cache_write: said.usd_cache_write.or(known.usd_cache_write).unwrap_or(input).0,
        }),
        (None, _) | (_, None) => None,
    };
    ModelSpec { model: model.clone(), window, max_output, price, vision: None }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        }
    }

    #[test]
    fn a_known_model_an_unknown_one_and_the_free_one() {
        let (config, table) = (Config::default(), Table::embedded());
        let spec = |text: &str| resolve(&ModelRef::parse(text), &config, &table);
        let sonnet = spec("anthropic/claude-sonnet-4-5");
        assert_eq!((sonnet.window, sonnet.max_output), (200_000, 64_000));
        let price =
            Price { input: 3_000_000, output: 15_000_000, cache_read: 300_000, cache_write: 3_750_000 };
        assert_eq!(sonnet.price, Some(price));
        assert_eq!(spec("near/x"), ModelSpec::unknown(ModelRef::parse("near/x")));
        assert_eq!(spec("script").price, None);
        assert_eq!(spec("rehearsal").price, Some(Price::default()));
        let takes_tools = |text: &str| table.takes_tools(&ModelRef::parse(text));
        assert!(
            takes_tools("near/x") && takes_tools("ollama/llama3.1:8b") && !takes_tools("ollama/phi4:14b")
        );
        assert_eq!(spec("mistral/mistral-large-latest").max_output, ModelSpec::UNKNOWN_OUTPUT);
    }
}
