//! What a project's files say of MCP servers: what tightens the user's own holds always, what starts or reaches one of the
//! project's holds with trust.

use std::collections::BTreeMap;

use super::super::key::{Key, spelled};
use super::super::{Config, apply, setting::Setting, setting::Wrong, source::Source};
use super::{McpEntry, SHARED_TABLE, TABLE, check_server};

/// All that a folder's files say of one server: in the shared file first, then in the project's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli::config) struct Asked<'s> {
    name: &'s str,
    settings: Vec<&'s Setting>,
}

/// What that comes to.
#[derive(Debug)]
pub(in crate::cli::config) enum Weighed<'s> {
    /// A server of the project's own, and the configuration with it.
    Defines(Box<Config>),
    /// The server is somebody else's: the configuration with what tightens it, what that is, and what does not.
    Tightens { after: Box<Config>, taken: Vec<&'s Setting>, refused: Vec<&'s Setting> },
    /// There is no such server, so there is nothing to tighten.
    Nothing,
}

/// The settings of one folder that are about servers, by server.
pub(in crate::cli::config) fn asked(settings: &[Setting]) -> Vec<Asked<'_>> {
    let mut by_name: BTreeMap<&str, Vec<&Setting>> = BTreeMap::new();
    for setting in settings.iter().filter(|setting| matches!(setting.key, Key::Mcp(_))) {
        by_name.entry(setting.names.first().map_or("", String::as_str)).or_default().push(setting);
    }
    by_name.into_iter().map(|(name, settings)| Asked { name, settings }).collect()
}

/// Puts in force what may be; says of the rest why it is not. Returns what is wrong.
pub(in crate::cli::config) fn set_all(config: &mut Config, settings: &[Setting]) -> Vec<Wrong> {
    let (mut wrongs, mut waiting) = (Vec::new(), Vec::new());
    for asked in asked(settings) {
        match asked.weigh(config) {
            // The file is shared with programs that may understand it: it stops nobody.
            Err(wrong) if asked.is_shared() => {
                config.warnings.push(format!("{wrong}; the server is left out"));
            }
            Err(wrong) => wrongs.push(wrong),
            Ok(Weighed::Nothing) => {}
            Ok(Weighed::Defines(after)) if asked.is_trusted() => *config = *after,
            Ok(Weighed::Defines(after)) => {
                let entry = after.mcp_servers.get(asked.name).cloned();
                config.untrusted_mcp_servers.extend(entry.map(|entry| (asked.name.to_owned(), entry)));
                waiting.push(asked);
            }
            Ok(Weighed::Tightens { after, refused, .. }) => {
                let warning = not_yours(config.mcp_servers.get(asked.name), &refused);
                *config = *after;
                config.warnings.extend(warning);
            }
        }
    }
    config.warnings.extend(untrusted(&waiting));
    wrongs
}

/// One sentence for all servers of a folder that is not trusted.
fn untrusted(waiting: &[Asked<'_>]) -> Option<String> {
    let place = waiting.first()?.settings.first()?.source.place();
    let names: Vec<String> = waiting.iter().map(|asked| format!("`{}`", asked.path())).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    Some(format!(
        "{place}: {} {are} ignored: a project's file can only tighten unless its folder is trusted; type `countersign \
         trust` there to see what would be started and to decide",
        names.join(", ")
    ))
}

/// What a project says about a server of somebody else's; nothing is said where that is switched off anyway.
fn not_yours(known: Option<&McpEntry>, refused: &[&Setting]) -> Option<String> {
    let (known, place) = (known.filter(|known| known.enabled)?, refused.first()?.source.place());
    let paths: Vec<String> = refused.iter().map(|setting| format!("`{}`", setting.path)).collect();
    let are = if paths.len() == 1 { "is" } else { "are" };
    let owner = if known.is_of_a_project() { "another folder's" } else { "yours" };
    Some(format!(
        "{place}: {} {are} ignored: the server is {owner} ({}), and a project's file can only tighten it, trusted or \
         not: enabled = false, sandbox = true; another server needs another name",
        paths.join(", "),
        known.source.place()
    ))
}

impl<'s> Asked<'s> {
    /// What it would do to the configuration.
    ///
    /// # Errors
    /// The first wrong value, with its place; what does not go together.
    pub(in crate::cli::config) fn weigh(&self, config: &Config) -> Result<Weighed<'s>, Wrong> {
        if config.mcp_servers.contains_key(self.name) {
            return self.tightened(config);
        }
        let mut after = config.clone();
        for setting in &self.settings {
            apply::set(&mut after, setting)?;
        }
        let Some(entry) = after.mcp_servers.get(self.name) else { return Ok(Weighed::Nothing) };
        if entry.tightens(&McpEntry::new(entry.source.clone())) {
            return Ok(Weighed::Nothing);
        }
        check_server(&after, self.name)?;
        Ok(Weighed::Defines(Box::new(after)))
    }

    fn tightened(&self, config: &Config) -> Result<Weighed<'s>, Wrong> {
        let mut after = Box::new(config.clone());
        let (mut taken, mut refused) = (Vec::new(), Vec::new());
        for setting in &self.settings {
            let mut next = after.clone();
            apply::set(&mut next, setting)?;
            let (Some(before), Some(entry)) =
                (after.mcp_servers.get(self.name), next.mcp_servers.get(self.name))
            else {
                continue;
            };
            match (entry == before, entry.tightens(before)) {
                // It is so already.
                (true, _) => {}
                (false, true) => {
                    after = next;
                    taken.push(*setting);
                }
                (false, false) => refused.push(*setting),
            }
        }
        Ok(Weighed::Tightens { after, taken, refused })
    }

    /// The server's name, as it was written.
    pub(in crate::cli::config) fn name(&self) -> &'s str {
        self.name
    }

    /// Where it is first spoken of.
    pub(in crate::cli::config) fn place(&self) -> String {
        self.settings.first().map_or_else(String::new, |setting| setting.source.place())
    }

    /// Whether a part of it stands in the file that is shared with other programs.
    pub(in crate::cli::config) fn is_shared(&self) -> bool {
        self.settings.iter().any(|setting| setting.path.starts_with(SHARED_TABLE))
    }

    fn is_trusted(&self) -> bool {
        self.settings.iter().all(|setting| matches!(setting.source, Source::Trusted(..)))
    }

    fn path(&self) -> String {
        let table = if self.is_shared() { SHARED_TABLE } else { TABLE };
        spelled(&[table, self.name].map(str::to_owned))
    }
}

impl McpEntry {
    /// Whether it does no more than it did before: the same server, held tighter.
    fn tightens(&self, before: &Self) -> bool {
        let Self { command, args, env, sandbox, network, url, headers, reads, .. } = self;
        let is_the_same = (command, args, env, url, headers)
            == (&before.command, &before.args, &before.env, &before.url, &before.headers);
        let is_confinable = *sandbox == before.sandbox || before.url.is_none();
        is_the_same
            && is_confinable
            && (*sandbox || !before.sandbox)
            && (!network || before.network)
            && (!self.enabled || before.enabled)
            && reads.iter().all(|tool| before.reads.contains(tool))
            && self.start_seconds <= before.start_seconds
            && (self.call_seconds == before.call_seconds
                || self.call_seconds.zip(before.call_seconds).is_some_and(|(after, before)| after <= before))
    }
}
