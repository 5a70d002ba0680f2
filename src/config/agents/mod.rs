//! `[agents.NAME]`: agents that tasks are handed to over A2A, and sub-agents (`local.rs`), as they are written, and what is wrong
//! with one.

mod entry;
pub(super) mod local;
mod row;

pub use entry::{AgentEntry, LocalAgent};

use std::collections::BTreeMap;

use super::{
    Config,
    key::{KeyRow, KeyValue, Member, one},
    peers::{
        self, Entry, MOST_CALL_SECONDS, MOST_START_SECONDS, Peer, START_SECONDS, ValueTeller, Words, address,
        address_without_query, as_word, hidden, insert_header, with_values,
    },
    setting::Wrong,
    source::Source,
    spelling::quoted,
    value::{MOST_COUNT, Written, write_dollars},
};
use crate::ledger::{Limit, MicroDollars, Unit};
use crate::tool::Absentee;
use crate::ui::text::sanitize;
use row::key;

/// How long one task may take, in seconds, unless it is said otherwise.
const CALL_SECONDS: u64 = 600;
/// Most characters of a description: the model reads it with every request.
const LONGEST_DESCRIPTION: usize = 2_000;

impl Peer for AgentEntry {
    const WORDS: Words = Words {
        kind: "agent",
        noun: "agent",
        possessive: "an agent's",
        verb: "reach",
        does: "reaches",
        table: "agents",
        shared_table: None,
        command: "agents",
        letters: "letters, digits, `-` and `_`: its tool is named delegate_to_NAME",
        tighter: "enabled = false, less time",
    };

    fn absentee(name: &str) -> Absentee {
        Absentee::Agent(name.to_owned())
    }

    fn known(config: &Config) -> &BTreeMap<String, Self> {
        &config.agents
    }

    fn untrusted(config: &Config) -> &BTreeMap<String, Self> {
        &config.untrusted_agents
    }

    fn source(&self) -> &Source {
        &self.source
    }

    fn is_enabled(&self) -> bool {
        self.enabled
    }

    fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    fn terms(&self, tell: ValueTeller) -> Vec<String> {
        let mut terms = Vec::new();
        if !self.headers.is_empty() {
            terms.push(format!("is sent the headers {}", tell(&self.headers)));
        }
        if let Some(description) = &self.description {
            terms.push(format!("the model is told: {}", as_word(description)));
        }
        if !self.reserve.is_empty() {
            let each = self.reserve.iter().map(reserve_literal);
            let each: Vec<String> =
                each.map(|(name, most)| format!("{} {most}", name.unwrap_or_default())).collect();
            terms.push(format!("sets aside for each task: {}", each.join(", ")));
        }
        terms.extend(self.local.terms());
        if !self.enabled {
            terms.push("switched off".to_owned());
        }
        terms
    }

    fn way(&self) -> Option<(&'static str, String)> {
        match (&self.local.instructions, self.url()) {
            (Some(_), _) => Some(("is", "a sub-agent".to_owned())),
            (None, Some(url)) => Some(("reaches", address_without_query(url))),
            (None, None) => None,
        }
    }

    fn demand(&self, name: &str) -> (&'static str, String) {
        let terms: Vec<String> = self.terms(with_values);
        match (&self.local.instructions, self.url()) {
            (Some(_), _) => ("tells", format!("the model about the sub-agent {name}: {}", terms.join("; "))),
            (None, url) => {
                let way = url.map(as_word).unwrap_or_default();
                let terms: String = terms.iter().map(|term| format!("; {term}")).collect();
                ("reaches", format!("{} {name}: {way}{terms}", Self::WORDS.kind))
            }
        }
    }
}

impl Config {
    /// What is set aside for each task of an agent elsewhere, where a person wants that.
    pub(crate) fn reserves(&self) -> BTreeMap<String, BTreeMap<Limit, u64>> {
        let reserving = self.agents.iter().filter(|(_, agent)| !agent.reserve.is_empty());
        reserving.map(|(name, agent)| (name.clone(), agent.reserve.clone())).collect()
    }
}

impl AgentEntry {
    /// Whether other times than the usual ones are written.
    fn has_times(&self) -> bool {
        (self.start_seconds, self.call_seconds) != (START_SECONDS, CALL_SECONDS)
    }
}

impl Entry for AgentEntry {
    fn new(source: Source) -> Self {
        Self {
            url: None,
            headers: BTreeMap::new(),
            description: None,
            start_seconds: START_SECONDS,
            call_seconds: CALL_SECONDS,
            reserve: BTreeMap::new(),
            local: LocalAgent::default(),
            enabled: true,
            source,
        }
    }

    fn shown(config: &Config) -> impl Iterator<Item = (&String, &Self)> {
        config.agents.iter().chain(&config.subagents.defined)
    }

    fn known_mut(config: &mut Config) -> &mut BTreeMap<String, Self> {
        &mut config.agents
    }

    fn untrusted_mut(config: &mut Config) -> &mut BTreeMap<String, Self> {
        &mut config.untrusted_agents
    }

    fn member(row: &KeyRow) -> Option<&Member<Self>> {
        if let KeyValue::Agent(member) = &row.value { Some(member) } else { None }
    }

    fn check(&self, name: &str, _config: &Config) -> Result<(), Wrong> {
        local::check(name, self)?;
        // Whoever only says no needs no agent.
        if self.url.is_some() || self.local.instructions.is_some() || !self.enabled {
            return Ok(());
        }
        let path = peers::path::<Self>(name, &[]);
        Err(format!("{}: {path}: has no `url`, and no `instructions` as a sub-agent has", self.source))
    }

    fn tightens(&self, before: &Self) -> bool {
        let Self {
            url,
            headers,
            description,
            start_seconds,
            call_seconds,
            reserve,
            local,
            enabled,
            source: _,
        } = self;
        (url, headers, description, reserve, local)
            == (&before.url, &before.headers, &before.description, &before.reserve, &before.local)
            && (!enabled || before.enabled)
            && *start_seconds <= before.start_seconds
            && *call_seconds <= before.call_seconds
    }
}

pub(super) static ROWS: &[KeyRow] = &[
    key(
        "agents.*.url",
        Member::Letters {
            set: |agent, _, value| {
                agent.url = Some(address(value)?);
                Ok(())
            },
            get: |agent| one(agent.url.as_deref().map(|url| quoted(&address_without_query(url)))),
        },
    ),
    key(
        "agents.*.headers.*",
        Member::Letters {
            set: |agent, below, value| insert_header(&mut agent.headers, below, value),
            get: |agent| hidden(&agent.headers),
        },
    ),
    key(
        "agents.*.description",
        Member::Letters {
            set: |agent, _, value| {
                agent.description = Some(description(value)?);
                Ok(())
            },
            get: |agent| one(agent.description.as_deref().map(quoted)),
        },
    ),
    key(
        "agents.*.start_seconds",
        Member::Count {
            most: MOST_START_SECONDS,
            set: |agent, seconds| agent.start_seconds = seconds,
            get: |agent| Some(agent.start_seconds),
        },
    ),
    key(
        "agents.*.call_seconds",
        Member::Count {
            most: MOST_CALL_SECONDS,
            set: |agent, seconds| agent.call_seconds = seconds,
            get: |agent| Some(agent.call_seconds),
        },
    ),
    key(
        "agents.*.reserve.*",
        Member::Numbers {
            set: |agent, below, value| insert_reserve(&mut agent.reserve, below, value),
            get: |agent| agent.reserve.iter().map(reserve_literal).collect(),
        },
    ),
    key(
        "agents.*.enabled",
        Member::Switch { set: |agent, on| agent.enabled = on, get: |agent| Some(agent.enabled) },
    ),
];

/// Time passes for the session meanwhile anyway, so there is nothing to set aside of it.
fn reservable() -> impl Iterator<Item = Limit> {
    Limit::forbidding().filter(|limit| *limit != Limit::WallTime)
}

fn insert_reserve(
    reserve: &mut BTreeMap<Limit, u64>,
    below: &[String],
    value: &Written,
) -> Result<(), String> {
    let named = below.first().and_then(|name| reservable().find(|limit| limit.name() == name));
    let limit = named.ok_or_else(|| {
        let names: Vec<&str> = reservable().map(Limit::name).collect();
        format!("cannot be set aside; these limits can: {}", names.join(", "))
    })?;
    let most = match limit.unit() {
        Unit::MicroDollars => value.dollars()?.0,
        Unit::Things(_) | Unit::Tokens | Unit::Seconds => value.count(1, MOST_COUNT)?,
    };
    if most == 0 {
        return Err("must be more than zero; leave it out to set nothing aside".to_owned());
    }
    reserve.insert(limit, most);
    Ok(())
}

fn reserve_literal((limit, most): (&Limit, &u64)) -> (Option<&'static str>, String) {
    let literal = match limit.unit() {
        Unit::MicroDollars => write_dollars(MicroDollars(*most)),
        Unit::Things(_) | Unit::Tokens | Unit::Seconds => most.to_string(),
    };
    (Some(limit.name()), literal)
}

/// What would steer or hide is written out, so that people and the model read the same.
fn description(value: &Written) -> Result<String, String> {
    let text = sanitize(value.text()?).into_owned();
    match text.chars().count() {
        0..=LONGEST_DESCRIPTION => Ok(text),
        count => Err(format!("has at most {LONGEST_DESCRIPTION} characters, not {count}")),
    }
}

#[cfg(test)]
#[path = "../agents_tests.rs"]
mod tests;
