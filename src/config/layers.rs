//! The layers of the configuration, the weakest first: the user's file, the project's, the environment, the command line.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{
    AgentEntry, CommandLineSetting, Config, McpEntry, Source, agents, apply, home_rules, keys, mcp, peers,
    projects, setting, setting::Setting, user_file,
};
use crate::config::environment::Environment;
use crate::config::fault::Fault;
use crate::config::project;
use crate::config::reading;
use crate::config::reading::Reading;
use crate::config::trusted::{Book, CONFIG, Content, SHARED_SERVERS, called_name};
use crate::config::{commands, skills, subagents};
use crate::policy::shell::shell_word;
use crate::ui::commands::is_built_in;

/// Most bytes of the user's file.
const MOST_BYTES: u64 = 1024 * 1024;

/// Reads all layers.
///
/// # Errors
/// The first wrong key or value, with its place; a file of trusted folders that cannot be used; exit 2.
pub fn load(cwd: &Path, environment: &Environment, given: &[CommandLineSetting]) -> Result<Config, Fault> {
    let mut config = Config::default();
    for setting in of_user(environment)? {
        apply::set(&mut config, &setting).map_err(|wrong| correct_file(&wrong))?;
    }
    let contents = contents(cwd).into_iter().collect::<Result<Vec<_>, Fault>>()?;
    let book = if contents.is_empty() { Book::default() } else { Book::read(environment)? };
    for content in &contents {
        let settings = of_project(content, Some(&book), &mut config)?;
        if let Some(wrong) = projects::set_all(&mut config, &settings).first() {
            return Err(correct_project_file(&content.path(CONFIG), wrong));
        }
    }
    add_what_the_user_has(&mut config, environment);
    let (built_in, known) = (subagents::built_in().into_iter(), &config.subagents.all);
    let more: Vec<_> = built_in.filter(|one| known.iter().all(|other| other.name != one.name)).collect();
    config.subagents.all.extend(more);
    config.subagents.all.retain(|known| !known.is_off);
    for setting in
        from_environment(environment).map_err(|wrong| Fault::usage(wrong, "correct or unset the variable"))?
    {
        apply::set(&mut config, &setting)
            .map_err(|wrong| Fault::usage(wrong, "correct or unset the variable"))?;
    }
    for setting in from_command_line(given).map_err(|wrong| correct_flag(&wrong))? {
        apply::set(&mut config, &setting).map_err(|wrong| correct_flag(&wrong))?;
    }
    keys::check(&config).map_err(|wrong| correct_file(&wrong))?;
    peers::check::<McpEntry>(&config).map_err(|wrong| correct_file(&wrong))?;
    peers::check::<AgentEntry>(&config).map_err(|wrong| correct_file(&wrong))?;
    agents::local::take_up(&mut config);
    if let Some(home) = environment.home() {
        home_rules::expand(&mut config.rules, &home);
    }
    home_rules::follow_links(&mut config.rules);
    Ok(config)
}

/// The skills, commands and sub-agents of the user, behind those of the project.
pub(super) fn add_what_the_user_has(config: &mut Config, environment: &Environment) {
    if let Some(home) = environment.home() {
        let (skills, wrong) = skills::of_user(&home, &config.skills);
        config.skills.extend(skills);
        ignore(config, wrong);
    }
    let (custom, wrong) = commands::of_user(environment, &config.commands.usable);
    config.commands.usable.extend(custom);
    ignore(config, wrong);
    let (found, wrong) = subagents::of_user(environment, &config.subagents.all);
    config.subagents.all.extend(found);
    of_agent_files(config, wrong);
}

/// Files that are no commands, or no skills, are named once, and whoever calls one hears of it again.
fn ignore(config: &mut Config, wrong: commands::Ignored) {
    for (file, why) in wrong {
        config.commands.ignored.push((called_name(&file), why.clone()));
        config.commands.broken.push(why.clone());
        config.asides.push(why);
    }
}

/// What cannot be read of a project's files is named in the same way.
fn leave_out(config: &mut Config, content: &Content) {
    for (name, said) in content.left_out() {
        // Servers are what a project would start: that these are not is no aside.
        let list = if name == SHARED_SERVERS { &mut config.warnings } else { &mut config.asides };
        list.push(said);
    }
    let called: Vec<_> = content.left_out_by_name().collect();
    config.commands.broken.extend(called.iter().map(|(_, why)| why.clone()));
    config.commands.ignored.extend(called);
}

/// What the user's own file says.
pub(super) fn of_user(environment: &Environment) -> Result<Vec<Setting>, Fault> {
    let Some(file) = user_file(environment) else { return Ok(Vec::new()) };
    let source = Source::User(Arc::new(file.clone()), 0);
    read(&file, &source)
}

/// The folders from the repository's root down to `cwd` that have files to be trusted, or why one cannot be read.
pub(super) fn contents(cwd: &Path) -> Vec<Result<Content, Fault>> {
    let folders = project::path_down(cwd);
    folders.iter().filter_map(|folder| Content::of(folder).transpose()).collect()
}

/// Takes in what is to be said of agent files: at the start, and on their page.
fn of_agent_files(config: &mut Config, said: Vec<String>) {
    config.subagents.said.extend(said.iter().cloned());
    config.asides.extend(said);
}

/// What a project's files say, as trusted ones or as such that can only tighten; the configuration is told which, and what
/// of them is left out. Without a book of trust: what they would say.
///
/// # Errors
/// What is wrong with a file. The one that is shared with other programs stops nobody who has not trusted it.
pub(super) fn of_project(
    content: &Content,
    book: Option<&Book>,
    config: &mut Config,
) -> Result<Vec<Setting>, Fault> {
    let is_trusted = book.is_some_and(|book| book.trusts(content));
    leave_out(config, content);
    let (skills, wrong) = skills::of(content);
    ignore(config, wrong);
    let (custom, wrong) = commands::of(content);
    ignore(config, wrong);
    let (found, wrong) = subagents::of(content);
    of_agent_files(config, wrong);
    if is_trusted {
        let has = |name: &str| found.iter().any(|one| one.name == name);
        config.subagents.all.retain(|known| !has(&known.name));
        config.subagents.all.extend(found);
        // The nearest of a name counts.
        config.skills.retain(|(known, _)| skills.iter().all(|(skill, _)| skill.name != known.name));
        config.skills.extend(skills);
        let has = |name: &str| custom.iter().any(|one| one.command.name == name);
        config.commands.usable.retain(|known| !has(&known.command.name));
        config.commands.usable.extend(custom);
    } else if book.is_some() && !(skills.is_empty() && custom.is_empty() && found.is_empty()) {
        let callable = custom.iter().filter(|one| !is_built_in(&one.command.name)).count();
        if !skills.is_empty() || found.iter().any(|one| !one.is_off) || callable > 0 {
            let offered = found.iter().filter(|one| !one.is_off).count();
            config.warnings.push(waiting(content.folder(), skills.len(), callable, offered));
        }
        let callable = skills.iter().filter(|(skill, _)| skill.is_callable);
        let names = callable.map(|(skill, file)| (&skill.name, file));
        let names = names.chain(custom.iter().map(|one| (&one.command.name, &one.file)));
        config.commands.ignored.extend(names.map(|(name, file)| (name.clone(), not_trusted_yet(file))));
    }
    let mut settings = Vec::new();
    for (name, text) in [SHARED_SERVERS, CONFIG].map(|name| (name, content.text(name))) {
        let Some(text) = text else { continue };
        let file = content.path(name);
        let source = if is_trusted {
            config.trusted.push(file.clone());
            Source::Trusted(Arc::new(file), 0)
        } else {
            Source::Project(Arc::new(file), 0)
        };
        if name == CONFIG {
            let read = setting::of_text(&text, &source);
            settings.extend(read.map_err(|wrong| correct_project_file(&content.path(name), &wrong))?);
            continue;
        }
        match mcp::shared::read(&text, &source) {
            Ok(shared) => {
                settings.extend(shared.settings);
                config.warnings.extend(shared.left_out);
            }
            Err(wrong) if book.is_some() && !is_trusted => {
                config.warnings.push(format!("{wrong}; the file is ignored"));
            }
            Err(wrong) => return Err(Fault::usage(wrong, "correct the file, or move it away")),
        }
    }
    Ok(settings)
}

/// Why what a file brings is not there.
fn not_trusted_yet(file: &Path) -> String {
    format!("the folder of {} is not trusted yet; `countersign trust` shows it and asks", file.display())
}

/// What is said of skills and commands that wait for trust.
fn waiting(folder: &Path, skills: usize, commands: usize, subagents: usize) -> String {
    let counted = |number: usize, what: &str| match number {
        0 => None,
        1 => Some(format!("1 {what}")),
        more => Some(format!("{more} {what}s")),
    };
    let all: Vec<String> =
        [counted(skills, "skill"), counted(commands, "command"), counted(subagents, "sub-agent")]
            .into_iter()
            .flatten()
            .collect();
    let is_one = skills + commands + subagents == 1;
    let (they, them) = if is_one { ("it", "it") } else { ("they", "them") };
    let lost = if skills + subagents > 0 {
        format!("so the model cannot see {them}")
    } else {
        format!("so {they} cannot be called")
    };
    format!(
        "{} of {} not trusted yet, {lost}; `countersign trust` shows {them}",
        all.join(" and "),
        folder.display()
    )
}

pub(super) fn correct_file(wrong: &str) -> Fault {
    Fault::usage(
        wrong,
        "correct the file; `countersign config init` writes one that explains every key; `countersign \
        doctor` lists all problems",
    )
}

/// The same for a file that came with a project. It stops the start, too: a rule that is misspelt would keep nothing from anybody,
/// in silence. Whoever only wants to look at the project is told how to start without it.
pub(super) fn correct_project_file(file: &Path, wrong: &str) -> Fault {
    let word = shell_word(&file.display().to_string());
    Fault::usage(
        wrong,
        format!(
            "this file belongs to the project, not to you: correct the file, or start without it (mv {word} {word}.off), \
             and then none of its rules and limits hold; `countersign doctor` lists all problems"
        ),
    )
}

fn correct_flag(wrong: &str) -> Fault {
    Fault::usage(wrong, "see `countersign --help`")
}

fn read(file: &Path, source: &Source) -> Result<Vec<Setting>, Fault> {
    let cannot = |why: &str| {
        Fault::usage(
            format!("cannot read the configuration {}: {why}", file.display()),
            "make it a readable file, or move it away",
        )
    };
    match reading::read(file, MOST_BYTES) {
        Reading::Absent => Ok(Vec::new()),
        Reading::Refused(why) => Err(cannot(&why)),
        Reading::Text { cut: true, .. } => Err(cannot("it is larger than a megabyte")),
        Reading::Text { text, .. } => setting::of_text(&text, source).map_err(|wrong| correct_file(&wrong)),
    }
}

/// The variables that stand for keys.
const VARIABLES: [(&str, &str); 4] = [
    ("COUNTERSIGN_MODEL", "model"),
    ("ANTHROPIC_BASE_URL", "providers.anthropic.base_url"),
    ("OPENAI_BASE_URL", "providers.openai.base_url"),
    ("OPENAI_BASE_URL", "providers.openai-chat.base_url"),
];

pub(super) fn from_environment(environment: &Environment) -> Result<Vec<Setting>, setting::Wrong> {
    let set = VARIABLES.into_iter().filter_map(|(name, key)| Some((name, key, environment.text(name)?)));
    set.map(|(name, key, value)| setting::of_letters(key, value, Source::Variable(name))).collect()
}

/// The flags that stand for a key are stronger than `-c`.
fn from_command_line(given: &[CommandLineSetting]) -> Result<Vec<Setting>, setting::Wrong> {
    let mut settings = Vec::new();
    for said in given {
        if let CommandLineSetting::Pair(pair) = said {
            settings.extend(setting::of_pair(pair, &Source::Flag("-c"))?);
        }
    }
    for said in given {
        if let CommandLineSetting::Flag { flag, key, value } = said {
            settings.push(setting::of_letters(key, value, Source::Flag(flag))?);
        }
    }
    Ok(settings)
}

/// The project's files that exist: from the repository's root down to `cwd`.
pub fn project_files(cwd: &Path) -> Vec<PathBuf> {
    let folders = project::path_down(cwd).into_iter();
    let files = folders.flat_map(|folder| [SHARED_SERVERS, CONFIG].map(|name| folder.join(name)));
    files.filter(|file| file.exists()).collect()
}
