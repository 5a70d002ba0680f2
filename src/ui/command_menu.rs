//! The commands that what is typed can become, and the words that can follow one: offered, chosen and completed.

use std::borrow::Cow;

use crate::view::{NamedCommand, View};

use super::commands::sent;
use super::commands::{self, Fronts, SlashCommand};
use super::fuzzy::{Place, place};
use super::local::{Focus, Local};

/// What a slash alone offers first. Enter runs the first of them, which only opens a list.
const COMMON: [&str; 9] =
    ["/model", "/mode", "/sessions", "/new", "/diff", "/undo", "/permissions", "/budgets", "/help"];

/// Tab while a command is being typed: what the arrows have chosen, else as far as all that it can become agree, and a
/// space behind a whole one. Says whether a command is being typed.
pub(super) fn complete(local: &mut Local, view: &View) -> bool {
    if let Some(earlier) = earlier_command(local, view) {
        local.composer.hold(&earlier);
        return true;
    }
    let Some(offered) = completions(local, view).filter(|all| !all.is_empty()) else { return false };
    let typed = local.composer.text();
    let words = offered.iter().map(Offered::word).collect::<Vec<_>>();
    let chosen =
        chosen(local).and_then(|at| offered.get(at)).map(|chosen| (chosen.text(), !chosen.is_value()));
    // What stands behind the name is completed, never lost.
    let completed = chosen.or_else(|| match typed.split_once(char::is_whitespace) {
        Some((name, word)) if offered.iter().all(Offered::is_value) => {
            shared(&words, word.trim_start()).map(|(word, _)| (format!("{name} {word}"), false))
        }
        Some(_) => None,
        None => shared(&words, &typed).or_else(|| Some(((*words.first()?).to_owned(), true))),
    });
    if let Some((text, is_whole)) = completed {
        local.composer.replace(&if is_whole { format!("{text} ") } else { text });
    }
    true
}

/// The last command of the user's own that begins as what is typed, for Tab; not while a call waits for that key.
pub(super) fn earlier_command(local: &Local, view: &View) -> Option<String> {
    let typed = local.composer.shown();
    if !local.composer.runs_a_command() || typed.contains('\n') || !local.waiting(view).is_empty() {
        return None;
    }
    let sent = sent(view);
    let begins = |text: &&str| text.starts_with(&typed) && **text != typed;
    let earlier = local.earlier.iter().chain(&sent).map(|message| message.content.as_str());
    earlier.rev().find(begins).map(str::to_owned)
}

/// As far as all words that begin so agree, and whether it is one of them whole; `None` when none begins so.
fn shared(words: &[&str], begun: &str) -> Option<(String, bool)> {
    let fitting: Vec<&str> = words.iter().copied().filter(|word| word.starts_with(begun)).collect();
    let shared = fitting.iter().fold((*fitting.first()?).to_owned(), |shared, word| {
        shared.chars().zip(word.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
    });
    Some((shared, fitting.len() == 1))
}

/// An arrow while commands are offered: the next of them is chosen. False when none is offered, or an earlier message is
/// shown.
pub(super) fn choose(local: &mut Local, view: &View, up: bool) -> bool {
    let offered = completions(local, view).unwrap_or_default();
    let Some(last) = offered.len().checked_sub(1).filter(|_| !local.composer.is_browsing()) else {
        return false;
    };
    // What is marked is known already: an arrow goes on from there.
    let there = match (marked(local, &offered), up) {
        (None | Some(0), true) => last,
        (None, false) => 0,
        (Some(at), true) => at - 1,
        (Some(at), false) => {
            if at < last {
                at + 1
            } else {
                0
            }
        }
    };
    local.menu = Some((local.composer.shown(), there));
    true
}

/// The command that the arrows have chosen, while what was typed stays.
pub(super) fn chosen(local: &Local) -> Option<usize> {
    let (text, at) = local.menu.as_ref()?;
    (*text == local.composer.shown()).then_some(*at)
}

/// The command that Enter runs.
pub(super) fn meant<'a>(local: &'a Local, view: &'a View) -> Option<Offered<'a>> {
    let offered = completions(local, view)?;
    let at = marked(local, &offered)?;
    offered.into_iter().nth(at)
}

/// Which of them Enter runs, and the list marks: the one that the arrows have chosen, the one of exactly this name, or the first that
/// begins so. Letters in the middle of a name are no command until it is chosen.
pub(super) fn marked(local: &Local, offered: &[Offered<'_>]) -> Option<usize> {
    let typed = local.composer.text();
    let by_name = || offered.iter().position(|one| !one.is_value() && one.name == typed);
    let begins = || offered.iter().position(|one| !one.is_value() && one.name.starts_with(&typed));
    let is_name = !typed.contains(char::is_whitespace);
    chosen(local).or_else(|| is_name.then(|| by_name().or_else(begins)).flatten())
}

/// What Enter and Tab do while commands are offered; `None`: none is.
pub(super) fn keys(local: &Local, view: &View) -> Option<Vec<(&'static str, &'static str)>> {
    let offered = completions(local, view).filter(|all| !all.is_empty())?;
    let meant = marked(local, &offered).and_then(|at| offered.get(at));
    let is_behind = local.composer.text().contains(char::is_whitespace);
    let enter = match meant {
        Some(one) if one.waits_for_more() => Some("complete"),
        Some(_) => Some("run"),
        None => is_behind.then_some("run"),
    };
    let enter = enter.map(|word| ("enter", word));
    Some(enter.into_iter().chain([("tab", "complete"), ("↑↓", "choose")]).collect())
}

/// A command that what is typed can become, or a word that can follow it.
#[derive(Debug, Clone)]
pub(super) struct Offered<'a> {
    name: Cow<'a, str>,
    help: Cow<'a, str>,
    takes_more: bool,
    value: Option<Cow<'a, str>>,
}

impl<'a> Offered<'a> {
    fn command(row: &'static SlashCommand) -> Self {
        Self { name: row.name.into(), help: row.help.into(), takes_more: row.takes_more(), value: None }
    }

    fn alias(row: &'static SlashCommand) -> Self {
        Self { help: row.hint.into(), ..Self::command(row) }
    }

    fn custom(command: &'a NamedCommand) -> Self {
        let name = format!("/{}", command.name).into();
        // What it takes is said first: a narrow screen cuts the rest.
        let says = [command.hint.as_str(), command.description.as_str()];
        let help = says.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" · ");
        Self { name, help: help.into(), takes_more: false, value: None }
    }

    /// The word that it adds.
    pub(super) fn word(&self) -> &str {
        self.value.as_deref().unwrap_or(&self.name)
    }

    /// What it does.
    pub(super) fn help(&self) -> &str {
        &self.help
    }

    fn is_value(&self) -> bool {
        self.value.is_some()
    }

    pub(super) fn waits_for_more(&self) -> bool {
        !self.is_value() && self.takes_more
    }

    pub(super) fn text(&self) -> String {
        self.value.as_ref().map_or(self.name.to_string(), |value| format!("{} {value}", self.name))
    }
}

/// The commands whose names fit, best first: those that begin so, those of which a word does, those that contain it.
fn named<'a>(line: &str, view: &'a View) -> Vec<Offered<'a>> {
    let is_ours = |name: &str| commands::COMMANDS.iter().any(|row| row.name == name);
    let others = view.settings.commands.iter().map(Offered::custom);
    let others = others.filter(|other| !is_ours(&other.name));
    // Names that other tools use: not listed, but offered to whoever begins to type one.
    let known = commands::COMMANDS.iter().filter(|row| row.help.is_empty() && !row.hint.is_empty());
    let known = known.filter(|row| line.len() > 2 && row.name.starts_with(line)).map(Offered::alias);
    let all = commands::listed(Fronts::Screen).map(Offered::command).chain(known).chain(others);
    // Letters that stand apart are looked for where nothing else fits, and not for one alone.
    let worst = if line.len() > 2 { Place::Scattered } else { Place::Word };
    let mut found: Vec<(Place, Offered<'_>)> =
        all.filter_map(|one| Some((place(line, &one.name, &one.name)?, one))).collect();
    found.retain(|(place, _)| *place <= worst);
    if found.iter().any(|(place, _)| *place < Place::Scattered) {
        found.retain(|(place, _)| *place < Place::Scattered);
    }
    let is_bare = line == "/";
    let rank = |one: &Offered<'_>| COMMON.iter().position(|name| is_bare && one.name == *name);
    found.sort_by_key(|(place, one)| (*place, rank(one).unwrap_or(COMMON.len())));
    found.into_iter().map(|(_, one)| one).collect()
}

/// The commands that what is typed can still become, or the words that can follow the one that is typed; `None` when no
/// command is being typed.
pub(super) fn completions<'a>(local: &'a Local, view: &'a View) -> Option<Vec<Offered<'a>>> {
    let [line] = local.composer.area().lines() else { return None };
    let composing = local.focused(view) == Focus::Composer;
    let is_shut = local.list_shut.as_ref() == Some(line);
    if !composing || is_shut || local.overlay.is_some() || local.edit.is_some() || !line.starts_with('/') {
        return None;
    }
    let Some((name, rest)) = line.split_once(char::is_whitespace) else {
        return Some(named(line, view));
    };
    Some(following(name, rest.trim_start(), local, view))
}

/// What can follow the name of a command: words that are known, else what is said of them.
fn following<'a>(name: &str, rest: &str, local: &'a Local, view: &'a View) -> Vec<Offered<'a>> {
    let Some(row) = commands::listed(Fronts::Screen).find(|row| row.name == name) else {
        let custom = view.settings.commands.iter().filter(|command| !command.hint.is_empty());
        let custom = custom.map(Offered::custom).filter(|custom| custom.name == name);
        return custom.collect();
    };
    let values = row.values.iter().map(|value| ((*value).to_owned(), String::new()));
    let names = local.known_names.of(row.name, view);
    // Of a name that says whose it is, either half is known to people.
    let begins = |value: &str| value.split(['/', ' ']).any(|half| half.starts_with(rest));
    let values = values.chain(names).filter(|(value, _)| value.starts_with(rest) || begins(value));
    let values: Vec<Offered<'_>> = values
        .map(|(value, note)| Offered {
            value: Some(value.into()),
            help: note.into(),
            ..Offered::command(row)
        })
        .collect();
    let told = || Offered { help: row.behind_name().into(), ..Offered::command(row) };
    if values.is_empty() { vec![told()] } else { values }
}
