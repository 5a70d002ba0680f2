//! A shell line before its rules: which files it opens, where they lead, and which of its parts only look.

use std::collections::BTreeMap;

use super::effect;
use super::shell::{self, Access, Command, Reading, Redirection, Word};
use crate::ledger::Arguments;
use crate::tool::{Preparation, SideEffect, Territory, ToolSpec};

/// The line that a call would run, if it is one.
pub(super) fn command<'a>(tool: &ToolSpec, arguments: &'a Arguments) -> Option<&'a str> {
    arguments.text("command").filter(|_| tool.effect == SideEffect::Runs)
}

/// The paths in a line that decide whether it stays in the workspace: what its reading commands open, and what the
/// shell itself opens. The look at a call resolves them, in this order, into [`Preparation::leads_to`]; without that
/// a part that opens a file is asked about.
pub fn opened(line: &str) -> Vec<String> {
    let reading = shell::read(line);
    let by_commands = reading.commands.iter().filter(|command| looks(command));
    let by_commands = by_commands.filter_map(effect::operands).flatten();
    let by_shell = reading.redirections.iter().filter(|file| !effect::is_sink(file));
    by_commands.chain(by_shell.filter_map(|file| file.target.literal())).collect()
}

/// Whether the command looks and does nothing else.
pub(super) fn looks(command: &Command) -> bool {
    effect::of_command(command) == Some(SideEffect::Reads)
}

/// Where the paths of a line lead.
pub(super) struct Places<'a> {
    resolved: BTreeMap<String, String>,
    found: &'a Preparation,
    /// Whether the line changes its folder, so that what its paths mean was not looked at.
    moves: bool,
    /// Whether it does so once, and before all else: then that path means what was looked at.
    begins_with_move: bool,
}

/// Where one path leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// To this path of the workspace.
    Inside(String),
    /// Out of the workspace, or to what counts as that.
    Outside(String),
    /// Nobody has looked, or only the shell will know.
    Unknown,
}

impl<'a> Places<'a> {
    pub(super) fn of(line: &str, reading: &Reading, found: &'a Preparation) -> Self {
        let paths = opened(line);
        let was_looked_at = paths.len() == found.leads_to.len();
        let resolved =
            paths.into_iter().zip(found.leads_to.iter().cloned()).filter(|_| was_looked_at).collect();
        let moving = reading.commands.iter().filter(|command| changes_folder(command)).count();
        let begins_with_move = moving == 1 && line.trim_start_matches(['(', ' ']).starts_with("cd ");
        Self { resolved, found, moves: moving > 0, begins_with_move }
    }

    fn lead(&self, path: &str) -> Place {
        match self.resolved.get(path) {
            Some(to) => match self.territory(to) {
                Territory::Secret | Territory::Outside => Place::Outside(to.clone()),
                Territory::Inside | Territory::Protected => Place::Inside(to.clone()),
            },
            None => Place::Unknown,
        }
    }

    /// What kind of place a resolved path is.
    pub(super) fn territory(&self, path: &str) -> Territory {
        if path.starts_with('/') { Territory::Outside } else { self.found.territory(path) }
    }

    /// The path as it is written, and where it leads if somebody has looked.
    pub(super) fn names(&self, path: &str) -> Vec<String> {
        let leads = self.resolved.get(path).cloned();
        [Some(path.to_owned()), leads].into_iter().flatten().collect()
    }

    /// Where a redirection leads.
    pub(super) fn of_redirection(&self, file: &Redirection) -> Place {
        match file.target.literal() {
            Some(path) if !self.moves || path.starts_with('/') => self.lead(&path),
            _ => Place::Unknown,
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
            && effect::operands(command).is_some_and(|files| {
                files.iter().all(|path| is_known(path) && matches!(self.lead(path), Place::Inside(_)))
            })
    }
}

/// Whether what follows runs in another folder than what came before; of `find -execdir` each time in another one.
fn changes_folder(command: &Command) -> bool {
    let moves_about = |word: &Word| matches!(word.literal().as_deref(), Some("-execdir" | "-okdir"));
    command.program().is_none_or(|name| match name.as_str() {
        "cd" | "pushd" | "popd" | "chdir" => true,
        "find" | "gfind" => command.arguments().iter().any(moves_about),
        _ => false,
    })
}

/// How a redirection is named in reasons.
pub(super) fn describe(file: &Redirection) -> String {
    let verb = match file.access {
        Access::Reads => "reads",
        Access::Writes => "writes",
    };
    format!("the shell {verb} {}", file.target.raw)
}
