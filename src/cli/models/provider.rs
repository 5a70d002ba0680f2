//! Providers: the ones we know, and how one becomes a connection.

use super::table::{Table, vendor_of};
use crate::cli::{
    config::{Config, Provider, nearest},
    connection::{Connection, Protocol, normal_base_url},
    environment::Environment,
    fault::Fault,
};
use crate::ledger::ModelRef;

/// A provider that needs no configuration.
struct Preset {
    name: &'static str,
    protocol: Protocol,
    base_url: &'static str,
    key: Option<&'static str>,
}

const PRESETS: [Preset; 4] = [
    Preset {
        name: "anthropic",
        protocol: Protocol::Anthropic,
        base_url: "https://api.anthropic.com",
        key: Some("ANTHROPIC_API_KEY"),
    },
    Preset {
        name: "openai-chat",
        protocol: Protocol::OpenAiChat,
        base_url: "https://api.openai.com/v1",
        key: Some("OPENAI_API_KEY"),
    },
    Preset {
        name: "openrouter",
        protocol: Protocol::OpenAiChat,
        base_url: "https://openrouter.ai/api/v1",
        key: Some("OPENROUTER_API_KEY"),
    },
    Preset {
        name: "ollama",
        protocol: Protocol::OpenAiChat,
        base_url: "http://127.0.0.1:11434/v1",
        key: None,
    },
];

/// The models that no provider serves.
pub(super) const OURS: [&str; 2] = ["rehearsal", "script"];

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
    let preset = PRESETS.iter().find(|preset| preset.name == model.provider);
    if said.is_none() && preset.is_none() {
        return Err(unknown(model, config, table));
    }
    if model.name.trim().is_empty() {
        return Err(Fault::usage(
            format!("`{model}` names a provider, not a model"),
            format!("write {}/NAME{}", model.provider, example(&model.provider, table)),
        ));
    }
    let said = said.cloned().unwrap_or_default();
    let protocol = said.protocol.or(preset.map(|p| p.protocol)).unwrap_or(Protocol::OpenAiChat);
    let Some(address) = said.base_url.as_deref().or(preset.map(|p| p.base_url)) else {
        return Err(Fault::usage(
            format!("the provider `{}` has no address", model.provider),
            format!("set base_url in [providers.{}]", model.provider),
        ));
    };
    let base_url = normal_base_url(protocol, address);
    let key = key(model, &said, preset, environment)?;
    let key_name = said.api_key_env.clone().or(preset.and_then(|p| p.key).map(str::to_owned));
    check_hosted_tools(model, protocol, &said.hosted_tools)?;
    let headers = said.headers.into_iter().collect();
    Ok(Connection { protocol, base_url, key, key_name, headers, hosted_tools: said.hosted_tools })
}

/// A tool that the protocol does not know is a mistake better seen now than in the provider's refusal.
fn check_hosted_tools(model: &ModelRef, protocol: Protocol, tools: &[String]) -> Result<(), Fault> {
    let Some(wrong) = tools.iter().find(|tool| !protocol.hosts(tool)) else { return Ok(()) };
    let provider = &model.provider;
    let known = protocol.hosted_tools();
    let next = if known.is_empty() {
        format!("take hosted_tools.{provider} away: the protocol {} has none", protocol.as_str())
    } else {
        format!("use one of {}, or one of them with its version", known.join(", "))
    };
    Err(Fault::usage(format!("hosted_tools.{provider}: {provider} has no tool {wrong:?} of its own"), next))
}

/// A variable that the user named must hold a key. A preset's own must, unless the address is the user's and speaks
/// Chat Completions: many servers of that kind want no key.
fn key(
    model: &ModelRef,
    said: &Provider,
    preset: Option<&Preset>,
    environment: &Environment,
) -> Result<Option<crate::cli::connection::Secret>, Fault> {
    let Some(variable) = said.api_key_env.as_deref().or(preset.and_then(|p| p.key)) else { return Ok(None) };
    let key = environment.secret(variable);
    let own_server = said.base_url.is_some() && preset.is_some_and(|p| p.protocol == Protocol::OpenAiChat);
    if key.is_none() && (said.api_key_env.is_some() || !own_server) {
        return Err(Fault::usage(
            format!("{model} needs a key and {variable} is not set"),
            format!("export {variable}=… with your key, or try `-m rehearsal`, which needs none"),
        ));
    }
    Ok(key)
}

fn unknown(model: &ModelRef, config: &Config, table: &Table) -> Fault {
    let provider = model.provider.as_str();
    if provider == "openai" {
        return Fault::usage(
            format!("`{model}`: the Responses protocol comes with a later version"),
            if model.name.is_empty() {
                "use openai-chat/NAME".to_owned()
            } else {
                format!("use openai-chat/{}", model.name)
            },
        );
    }
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
    let known: Vec<&str> = PRESETS
        .iter()
        .map(|preset| preset.name)
        .chain(OURS)
        .chain(
            config
                .providers
                .keys()
                .map(String::as_str)
                .filter(|name| !PRESETS.iter().any(|p| p.name == *name)),
        )
        .collect();
    let meant = nearest(provider, known.iter().copied());
    let meant = meant.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    Fault::usage(
        format!("unknown provider `{provider}`{meant}"),
        format!(
            "use one of {}, or describe it as [providers.{provider}] in the configuration",
            known.join(", ")
        ),
    )
}

fn example(provider: &str, table: &Table) -> String {
    let name = match provider {
        "anthropic" => Some(super::choose::ANTHROPIC_DEFAULT),
        "openai-chat" => Some(super::choose::OPENAI_DEFAULT),
        other => table.names(vendor_of(other)).next(),
    };
    name.map_or(String::new(), |name| format!(", as in {provider}/{name}"))
}
