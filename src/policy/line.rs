//! A shell line before its rules: which files it opens, where they lead, and which of its parts only look.

use std::collections::BTreeMap;

use super::effect;
use super::shell::{self, Access, Command, Reading, Redirection};
use crate::ledger::Arguments;
use crate::tool::{Preparation, SideEffect, ToolSpec};

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

fn looks(command: &Command) -> bool {
    effect::of_command(command) == Some(SideEffect::Reads)
}

/// Where the paths of a line lead.
pub(super) struct Places<'a> {
    resolved: BTreeMap<String, String>,
    outside: &'a [String],
    /// Whether the line changes its folder, so that what its paths mean was not looked at.
    moves: bool,
}

/// Where one path leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// To this path of the workspace.
    Inside(String),
    /// Out of the workspace.
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
        let changes = |command: &Command| {
            command.program().is_none_or(|name| matches!(name.as_str(), "cd" | "pushd" | "popd" | "chdir"))
        };
        Self { resolved, outside: &found.outside, moves: reading.commands.iter().any(changes) }
    }

    fn lead(&self, path: &str) -> Place {
        match self.resolved.get(path) {
            Some(to) if self.outside.contains(to) || to.starts_with('/') => Place::Outside(to.clone()),
            Some(to) => Place::Inside(to.clone()),
            None => Place::Unknown,
        }
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
        let is_move = command.name().as_deref() == Some("cd");
        looks(command)
            && effect::operands(command).is_some_and(|files| {
                let stays = |path: &String| matches!(self.lead(path), Place::Inside(_));
                files.is_empty() || ((is_move || !self.moves) && files.iter().all(stays))
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
