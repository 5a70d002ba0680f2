//! Providers: how one becomes a connection.

use super::keys::{self, Found};
use super::local::{self, Kind};
use super::presets::{PRESETS, Preset, joined};
use super::table::{Table, vendor_of};
use crate::config::connection::{Connection, Protocol, Secret, normal_base_url};
use crate::config::environment::Environment;
use crate::config::fault::Fault;
use crate::config::{Config, Facts, Provider, nearest};
use crate::ledger::ModelRef;

/// The models that no provider serves.
pub(super) const OURS: [&str; 2] = ["rehearsal", "script"];

/// Whether a provider of this name needs no configuration.
pub(crate) fn is_built_in(provider: &str) -> bool {
    OURS.contains(&provider) || Preset::named(provider).is_some()
}

/// How `model` is reached.
///
/// # Errors
/// An unknown provider, a name that is missing, a key that is not set: exit 2, each with what to do.
pub(super) fn connect(
    model: &ModelRef,
    config: &Config,
    environment: &Environment,
    table: &Table,
) -> Result<Connection, Fault> {
    let said = config.providers.get(&model.provider);
    let preset = Preset::named(&model.provider);
    if said.is_none() && preset.is_none() {
        return Err(unknown(model, config, table));
    }
    if model.name.trim().is_empty() {
        return Err(Fault::usage(
            format!("`{model}` is a provider, not a model"),
            format!("write {}/NAME{}", model.provider, example(&model.provider, table)),
        ));
    }
    let said = said.cloned().unwrap_or_default();
    let Some((protocol, base_url)) = address(&said, preset) else {
        return Err(Fault::usage(
            format!("the provider `{}` has no address", model.provider),
            format!("set base_url in [providers.{}]", model.provider),
        ));
    };
    let (key, key_name) = key(model, &said, preset, environment)?;
    let mut usual = preset.map(Preset::quirks).unwrap_or_default();
    let known = table.get(vendor_of(&model.provider), &model.name).unwrap_or_default();
    if known.abilities.reasoning == Some(false) {
        // It has no reasoning to be sent back, whatever its vendor's other models have.
        usual.reasoning_content = None;
    }
    let quirks = joined(said.quirks, usual);
    check_hosted_tools(model, protocol, &said.hosted_tools)?;
    let headers = said.headers.into_iter().collect();
    Ok(Connection { protocol, base_url, key, key_name, headers, quirks, hosted_tools: said.hosted_tools })
}

/// What is spoken, and where.
pub(super) fn address(said: &Provider, preset: Option<&Preset>) -> Option<(Protocol, String)> {
    let protocol = said.protocol.or(preset.map(|p| p.protocol)).unwrap_or(Protocol::OpenAiChat);
    let address = said.base_url.as_deref().or(preset.map(|p| p.base_url))?;
    Some((protocol, normal_base_url(protocol, address)))
}

/// A tool that the protocol does not know is a mistake better seen now than in the provider's refusal.
fn check_hosted_tools(model: &ModelRef, protocol: Protocol, tools: &[String]) -> Result<(), Fault> {
    let Some(wrong) = tools.iter().find(|tool| !protocol.hosts(tool)) else { return Ok(()) };
    let provider = &model.provider;
    let known = protocol.hosted_tools();
    let next = if known.is_empty() {
        format!("remove hosted_tools.{provider}: the protocol {} has none", protocol.as_str())
    } else {
        format!("use one of {}, or one of them with its version", known.join(", "))
    };
    Err(Fault::usage(format!("hosted_tools.{provider}: {provider} has no hosted tool {wrong:?}"), next))
}

/// A variable that the user named must hold a key. A preset's own must, unless the address is the user's and speaks
/// one of OpenAI's protocols: many servers of that kind want no key.
fn key(
    model: &ModelRef,
    said: &Provider,
    preset: Option<&Preset>,
    environment: &Environment,
) -> Result<(Option<Secret>, Option<String>), Fault> {
    match keys::find(&model.provider, said, preset, environment)? {
        Found::At(place) => {
            let key = place.read(&model.provider, environment)?;
            Ok((Some(key), Some(place.name(&model.provider))))
        }
        Found::Unneeded => Ok((None, None)),
        Found::Missing(variable) if may_do_without(said, preset) => Ok((None, Some(variable))),
        Found::Missing(variable) => Err(Fault::usage(
            format!("{model} needs a key, but {variable} is not set"),
            format!(
                "export {variable}=… with your key, or try `-m rehearsal`, which needs none; `countersign \
                doctor` shows where keys come from"
            ),
        )),
    }
}

/// Whether a provider whose key is missing is called all the same.
pub(super) fn may_do_without(said: &Provider, preset: Option<&Preset>) -> bool {
    let own_server = said.base_url.is_some() && preset.is_some_and(|p| p.protocol != Protocol::Anthropic);
    said.api_key_env.is_none() && own_server
}

/// What the model's own server tells about it, if it is one of those that run on the user's machine.
pub(super) fn asked(model: &ModelRef, connection: &Connection) -> Facts {
    local_kind(&model.provider).map_or_else(Facts::default, |kind| {
        local::facts(kind, &connection.base_url, connection.key.as_ref(), &model.name)
    })
}

/// Which server of one's own a provider is.
pub(super) fn local_kind(provider: &str) -> Option<Kind> {
    Preset::named(provider).and_then(|preset| preset.local)
}

/// The providers there are: presets, then those of the configuration.
pub(super) fn all(config: &Config) -> impl Iterator<Item = &str> {
    let own = config.providers.keys().map(String::as_str).filter(|name| Preset::named(name).is_none());
    PRESETS.iter().map(|preset| preset.name).chain(own)
}

fn unknown(model: &ModelRef, config: &Config, table: &Table) -> Fault {
    let provider = model.provider.as_str();
    // A model's bare name: say whose it is.
    if model.name.is_empty()
        && let Some(preset) =
            PRESETS.iter().find(|preset| table.vendors_of(provider).any(|of| of == vendor_of(preset.name)))
    {
        let meant = format!("{}/{provider}", preset.name);
        return Fault::usage(
            format!("`{provider}` is a model without its provider"),
            format!("write {meant}"),
        );
    }
    let known: Vec<&str> = all(config).chain(OURS).collect();
    let meant = nearest(provider, known.iter().copied()).map(str::to_owned);
    let meant = meant.or_else(|| nearest_model(provider, table).filter(|_| model.name.is_empty()));
    let meant = meant.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    Fault::usage(
        format!("unknown provider `{provider}`{meant}"),
        format!("use one of {}, or add [providers.{provider}] to the configuration", known.join(", ")),
    )
}

/// The model that a name without its provider most likely means.
fn nearest_model(name: &str, table: &Table) -> Option<String> {
    let of_preset =
        |preset: &'static Preset| table.names(vendor_of(preset.name)).map(move |name| (preset.name, name));
    let models: Vec<(&str, &str)> = PRESETS.iter().flat_map(of_preset).collect();
    let meant = nearest(name, models.iter().map(|(_, name)| *name))?;
    models.iter().find(|(_, name)| *name == meant).map(|(provider, name)| format!("{provider}/{name}"))
}

fn example(provider: &str, table: &Table) -> String {
    let name = match provider {
        "anthropic" => Some(super::presets::ANTHROPIC_DEFAULT),
        "openai" | "openai-chat" => Some(super::presets::OPENAI_DEFAULT),
        other => table.names(vendor_of(other)).next(),
    };
    name.map_or(String::new(), |name| format!(", as in {provider}/{name}"))
}
