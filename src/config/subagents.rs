//! Sub-agents: the two that are built in, and Markdown files of the project and of the user, in the places where other programs
//! keep theirs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::AgentEntry;
use super::agent_tools::{AgentTools, tools_are};
use super::environment::Environment;
use super::fault::one_line;
use super::front_matter::{body, fault, head, member};
use super::trusted::{Content, agents_of_user, command_name};
use crate::policy::Mode;
use crate::tool::name::{FETCH, GLOB, LANE, LIST, READ, SEARCH};

/// Most bytes of one file: it becomes a part of a system prompt.
pub(super) const MOST_BYTES: usize = 64 * 1024;
/// Most letters of a name: its tool is `delegate_to_NAME`, of at most 64.
const MOST_OF_NAME: usize = 50;
/// What is wrong with an agent that is called as a lane of a race is.
pub(crate) const LANES_ONLY: &str = "names that begin with `lane_` are those of the lanes of a race";
/// Most letters of a description: the model reads it with every request.
const MOST_OF_DESCRIPTION: usize = 1_024;
/// Most turns that a file may ask for.
pub(super) const MOST_TURNS: u64 = 10_000;

/// A sub-agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subagent {
    /// Its name.
    pub name: String,
    /// What it is for: the model reads it.
    pub description: String,
    /// What it is told, in the place of what the session's model is told.
    pub instructions: String,
    /// The tools that it has; `None`: all that the session has.
    pub tools: Option<Vec<String>>,
    /// Tools that it does not have.
    pub without: Vec<String>,
    /// Its model; `None`: that of the session.
    pub model: Option<String>,
    /// Its mode, where that is stricter than the session's.
    pub mode: Option<Mode>,
    /// The most turns of one task.
    pub turns: Option<u64>,
    /// Whether it works in the background unless a call says otherwise.
    pub in_background: bool,
    /// Whether each task has a git worktree of its own.
    pub in_worktree: bool,
    /// Its file; `None`: it is built in.
    pub file: Option<PathBuf>,
}

/// The sub-agents that a configuration knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSubagents {
    /// All of them; the first of a name counts.
    pub all: Vec<Subagent>,
    /// How many may be at work at once; 0: there are none.
    pub most_at_once: u64,
    /// Those of `[agents.NAME]`, as they are written.
    pub defined: BTreeMap<String, AgentEntry>,
}

impl Default for KnownSubagents {
    fn default() -> Self {
        Self { all: Vec::new(), most_at_once: 4, defined: BTreeMap::new() }
    }
}

impl Subagent {
    /// Reads a file of this name (without its ending), as Claude Code, opencode and Gemini write them. Keys that mean nothing
    /// here are left alone.
    ///
    /// # Errors
    /// What is wrong with it, in a few words.
    fn parse(name: &str, file: PathBuf, text: &str) -> Result<ReadAgent, String> {
        if text.len() > MOST_BYTES {
            return Err(format!("it is larger than {MOST_BYTES} bytes"));
        }
        if text.contains('\0') {
            return Err("it is not text".to_owned());
        }
        let head = head(text).ok_or("it does not begin with a header between two `---` lines")?;
        if let Some((line, why)) = fault(head) {
            return Err(format!("line {line} of its header cannot be read: {why}"));
        }
        let said = |names: &[&str]| {
            let found = names.iter().find_map(|name| member(head, name));
            found.map(|said| said.trim().to_owned()).filter(|said| !said.is_empty())
        };
        let name = said(&["name"]).unwrap_or_else(|| name.to_owned());
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > MOST_OF_NAME || !name.chars().all(fits) {
            return Err(format!("its name must be at most {MOST_OF_NAME} letters, digits, `-` and `_`"));
        }
        if name.starts_with(LANE) {
            return Err(LANES_ONLY.to_owned());
        }
        let description = said(&["description"]).ok_or("it has no `description`")?;
        let instructions = body(text).trim().to_owned();
        if instructions.is_empty() {
            return Err("it says nothing below its header".to_owned());
        }
        let AgentTools { tools, without, elsewhere, unknown } = AgentTools::read(head)?;
        let one_of = |name: &str, known: &[&str]| match said(&[name]) {
            Some(other) if !known.contains(&other.as_str()) => Err(wrong_value(name, &other, known)),
            said => Ok(said),
        };
        let in_worktree = one_of("isolation", &["worktree", "none"])?.as_deref() == Some("worktree");
        let in_background = one_of("background", &["true", "false"])?.as_deref() == Some("true");
        let subagent = Self {
            description: one_line(&description).chars().take(MOST_OF_DESCRIPTION).collect(),
            tools,
            without,
            model: said(&["model"]).filter(|model| !is_session_model(model)),
            mode: mode(said(&["permissionMode"]), said(&["mode"]))?,
            turns: turns(said(&["maxTurns", "max_turns", "steps", "maxSteps"]).as_deref())?,
            in_background,
            in_worktree,
            name,
            instructions,
            file: Some(file),
        };
        Ok(ReadAgent { subagent, elsewhere, unknown })
    }
}

/// An agent file that was read, and the names of tools in it that are none here.
#[derive(Debug)]
struct ReadAgent {
    subagent: Subagent,
    /// Those of other programs.
    elsewhere: Vec<String>,
    /// Those of nothing.
    unknown: Vec<String>,
}

fn wrong_value(name: &str, value: &str, known: &[&str]) -> String {
    let known: Vec<String> = known.iter().map(|known| format!("`{known}`")).collect();
    format!("its `{name}` is `{}`; it can be {}", one_line(value), known.join(", "))
}

/// The mode that it asks for. Others have names of their own for modes. opencode's `mode` says who may call the agent, which is no
/// permission.
fn mode(permission: Option<String>, mode: Option<String>) -> Result<Option<Mode>, String> {
    const ROLES: [&str; 3] = ["primary", "subagent", "all"];
    const THEIRS: [&str; 4] = ["default", "dontAsk", "acceptEdits", "bypassPermissions"];
    let (key, said) = match (permission, mode) {
        (Some(said), _) => ("permissionMode", said),
        (None, Some(said)) if ROLES.contains(&said.as_str()) => return Ok(None),
        (None, Some(said)) => ("mode", said),
        (None, None) => return Ok(None),
    };
    match said.as_str() {
        "default" | "dontAsk" => Ok(Some(Mode::Ask)),
        "acceptEdits" => Ok(Some(Mode::Edit)),
        "bypassPermissions" => Ok(Some(Mode::Unrestricted)),
        other => Mode::parse(other).map(Some).map_err(|_other| {
            let known: Vec<&str> = Mode::ALL.iter().map(|mode| mode.as_str()).chain(THEIRS).collect();
            wrong_value(key, other, &known)
        }),
    }
}

/// Names of models that only another program knows mean the session's own.
pub(super) fn is_session_model(model: &str) -> bool {
    ["inherit", "sonnet", "opus", "haiku", "default"].contains(&model)
}

fn turns(said: Option<&str>) -> Result<Option<u64>, String> {
    let Some(said) = said else { return Ok(None) };
    match said.parse::<u64>() {
        Ok(turns) if (1..=MOST_TURNS).contains(&turns) => Ok(Some(turns)),
        _ => Err(format!("its turns must be a whole number from 1 to {MOST_TURNS}")),
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
    };
    let reads = [READ, LIST, GLOB, SEARCH, FETCH].map(str::to_owned).to_vec();
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

fn read(files: Vec<(PathBuf, String)>, known: &[Subagent]) -> (Vec<Subagent>, Vec<String>) {
    let (mut all, mut wrong) = (Vec::<Subagent>::new(), Vec::new());
    let (mut elsewhere, mut of_others) = (BTreeSet::new(), Vec::new());
    for (file, text) in files {
        match Subagent::parse(&command_name(&file), file.clone(), &text) {
            Ok(found) if known.iter().chain(&all).any(|other| other.name == found.subagent.name) => {}
            Ok(found) => {
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
            "{whose} tools that a sub-agent has not here, which are ignored: {}",
            names.join(", ")
        ));
    }
    (all, wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Subagent, String> {
        read_agent(text).map(|read| read.subagent)
    }

    fn read_agent(text: &str) -> Result<ReadAgent, String> {
        Subagent::parse("reviewer", PathBuf::from("/r/.claude/agents/reviewer.md"), text)
    }

    #[test]
    fn a_file_is_read_as_other_programs_write_it() {
        let claude = parsed(
            "---\nname: code-reviewer\ndescription: Reviews code\ntools: Read, Grep, Bash(git:*)\nmodel: inherit\n\
             permissionMode: plan\nmaxTurns: 7\nisolation: worktree\nbackground: true\ncolor: red\n---\nReview it.\n",
        )
        .unwrap();
        let tools = ["read", "search", "shell", "shell_output", "shell_kill"].map(str::to_owned).to_vec();
        assert_eq!((claude.name.as_str(), claude.tools), ("code-reviewer", Some(tools)));
        assert_eq!((claude.mode, claude.turns, claude.model), (Some(Mode::Plan), Some(7), None));
        assert!(claude.in_background && claude.in_worktree);
        let listed = parsed(
            "---\ndescription: x\ntools:\n  - Read\n  - mcp__a__b\ndisallowedTools: [Write]\n---\nGo.",
        )
        .unwrap();
        assert_eq!(listed.tools, Some(vec!["read".to_owned(), "mcp__a__b".to_owned()]));
        assert_eq!((listed.name.as_str(), listed.without), ("reviewer", vec!["write".to_owned()]));
        let opencode =
            parsed("---\ndescription: x\nmode: subagent\nmodel: anthropic/claude\nsteps: 3\n---\nGo.")
                .unwrap();
        assert_eq!(
            (opencode.mode, opencode.model.as_deref(), opencode.turns),
            (None, Some("anthropic/claude"), Some(3))
        );
    }

    #[test]
    fn what_is_no_sub_agent_says_why() {
        for (text, why) in [
            ("Go.", "does not begin with a header"),
            ("---\nname: x\n---\nGo.", "no `description`"),
            ("---\ndescription: x\n---\n", "nothing below"),
            ("---\ndescription: x\nname: a b\n---\nGo.", "its name"),
            ("---\ndescription: x\nname: lane_1\n---\nGo.", "lanes of a race"),
            ("---\ndescription: x\nmaxTurns: many\n---\nGo.", "its turns"),
            (
                "---\ndescription: x\npermissionMode: planning\n---\nGo.",
                "its `permissionMode` is `planning`; it can be",
            ),
            ("---\ndescription: x\nmode: planning\n---\nGo.", "its `mode` is `planning`; it can be"),
            (
                "---\ndescription: x\nbackground: yes\n---\nGo.",
                "its `background` is `yes`; it can be `true`, `false`",
            ),
            (
                "---\ndescription: x\nisolation: container\n---\nGo.",
                "its `isolation` is `container`; it can be",
            ),
            (
                "---\ndescription: x\ndisallowedTools: Wirte\n---\nGo.",
                "not to have the tool `Wirte`, and there is none; the tools are",
            ),
            ("---\ndescription: \"x\n---\nGo.", "line 2 of its header"),
        ] {
            assert!(parsed(text).unwrap_err().contains(why), "{text}");
        }
    }

    #[test]
    fn names_of_tools_that_are_none_here_are_told() {
        let read = read_agent("---\ndescription: x\ntools: Read, WebSearch, Raed, Task\n---\nGo.").unwrap();
        assert_eq!(read.subagent.tools, Some(vec!["read".to_owned()]));
        assert_eq!(
            (read.elsewhere, read.unknown),
            (vec!["WebSearch".to_owned(), "Task".to_owned()], vec!["Raed".to_owned()])
        );
        let file = |name: &str, tools: &str| {
            (PathBuf::from(format!("/r/{name}.md")), format!("---\ndescription: x\ntools: {tools}\n---\nGo."))
        };
        let files = vec![file("a", "Read, WebSearch"), file("b", "Raed"), file("c", "Skill, Read")];
        let (all, said) = super::read(files, &[]);
        assert_eq!(all.len(), 3);
        assert!(said[0].starts_with("/r/b.md: there is no tool `Raed`; the tools are read, "), "{said:?}");
        assert!(
            said[1].starts_with("/r/a.md and 1 more: ") && said[1].ends_with(": Skill, WebSearch"),
            "{said:?}"
        );
        assert_eq!(said.len(), 2);
    }
}
