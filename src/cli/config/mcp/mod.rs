//! `[mcp_servers.NAME]`: MCP servers as they are written, and what is wrong with one.

mod asked;
pub(super) mod shared;
mod show;
pub(in crate::cli) mod template;

use std::collections::BTreeMap;

use url::Url;

use super::{
    Config,
    key::{McpKey, spelled},
    setting::{Setting, Wrong},
    source::Source,
    value::Written,
};
use crate::wire::Secret;
pub(super) use asked::{Asked, Weighed, asked, set_all};

/// The table of the configuration.
pub(super) const TABLE: &str = "mcp_servers";
/// What other programs call it in the file that is shared with them.
pub(super) const SHARED_TABLE: &str = "mcpServers";
/// How long a server may take until its tools are known, unless it says otherwise.
const START_SECONDS: u64 = 20;
const MOST_START_SECONDS: u64 = 600;
const MOST_CALL_SECONDS: u64 = 86_400;
/// A name is the first part of its tools' names, of which models take 64 characters.
const LONGEST_NAME: usize = 32;

/// A `[mcp_servers.NAME]` as written: what stands in `${…}` is put in when the server is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpEntry {
    /// The program that is the server.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables that it gets beside the filtered environment of programs, by name.
    pub env: BTreeMap<String, Secret>,
    /// Whether it runs in the sandbox of commands.
    pub sandbox: bool,
    /// Whether it may use the network in the sandbox.
    pub network: bool,
    /// The address of a server that is reached by HTTP.
    pub url: Option<String>,
    /// Headers of its requests, by name.
    pub headers: BTreeMap<String, Secret>,
    /// Its tools that only read, by the server's own names.
    pub reads: Vec<String>,
    /// How long it may take until its tools are known, in seconds.
    pub start_seconds: u64,
    /// How long one call may take, in seconds; `None`: the loop's limit for tools.
    pub call_seconds: Option<u64>,
    /// Whether it is used.
    pub enabled: bool,
    /// Where it was first spoken of: whose it is.
    pub source: Source,
}

impl McpEntry {
    fn new(source: Source) -> Self {
        Self {
            command: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            sandbox: false,
            network: false,
            url: None,
            headers: BTreeMap::new(),
            reads: Vec::new(),
            start_seconds: START_SECONDS,
            call_seconds: None,
            enabled: true,
            source,
        }
    }

    /// Whether it stands in a file of a project.
    pub(in crate::cli) fn is_of_a_project(&self) -> bool {
        matches!(self.source, Source::Project(..) | Source::Trusted(..))
    }
}

/// Sets one key of one server.
pub(super) fn set(config: &mut Config, setting: &Setting, key: McpKey) -> Result<(), String> {
    let [name, rest @ ..] = setting.names.as_slice() else { return Ok(()) };
    check_name(name)?;
    let known = config.mcp_servers.get(name).cloned();
    let mut entry = known.unwrap_or_else(|| McpEntry::new(setting.source.clone()));
    let value = &setting.value;
    match key {
        McpKey::Command => entry.command = Some(value.text()?.to_owned()),
        McpKey::Args => entry.args = arguments(value)?,
        McpKey::Sandbox => entry.sandbox = value.switch()?,
        McpKey::Network => entry.network = value.switch()?,
        McpKey::Url => entry.url = Some(address(value)?),
        McpKey::Reads => entry.reads = value.texts()?.into_iter().map(str::to_owned).collect(),
        McpKey::StartSeconds => entry.start_seconds = value.count(1, MOST_START_SECONDS)?,
        McpKey::CallSeconds => entry.call_seconds = Some(value.count(1, MOST_CALL_SECONDS)?),
        McpKey::Enabled => entry.enabled = value.switch()?,
        McpKey::Env => {
            let variable = rest.first().filter(|name| template::is_variable(name));
            let variable = variable.ok_or("is not the name of a variable")?;
            entry.env.insert(variable.clone(), Secret::new(templated(value)?));
        }
        McpKey::Headers => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
            let header = rest.first().filter(|name| !name.is_empty() && name.chars().all(is_part));
            let header = header.ok_or("is not the name of a header")?;
            entry.headers.insert(header.clone(), Secret::new(templated(value)?));
        }
    }
    config.mcp_servers.insert(name.clone(), entry);
    Ok(())
}

fn check_name(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let is_split = name.contains("__") || name.starts_with('_') || name.ends_with('_');
    if name.is_empty() || is_split || !name.chars().all(fits) {
        let wanted = "a server's name has letters, digits, `-` and single `_` between them";
        return Err(format!("{wanted}: its tools are called mcp__NAME__TOOL"));
    }
    if name.len() > LONGEST_NAME {
        return Err(format!("a server's name has at most {LONGEST_NAME} characters"));
    }
    Ok(())
}

/// A text that may be a key: no message repeats it.
fn templated(value: &Written) -> Result<&str, String> {
    let text = value.letters()?;
    template::pieces(text)?;
    Ok(text)
}

fn arguments(value: &Written) -> Result<Vec<String>, String> {
    let Written::List(items) = value else {
        return Err("takes a list of texts, as in [\"-y\", \"a-package\"]".to_owned());
    };
    items.iter().map(|item| templated(item).map(str::to_owned)).collect()
}

fn address(value: &Written) -> Result<String, String> {
    let text = templated(value)?.trim();
    // What comes from the environment is looked at when it is there.
    if !text.contains("${") {
        check_url(text)?;
    }
    Ok(text.to_owned())
}

/// Checks the address of a server.
///
/// # Errors
/// A sentence that does not repeat what may hold a key.
pub(in crate::cli) fn check_url(text: &str) -> Result<(), String> {
    let wanted = "takes an address that begins with https:// or http://, as in https://mcp.example/mcp";
    let url = Url::parse(text).map_err(|_may_repeat_it| wanted)?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(wanted.to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "takes an address without a name and password: what proves who you are belongs into headers"
                .to_owned(),
        );
    }
    Ok(())
}

/// When all layers are read: whether each server can be one.
pub(super) fn check(config: &Config) -> Result<(), Wrong> {
    config.mcp_servers.keys().try_for_each(|name| check_server(config, name))
}

/// Whether what was said of one server goes together.
pub(super) fn check_server(config: &Config, name: &str) -> Result<(), Wrong> {
    let Some(entry) = config.mcp_servers.get(name) else { return Ok(()) };
    let path = |key: &str| spelled(&[TABLE, name, key].map(str::to_owned));
    let at = |key: &str, sentence: &str| {
        let first =
            config.origins.iter().find(|(known, _)| **known == key || known.starts_with(&format!("{key}.")));
        let source = first.map_or(&entry.source, |(_, source)| source);
        Err(format!("{source}: {key}: {sentence}"))
    };
    let with_command = "goes with `command`, and this server has a `url`";
    match (&entry.command, &entry.url) {
        (Some(_), Some(_)) => at(&path("url"), "a server has a `command` or a `url`, not both"),
        // Whoever only says no needs no server.
        (None, None) if !entry.enabled => Ok(()),
        (None, None) => {
            let path = spelled(&[TABLE.to_owned(), name.to_owned()]);
            Err(format!("{}: {path}: has neither a `command` nor a `url`", entry.source))
        }
        (Some(_), None) if !entry.headers.is_empty() => {
            at(&path("headers"), "goes with `url`, and this server has a `command`")
        }
        (Some(_), None) if entry.network && !entry.sandbox => {
            at(&path("network"), "goes with `sandbox = true`: without the sandbox a server has the network")
        }
        (Some(_), None) => Ok(()),
        (None, Some(_)) if !entry.args.is_empty() => at(&path("args"), with_command),
        (None, Some(_)) if !entry.env.is_empty() => at(&path("env"), with_command),
        (None, Some(_)) if entry.sandbox || entry.network => at(&path("sandbox"), with_command),
        (None, Some(_)) => Ok(()),
    }
}

#[cfg(test)]
#[path = "../mcp_tests.rs"]
mod tests;
