//! What was found in another tool's files: what we can say in our own words, and what we cannot, and why.

use std::path::PathBuf;

use toml_edit::Table;

use crate::config::fault::one_line;
use crate::hooks::HookPoint;
use crate::policy::{Mode, RuleKind};

/// Most characters of something that is repeated.
const MOST_CHARS: usize = 160;
/// Most things of one kind that are taken from one file.
pub(super) const MOST: usize = 500;

/// Something in our own words.
#[derive(Debug, Clone)]
pub(super) enum Setting {
    /// A rule.
    Rule(RuleKind, String),
    /// A key that takes a text.
    Text(&'static str, String),
    /// A table with a name in a table of such: `mcp_servers.NAME`.
    Named(&'static str, String, Table),
    /// A hook.
    Hook(HookPoint, Table),
}

/// The mode, as a setting.
pub(super) fn mode(mode: Mode) -> Setting {
    Setting::Text("mode", mode.as_str().to_owned())
}

/// A command, as a file of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundCommand {
    /// What it is called.
    pub(super) name: String,
    /// Its file, below the folder of commands.
    pub(super) below: PathBuf,
    /// What the file says.
    pub(super) text: String,
}

/// What one file has.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// What we can say, each with how it is written there.
    pub(super) settings: Vec<(Setting, String)>,
    /// What we cannot say, or what has to be done by hand, a line each.
    pub(super) notes: Vec<String>,
    /// Its commands.
    pub(super) commands: Vec<FoundCommand>,
    /// Whether there was more than is taken.
    is_cut: bool,
}

impl Found {
    pub(super) fn add(&mut self, setting: Setting, written: &str) {
        if self.settings.len() < MOST {
            self.settings.push((setting, short(written)));
        } else if !self.is_cut {
            self.is_cut = true;
            self.note("the rest", &format!("only {MOST} settings of a file are used"));
        }
    }

    /// Rules that mean one thing there.
    pub(super) fn add_rules(&mut self, kind: RuleKind, rules: Vec<String>, written: &str) {
        for rule in rules {
            self.add(Setting::Rule(kind, rule), written);
        }
    }

    pub(super) fn note(&mut self, what: &str, why: &str) {
        if self.notes.len() < MOST {
            self.notes.push(format!("{}: {}", short(what), one_line(why)));
        }
    }
}

/// In one line that is not long, without anything that a terminal would obey.
pub(super) fn short(text: &str) -> String {
    let line = one_line(text);
    let mut cut: String = line.chars().take(MOST_CHARS).collect();
    if cut.len() < line.len() {
        cut.push('…');
    }
    cut
}
