//! Which models are usable now, and why the others are not.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{
    keys::{self, Found, KeyOrigin},
    local::{self, NamesAnswer},
    presets::Preset,
    provider::{address, all, local_kind, may_do_without},
    table::{Table, resolve, vendor_of},
};
use crate::config::connection::{Protocol, Secret};
use crate::config::environment::Environment;
use crate::config::fault::Fault;
use crate::config::{Config, Facts, Provider, Source};
use crate::ledger::ModelRef;
use crate::model::ModelSpec;

/// Whoever asks for a list waits a little longer for a server than the app does.
const PATIENCE: Duration = Duration::from_secs(1);
/// Most models of one server that are asked about.
const MOST_ASKED: usize = 32;

/// A provider and its models.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Its name.
    pub provider: String,
    /// Whether its models can be asked now.
    pub state: State,
    /// Those of its models that are known; it may serve others too.
    pub models: Vec<ModelSpec>,
    /// Whether the configuration says something of it.
    pub is_named: bool,
    /// Where its models are asked and with which key; nothing if that is known only once its server is asked.
    pub(super) reached: Option<ServerAndKey>,
}

/// Where models are asked, and with which key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServerAndKey {
    base_url: String,
    key: KeyOrigin,
}

/// Whether a provider's models can be asked.
#[derive(Debug, Clone)]
pub enum State {
    /// They can; says by what: the name of a key's place, or a server's address.
    Usable(String),
    /// They cannot: what is missing, and what to do about it.
    Unusable(Fault),
}

/// A provider, its address, and its key if that was needed and read.
struct Server {
    provider: String,
    base_url: String,
    key: Option<Secret>,
}

/// Every provider, the embedded model first. Local servers are asked, all at once; keys are looked for, not tried.
pub fn list(config: &Config, environment: &Environment, table: &Table) -> Vec<Listed> {
    let (mut listed, servers) = known_and_asked(config, environment, table);
    listed.extend(answering(servers, config, table));
    listed
}

/// The same without those that have to be asked: it waits for nobody.
pub(crate) fn list_known(config: &Config, environment: &Environment, table: &Table) -> Vec<Listed> {
    known_and_asked(config, environment, table).0
}

/// What is known of itself, and the servers that must be asked.
fn known_and_asked(config: &Config, environment: &Environment, table: &Table) -> (Vec<Listed>, Vec<Server>) {
    let mut listed = vec![Listed {
        provider: "rehearsal".to_owned(),
        state: State::Usable("embedded; needs no key".to_owned()),
        models: vec![resolve(&ModelRef::parse("rehearsal"), config, table, Facts::default())],
        is_named: false,
        reached: None,
    }];
    let mut servers = Vec::new();
    for provider in all(config) {
        let said = config.providers.get(provider).cloned().unwrap_or_default();
        match state(provider, &said, environment) {
            Ok(Discovery::Ask(server)) => servers.push(server),
            Ok(Discovery::Take(how, reached)) => listed.push(Listed {
                state: State::Usable(how),
                models: known(provider, &said, config, table),
                provider: provider.to_owned(),
                is_named: is_named(provider, config),
                reached,
            }),
            Err(fault) => listed.push(Listed {
                state: State::Unusable(fault),
                models: known(provider, &said, config, table),
                provider: provider.to_owned(),
                is_named: is_named(provider, config),
                reached: None,
            }),
        }
    }
    (listed, servers)
}

/// How to find out what a provider serves.
enum Discovery {
    /// By the table: it is there, and its key is, in this place.
    Take(String, Option<ServerAndKey>),
    /// By asking it.
    Ask(Server),
}

fn state(provider: &str, said: &Provider, environment: &Environment) -> Result<Discovery, Fault> {
    let preset = Preset::named(provider);
    let Some((_, base_url)) = address(said, preset) else {
        return Err(Fault::usage("it has no address", format!("set base_url in [providers.{provider}]")));
    };
    let server = |key| Server { provider: provider.to_owned(), base_url: base_url.clone(), key };
    let found = keys::find(provider, said, preset, environment)?;
    if local_kind(provider).is_some() {
        let key = match found {
            // A list runs no commands.
            Found::At(KeyOrigin::Command(_)) | Found::Missing(_) | Found::Unneeded => None,
            Found::At(place) => Some(place.read(provider, environment)?),
        };
        return Ok(Discovery::Ask(server(key)));
    }
    match found {
        Found::At(place) => {
            place.check()?;
            let name = place.name(provider);
            // In our file of keys each provider has a key of its own.
            let is_shared = !matches!(place, KeyOrigin::KeysFile(_));
            let reached = is_shared.then(|| ServerAndKey { base_url: base_url.clone(), key: place });
            Ok(Discovery::Take(name, reached))
        }
        Found::Missing(variable) if !may_do_without(said, preset) => Err(Fault::usage(
            format!("{variable} is not set"),
            format!("export {variable}=…, or put {provider} = \"KEY\" into keys.toml beside config.toml"),
        )),
        // Without a key it is a server of one's own: whether it is there is soon asked.
        Found::Missing(_) | Found::Unneeded if base_url.starts_with("http://") => {
            Ok(Discovery::Ask(server(None)))
        }
        Found::Missing(_) | Found::Unneeded => Ok(Discovery::Take("needs no key".to_owned(), None)),
    }
}

/// The models that the table and the configuration know of a provider.
fn known(provider: &str, said: &Provider, config: &Config, table: &Table) -> Vec<ModelSpec> {
    let vendor = vendor_of(provider);
    let chat =
        address(said, Preset::named(provider)).is_none_or(|(spoken, _)| spoken == Protocol::OpenAiChat);
    let of_table = table.names(vendor).filter(|name| !chat || table.has_chat(vendor, name));
    let names: BTreeSet<&str> = of_table.chain(configured(provider, config)).collect();
    let spec = |name: &str| resolve(&named(provider, name), config, table, Facts::default());
    names.into_iter().map(spec).collect()
}

/// Whether a file or the command line says something of a provider, or of a model of it. A variable stands for an address, whichever
/// protocol is spoken there.
fn is_named(provider: &str, config: &Config) -> bool {
    let below = format!("providers.{provider}.");
    let says =
        |(key, source): (&String, &Source)| key.starts_with(&below) && !matches!(source, Source::Variable(_));
    config.origins.iter().any(says) || configured(provider, config).next().is_some()
}

/// The names of a provider's models that the configuration describes (`[models."PROVIDER/NAME"]`).
fn configured<'c>(provider: &'c str, config: &'c Config) -> impl Iterator<Item = &'c str> {
    config.models.keys().filter_map(move |model| model.strip_prefix(provider)?.strip_prefix('/'))
}

fn named(provider: &str, name: &str) -> ModelRef {
    ModelRef { provider: provider.to_owned(), name: name.to_owned() }
}

/// Asks the servers for their models, and those of a known kind for what they know of them.
fn answering(servers: Vec<Server>, config: &Config, table: &Table) -> Vec<Listed> {
    let addresses = servers.iter().map(|server| (server.base_url.clone(), server.key.clone())).collect();
    let answers = local::names_of(addresses, PATIENCE);
    let without = servers.iter().zip(&answers).filter(|(_, answer)| !matches!(answer, NamesAnswer::Told(_)));
    let without = without.map(|(server, _)| server.base_url.clone()).collect();
    let mut are_there = local::are_there(without, PATIENCE).into_iter();
    let pairs = servers.into_iter().zip(answers);
    let listed = pairs.map(|(server, answer)| {
        let spec = |name: &str, facts| resolve(&named(&server.provider, name), config, table, facts);
        // A server may serve more than it names: what the configuration describes is there, too.
        let own = |told: &[String]| -> Vec<ModelSpec> {
            let untold =
                configured(&server.provider, config).filter(|name| told.iter().all(|one| one != name));
            untold.map(|name| spec(name, Facts::default())).collect()
        };
        let shown = server.base_url.split('?').next().unwrap_or_default().to_owned();
        let is_late = answer == NamesAnswer::Late;
        let NamesAnswer::Told(names) = answer else {
            let models = own(&[]);
            let is_there = are_there.next().unwrap_or_default();
            let state = without_names(&server, (is_there, is_late), &shown, &models);
            let is_named = is_named(&server.provider, config);
            return Listed { provider: server.provider, state, models, is_named, reached: None };
        };
        let mut facts: Vec<Facts> = local_kind(&server.provider).map_or_else(Vec::new, |kind| {
            let asked = names.iter().take(MOST_ASKED).cloned().collect();
            local::facts_of_all(kind, &server.base_url, server.key.as_ref(), asked, PATIENCE)
        });
        facts.resize(names.len(), Facts::default());
        let mut models: Vec<ModelSpec> =
            names.iter().zip(facts).map(|(name, facts)| spec(name, facts)).collect();
        models.extend(own(&names));
        let state = State::Usable(format!("answers at {shown}"));
        let is_named = is_named(&server.provider, config);
        Listed { provider: server.provider, state, models, is_named, reached: None }
    });
    listed.collect()
}

/// Whether the models of a server can be asked that named none: not every one has a list, and not every one answers in time.
fn without_names(
    server: &Server,
    (is_there, is_late): (bool, bool),
    shown: &str,
    configured: &[ModelSpec],
) -> State {
    if !is_there {
        let what = format!("no server answers at {shown}");
        return State::Unusable(Fault::usage(what, "start it, or correct its base_url"));
    }
    let what = if is_late { "did not answer in time" } else { "lists no models" };
    let what = format!("the server at {shown} {what}");
    if !configured.is_empty() {
        return State::Usable(format!("{what}; these are configured"));
    }
    let name = &server.provider;
    let next = if is_late {
        format!("wait until it is ready, correct its base_url, or use -m {name}/NAME")
    } else {
        format!("describe one in [providers.{name}.models.\"NAME\"], or use -m {name}/NAME")
    };
    State::Unusable(Fault::usage(what, next))
}
