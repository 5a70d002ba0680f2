//! What was found in another tool's files: what we can say in our own words, and what we cannot, and why.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use toml_edit::{Item, Table};

use super::counterparts::{self, Counterparts};
use super::keys::{has_key_word, may_hold_key, told};
use crate::config::fault::one_line;
use crate::hooks::HookPoint;
use crate::policy::{Mode, RuleKind};
use crate::wire::Secret;

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
    /// Whether it goes into a project's file.
    is_project: bool,
    /// The variables that stand in the place of values, each with its value: two values never have one.
    variables: BTreeMap<String, Secret>,
}

impl Found {
    /// Nothing yet, for a project's file or for one's own configuration.
    pub(super) fn of(is_project: bool) -> Self {
        Self { is_project, ..Self::default() }
    }

    /// Nothing yet, of a file that is read after others.
    pub(super) fn after(others: &Self) -> Self {
        Self { variables: others.variables.clone(), ..Self::of(others.is_project) }
    }

    /// Takes in what the next file has, but for its notes.
    pub(super) fn take_in(&mut self, next: Self) {
        self.settings.extend(next.settings);
        self.commands.extend(next.commands);
        self.variables = next.variables;
    }

    /// The variable for a value: of the first of these names that no other value has, else of the last with a number.
    pub(super) fn variable(&mut self, names: &[String], value: &str) -> String {
        let value = Secret::new(value);
        let last = names.last().map_or("VALUE", String::as_str);
        let numbered = (2_u32..).map(|number| format!("{last}_{number}"));
        let mut all = names.iter().cloned().chain(numbered);
        let name = all.find(|name| self.variables.get(name).is_none_or(|known| *known == value));
        let name = name.unwrap_or_else(|| last.to_owned());
        self.variables.insert(name.clone(), value);
        name
    }

    pub(super) fn add(&mut self, setting: Setting, written: &str) {
        let text = match &setting {
            Setting::Rule(_, text) | Setting::Text(_, text) => text.as_str(),
            Setting::Hook(_, hook) => hook.get("command").and_then(Item::as_str).unwrap_or_default(),
            // What it has was looked at, one by one.
            Setting::Named(..) => "",
        };
        if may_hold_key(text) {
            return self
                .note(&told(written), "it may hold a key: add it yourself, with a variable in its place");
        }
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

    /// Names the members of a table that were not read, each with what there is in its place.
    pub(super) fn unread(&mut self, what: &str, table: &Value, read: &[&str], known: Counterparts) {
        let members = table.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
        for key in members.filter(|key| !read.contains(key)).take(MOST) {
            self.untranslated(&format!("{what}, {key}"), known, key);
        }
    }

    /// Names a key that is not translated, with what there is in its place.
    pub(super) fn untranslated(&mut self, what: &str, known: Counterparts, key: &str) {
        let why = counterparts::of(known, key);
        if counterparts::is_own(known, key) { self.note_own(what, why) } else { self.note(what, why) }
    }

    /// A note about settings that count in one's own configuration alone.
    pub(super) fn note_own(&mut self, what: &str, why: &str) {
        if self.is_project {
            return self
                .note(what, &format!("{why}; in your own configuration: no project's file can set that"));
        }
        self.note(what, why);
    }

    pub(super) fn note(&mut self, what: &str, why: &str) {
        if self.notes.len() < MOST {
            let what = if has_key_word(what) {
                "what may hold a key and is not shown".to_owned()
            } else {
                short(what)
            };
            let note = format!("{what}: {}", one_line(why));
            // One entry there can be several rules here.
            if self.notes.last() != Some(&note) {
                self.notes.push(note);
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_values_never_have_one_variable() {
        let mut found = Found::default();
        let names = ["TOKEN", "GH_TOKEN"].map(str::to_owned);
        let mut of = |value: &str| found.variable(&names, value);
        assert_eq!(
            ["one", "two", "three", "four"].map(&mut of),
            ["TOKEN", "GH_TOKEN", "GH_TOKEN_2", "GH_TOKEN_3"]
        );
        assert_eq!(["two", "one", "four"].map(&mut of), ["GH_TOKEN", "TOKEN", "GH_TOKEN_3"]);
        let mut next = Found::after(&found);
        assert_eq!(next.variable(&names[..1], "two"), "TOKEN_2");
        found.take_in(next);
        assert_eq!(found.variable(&names[..1], "three"), "TOKEN_3");
    }

    #[test]
    fn what_no_project_can_set_is_said_to_go_elsewhere() {
        let noted = |is_project: bool| {
            let mut next = Found::after(&Found::of(is_project));
            next.untranslated("otel", counterparts::CODEX, "otel");
            next.untranslated("hooks", counterparts::CODEX, "hooks");
            next.note_own("env", "name them in tools.pass_env");
            next.notes
        };
        let is_elsewhere =
            |note: &String| note.ends_with("; in your own configuration: no project's file can set that");
        assert_eq!(noted(true).iter().map(is_elsewhere).collect::<Vec<_>>(), [true, false, true]);
        assert!(!noted(false).iter().any(is_elsewhere));
    }

    #[test]
    fn no_command_with_a_key_is_taken_or_repeated() {
        const KEY: &str = "sk-ant-REDACTED-0123456789";
        let mut found = Found::default();
        let mut hook = Table::new();
        hook.insert("command", toml_edit::value(format!("notify {KEY}")));
        found.add(Setting::Hook(HookPoint::Stop, hook), &format!("the hook notify {KEY}"));
        found.add(Setting::Text("status_line", "status --token hunter2".to_owned()), "statusLine");
        found.add(Setting::Rule(RuleKind::Allow, format!("shell(X={KEY} run)")), "an entry");
        assert!(found.settings.is_empty() && found.notes.len() == 3, "{found:?}");
        let notes = found.notes.join("\n");
        assert!(!notes.contains("sk-ant") && !notes.contains("hunter2"), "{notes}");
        assert!(notes.contains("statusLine: it may hold a key"), "{notes}");
        found.add(Setting::Text("status_line", "status --token \"$TOKEN\"".to_owned()), "statusLine");
        assert_eq!(found.settings.len(), 1);
    }
}
