//! The model of whoever named none: one with a key, or the rehearsal and how to connect a real one.

use super::{
    keys::{self, Found, Place},
    local,
    presets::{PRESETS, Preset},
    provider::{address, all},
};
use crate::cli::{
    config::{Config, Source},
    environment::Environment,
    fault::Fault,
};
use crate::ledger::ModelRef;

/// The model for whoever has only set a key: current, and not the dearest of its family.
pub(super) const ANTHROPIC_DEFAULT: &str = "claude-sonnet-5-5";
/// The same for OpenAI.
pub(super) const OPENAI_DEFAULT: &str = "gpt-6.1-sol";

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
                Place::Variable(_) => format!("{} is set", place.name(provider)),
                _ => format!("{} has its key", place.name(provider)),
            };
            let notice = format!("{notice}, so {model} answers; choose another with -m PROVIDER/MODEL");
            return Ok((model, place.name(provider), Some(notice)));
        }
    }
    let notice = format!(
        "No key was found, so the rehearsal model answers: it understands a few requests (try \"tour\") and runs \
         real tools. To connect a real model, {}.",
        how_to_connect(config, environment)?
    );
    Ok((ModelRef::parse("rehearsal"), Source::Default.to_string(), Some(notice)))
}

fn key_of(provider: &str, config: &Config, environment: &Environment) -> Result<Option<Place>, Fault> {
    let said = config.providers.get(provider).cloned().unwrap_or_default();
    match keys::find(provider, &said, Preset::named(provider), environment)? {
        Found::At(place) => Ok(Some(place)),
        Found::Missing(_) | Found::Unneeded => Ok(None),
    }
}

/// The next step of whoever has no key for the usual providers: another key that is there, a server on this machine
/// that answers, else a key or a server.
fn how_to_connect(config: &Config, environment: &Environment) -> Result<String, Fault> {
    for provider in all(config) {
        if let Some(place) = key_of(provider, config, environment)? {
            let name = place.name(provider);
            return Ok(format!("start with -m {provider}/NAME: {name} has its key"));
        }
    }
    Ok(match local_models(config).as_slice() {
        [] => "set ANTHROPIC_API_KEY or OPENAI_API_KEY, or start with -m ollama/NAME".to_owned(),
        servers => servers.iter().map(|(name, models)| offer(name, models)).collect::<Vec<_>>().join("; "),
    })
}

fn offer(provider: &str, models: &[String]) -> String {
    match models {
        [first, others @ ..] => {
            let others: Vec<&str> = others.iter().take(MOST_OFFERED).map(String::as_str).collect();
            let more = if others.is_empty() { String::new() } else { format!(" (or {})", others.join(", ")) };
            format!("start with -m {provider}/{first}{more}: a server ({provider}) answers on this machine")
        }
        [] => format!(
            "give the server ({provider}) that answers on this machine a model, and start with -m {provider}/NAME"
        ),
    }
}

/// The servers that answer where those of one's own usually do, with their models.
fn local_models(config: &Config) -> Vec<(&'static str, Vec<String>)> {
    let locals: Vec<&Preset> = PRESETS.iter().filter(|preset| preset.local.is_some()).collect();
    let addresses = locals.iter().filter_map(|preset| {
        let said = config.providers.get(preset.name).cloned().unwrap_or_default();
        address(&said, Some(preset)).map(|(_, base_url)| (base_url, None))
    });
    let answers = local::models_of(addresses.collect(), local::PATIENCE);
    locals.iter().zip(answers).filter_map(|(preset, models)| Some((preset.name, models?))).collect()
}
