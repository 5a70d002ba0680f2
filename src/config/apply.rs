//! Gives a setting its meaning in the configuration, as the row of its key says.

use super::{
    AgentEntry, Config, McpEntry, SourcedRule, hooks,
    key::{KeyValue, Member},
    peers::{self, Peer, Words},
    setting::{Setting, Wrong},
    source::Source,
    value::{MOST_COUNT, Written},
};
use crate::budget::{BoundRow, Limit, Unit};
use crate::config::Provider;
use crate::policy::{Rule, RuleKind};

/// Sets the key, or says what is wrong with its value and where it stands.
pub(super) fn set(config: &mut Config, setting: &Setting) -> Result<(), Wrong> {
    if let KeyValue::Hooks = setting.row.value {
        // A hook has places of its own for what is wrong with it.
        hooks::set(config, setting)?;
        config.origins.insert(canonical(setting), setting.source.clone());
        return Ok(());
    }
    let setting = &in_letters(setting);
    set_value(config, setting).map_err(|sentence| match &setting.source {
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
    let is_toml = matches!(setting.value, Written::Text(_) | Written::List(_) | Written::Placed(_));
    let quoted = is_toml && setting.source == Source::Flag("-c");
    if let (true, false, Some(letters)) = (setting.row.takes_letters(), quoted, &setting.letters) {
        setting.value = Written::Text(letters.clone());
    }
    setting
}

/// The name under which the origin of a value is kept: the first of a key's names.
fn canonical(setting: &Setting) -> String {
    if !setting.row.path.contains('*') {
        return setting.row.path.to_owned();
    }
    let Words { table, shared_table, .. } = McpEntry::WORDS;
    // As other programs call it, in the file that is shared with them.
    let below = shared_table.and_then(|table| setting.path.strip_prefix(table));
    below.map_or_else(|| setting.path.clone(), |below| format!("{table}{below}"))
}

fn set_value(config: &mut Config, setting: &Setting) -> Result<(), String> {
    let value = &setting.value;
    match &setting.row.value {
        KeyValue::Switch { set, .. } => set(config, value.switch()?),
        KeyValue::Count { least, most, set, .. } => set(config, value.count(*least, *most)?),
        KeyValue::Dollars { set, .. } => set(config, value.dollars()?),
        KeyValue::Limit(limit) => set_limit(config, *limit, setting)?,
        KeyValue::Bound(bound) => {
            let BoundRow { least, most, .. } = bound.row();
            config.limits.set_bound(*bound, value.count(least, most)?);
        }
        KeyValue::Letters { set, .. } => set(config, setting)?,
        KeyValue::Rules(kind) => add_rules(config, *kind, setting)?,
        KeyValue::Hooks => hooks::set(config, setting)?,
        KeyValue::Provider(member) => set_provider(config, setting, member)?,
        KeyValue::Mcp(member) => peers::set::<McpEntry>(config, setting, member)?,
        KeyValue::Agent(member) => peers::set::<AgentEntry>(config, setting, member)?,
        KeyValue::Fact(fact) => fact.set(config, setting)?,
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

fn add_rules(config: &mut Config, kind: RuleKind, setting: &Setting) -> Result<(), String> {
    for (text, place) in setting.value.placed_texts()? {
        let rule = Rule::parse(kind, text).map_err(|bad| bad.to_string())?;
        config.rules.push(SourcedRule { rule, source: place.unwrap_or(&setting.source).clone() });
    }
    Ok(())
}

fn set_provider(config: &mut Config, setting: &Setting, member: &Member<Provider>) -> Result<(), String> {
    let [name, below @ ..] = setting.names.as_slice() else { return Err("has no name".to_owned()) };
    check_provider_name(name)?;
    let provider = config.providers.entry(name.clone()).or_default();
    member.set(provider, below, &setting.value)
}

fn check_provider_name(name: &str) -> Result<(), String> {
    match name {
        "script" | "rehearsal" => Err(format!("`{name}` is a built-in model and has no provider")),
        name if name.is_empty() || name.contains('/') => {
            Err("a provider's name must not be empty or contain `/`".to_owned())
        }
        _ => Ok(()),
    }
}
