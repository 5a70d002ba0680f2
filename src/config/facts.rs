//! What the user knows about models: its keys given their meaning, and shown again.

use super::{
    Config, Facts,
    key::{Fact, KeyRow, KeyValue, Owner, Tightens},
    setting::Setting,
    spelling::listed,
    value::{MOST_COUNT, Written, write_dollars},
};

/// Efforts that some model takes besides low, medium and high.
const EFFORTS: [&str; 4] = ["none", "minimal", "xhigh", "max"];

/// A fact about a model of a provider; it may be written under the provider, too.
macro_rules! fact {
    ($name:literal, $value:expr) => {
        KeyRow::new(concat!("models.*.", $name), KeyValue::Fact($value), Tightens::Never, Owner::User)
            .also(&[concat!("providers.*.models.*.", $name)])
    };
}

pub(super) static ROWS: &[KeyRow] = &[
    fact!("window", Fact::Count(|facts| &mut facts.window)),
    fact!("max_output", Fact::Count(|facts| &mut facts.max_output)),
    fact!("usd_in", Fact::Price(|facts| &mut facts.usd_in)),
    fact!("usd_out", Fact::Price(|facts| &mut facts.usd_out)),
    fact!("usd_cache_read", Fact::Price(|facts| &mut facts.usd_cache_read)),
    fact!("usd_cache_write", Fact::Price(|facts| &mut facts.usd_cache_write)),
    fact!("long_prompt_above", Fact::Count(|facts| &mut facts.long.above)),
    fact!("long_prompt_usd_in", Fact::Price(|facts| &mut facts.long.usd_in)),
    fact!("long_prompt_usd_out", Fact::Price(|facts| &mut facts.long.usd_out)),
    fact!("long_prompt_usd_cache_read", Fact::Price(|facts| &mut facts.long.usd_cache_read)),
    fact!("long_prompt_usd_cache_write", Fact::Price(|facts| &mut facts.long.usd_cache_write)),
    fact!("tools", Fact::Ability(|facts| &mut facts.abilities.tools)),
    fact!("vision", Fact::Ability(|facts| &mut facts.abilities.vision)),
    fact!("reasoning", Fact::Ability(|facts| &mut facts.abilities.reasoning)),
    fact!("adaptive_thinking", Fact::Ability(|facts| &mut facts.abilities.adaptive_thinking)),
    fact!("thinking_always_on", Fact::Ability(|facts| &mut facts.abilities.thinking_always_on)),
    fact!("extra_efforts", Fact::Efforts),
];

impl Fact {
    /// Sets it for the model that the setting names.
    ///
    /// # Errors
    /// A sentence about the value, without its place.
    pub(super) fn set(&self, config: &mut Config, setting: &Setting) -> Result<(), String> {
        let (value, model) = (&setting.value, setting.names.join("/"));
        let facts = config.models.entry(model).or_default();
        match self {
            Self::Count(place) => *place(facts) = Some(value.count(1, MOST_COUNT)?),
            Self::Price(place) => *place(facts) = Some(value.dollars()?),
            Self::Ability(place) => *place(facts) = Some(value.switch()?),
            Self::Efforts => facts.abilities.extra_efforts = efforts(value)?,
        }
        Ok(())
    }

    /// Its value as TOML writes it; `None` where it is not set.
    fn literal(&self, facts: &mut Facts) -> Option<String> {
        match self {
            Self::Count(place) => (*place(facts)).map(|count| count.to_string()),
            Self::Price(place) => (*place(facts)).map(write_dollars),
            Self::Ability(place) => (*place(facts)).map(|able| able.to_string()),
            Self::Efforts => {
                let efforts = &facts.abilities.extra_efforts;
                (!efforts.is_empty()).then(|| listed(efforts.iter().map(|effort| format!("{effort:?}"))))
            }
        }
    }
}

fn efforts(value: &Written) -> Result<Vec<String>, String> {
    let efforts = value.texts()?;
    match efforts.iter().find(|effort| !EFFORTS.contains(effort)) {
        Some(other) => Err(format!("must be a list of {}, not {other:?}", EFFORTS.join(", "))),
        None => Ok(efforts.into_iter().map(str::to_owned).collect()),
    }
}

/// What was set, as keys and TOML literals.
pub(super) fn literals(facts: &Facts) -> Vec<(&'static str, String)> {
    let mut facts = facts.clone();
    let mut literal =
        |row: &KeyRow| if let KeyValue::Fact(fact) = &row.value { fact.literal(&mut facts) } else { None };
    let name = |row: &KeyRow| row.path.rsplit('.').next().unwrap_or(row.path);
    ROWS.iter().filter_map(|row| Some((name(row), literal(row)?))).collect()
}
