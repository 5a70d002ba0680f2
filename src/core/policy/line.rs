//! A shell line before its rules: which files it opens, where they lead, and which of its parts only look.

use std::collections::{BTreeMap, BTreeSet};

use super::effect;
use super::mention::{self, begins_with_move, changes_folder, looks};
use super::shell::{self, Access, Command, Reading, Redirection};
use crate::ledger::Arguments;
use crate::tool::{Preparation, SideEffect, Territory, ToolSpec};

/// The line that a call would run, if it is one.
pub(super) fn command<'a>(tool: &ToolSpec, arguments: &'a Arguments) -> Option<&'a str> {
    arguments.text("command").filter(|_| tool.effect == SideEffect::Runs)
}

/// The paths in a line that decide whether it stays in the workspace, what its reading commands open and what the shell
/// itself opens, and then those that a rule about files may speak of. The look at a call resolves them, in this order, into
/// [`Preparation::leads_to`]; without that a part that opens a file is asked about.
pub fn opened(line: &str) -> Vec<String> {
    paths(line, &shell::read(line))
}

/// More names than these are not looked at for rules about files.
const MOST_NAMES: usize = 256;

fn paths(line: &str, reading: &Reading) -> Vec<String> {
    let by_commands = reading.commands.iter().filter(|command| looks(command));
    let by_commands = by_commands.filter_map(|command| effect::operands(command, reading)).flatten();
    let by_shell = reading.redirections.iter().filter(|file| !effect::is_sink(file));
    let mut all: Vec<String> = by_commands.chain(by_shell.filter_map(|file| file.target.literal())).collect();
    let mut known: BTreeSet<String> = all.iter().cloned().collect();
    let mentioned = mention::mentioned(line, reading);
    all.extend(mentioned.into_iter().filter(|path| known.insert(path.clone())).take(MOST_NAMES));
    all
}

/// Where the paths of a line lead.
pub(super) struct Places<'a> {
    reading: &'a Reading,
    resolved: BTreeMap<String, String>,
    found: &'a Preparation,
    /// Whether the line changes its folder, so that what its paths mean was not looked at.
    moves: bool,
    /// Whether it does so once, and before all else: then that path means what was looked at.
    begins_with_move: bool,
}

/// Where one path leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PathTarget {
    /// To this path of the workspace.
    Inside(String),
    /// Out of the workspace, or to what counts as that.
    Outside(String),
    /// Nobody has looked, or only the shell will know.
    Unknown,
}

impl<'a> Places<'a> {
    pub(super) fn of(line: &str, reading: &'a Reading, found: &'a Preparation) -> Self {
        let paths = paths(line, reading);
        let was_looked_at = paths.len() == found.leads_to.len();
        let resolved =
            paths.into_iter().zip(found.leads_to.iter().cloned()).filter(|_| was_looked_at).collect();
        let moving = reading.commands.iter().filter(|command| changes_folder(command)).count();
        let begins_with_move = moving == 1 && begins_with_move(line);
        Self { reading, resolved, found, moves: moving > 0, begins_with_move }
    }

    fn lead(&self, path: &str) -> PathTarget {
        match self.resolved.get(path) {
            Some(to) => match self.territory(to) {
                Territory::Secret | Territory::Outside => PathTarget::Outside(to.clone()),
                Territory::Inside | Territory::Protected => PathTarget::Inside(to.clone()),
            },
            None => PathTarget::Unknown,
        }
    }

    /// What kind of place a resolved path is.
    pub(super) fn territory(&self, path: &str) -> Territory {
        if path.starts_with('/') { Territory::Outside } else { self.found.territory(path) }
    }

    /// Where a path leads, if somebody has looked.
    pub(super) fn leads_to(&self, path: &str) -> Option<String> {
        self.resolved.get(path).cloned()
    }

    /// What the look at the line said.
    pub(super) fn found(&self) -> &'a Preparation {
        self.found
    }

    /// Where a redirection leads.
    pub(super) fn of_redirection(&self, file: &Redirection) -> PathTarget {
        match file.target.literal() {
            Some(path) if !self.moves || path.starts_with('/') => self.lead(&path),
            _ => PathTarget::Unknown,
        }
    }

    /// Whether the command only looks, and only into the workspace.
    pub(super) fn is_harmless(&self, command: &Command) -> bool {
        if command.is_wrapper {
            return true;
        }
        let is_known = |path: &str| {
            let is_move = self.begins_with_move && command.name().as_deref() == Some("cd");
            is_move || !self.moves || path.starts_with('/')
        };
        looks(command)
            && effect::operands(command, self.reading).is_some_and(|files| {
                files.iter().all(|path| is_known(path) && matches!(self.lead(path), PathTarget::Inside(_)))
            })
    }
}

/// How a redirection is named in reasons.
pub(super) fn describe(file: &Redirection) -> String {
    let verb = match file.access {
        Access::Reads => "reads",
        Access::Writes => "writes",
    };
    format!("the shell {verb} {}", file.target.raw)
}
