//! `[agents.NAME]`: agents that tasks are handed to over A2A, as they are written, and what is wrong with one.

use std::collections::BTreeMap;

use super::{
    Config,
    key::{AgentKey, Key},
    peers::{
        self, Entry, MOST_CALL_SECONDS, MOST_START_SECONDS, Peer, START_SECONDS, Words, address,
        address_without_query, as_word, hidden, insert_header, named,
    },
    setting::Wrong,
    source::Source,
    spelling::quoted,
    value::Written,
};
use crate::tool::Absentee;
use crate::ui::text::sanitize;
use crate::wire::Secret;

/// How long one task may take, in seconds, unless it is said otherwise.
const CALL_SECONDS: u64 = 600;
/// Most characters of a description: the model reads it with every request.
const LONGEST_DESCRIPTION: usize = 2_000;

/// An `[agents.NAME]` as written: what stands in `${…}` is put in when it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentEntry {
    /// Where it is: the address of its card, or what its card stands below.
    pub url: Option<String>,
    /// Headers of requests to it, by name.
    pub headers: BTreeMap<String, Secret>,
    /// What the model is told of it, in the place of what its card says; hides nothing.
    pub description: Option<String>,
    /// How long it may take until its card is known, in seconds.
    pub start_seconds: u64,
    /// How long one task may take, in seconds.
    pub call_seconds: u64,
    /// Whether it is used.
    pub enabled: bool,
    /// Where it was first spoken of: whose it is.
    pub source: Source,
}

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
        letters: "letters, digits, `-` and `_`: its tool is called delegate_to_NAME",
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

    fn terms(&self) -> Vec<String> {
        let mut terms = Vec::new();
        if !self.headers.is_empty() {
            terms.push(format!("is sent the headers {}", named(&self.headers)));
        }
        if let Some(description) = &self.description {
            terms.push(format!("the model is told: {}", as_word(description)));
        }
        if !self.enabled {
            terms.push("switched off".to_owned());
        }
        terms
    }
}

impl Entry for AgentEntry {
    type Key = AgentKey;

    fn new(source: Source) -> Self {
        Self {
            url: None,
            headers: BTreeMap::new(),
            description: None,
            start_seconds: START_SECONDS,
            call_seconds: CALL_SECONDS,
            enabled: true,
            source,
        }
    }

    fn known_mut(config: &mut Config) -> &mut BTreeMap<String, Self> {
        &mut config.agents
    }

    fn untrusted_mut(config: &mut Config) -> &mut BTreeMap<String, Self> {
        &mut config.untrusted_agents
    }

    fn key(key: Key) -> Option<AgentKey> {
        if let Key::Agent(key) = key { Some(key) } else { None }
    }

    fn set(&mut self, key: AgentKey, below: &[String], value: &Written) -> Result<(), String> {
        match key {
            AgentKey::Url => self.url = Some(address(value)?),
            AgentKey::Headers => insert_header(&mut self.headers, below, value)?,
            AgentKey::Description => self.description = Some(description(value)?),
            AgentKey::StartSeconds => self.start_seconds = value.count(1, MOST_START_SECONDS)?,
            AgentKey::CallSeconds => self.call_seconds = value.count(1, MOST_CALL_SECONDS)?,
            AgentKey::Enabled => self.enabled = value.switch()?,
        }
        Ok(())
    }

    fn check(&self, name: &str, _config: &Config) -> Result<(), Wrong> {
        // Whoever only says no needs no agent.
        if self.url.is_some() || !self.enabled {
            return Ok(());
        }
        Err(format!("{}: {}: has no `url`", self.source, peers::path::<Self>(name, &[])))
    }

    fn tightens(&self, before: &Self) -> bool {
        let Self { url, headers, description, start_seconds, call_seconds, enabled, source: _ } = self;
        (url, headers, description) == (&before.url, &before.headers, &before.description)
            && (!enabled || before.enabled)
            && *start_seconds <= before.start_seconds
            && *call_seconds <= before.call_seconds
    }

    fn literals(&self, key: AgentKey) -> Vec<(Option<&str>, String)> {
        let one = |literal: String| vec![(None, literal)];
        match key {
            AgentKey::Url => self.url.iter().map(|url| (None, quoted(&address_without_query(url)))).collect(),
            AgentKey::Headers => hidden(&self.headers),
            AgentKey::Description => self.description.iter().map(|text| (None, quoted(text))).collect(),
            AgentKey::StartSeconds => one(self.start_seconds.to_string()),
            AgentKey::CallSeconds => one(self.call_seconds.to_string()),
            AgentKey::Enabled => one(self.enabled.to_string()),
        }
    }
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
