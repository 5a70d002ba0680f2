//! Sub-agents: the two that are built in, and Markdown files of the project and of the user, in the places where other programs
//! keep theirs.

mod file;
mod permission;
mod subagent;
pub(super) mod tools;

pub(crate) use subagent::Subagent;
pub(super) use subagent::{LANES_ONLY, MOST_BYTES, MOST_TURNS, is_session_model};

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::AgentEntry;
use super::environment::Environment;
use super::fault::one_line;
use super::trusted::{Content, agents_of_user, command_name};
use crate::ledger::{WEB_FETCH, WEB_SEARCH};
use crate::tool::name::{FETCH, GLOB, LIST, READ, SEARCH};
use file::ReadAgent;
use tools::tools_are;

/// The sub-agents that a configuration knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSubagents {
    /// All of them; the first of a name counts.
    pub all: Vec<Subagent>,
    /// What is to be said of their files, a sentence each: which are ignored, and what of them.
    pub said: Vec<String>,
    /// How many may be at work at once; 0: there are none.
    pub most_at_once: u64,
    /// Those of `[agents.NAME]`, as they are written.
    pub defined: BTreeMap<String, AgentEntry>,
}

impl Default for KnownSubagents {
    fn default() -> Self {
        Self { all: Vec::new(), said: Vec::new(), most_at_once: 4, defined: BTreeMap::new() }
    }
}

/// The two that are always there: one that only looks, and one that can do all that the session can.
pub(crate) fn built_in() -> Vec<Subagent> {
    let plain = |name: &str, description: &str, instructions: &str| Subagent {
        name: name.to_owned(),
        description: description.to_owned(),
        instructions: instructions.to_owned(),
        tools: None,
        without: Vec::new(),
        model: None,
        mode: None,
        turns: None,
        in_background: false,
        in_worktree: false,
        file: None,
        is_off: false,
    };
    let reads = [READ, LIST, GLOB, SEARCH, FETCH, WEB_FETCH, WEB_SEARCH].map(str::to_owned).to_vec();
    vec![
        Subagent { tools: Some(reads), ..plain("explore", EXPLORE, EXPLORES) },
        plain("general", GENERAL, WORKS),
    ]
}

const EXPLORE: &str = "Searches and reads the project in a context of its own and reports what it found, with paths and line \
    numbers. It changes nothing. Use it for questions that need many files to be read.";
const EXPLORES: &str = "You look into a project for another agent, which sees nothing but your last message. Search and read as \
    much as the task needs; change nothing. Answer with what was asked for and the paths and line numbers that show it, and say \
    what you did not find.";
const GENERAL: &str = "Does a task of several steps in a context of its own, with the tools that you have, and reports what it \
    did. Use it for a part of the work that can be described completely in one message.";
const WORKS: &str = "You do a task for another agent, which sees nothing but your last message. Do all of it and nothing beyond \
    it. End with what you did, which files you changed, what you checked and how, and what you left undone.";

/// The sub-agents among a folder's files, and what is wrong with the others, a sentence each. The first of a name counts.
pub(crate) fn of(content: &Content) -> (Vec<Subagent>, Vec<String>) {
    let files = content.agents().map(|(name, text)| (content.path(name), text));
    read(files.collect(), &[])
}

/// The sub-agents of the user that none of the project has the name of; and what is wrong with the others.
pub(crate) fn of_user(environment: &Environment, known: &[Subagent]) -> (Vec<Subagent>, Vec<String>) {
    let (files, refused) = agents_of_user(environment.home().as_deref(), environment.config_dir().as_deref());
    let (found, wrong) = read(files, known);
    (found, refused.into_iter().map(|(_, why)| why).chain(wrong).collect())
}

/// That a file counts for nothing since another one in its folder has taken the name. One of another folder is in its place on purpose.
fn beside_another(file: &Path, name: &str, all: &[Subagent]) -> Option<String> {
    let first = all.iter().find(|other| other.name == name)?.file.as_deref()?;
    let is_beside = first.parent() == file.parent();
    is_beside.then(|| {
        let first = first.file_name().unwrap_or_default().to_string_lossy();
        format!(
            "{}: {first} beside it has the name `{name}` already; the sub-agent is ignored",
            file.display()
        )
    })
}

pub(super) fn read(files: Vec<(PathBuf, String)>, known: &[Subagent]) -> (Vec<Subagent>, Vec<String>) {
    let (mut all, mut wrong) = (Vec::<Subagent>::new(), Vec::new());
    let (mut elsewhere, mut of_others) = (BTreeSet::new(), Vec::new());
    for (file, text) in files {
        match ReadAgent::parse(&command_name(&file), file.clone(), &text) {
            Ok(found) if known.iter().chain(&all).any(|other| other.name == found.subagent.name) => {
                wrong.extend(beside_another(&file, &found.subagent.name, &all));
            }
            Ok(found) => {
                let told = |note: &String| format!("{}: {note}", file.display());
                wrong.extend(found.notes.iter().map(told));
                if !found.unknown.is_empty() {
                    let names: Vec<String> =
                        found.unknown.iter().map(|name| format!("`{}`", one_line(name))).collect();
                    wrong.push(format!(
                        "{}: there is no tool {}; {}",
                        file.display(),
                        names.join(", "),
                        tools_are()
                    ));
                }
                if !found.elsewhere.is_empty() {
                    elsewhere.extend(found.elsewhere);
                    of_others.push(file);
                }
                all.push(found.subagent);
            }
            Err(why) => wrong.push(format!("{}: {why}; the sub-agent is ignored", file.display())),
        }
    }
    // Nearly every file of another program names some: that is one sentence.
    if let Some(first) = of_others.first() {
        let whose = match of_others.len() {
            1 => format!("{}: it names", first.display()),
            many => format!("{} and {} more: they name", first.display(), many - 1),
        };
        let names: Vec<String> = elsewhere.into_iter().collect();
        wrong.push(format!(
            "{whose} tools that sub-agents do not have here; these are ignored: {}",
            names.join(", ")
        ));
    }
    (all, wrong)
}
