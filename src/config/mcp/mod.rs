//! `[mcp_servers.NAME]`: MCP servers as they are written, and what is wrong with one.

mod entry;
pub(crate) mod of_client;
pub(super) mod shared;

pub use entry::McpEntry;

use std::collections::BTreeMap;

use super::{
    Config,
    key::{KeyRow, KeyValue, Literals, Member, Owner, Tightens, one},
    peers::{
        self, Entry, MOST_CALL_SECONDS, MOST_START_SECONDS, Peer, START_SECONDS, ValueTeller, Words, address,
        address_without_query, as_word, hidden, insert_header, templated,
    },
    setting::Wrong,
    source::Source,
    spelling::{listed, quoted},
    value::Written,
};
use crate::tool::Absentee;
use crate::wire::Secret;

/// The table of the configuration.
pub(super) const TABLE: &str = "mcp_servers";
/// What other programs call it in the file that is shared with them.
pub(super) const SHARED_TABLE: &str = "mcpServers";

impl McpEntry {
    /// Whether the server may ask which folder the work is in. A program of a project works in that folder and learns
    /// nothing new by it. A server of the user's own has folders of its own, instead of which servers put the one
    /// that they are offered; and an address is elsewhere. Those are offered it only when the configuration says so.
    pub fn offers_roots(&self) -> bool {
        self.roots.unwrap_or(self.command.is_some() && self.is_of_a_project())
    }
}

impl Peer for McpEntry {
    const WORDS: Words = Words {
        kind: "MCP server",
        noun: "server",
        possessive: "a server's",
        verb: "start",
        does: "starts",
        table: TABLE,
        shared_table: Some(SHARED_TABLE),
        command: "mcp",
        letters: "letters, digits, `-` and single `_` between them: its tools are named mcp__NAME__TOOL",
        tighter: "enabled = false, sandbox = true, roots = false",
    };

    fn absentee(name: &str) -> Absentee {
        Absentee::Server(name.to_owned())
    }

    fn known(config: &Config) -> &BTreeMap<String, Self> {
        &config.mcp_servers
    }

    fn untrusted(config: &Config) -> &BTreeMap<String, Self> {
        &config.untrusted_mcp_servers
    }

    fn source(&self) -> &Source {
        &self.source
    }

    fn is_enabled(&self) -> bool {
        self.enabled
    }

    fn program(&self) -> Option<String> {
        let words = self.command.iter().chain(&self.args);
        self.command.as_ref().map(|_| words.map(|word| as_word(word)).collect::<Vec<_>>().join(" "))
    }

    fn url(&self) -> Option<&str> {
        self.url.as_deref().filter(|_| self.command.is_none())
    }

    fn terms(&self, tell: ValueTeller) -> Vec<String> {
        let mut terms = Vec::new();
        if self.sandbox {
            let network = if self.network { "with a network" } else { "without a network" };
            terms.push(format!("in the sandbox, {network}"));
        }
        if !self.env.is_empty() {
            terms.push(format!("gets {}", tell(&self.env)));
        }
        if !self.headers.is_empty() {
            terms.push(format!("is sent the headers {}", tell(&self.headers)));
        }
        if self.roots == Some(true) {
            terms.push("is told the working folder".to_owned());
        }
        if !self.reads.is_empty() {
            let tools: Vec<String> = self.reads.iter().map(|tool| as_word(tool)).collect();
            terms.push(format!("runs its tools {} without asking", tools.join(", ")));
        }
        if !self.enabled {
            terms.push("switched off".to_owned());
        }
        terms
    }
}

impl Entry for McpEntry {
    fn new(source: Source) -> Self {
        Self {
            command: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            sandbox: false,
            network: false,
            url: None,
            headers: BTreeMap::new(),
            roots: None,
            reads: Vec::new(),
            start_seconds: START_SECONDS,
            call_seconds: None,
            enabled: true,
            source,
        }
    }

    fn known_mut(config: &mut Config) -> &mut BTreeMap<String, Self> {
        &mut config.mcp_servers
    }

    fn untrusted_mut(config: &mut Config) -> &mut BTreeMap<String, Self> {
        &mut config.untrusted_mcp_servers
    }

    /// Two `_` stand between a server's name and its tool's.
    fn takes_name(name: &str) -> bool {
        !name.contains("__") && !name.starts_with('_') && !name.ends_with('_')
    }

    fn member(row: &KeyRow) -> Option<&Member<Self>> {
        if let KeyValue::Mcp(member) = &row.value { Some(member) } else { None }
    }

    fn check(&self, name: &str, config: &Config) -> Result<(), Wrong> {
        let at = |key: &str, sentence: &str| {
            let path = peers::path::<Self>(name, &[key]);
            let below = format!("{path}.");
            let first = config.origins.iter().find(|(known, _)| **known == path || known.starts_with(&below));
            let source = first.map_or(&self.source, |(_, source)| source);
            Err(format!("{source}: {path}: {sentence}"))
        };
        let with_command = "needs `command`, but this server has a `url`";
        match (&self.command, &self.url) {
            (Some(_), Some(_)) => at("url", "a server must have a `command` or a `url`, not both"),
            // Whoever only says no needs no server.
            (None, None) if !self.enabled => Ok(()),
            (None, None) => {
                let path = peers::path::<Self>(name, &[]);
                Err(format!("{}: {path}: has neither a `command` nor a `url`", self.source))
            }
            (Some(_), None) if !self.headers.is_empty() => {
                at("headers", "needs `url`, but this server has a `command`")
            }
            (Some(_), None) if self.network && !self.sandbox => {
                at("network", "needs `sandbox = true`: without the sandbox a server always has the network")
            }
            (Some(_), None) => Ok(()),
            (None, Some(_)) if !self.args.is_empty() => at("args", with_command),
            (None, Some(_)) if !self.env.is_empty() => at("env", with_command),
            (None, Some(_)) if self.sandbox || self.network => at("sandbox", with_command),
            (None, Some(_)) => Ok(()),
        }
    }

    fn tightens(&self, before: &Self) -> bool {
        let Self { command, args, env, sandbox, network, url, headers, reads, .. } = self;
        let is_the_same = (command, args, env, url, headers)
            == (&before.command, &before.args, &before.env, &before.url, &before.headers);
        let is_confinable = *sandbox == before.sandbox || before.url.is_none();
        is_the_same
            && is_confinable
            && (*sandbox || !before.sandbox)
            && (!network || before.network)
            && (!self.offers_roots() || before.offers_roots())
            && (!self.enabled || before.enabled)
            && reads.iter().all(|tool| before.reads.contains(tool))
            && self.start_seconds <= before.start_seconds
            && (self.call_seconds == before.call_seconds
                || self.call_seconds.zip(before.call_seconds).is_some_and(|(after, before)| after <= before))
    }
}

pub(super) static ROWS: &[KeyRow] = &[
    letters(
        "mcp_servers.*.command",
        |server, _, value| {
            server.command = Some(value.text()?.to_owned());
            Ok(())
        },
        |server| one(server.command.as_deref().map(quoted)),
    ),
    letters(
        "mcp_servers.*.args",
        |server, _, value| {
            server.args = arguments(value)?;
            Ok(())
        },
        |server| one(Some(texts(&server.args))),
    ),
    letters("mcp_servers.*.env.*", variable, |server| hidden(&server.env)),
    of_one(
        "mcp_servers.*.sandbox",
        Member::Switch { set: |server, on| server.sandbox = on, get: |server| Some(server.sandbox) },
    ),
    of_one(
        "mcp_servers.*.network",
        Member::Switch { set: |server, on| server.network = on, get: |server| Some(server.network) },
    ),
    letters(
        "mcp_servers.*.url",
        |server, _, value| {
            server.url = Some(address(value)?);
            Ok(())
        },
        |server| one(server.url.as_deref().map(|url| quoted(&address_without_query(url)))),
    ),
    letters(
        "mcp_servers.*.headers.*",
        |server, below, value| insert_header(&mut server.headers, below, value),
        |server| hidden(&server.headers),
    ),
    of_one(
        "mcp_servers.*.roots",
        Member::Switch {
            set: |server, on| server.roots = Some(on),
            get: |server| Some(server.offers_roots()),
        },
    ),
    letters(
        "mcp_servers.*.reads",
        |server, _, value| {
            server.reads = value.texts()?.into_iter().map(str::to_owned).collect();
            Ok(())
        },
        |server| one(Some(texts(&server.reads))),
    ),
    of_one(
        "mcp_servers.*.start_seconds",
        Member::Count {
            most: MOST_START_SECONDS,
            set: |server, seconds| server.start_seconds = seconds,
            get: |server| Some(server.start_seconds),
        },
    ),
    of_one(
        "mcp_servers.*.call_seconds",
        Member::Count {
            most: MOST_CALL_SECONDS,
            set: |server, seconds| server.call_seconds = Some(seconds),
            get: |server| server.call_seconds,
        },
    ),
    of_one(
        "mcp_servers.*.enabled",
        Member::Switch { set: |server, on| server.enabled = on, get: |server| Some(server.enabled) },
    ),
];

/// A key; what a project may do with it is weighed with all that is said of the server ([`Entry::tightens`]).
const fn of_one(path: &'static str, member: Member<McpEntry>) -> KeyRow {
    KeyRow::new(path, KeyValue::Mcp(member), Tightens::Never, Owner::Trusted)
}

const fn letters(
    path: &'static str,
    set: fn(&mut McpEntry, &[String], &Written) -> Result<(), String>,
    get: fn(&McpEntry) -> Literals<'_>,
) -> KeyRow {
    of_one(path, Member::Letters { set, get })
}

fn texts(all: &[String]) -> String {
    listed(all.iter().map(|text| quoted(text)))
}

fn variable(server: &mut McpEntry, below: &[String], value: &Written) -> Result<(), String> {
    let variable = below.first().filter(|name| peers::template::is_variable(name));
    let variable = variable.ok_or("is not a valid variable name")?;
    server.env.insert(variable.clone(), Secret::new(templated(value)?));
    Ok(())
}

fn arguments(value: &Written) -> Result<Vec<String>, String> {
    let Written::List(items) = value else {
        return Err("must be a list of strings, as in [\"-y\", \"a-package\"]".to_owned());
    };
    items.iter().map(|item| templated(item).map(str::to_owned)).collect()
}

#[cfg(test)]
#[path = "../mcp_tests.rs"]
mod tests;
