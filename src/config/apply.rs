//! Gives a setting its meaning in the configuration.

use super::{
    AgentEntry, Config, McpEntry, SourcedRule, ToolCalling, facts, hooks,
    key::{AgentKey, Key, McpKey, Nudge, Quirk, Sandboxed},
    keys,
    peers::{self, Peer, Words},
    setting::{Setting, Wrong},
    source::Source,
    tools,
    value::{MOST_COUNT, Written},
};
use crate::agent::{Attendance, FinalResponse};
use crate::budget::{Bound, BoundRow, Limit, Unit};
use crate::config::connection::{Protocol, Secret, check_base_url, check_proxy};
use crate::config::logging;
use crate::model::Effort;
use crate::policy::{Mode, Rule, RuleKind};
use crate::wire::Quirks;

/// Sets the key, or says what is wrong with its value and where it stands.
pub(super) fn set(config: &mut Config, setting: &Setting) -> Result<(), Wrong> {
    if setting.key == Key::Hooks {
        // A hook has places of its own for what is wrong with it.
        hooks::set(config, setting)?;
        config.origins.insert(canonical(setting), setting.source.clone());
        return Ok(());
    }
    let setting = &in_letters(setting);
    let meant = match setting.key {
        Key::Limit(limit) => set_limit(config, limit, setting),
        Key::Most(most) => set_most(config, most, &setting.value),
        Key::Nudge(part) => set_nudge(config, part, &setting.value),
        Key::Proxy | Key::CaFile => set_network(config, setting),
        Key::BaseUrl
        | Key::Protocol
        | Key::ApiKeyEnv
        | Key::ApiKeyCommand
        | Key::ApiKeyFile
        | Key::Header
        | Key::HostedTools
        | Key::Quirk(_) => set_provider(config, setting),
        Key::OfProvider(fact) | Key::OfModel(fact) => facts::set(config, setting, fact),
        Key::Binding => keys::set(config, setting),
        Key::Mcp(_) => peers::set::<McpEntry>(config, setting),
        Key::Agent(_) => peers::set::<AgentEntry>(config, setting),
        _ => set_behaviour(config, setting),
    };
    meant.map_err(|sentence| match &setting.source {
        // A flag that stands for its key says enough.
        Source::Flag(flag) if *flag != "-c" => format!("{flag}: {sentence}"),
        source => format!("{source}: {}: {sentence}", setting.path),
    })?;
    config.origins.insert(canonical(setting), setting.source.clone());
    Ok(())
}

/// On the command line, a key that takes a text takes it as typed: `-m 7` names the model `7`.
fn in_letters(setting: &Setting) -> Setting {
    let mut setting = setting.clone();
    let takes_text = !matches!(
        setting.key,
        Key::Limit(_)
            | Key::Most(_)
            | Key::Nudge(_)
            | Key::ToolTimeout
            | Key::ParallelExecution
            | Key::Echo
            | Key::Sandbox(Sandboxed::Reads | Sandboxed::Network)
            | Key::Vim
            | Key::ScreenReader
            | Key::Mouse
            | Key::Links
            | Key::Failures
            | Key::Answer(_)
            | Key::CompactAt
            | Key::Quirk(_)
            | Key::Mcp(
                McpKey::Sandbox
                    | McpKey::Network
                    | McpKey::Roots
                    | McpKey::StartSeconds
                    | McpKey::CallSeconds
                    | McpKey::Enabled
            )
            | Key::Agent(AgentKey::StartSeconds | AgentKey::CallSeconds | AgentKey::Enabled)
            | Key::OfProvider(_)
            | Key::OfModel(_)
    );
    let quoted =
        matches!(setting.value, Written::Text(_) | Written::List(_)) && setting.source == Source::Flag("-c");
    if let (true, false, Some(letters)) = (takes_text, quoted, &setting.letters) {
        setting.value = Written::Text(letters.clone());
    }
    setting
}

/// The name under which the origin of a value is kept: the first of a key's names.
fn canonical(setting: &Setting) -> String {
    let first = super::key::KEYS.iter().find(|(_, key)| *key == setting.key);
    match first {
        Some((name, _)) if !name.contains('*') => (*name).to_owned(),
        _ => {
            let Words { table, shared_table, .. } = McpEntry::WORDS;
            // As other programs call it, in the file that is shared with them.
            let below = shared_table.and_then(|table| setting.path.strip_prefix(table));
            below.map_or_else(|| setting.path.clone(), |below| format!("{table}{below}"))
        }
    }
}

fn set_behaviour(config: &mut Config, setting: &Setting) -> Result<(), String> {
    let value = &setting.value;
    match setting.key {
        Key::Model => config.model = Some(value.text()?.to_owned()),
        Key::Effort => config.effort = Some(Effort::parse(value.text()?)?),
        Key::Fallback => add_fallback(config, setting)?,
        Key::Script => config.script = Some(value.text()?.to_owned()),
        Key::Mode => config.mode = Mode::parse(value.text()?)?,
        Key::Rules(kind) => add_rules(config, kind, setting)?,
        Key::OnApproval => {
            config.on_approval = match value.text()? {
                "deny" => Attendance::Deny,
                "stop" => Attendance::Stop,
                other => return Err(format!("takes \"deny\" or \"stop\", not {other:?}")),
            }
        }
        Key::Theme | Key::Vim | Key::ScreenReader | Key::Mouse | Key::Links | Key::Notify | Key::Images => {
            set_looks(config, setting)?
        }
        Key::Log => {
            let filter = value.text()?;
            logging::check(filter)?;
            config.log = filter.to_owned();
        }
        Key::ToolTimeout => config.tool_timeout_ms = value.count(1, 86_400)? * 1000,
        Key::ParallelExecution => config.parallel = value.switch()?,
        Key::FinalResponse => {
            config.final_response = match value.text()? {
                "same_call" => FinalResponse::SameCall,
                "separate" => FinalResponse::Separate,
                other => return Err(format!("takes \"same_call\" or \"separate\", not {other:?}")),
            }
        }
        Key::Failures => {
            config.max_consecutive_failures = u32::try_from(value.count(1, 10_000)?).unwrap_or(u32::MAX);
        }
        Key::Answer(part) => part.set(&mut config.answer, value)?,
        Key::CompactAt => config.compact_at_percent = value.count(1, 100)?,
        Key::Echo | Key::PassEnv | Key::FetchHosts | Key::Sandbox(_) => tools::set(config, setting)?,
        Key::Tools => config.tools = tool_calling(value.text()?)?,
        Key::Limit(_)
        | Key::Most(_)
        | Key::Nudge(_)
        | Key::Binding
        | Key::Hooks
        | Key::Proxy
        | Key::CaFile
        | Key::BaseUrl
        | Key::Protocol
        | Key::ApiKeyEnv
        | Key::ApiKeyCommand
        | Key::ApiKeyFile
        | Key::Header
        | Key::Quirk(_)
        | Key::HostedTools
        | Key::Mcp(_)
        | Key::Agent(_)
        | Key::OfProvider(_)
        | Key::OfModel(_) => {}
    }
    Ok(())
}

/// How a person sees and hears it.
fn set_looks(config: &mut Config, setting: &Setting) -> Result<(), String> {
    let value = &setting.value;
    match setting.key {
        Key::Theme => config.theme = Some(value.text()?.to_owned()),
        Key::Vim => config.vim = value.switch()?,
        Key::ScreenReader => config.screen_reader = value.switch()?,
        Key::Mouse => config.mouse = value.switch()?,
        Key::Links => config.links = value.switch()?,
        Key::Notify => config.notify = keys::notify(value.text()?)?,
        Key::Images => config.images = keys::images(value.text()?)?,
        _ => {}
    }
    Ok(())
}

fn tool_calling(text: &str) -> Result<ToolCalling, String> {
    match text {
        "auto" => Ok(ToolCalling::Auto),
        "native" => Ok(ToolCalling::Native),
        "string" => Ok(ToolCalling::String),
        other => Err(format!("takes \"native\", \"string\" or \"auto\", not {other:?}")),
    }
}

/// Most models of a chain: more are a mistake.
const MOST_FALLBACKS: usize = 16;

/// A list replaces what weaker layers said; `--fallback` said again adds to the chain.
fn add_fallback(config: &mut Config, setting: &Setting) -> Result<(), String> {
    let chain = setting.value.texts()?.into_iter().map(str::to_owned);
    let goes_on = setting.source == Source::Flag("--fallback") && config.source("fallback") == setting.source;
    let before = if goes_on { std::mem::take(&mut config.fallback) } else { Vec::new() };
    config.fallback = before.into_iter().chain(chain).collect();
    match config.fallback.len() {
        0..=MOST_FALLBACKS => Ok(()),
        count => Err(format!("takes at most {MOST_FALLBACKS} models, not {count}")),
    }
}

fn add_rules(config: &mut Config, kind: RuleKind, setting: &Setting) -> Result<(), String> {
    for text in setting.value.texts()? {
        let rule = Rule::parse(kind, text).map_err(|bad| bad.to_string())?;
        config.rules.push(SourcedRule { rule, source: setting.source.clone() });
    }
    Ok(())
}

/// Zero is a limit like any other: the run stops at once.
fn set_limit(config: &mut Config, limit: Limit, setting: &Setting) -> Result<(), String> {
    let value = &setting.value;
    let number = match limit.unit() {
        Unit::MicroDollars => value.dollars()?.0,
        Unit::Things(_) | Unit::Tokens | Unit::Seconds => value.count(0, MOST_COUNT)?,
    };
    config.limits.set(limit, number);
    if limit == Limit::Turns {
        config.limit_is_steps = setting.path == "loop.max_steps";
    }
    Ok(())
}

fn set_most(config: &mut Config, bound: Bound, value: &Written) -> Result<(), String> {
    let BoundRow { least, most, .. } = bound.row();
    config.limits.set_bound(bound, value.count(least, most)?);
    Ok(())
}

fn set_nudge(config: &mut Config, part: Nudge, value: &Written) -> Result<(), String> {
    match part {
        Nudge::Tokens => config.token_budget = Some(value.count(0, MOST_COUNT)?),
        Nudge::EnoughPercent => config.enough_percent = value.count(1, 100)?,
        Nudge::LittleTokens => config.little_tokens = value.count(0, MOST_COUNT)?,
        Nudge::Patience => config.patience = value.count(0, 1000)?,
    }
    Ok(())
}

fn set_network(config: &mut Config, setting: &Setting) -> Result<(), String> {
    match setting.key {
        Key::Proxy => {
            // What was written may hold a password, so no message repeats it.
            let address = setting.value.text().map_err(|_repeats_it| "takes the address of a proxy")?;
            check_proxy(address)?;
            config.network.proxy = Some(address.to_owned());
        }
        _ => match setting.value.text()? {
            "" => return Err("takes the name of a file".to_owned()),
            path => config.network.ca_file = Some(path.into()),
        },
    }
    Ok(())
}

fn set_provider(config: &mut Config, setting: &Setting) -> Result<(), String> {
    let [name, rest @ ..] = setting.names.as_slice() else { return Ok(()) };
    check_provider_name(name)?;
    let provider = config.providers.entry(name.clone()).or_default();
    let value = &setting.value;
    match setting.key {
        Key::BaseUrl => {
            let address = value.text()?;
            check_base_url(address)?;
            provider.base_url = Some(address.to_owned());
        }
        Key::Protocol => provider.protocol = Some(Protocol::parse(value.text()?)?),
        Key::ApiKeyEnv => {
            // What was written may be the key itself, so no message repeats it.
            let name = value.text().map_err(|_repeats_it| "takes the name of a variable")?;
            if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                || name.starts_with(|c: char| c.is_ascii_digit())
            {
                return Err(
                    "takes the name of the variable that holds the key, as in MY_API_KEY, not the key"
                        .to_owned(),
                );
            }
            provider.api_key_env = Some(name.to_owned());
        }
        Key::ApiKeyCommand => {
            let command =
                value.text().map_err(|_repeats_it| "takes a command for sh, as in \"pass show models\"")?;
            provider.api_key_command = Some(Secret::new(command));
        }
        Key::ApiKeyFile => provider.api_key_file = Some(key_file(value)?),
        Key::Quirk(quirk) => set_quirk(&mut provider.quirks, quirk, value.switch()?),
        Key::HostedTools => provider.hosted_tools = hosted_tools(value)?,
        Key::Header => {
            let header = rest.first().cloned().unwrap_or_default();
            if header.is_empty()
                || !header.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
            {
                return Err("is not the name of a header".to_owned());
            }
            let text = value.text().map_err(|_repeats_it| "takes a text")?;
            if !text.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
                return Err("takes plain ASCII on one line".to_owned());
            }
            provider.headers.insert(header, Secret::new(text));
        }
        _ => {}
    }
    Ok(())
}

/// Each once, by the provider's own name: `web_search`, or with its version `web_search_20250305`.
fn hosted_tools(value: &Written) -> Result<Vec<String>, String> {
    let mut tools: Vec<String> = Vec::new();
    for name in value.texts()? {
        if !name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_') {
            return Err(format!("takes names such as \"web_search\", not {name:?}"));
        }
        if !tools.iter().any(|known| known == name) {
            tools.push(name.to_owned());
        }
    }
    Ok(tools)
}

fn check_provider_name(name: &str) -> Result<(), String> {
    match name {
        "script" | "rehearsal" => Err(format!("`{name}` is a model of our own and has no provider")),
        name if name.is_empty() || name.contains('/') => {
            Err("a provider's name has no `/` and is not empty".to_owned())
        }
        _ => Ok(()),
    }
}

fn key_file(value: &Written) -> Result<String, String> {
    // What was written may be the key itself, so no message repeats it.
    let path = value.text().map_err(|_repeats_it| "takes the path of a file")?;
    if path.starts_with('/') || path.starts_with("~/") {
        return Ok(path.to_owned());
    }
    Err("takes the path of the file that holds the key, from / or ~/ on, not the key".to_owned())
}

fn set_quirk(quirks: &mut Quirks, quirk: Quirk, on: bool) {
    match quirk {
        Quirk::WithoutStreamOptions => quirks.without_stream_options = on,
        Quirk::MaxCompletionTokens => quirks.max_completion_tokens = Some(on),
        Quirk::ReasoningContent => quirks.reasoning_content = Some(on),
        Quirk::NineLetterIds => quirks.nine_letter_ids = Some(on),
        Quirk::StrictOrder => quirks.strict_order = Some(on),
        Quirk::Bearer => quirks.bearer = on,
    }
}
