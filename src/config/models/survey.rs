//! Every provider as it stands: where its key is, where its server is. Nothing is run, asked or spent.

use std::time::Duration;

use super::{
    keys::{self, Found, KeyOrigin},
    local,
    presets::{PRESETS, Preset},
    provider::{address, all, connect, local_kind, may_do_without},
    table::Table,
};
use crate::config::Config;
use crate::config::connection::{Connection, Secret};
use crate::config::environment::Environment;
use crate::config::fault::Fault;
use crate::ledger::ModelRef;
use crate::wire::Endpoint;

/// Whoever asks how things stand waits a little longer for a server than the app does.
const PATIENCE: Duration = Duration::from_secs(1);

/// A provider as it stands.
#[derive(Debug)]
pub(crate) struct Surveyed {
    /// Its name.
    pub(crate) name: String,
    /// Its address as it may be shown; `None` when it has none.
    pub(crate) address: Option<String>,
    /// Whether the address, or anything else of it, was configured.
    pub(crate) configured: bool,
    /// Whether its server usually runs on this machine.
    pub(crate) local: bool,
    /// Its key.
    pub(crate) key: Key,
    /// A variable that holds a key as well, and is not used.
    pub(crate) unused_variable: Option<String>,
}

/// A provider's key before it is read.
#[derive(Debug)]
pub(crate) enum Key {
    /// It is in this place, by its name; whether a command must be run to read it.
    At { place: String, by_command: bool },
    /// It wants one, and this variable is not set.
    Missing(String),
    /// It wants none.
    Unneeded,
    /// The place is there, and is refused.
    Refused(Fault),
}

/// All providers, presets first.
pub(crate) fn survey(config: &Config, environment: &Environment) -> Vec<Surveyed> {
    all(config).map(|name| surveyed(name, config, environment)).collect()
}

fn surveyed(name: &str, config: &Config, environment: &Environment) -> Surveyed {
    let preset = Preset::named(name);
    let said = config.providers.get(name).cloned().unwrap_or_default();
    let found = keys::find(name, &said, preset, environment);
    let usual =
        preset.and_then(|preset| preset.key).filter(|variable| environment.secret(variable).is_some());
    let unused_variable = match &found {
        Ok(Found::At(KeyOrigin::Command(_) | KeyOrigin::File(_))) => usual.map(str::to_owned),
        _ => None,
    };
    let key = match found {
        Err(fault) => Key::Refused(fault),
        Ok(Found::At(place)) => match place.check() {
            Err(fault) => Key::Refused(fault),
            Ok(()) => {
                let by_command = matches!(place, KeyOrigin::Command(_));
                Key::At { place: place.name(name), by_command }
            }
        },
        Ok(Found::Missing(_)) if may_do_without(&said, preset) => Key::Unneeded,
        Ok(Found::Missing(variable)) => Key::Missing(variable),
        Ok(Found::Unneeded) => Key::Unneeded,
    };
    Surveyed {
        name: name.to_owned(),
        address: address(&said, preset).map(|(_, base)| Endpoint::new(base, None).shown_url()),
        configured: said.base_url.is_some() || preset.is_none(),
        local: local_kind(name).is_some(),
        key,
        unused_variable,
    }
}

/// How the provider is reached, its key read: a command that prints it is run.
///
/// # Errors
/// No address, or a key that cannot be read.
pub(crate) fn connection_of(
    provider: &str,
    config: &Config,
    environment: &Environment,
) -> Result<Connection, Fault> {
    // Any name will do: no model is asked.
    let model = ModelRef { provider: provider.to_owned(), name: "any".to_owned() };
    connect(&model, config, environment, &Table::embedded())
}

/// What is wrong with our file of keys, if anything is.
///
/// # Errors
/// Others can read it, or it cannot be read.
pub(crate) fn keys_file(environment: &Environment) -> Result<(), Fault> {
    let Some(folder) = environment.config_dir() else { return Ok(()) };
    keys::check_file(&folder.join("keys.toml"))
}

/// The servers that usually run on this machine, by name and address as it may be shown, with the count of their
/// models; `None`: nothing answers there.
pub(crate) fn servers_here(config: &Config) -> Vec<(&'static str, String, Option<usize>)> {
    let here: Vec<(&'static str, String)> = PRESETS
        .iter()
        .filter(|preset| preset.local.is_some())
        .filter_map(|preset| {
            let said = config.providers.get(preset.name).cloned().unwrap_or_default();
            Some((preset.name, address(&said, Some(preset))?.1))
        })
        .collect();
    let addresses: Vec<(String, Option<Secret>)> =
        here.iter().map(|(_, base)| (base.clone(), None)).collect();
    let answers = local::models_of(addresses, PATIENCE);
    let told = here.into_iter().zip(answers);
    told.map(|((name, base), models)| {
        (name, Endpoint::new(base, None).shown_url(), models.map(|models| models.len()))
    })
    .collect()
}
