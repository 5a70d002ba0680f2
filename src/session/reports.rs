//! What the pages of a running session say: its status, its servers, agents and skills, what needs trust, what has changed.

use std::path::PathBuf;
use std::sync::Arc;

use super::changes_report;
use super::family::Family;
use super::instructions;
use super::racing::{lanes_of, page};
use super::undo::Undoing;
use crate::config::commands::CustomCommand;
use crate::config::environment::Environment;
use crate::config::fault::one_line;
use crate::config::models::dollars;
use crate::config::peers::described;
use crate::config::trusted::Book;
use crate::config::{AgentEntry, Config, Invocation, McpEntry, demands, project_files, skills, user_file};
use crate::ledger::MicroDollars;
use crate::runtime::sandbox::support;
use crate::runtime::store::{find, list};
use crate::tool::BroughtTools;
use crate::tool::name::{delegate, mcp};
use crate::ui::commands::is_built_in;
use crate::ui::report::{Question, ReportPart, Subject};
use crate::ui::short_number;
use crate::ui::status_line::StatusFacts;

/// Answers what is asked about a session.
#[derive(Debug, Clone)]
pub(crate) struct Reporter {
    state: PathBuf,
    id: String,
    cwd: PathBuf,
    environment: Environment,
    undo: Undoing,
    /// What does not change while it runs.
    fixed: Arc<Fixed>,
}

#[derive(Debug)]
struct Fixed {
    status: Vec<(&'static str, String)>,
    servers: Vec<(String, Vec<String>)>,
    agents: Vec<(String, Vec<String>)>,
    subagents: Vec<(String, String)>,
    agent_files: Vec<String>,
    skills: Vec<(String, Vec<String>)>,
    commands: Vec<(String, Vec<String>)>,
    /// What is wrong with files of commands and skills.
    broken: Vec<String>,
}

impl Reporter {
    /// About the session of this id.
    pub(crate) fn new(invocation: &Invocation, state: PathBuf, id: String, undo: Undoing) -> Self {
        let Invocation { cwd, environment, config, .. } = invocation;
        let fixed = Fixed {
            status: started_with(invocation),
            servers: described::<McpEntry>(config),
            agents: described::<AgentEntry>(config),
            subagents: super::subagents::named(config),
            agent_files: config.subagents.said.clone(),
            skills: skills_of(config, cwd),
            commands: commands_of(config, cwd),
            broken: config.commands.broken.clone(),
        };
        Self { state, id, cwd: cwd.clone(), environment: environment.clone(), undo, fixed: Arc::new(fixed) }
    }

    /// Answers; reads files, and starts or reaches nobody.
    pub(crate) fn answer(&self, question: &Question) -> Vec<ReportPart> {
        let fixed = &self.fixed;
        let brought = question.brought.as_ref();
        match question.subject {
            Subject::Status => self.status(&question.facts),
            Subject::Servers => {
                let of = |server: &str| {
                    tools(brought, |name| {
                        mcp(name).filter(|(of, _)| *of == server).map(|(_, tool)| tool.to_owned())
                    })
                };
                let none = "No MCP server is configured. `countersign mcp --help` says how to add one.";
                peers(&fixed.servers, none, of, brought)
            }
            Subject::Agents => {
                let of = |agent: &str| {
                    tools(brought, |name| (delegate(name) == Some(agent)).then(|| name.to_owned()))
                };
                let none =
                    "No agent elsewhere is configured. `countersign agents --help` says how to add one.";
                let mut parts = peers(&fixed.agents, none, of, brought);
                // What is not as its file says stands above what is.
                if !fixed.agent_files.is_empty() {
                    parts.push(ReportPart::Heading("agent files".to_owned()));
                }
                parts.extend(fixed.agent_files.iter().map(|said| ReportPart::Line(one_line(said))));
                if !fixed.subagents.is_empty() {
                    parts.push(ReportPart::Heading("sub-agents".to_owned()));
                }
                parts.extend(
                    fixed.subagents.iter().map(|(name, about)| ReportPart::fact(name, about.clone())),
                );
                parts
            }
            Subject::Skills => self.skills(),
            Subject::Trust => self.trust(),
            Subject::Tree => self.tree(),
            Subject::Race => self.race(),
            Subject::Changes => {
                changes_report::changes(&self.undo).unwrap_or_else(|why| vec![ReportPart::Line(why)])
            }
        }
    }

    fn race(&self) -> Vec<ReportPart> {
        match lanes_of(&self.state, &self.id, &self.cwd) {
            Ok(lanes) if lanes.is_empty() => {
                vec![ReportPart::note("This session had no race. `/race TASK | check: COMMAND` starts one.")]
            }
            Ok(lanes) => page(&lanes),
            Err(why) => vec![ReportPart::Line(why)],
        }
    }

    /// The other end of each branch, and how to look at it.
    fn tree(&self) -> Vec<ReportPart> {
        let sessions = list(&self.state).sessions;
        let told = Family::of(&sessions).around(&self.id);
        if told.is_empty() {
            return vec![ReportPart::note(
                "This session has no branches. `/fork`, `/rewind` and `/whatif` make some.",
            )];
        }
        let how = "`/resume` continues one; the page Branches of the ledger, or /compare with \
         --screen-reader, shows two side by side.";
        told.into_iter()
            .map(ReportPart::Line)
            .chain([ReportPart::Heading(String::new()), ReportPart::note(how)])
            .collect()
    }

    fn status(&self, now: &StatusFacts) -> Vec<ReportPart> {
        let file = find(&self.state, &self.id).ok();
        let file = file.map_or_else(
            || "written with the first message".to_owned(),
            |file| self.environment.shown(&file),
        );
        let effort =
            now.effort.map_or_else(|| "the vendor's default".to_owned(), |effort| effort.as_str().to_owned());
        let percent = (now.context * 100).checked_div(now.window).unwrap_or_default();
        let cost = match now.cost {
            Some(MicroDollars(cost)) => format!("${}", dollars(cost)),
            // Before the first answer there is nothing that has a price.
            None if now.context == 0 => "nothing yet".to_owned(),
            None => "unknown".to_owned(),
        };
        let (used, window) = (short_number(now.context), short_number(now.window));
        let context = format!("{used} of {window} tokens ({percent} %)");
        let mut parts = vec![
            ReportPart::Heading("Session".to_owned()),
            ReportPart::fact("id", &self.id),
            ReportPart::fact("file", file),
            ReportPart::fact("model", &now.model),
            ReportPart::fact("effort", effort),
            ReportPart::fact("mode", now.mode),
            ReportPart::fact("context", context),
            ReportPart::fact("cost", cost),
            ReportPart::Heading("Started with".to_owned()),
        ];
        parts.extend(self.fixed.status.iter().map(|(name, value)| ReportPart::fact(name, value)));
        parts
    }

    fn skills(&self) -> Vec<ReportPart> {
        let mut parts = blocks(&self.fixed.skills);
        if parts.is_empty() {
            parts.push(ReportPart::note(
                "No skills are in force. A skill is a file .agents/skills/NAME/SKILL.md.",
            ));
        }
        for (name, lines) in &self.fixed.commands {
            parts.push(ReportPart::Heading(format!("/{name}")));
            parts.extend(lines.iter().cloned().map(ReportPart::Line));
        }
        if !self.fixed.broken.is_empty() {
            parts.push(ReportPart::Heading("Broken files".to_owned()));
            parts.extend(self.fixed.broken.iter().map(|said| ReportPart::Line(one_line(said))));
        }
        let waiting = self.untrusted_skills();
        if !waiting.is_empty() {
            parts.push(ReportPart::Heading("Not trusted yet".to_owned()));
            parts.extend(waiting.into_iter().map(ReportPart::Line));
            parts.push(ReportPart::note(
                "`countersign trust` shows them and asks; they are in force once countersign is started again.",
            ));
        }
        parts
    }

    fn untrusted_skills(&self) -> Vec<String> {
        let found = demands(&self.cwd, &self.environment).unwrap_or_default();
        let Ok(book) = Book::read(&self.environment) else { return Vec::new() };
        let waiting = found.iter().filter(|demands| !book.trusts(&demands.content));
        let skills = waiting.flat_map(|demands| demands.all.iter().filter(|demand| demand.is_skill));
        skills.map(|demand| format!("{} {}", demand.verb, demand.what)).collect()
    }

    fn trust(&self) -> Vec<ReportPart> {
        let (found, book) = match (demands(&self.cwd, &self.environment), Book::read(&self.environment)) {
            (Ok(found), Ok(book)) => (found, book),
            (Err(why), _) | (_, Err(why)) => return vec![ReportPart::Line(why.to_string())],
        };
        if found.is_empty() {
            return vec![ReportPart::note("No file of this folder asks for anything.")];
        }
        let mut parts = Vec::new();
        for demands in &found {
            let standing = match (demands.need_trust(), book.trusts(&demands.content)) {
                (false, _) => "nothing here needs trust",
                (true, true) => "trusted, with exactly these contents",
                (true, false) => "not trusted: what needs trust is not in force",
            };
            parts.push(ReportPart::Heading(self.environment.shown(demands.content.folder())));
            parts.push(ReportPart::note(standing));
            parts.extend(demands.lines().into_iter().map(ReportPart::Line));
        }
        parts.push(ReportPart::Heading("To decide".to_owned()));
        parts.push(ReportPart::note(
            "Run `countersign trust` in a shell; it asks. What you decide is in force once countersign is started again: \
             /new keeps the configuration that it was started with.",
        ));
        parts
    }
}

fn blocks(all: &[(String, Vec<String>)]) -> Vec<ReportPart> {
    let block = |(name, lines): &(String, Vec<String>)| {
        let lines = lines.iter().cloned().map(ReportPart::Line);
        std::iter::once(ReportPart::Heading(name.clone())).chain(lines).collect::<Vec<_>>()
    };
    all.iter().flat_map(block).collect()
}

/// Peers with the tools that they have brought, and what is missing.
fn peers(
    all: &[(String, Vec<String>)],
    none: &str,
    tools: impl Fn(&str) -> Option<String>,
    brought: Option<&BroughtTools>,
) -> Vec<ReportPart> {
    if all.is_empty() {
        return vec![ReportPart::note(none)];
    }
    let with_tools = |(name, lines): &(String, Vec<String>)| {
        let lines = lines.iter().cloned().chain(tools(name)).collect();
        (name.clone(), lines)
    };
    let mut parts = blocks(&all.iter().map(with_tools).collect::<Vec<_>>());
    match brought {
        None => {
            parts.push(ReportPart::Heading("Not connected yet".to_owned()));
            parts.push(ReportPart::note(
                "They are asked for their tools when the session begins; this page will show them then.",
            ));
        }
        Some(brought) if !brought.missing.is_empty() => {
            parts.push(ReportPart::Heading("Missing".to_owned()));
            parts.extend(brought.missing.iter().cloned().map(ReportPart::Line));
        }
        Some(_) => {}
    }
    parts
}

/// The tools that one of them has brought, in one line.
fn tools(brought: Option<&BroughtTools>, of: impl Fn(&str) -> Option<String>) -> Option<String> {
    let names: Vec<String> = brought?.names.iter().filter_map(|name| of(name)).collect();
    (!names.is_empty()).then(|| format!("tools: {}", names.join(", ")))
}

fn skills_of(config: &Config, cwd: &std::path::Path) -> Vec<(String, Vec<String>)> {
    let described = |(skill, file): &(skills::Skill, PathBuf)| {
        let who = match (skill.is_callable, skill.is_told) {
            (true, false) if is_built_in(&skill.name) => {
                format!(
                    "called by nobody: /{} is a built-in command; the model is not told of it",
                    skill.name
                )
            }
            (false, false) => {
                "called by nobody: there is no slash command for it; the model is not told of it".to_owned()
            }
            (true, true) if is_built_in(&skill.name) => {
                format!("called by the model; /{} is a built-in command", skill.name)
            }
            (true, true) => format!("called by /{}, or by the model", skill.name),
            (true, false) => format!("called by /{}; the model is not told of it", skill.name),
            (false, true) => "called by the model; there is no slash command for it".to_owned(),
        };
        let can_run = skill.is_callable && !is_built_in(&skill.name);
        let runs = if can_run { skill.template.commands() } else { Vec::new() };
        let mut lines = vec![skill.description.clone(), who];
        lines.extend(runs.into_iter().map(|run| format!("asks before it runs: {run}")));
        lines.push(skills::file_in(file, cwd));
        (skill.name.clone(), lines)
    };
    config.skills.iter().map(described).collect()
}

/// The custom commands; one that a command of ours hides says so.
fn commands_of(config: &Config, cwd: &std::path::Path) -> Vec<(String, Vec<String>)> {
    let described = |custom: &CustomCommand| {
        let command = custom.named(cwd);
        let mut lines = vec![command.description.clone()];
        lines
            .extend(command.template.commands().into_iter().map(|run| format!("asks before it runs: {run}")));
        let is_skill =
            |name: &str| config.skills.iter().any(|(skill, _)| skill.is_callable && skill.name == name);
        if is_built_in(&command.name) {
            lines.push("cannot be called: a built-in command has this name".to_owned());
        } else if is_skill(&command.name) {
            lines.push("cannot be called: a skill has this name".to_owned());
        }
        lines.push(command.file);
        (command.name, lines)
    };
    config.commands.usable.iter().map(described).collect()
}

/// What the session was started with: names and values.
fn started_with(invocation: &Invocation) -> Vec<(&'static str, String)> {
    let Invocation { cwd, environment, config, .. } = invocation;
    let list = |all: Vec<String>| if all.is_empty() { "none".to_owned() } else { all.join(", ") };
    let shown = |paths: Vec<PathBuf>| list(paths.iter().map(|path| environment.shown(path)).collect());
    let files = user_file(environment).into_iter().filter(|file| file.exists()).chain(project_files(cwd));
    let sandbox = support().refuses(false).map_or_else(
        || "available: commands in mode auto run in it".to_owned(),
        |why| format!("not available: {why}"),
    );
    let count = |all: usize| all.to_string();
    vec![
        ("version", env!("COUNTERSIGN_VERSION").to_owned()),
        ("folder", environment.shown(cwd)),
        ("configuration", shown(files.collect())),
        ("instructions", shown(instructions::named(invocation))),
        ("sandbox", sandbox),
        ("MCP servers", count(config.mcp_servers.len())),
        ("agents", count(config.agents.len())),
        ("hooks", count(config.hooks.len())),
        ("skills", count(config.skills.len())),
    ]
}
