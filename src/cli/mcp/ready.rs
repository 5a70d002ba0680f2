//! From what is written of a server to what is started: variables put in, keys of models left where they are.

use std::collections::BTreeMap;

use crate::cli::Invocation;
use crate::cli::config::mcp::{check_url, template};
use crate::cli::config::{Config, McpEntry, spelled};
use crate::cli::environment::Environment;
use crate::cli::fault::Fault;
use crate::cli::models::key_variables;
use crate::runtime::mcp::{McpServer, McpWay};
use crate::wire::Secret;

/// The servers of a session.
#[derive(Debug, Default)]
pub(in crate::cli) struct Ready {
    /// Those that can be started.
    pub(in crate::cli) servers: Vec<McpServer>,
    /// Those that cannot, by name, and why.
    pub(in crate::cli) faults: Vec<(String, Fault)>,
}

/// All servers that are not switched off, by name.
pub(in crate::cli) fn all(invocation: &Invocation) -> Ready {
    let mut ready = Ready::default();
    for (name, entry) in invocation.config.mcp_servers.iter().filter(|(_, entry)| entry.enabled) {
        match server(invocation, name, entry) {
            Ok(server) => ready.servers.push(server),
            Err(fault) => ready.faults.push((name.clone(), fault)),
        }
    }
    ready
}

/// What a person is told of a server that a session does without.
pub(in crate::cli) fn missing((name, fault): &(String, Fault)) -> String {
    format!("The MCP server {name} is not started: {}; {}.", fault.message, fault.next)
}

/// One server, with what the environment holds in the place of its `${…}`.
///
/// # Errors
/// A variable that is not set, or that a project's file may not have; an address that is none. Names file and line.
pub(in crate::cli) fn server(
    invocation: &Invocation,
    name: &str,
    entry: &McpEntry,
) -> Result<McpServer, Fault> {
    let Invocation { config, environment, .. } = invocation;
    let filling = Filling { name, entry, config, environment };
    let way = match (&entry.command, &entry.url) {
        (Some(command), _) => McpWay::Command {
            program: command.clone(),
            args: entry.args.iter().map(|arg| filling.text(&["args"], arg)).collect::<Result<_, _>>()?,
            env: filling.table("env", &entry.env)?,
            sandboxed: entry.sandbox,
            network: entry.network,
        },
        (None, Some(url)) => {
            McpWay::Http { url: filling.address(url)?, headers: filling.table("headers", &entry.headers)? }
        }
        (None, None) => return Err(filling.wrong(&[], "has neither a `command` nor a `url`", "give it one")),
    };
    Ok(McpServer {
        name: name.to_owned(),
        way,
        reads: entry.reads.clone(),
        secrets: filling.put_into(&entry.args),
        start_ms: entry.start_seconds * 1000,
        call_ms: entry.call_seconds.map(|seconds| seconds * 1000),
    })
}

struct Filling<'a> {
    name: &'a str,
    entry: &'a McpEntry,
    config: &'a Config,
    environment: &'a Environment,
}

impl Filling<'_> {
    /// What variables give to these texts.
    fn put_into(&self, texts: &[String]) -> Vec<Secret> {
        let variables = texts.iter().flat_map(|text| template::variables(text));
        variables.filter_map(|variable| self.environment.text(variable)).map(Secret::new).collect()
    }

    fn text(&self, key: &[&str], text: &str) -> Result<String, Fault> {
        let taken = template::variables(text);
        let keys = key_variables(self.config);
        if let Some(variable) = taken.iter().find(|variable| keys.iter().any(|key| key == *variable))
            && self.entry.is_of_a_project()
        {
            let sentence = format!(
                "{variable} is the key of a provider, which no file of a project gets, trusted or not"
            );
            return Err(self.wrong(
                key,
                &sentence,
                "set the server up in your own configuration if it should have it",
            ));
        }
        let filled =
            template::filled(text, |variable| self.environment.text(variable)).map_err(|variable| {
                let next = format!("set {variable}, or write ${{{variable}:-DEFAULT}} there");
                self.wrong(key, &format!("the variable {variable} is not set"), &next)
            })?;
        if filled.contains('\0') {
            return Err(self.wrong(key, "holds a character that no program takes", "correct the variable"));
        }
        Ok(filled)
    }

    fn table(&self, key: &str, pairs: &BTreeMap<String, Secret>) -> Result<BTreeMap<String, String>, Fault> {
        let filled = |(name, value): (&String, &Secret)| {
            let place = [key, name.as_str()];
            let text = self.text(&place, value.expose())?;
            if key == "headers" && !text.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
                return Err(self.wrong(
                    &place,
                    "takes plain ASCII on one line",
                    "correct it, or the variable in it",
                ));
            }
            Ok((name.clone(), text))
        };
        pairs.iter().map(filled).collect()
    }

    fn address(&self, url: &str) -> Result<String, Fault> {
        let filled = self.text(&["url"], url)?;
        check_url(&filled)
            .map_err(|sentence| self.wrong(&["url"], &sentence, "correct it, or the variable in it"))?;
        Ok(filled)
    }

    /// What is wrong with a key, and where that stands.
    fn wrong(&self, key: &[&str], sentence: &str, next: &str) -> Fault {
        let whole = ["mcp_servers", self.name].into_iter().chain(key.iter().copied()).map(str::to_owned);
        let path = spelled(&whole.collect::<Vec<_>>());
        let place = match self.config.source(&path) {
            crate::cli::config::Source::Default => self.entry.source.clone(),
            known => known,
        };
        Fault::usage(format!("{}: {path}: {sentence}", place.place()), next)
    }
}
