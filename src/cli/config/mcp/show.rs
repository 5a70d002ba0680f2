//! MCP servers in words: for `config show`, and before a folder is trusted.

use super::super::Config;
use std::collections::BTreeMap;

use super::super::key::{KEYS, Key, McpKey, quoted, spelled};
use super::super::show::{line, listed};
use super::{McpEntry, TABLE, template};
use crate::cli::fault::one_line;
use crate::wire::Secret;

/// What stands in the place of a value that may be a key.
const HIDDEN: &str = "…";

impl Config {
    /// What was said of each server, a key a line; valid TOML. Values of variables and headers are hidden.
    pub(in crate::cli::config) fn show_mcp_servers(&self, text: &mut String) {
        for (name, entry) in &self.mcp_servers {
            for (pattern, key) in KEYS {
                let (Key::Mcp(key), Some(member)) = (key, pattern.split('.').nth(2)) else { continue };
                for (below, literal) in entry.literals(*key) {
                    let path = [TABLE, name, member].into_iter().chain(below).map(str::to_owned);
                    let path = spelled(&path.collect::<Vec<_>>());
                    if let Some(source) = self.origins.get(&path) {
                        line(text, &format!("{path} = {literal}  # {}", one_line(&source.to_string())));
                    }
                }
            }
        }
    }
}

impl McpEntry {
    /// A key's value as TOML writes it; of a table each member.
    fn literals(&self, key: McpKey) -> Vec<(Option<&str>, String)> {
        let one = |literal: String| vec![(None, literal)];
        let texts = |all: &[String]| one(listed(all.iter().map(|text| quoted(text))));
        match key {
            McpKey::Command => self.command.iter().map(|command| (None, quoted(command))).collect(),
            McpKey::Url => self.url.iter().map(|_| (None, quoted(&self.address()))).collect(),
            McpKey::Args => texts(&self.args),
            McpKey::Reads => texts(&self.reads),
            McpKey::Env => hidden(&self.env),
            McpKey::Headers => hidden(&self.headers),
            McpKey::Sandbox => one(self.sandbox.to_string()),
            McpKey::Network => one(self.network.to_string()),
            McpKey::StartSeconds => one(self.start_seconds.to_string()),
            McpKey::CallSeconds => {
                self.call_seconds.iter().map(|seconds| (None, seconds.to_string())).collect()
            }
            McpKey::Enabled => one(self.enabled.to_string()),
        }
    }

    /// The address without its query, which may hold a key.
    fn address(&self) -> String {
        let url = self.url.as_deref().unwrap_or_default();
        match url.split_once('?') {
            Some((address, _)) => format!("{address}?{HIDDEN}"),
            None => url.to_owned(),
        }
    }

    /// What is started or reached: the command with its arguments as they are written, or the address.
    pub(in crate::cli) fn way(&self) -> String {
        match &self.command {
            Some(command) => {
                let words = [command].into_iter().chain(&self.args);
                words.map(|word| as_word(word)).collect::<Vec<_>>().join(" ")
            }
            None => self.address(),
        }
    }

    /// What it gets, how it is held, and what is believed of it: a part each.
    pub(in crate::cli) fn terms(&self) -> Vec<String> {
        let mut terms = Vec::new();
        if self.sandbox {
            let network = if self.network { "with a network" } else { "without a network" };
            terms.push(format!("in the sandbox, {network}"));
        }
        if !self.env.is_empty() {
            terms.push(format!("gets {}", named(&self.env)));
        }
        if !self.headers.is_empty() {
            terms.push(format!("is sent the headers {}", named(&self.headers)));
        }
        if !self.reads.is_empty() {
            let tools: Vec<String> = self.reads.iter().map(|tool| as_word(tool)).collect();
            terms.push(format!("asks nothing for its tools {}", tools.join(", ")));
        }
        if !self.enabled {
            terms.push("switched off".to_owned());
        }
        terms
    }

    /// What trusting the folder that it stands in would do: a verb, and to what.
    pub(in crate::cli) fn demand(&self, name: &str) -> (&'static str, String) {
        let (verb, way) = match (&self.command, &self.url) {
            // Whole: where a key goes to is part of what is asked.
            (None, Some(url)) => ("reaches", as_word(url)),
            _ => ("starts", self.way()),
        };
        let terms: String = self.terms().iter().map(|term| format!("; {term}")).collect();
        (verb, format!("MCP server {name}: {way}{terms}"))
    }
}

/// The names of values that may be keys.
fn hidden(pairs: &BTreeMap<String, Secret>) -> Vec<(Option<&str>, String)> {
    pairs.keys().map(|name| (Some(name.as_str()), quoted(HIDDEN))).collect()
}

/// The same in words, each with where its value comes from.
fn named(pairs: &BTreeMap<String, Secret>) -> String {
    let named = pairs.iter().map(|(name, value)| match from(value.expose()).as_slice() {
        [] => name.clone(),
        [same] if same == name => format!("{name} of your environment"),
        others => format!("{name} with {} of your environment", others.join(", ")),
    });
    named.collect::<Vec<_>>().join(", ")
}

/// The variables of the environment that a value takes, each once.
fn from(value: &str) -> Vec<&str> {
    let mut names = template::variables(value);
    names.dedup();
    names
}

/// A word of a command: in quotes where its ends could not be seen, or where it would steer or hide.
fn as_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@=,+%${}~?&#".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("{word:?}") }
}
