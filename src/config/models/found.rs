//! The model of whoever named none: one with a key, or the rehearsal and how to connect a real one.

use std::time::Duration;

use super::{
    keys::{self, Found, KeyOrigin},
    local,
    presets::{ANTHROPIC_DEFAULT, OPENAI_DEFAULT, PRESETS, Preset},
    provider::{address, all},
};
use crate::config::environment::Environment;
use crate::config::fault::Fault;
use crate::config::{Config, Source};
use crate::ledger::ModelRef;

/// Most models of a server that are offered beside the first.
const MOST_OFFERED: usize = 4;

/// A model, why it is this one, and what a person should be told about that.
pub(super) type Named = (ModelRef, String, Option<String>);

/// Nobody named a model: a key decides, and without one the rehearsal.
pub(super) fn found(config: &Config, environment: &Environment) -> Result<Named, Fault> {
    for (provider, name) in [("anthropic", ANTHROPIC_DEFAULT), ("openai", OPENAI_DEFAULT)] {
        if let Some(place) = key_of(provider, config, environment)? {
            let model = ModelRef { provider: provider.to_owned(), name: name.to_owned() };
            let notice = match place {
                KeyOrigin::Variable(_) => format!("{} is set", place.name(provider)),
                _ => format!("{} has its key", place.name(provider)),
            };
            let notice = format!("{notice}, so the model is {model}; choose another with -m PROVIDER/MODEL");
            return Ok((model, place.name(provider), Some(notice)));
        }
    }
    let next = match other_key(config, environment)? {
        Some((provider, place)) => {
            format!("start with -m {provider}/NAME: {} contains its key", place.name(&provider))
        }
        None => "set ANTHROPIC_API_KEY or OPENAI_API_KEY, or start with -m ollama/NAME".to_owned(),
    };
    let notice = format!(
        "No key was found, so the rehearsal model is used: it understands a few requests (try \"tour\") and \
        runs \
         real tools. To connect a real model, {next}."
    );
    Ok((ModelRef::parse("rehearsal"), Source::Default.to_string(), Some(notice)))
}

fn key_of(provider: &str, config: &Config, environment: &Environment) -> Result<Option<KeyOrigin>, Fault> {
    let said = config.providers.get(provider).cloned().unwrap_or_default();
    match keys::find(provider, &said, Preset::named(provider), environment)? {
        Found::At(place) => Ok(Some(place)),
        Found::Missing(_) | Found::Unneeded => Ok(None),
    }
}

/// A key for another than the usual providers.
fn other_key(config: &Config, environment: &Environment) -> Result<Option<(String, KeyOrigin)>, Fault> {
    for provider in all(config) {
        if let Some(place) = key_of(provider, config, environment)? {
            return Ok(Some((provider.to_string(), place)));
        }
    }
    Ok(None)
}

/// Where servers of one's own usually answer: asked for whoever has no key, by whoever has the time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// Provider and base URL.
    places: Vec<(&'static str, String)>,
}

/// The search that is left to do for whoever has no key at all.
pub(super) fn search(config: &Config, environment: &Environment) -> Result<Option<Search>, Fault> {
    if other_key(config, environment)?.is_some() {
        return Ok(None);
    }
    let locals = PRESETS.iter().filter(|preset| preset.local.is_some());
    let places = locals.filter_map(|preset| {
        let said = config.providers.get(preset.name).cloned().unwrap_or_default();
        address(&said, Some(preset)).map(|(_, base_url)| (preset.name, base_url))
    });
    Ok(Some(Search { places: places.collect() }))
}

impl Search {
    /// Asks them all at once, for at most `patience`; what there is to choose, in a sentence a server. `how` is what
    /// stands before a model's name to choose it: `start with -m`.
    pub fn offers(&self, how: &str, patience: Duration) -> Vec<String> {
        let servers = self.places.iter().map(|(_, base_url)| (base_url.clone(), None)).collect();
        let answers = local::models_of(servers, patience);
        let of_each = self.places.iter().zip(answers);
        of_each.filter_map(|((name, _), models)| Some(offer(name, &models?, how))).collect()
    }
}

fn offer(provider: &str, models: &[String], how: &str) -> String {
    match models {
        [first, others @ ..] => {
            let others: Vec<&str> = others.iter().take(MOST_OFFERED).map(String::as_str).collect();
            let more = if others.is_empty() { String::new() } else { format!(" (or {})", others.join(", ")) };
            format!("A server ({provider}) is running on this machine: {how} {provider}/{first}{more}.")
        }
        [] => format!(
            "A server ({provider}) is running on this machine but has no model yet: add one, then {how} \
            {provider}/NAME."
        ),
    }
}
