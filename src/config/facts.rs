//! What the user knows about models: its keys given their meaning, and shown again.

use super::{
    Config, Facts,
    key::Fact,
    setting::Setting,
    value::{MOST_COUNT, Written, write_dollars},
};
use crate::ledger::MicroDollars;

/// Efforts that some model takes besides low, medium and high.
const EFFORTS: [&str; 4] = ["none", "minimal", "xhigh", "max"];

/// Sets a fact of the model that the setting names.
pub(super) fn set(config: &mut Config, setting: &Setting, fact: Fact) -> Result<(), String> {
    let (value, model) = (&setting.value, setting.names.join("/"));
    let facts = config.models.entry(model).or_default();
    if let Some(count) = count_of(facts, fact) {
        *count = Some(value.count(1, MOST_COUNT)?);
    } else if let Some(price) = price_of(facts, fact) {
        *price = Some(value.dollars()?);
    } else if let Some(ability) = ability_of(facts, fact) {
        *ability = Some(value.switch()?);
    } else {
        facts.abilities.extra_efforts = efforts(value)?;
    }
    Ok(())
}

fn count_of(facts: &mut Facts, fact: Fact) -> Option<&mut Option<u64>> {
    match fact {
        Fact::Window => Some(&mut facts.window),
        Fact::MaxOutput => Some(&mut facts.max_output),
        Fact::LongAbove => Some(&mut facts.long.above),
        _ => None,
    }
}

fn price_of(facts: &mut Facts, fact: Fact) -> Option<&mut Option<MicroDollars>> {
    match fact {
        Fact::UsdIn => Some(&mut facts.usd_in),
        Fact::UsdOut => Some(&mut facts.usd_out),
        Fact::UsdCacheRead => Some(&mut facts.usd_cache_read),
        Fact::UsdCacheWrite => Some(&mut facts.usd_cache_write),
        Fact::LongUsdIn => Some(&mut facts.long.usd_in),
        Fact::LongUsdOut => Some(&mut facts.long.usd_out),
        Fact::LongUsdCacheRead => Some(&mut facts.long.usd_cache_read),
        Fact::LongUsdCacheWrite => Some(&mut facts.long.usd_cache_write),
        _ => None,
    }
}

fn ability_of(facts: &mut Facts, fact: Fact) -> Option<&mut Option<bool>> {
    let abilities = &mut facts.abilities;
    match fact {
        Fact::Tools => Some(&mut abilities.tools),
        Fact::Vision => Some(&mut abilities.vision),
        Fact::Reasoning => Some(&mut abilities.reasoning),
        Fact::AdaptiveThinking => Some(&mut abilities.adaptive_thinking),
        Fact::ThinkingAlwaysOn => Some(&mut abilities.thinking_always_on),
        _ => None,
    }
}

fn efforts(value: &Written) -> Result<Vec<String>, String> {
    let efforts = value.texts()?;
    match efforts.iter().find(|effort| !EFFORTS.contains(effort)) {
        Some(other) => Err(format!("takes a list of {}, not {other:?}", EFFORTS.join(", "))),
        None => Ok(efforts.into_iter().map(str::to_owned).collect()),
    }
}

/// What was set, as keys and TOML literals.
pub(super) fn literals(facts: &Facts) -> Vec<(&'static str, String)> {
    let mut facts = facts.clone();
    let mut literals = Vec::new();
    for (name, fact) in names() {
        let count = count_of(&mut facts, fact).and_then(|count| *count).map(|count| count.to_string());
        let price = || price_of(&mut facts, fact).and_then(|price| *price).map(write_dollars);
        let literal = count.or_else(price);
        let ability = || ability_of(&mut facts, fact).and_then(|able| *able).map(|able| able.to_string());
        literals.extend(literal.or_else(ability).map(|literal| (name, literal)));
    }
    let efforts = &facts.abilities.extra_efforts;
    if !efforts.is_empty() {
        let quoted: Vec<String> = efforts.iter().map(|effort| format!("{effort:?}")).collect();
        literals.push(("extra_efforts", format!("[{}]", quoted.join(", "))));
    }
    literals
}

/// The facts and their last name, as the table of keys has them.
fn names() -> impl Iterator<Item = (&'static str, Fact)> {
    super::key::KEYS.iter().filter_map(|(path, key)| match key {
        super::key::Key::OfModel(fact) => Some((path.rsplit('.').next()?, *fact)),
        _ => None,
    })
}
