//! `import-settings`: another tool's rules, hooks, servers and the like in our words, and line by line what cannot be said.

mod claude;
mod codex;
mod commands;
mod counterparts;
mod document;
mod found;
mod jsonc;
mod keys;
mod opencode;
pub(super) mod other_tool;
mod prefix_rules;
mod rules;
mod servers;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Map, Value};

use super::args::ImportSettingsArgs;
use super::outcome::say;
use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::config::reading::{self, Reading};
use crate::config::{project_file, user_file, write_config};
use commands::WrittenCommands;
use document::{Merged, merge};
use found::Found;
use other_tool::OtherTool;

/// Most bytes of a file.
const MOST_BYTES: u64 = 1024 * 1024;
/// Most files of rules.
const MOST_FILES: usize = 50;

/// How a file is read.
type FileReader = fn(&str, &mut Found) -> Result<(), String>;

/// Prints what it found, or writes it.
///
/// # Errors
/// A configuration that cannot be read or written.
pub(super) fn run(
    words: &ImportSettingsArgs,
    cd: Option<&Path>,
    environment: &Environment,
) -> Result<Exit, Fault> {
    let cwd = &super::folder(words.cd.as_deref().or(cd))?;
    let home = environment.home();
    let tools = words.tool.map_or_else(|| OtherTool::value_variants().to_vec(), |tool| vec![tool]);
    let root = if words.project { Some(cwd.to_owned()) } else { home.clone() };
    let root = root.ok_or_else(|| Fault::failed("there is no home folder to look in", "set HOME"))?;
    let files = tools.iter().flat_map(|tool| files(*tool, words.project, &root));
    let Gathered { read, found, mut notes, unreadable } = gathered(files, home.as_deref(), words.project);
    if read.is_empty() && !unreadable.is_empty() {
        let what = format!("nothing was read: {}", unreadable.join("; "));
        return Err(Fault::failed(what, "correct that, then run it again"));
    }
    let as_they_are = as_they_are(&tools, words.project, &root);
    if read.is_empty() {
        let other = if words.project { "without --project" } else { "with --project, in a project" };
        let here: String = as_they_are.iter().map(|place| format!("# - {place}\n")).collect();
        return say(&format!(
            "No settings of another tool were found in {}; try {other}.\n{here}",
            root.display()
        ));
    }
    let of_ours = if words.project { Some(project_file(cwd)) } else { user_file(environment) };
    let file =
        of_ours.ok_or_else(|| Fault::failed("there is no folder for your configuration", "set HOME"))?;
    let folder = file.with_file_name("commands");
    let before = if words.write { as_it_is(&file)? } else { String::new() };
    let failed = |why: String| Fault::failed(format!("{}: {why}", file.display()), "nothing was written");
    let Merged { mut text, added, notes: more } =
        merge(&before, &found.settings, words.project).map_err(failed)?;
    notes.extend(more);
    let mut wrote = WrittenCommands::default();
    if words.write {
        if text != before {
            write_config(&file, &before, &text, words.project).map_err(failed)?;
        }
        wrote = commands::write(&found.commands, &folder, words.project);
    } else {
        let folder = shown(&folder, home.as_deref());
        text.extend(found.commands.iter().map(|command| commands::shown(command, &folder)));
    }
    notes.extend(wrote.kept.iter().cloned());
    notes.extend(as_they_are);
    let undone: Vec<String> = unreadable.into_iter().chain(wrote.failed.iter().cloned()).collect();
    notes.extend(undone.iter().cloned());
    say(&told(words, &read, (&added, &file, &wrote.new), &text, &notes))?;
    if undone.is_empty() {
        return Ok(Exit::Completed);
    }
    // What the other files have was said, and written where that was wanted.
    let what = if wrote.failed.is_empty() { "not all was read" } else { "not all was written" };
    Err(Fault::failed(format!("{what}: {}", undone.join("; ")), "correct that, then run it again"))
}

/// What all files have.
#[derive(Default)]
struct Gathered {
    /// The files.
    read: Vec<String>,
    /// What they say.
    found: Found,
    /// What they say that we cannot, each with its file.
    notes: Vec<String>,
    /// Those that cannot be read, and why.
    unreadable: Vec<String>,
}

fn gathered(
    files: impl Iterator<Item = (PathBuf, FileReader)>,
    home: Option<&Path>,
    is_project: bool,
) -> Gathered {
    let mut all = Gathered { found: Found::of(is_project), ..Gathered::default() };
    for (file, reader) in files {
        let shown = shown(&file, home);
        let mut found = Found::after(&all.found);
        let understood = match reading::read(&file, MOST_BYTES) {
            Reading::Absent => continue,
            Reading::Text { text, cut: false } => reader(&text, &mut found),
            Reading::Text { .. } => Err("it is larger than a megabyte".to_owned()),
            Reading::Refused(why) => Err(why),
        };
        match understood {
            Ok(()) => {
                all.read.push(shown.clone());
                all.notes.extend(found.notes.iter().map(|note| format!("{shown}: {note}")));
                all.found.take_in(found);
            }
            Err(why) => all.unreadable.push(format!("{shown}: {}", one_line(&why))),
        }
    }
    all
}

/// What is said: without `--write`, a configuration with remarks.
fn told(
    words: &ImportSettingsArgs,
    read: &[String],
    (added, file, commands): (&[String], &Path, &[String]),
    text: &str,
    notes: &[String],
) -> String {
    let mut said = format!("# From {}\n", read.join(", "));
    if words.write {
        match added.len() {
            0 if commands.is_empty() => said.push_str("Nothing to add; no file is written\n"),
            0 => {}
            1 => said.push_str(&format!("1 setting was added to {}\n", file.display())),
            count => said.push_str(&format!("{count} settings were added to {}\n", file.display())),
        }
        said.extend(added.iter().map(|line| format!("  {line}\n")));
        said.extend(commands.iter().map(|command| format!("A command was written: {command}\n")));
        if words.project && (!added.is_empty() || !commands.is_empty()) {
            said.push_str("What is not tighter counts once you have reviewed it: run `countersign trust`\n");
        }
    } else {
        said.push_str(text);
    }
    if !notes.is_empty() {
        said.push_str("\n# To do by hand, and not translated:\n");
    }
    for note in notes {
        said.push_str(&format!("# - {}\n", one_line(note)));
    }
    said
}

fn as_it_is(file: &Path) -> Result<String, Fault> {
    match reading::read(file, MOST_BYTES) {
        Reading::Absent => Ok(String::new()),
        Reading::Text { text, cut: false } => Ok(text),
        Reading::Text { .. } => {
            Err(Fault::failed(format!("{} is larger than a megabyte", file.display()), "nothing was written"))
        }
        Reading::Refused(why) => {
            Err(Fault::failed(format!("cannot read {}: {why}", file.display()), "nothing was written"))
        }
    }
}

/// Where a tool keeps its settings: below the home folder, or below a project's.
fn files(tool: OtherTool, is_project: bool, root: &Path) -> Vec<(PathBuf, FileReader)> {
    let at = |names: &[&str], reader: FileReader| {
        names.iter().map(|name| (root.join(name), reader)).collect::<Vec<_>>()
    };
    match (tool, is_project) {
        (OtherTool::Claude, false) => {
            [at(&[".claude/settings.json"], of_claude), at(&[".claude.json"], of_claude_state)].concat()
        }
        (OtherTool::Claude, true) => at(&[".claude/settings.json", ".claude/settings.local.json"], of_claude),
        (OtherTool::Codex, _) => {
            let rules =
                rule_files(&root.join(".codex/rules")).into_iter().map(|file| (file, of_rules as FileReader));
            at(&[".codex/config.toml"], of_codex).into_iter().chain(rules).collect()
        }
        (OtherTool::Opencode, false) => {
            at(&[".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"], of_opencode)
        }
        (OtherTool::Opencode, true) => at(
            &["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
            of_opencode,
        ),
    }
}

fn rule_files(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten().take(MOST_FILES);
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "rules"));
    files.sort();
    files
}

fn object(value: Value) -> Result<Map<String, Value>, String> {
    if let Value::Object(all) = value { Ok(all) } else { Err("it is not a table".to_owned()) }
}

fn of_claude(text: &str, found: &mut Found) -> Result<(), String> {
    jsonc::parse(text).and_then(object).map(|all| claude::settings(found, &all))
}

fn of_claude_state(text: &str, found: &mut Found) -> Result<(), String> {
    jsonc::parse(text).and_then(object).map(|all| claude::state(found, &all))
}

fn of_opencode(text: &str, found: &mut Found) -> Result<(), String> {
    jsonc::parse(text).and_then(object).map(|all| opencode::settings(found, &all))
}

fn of_codex(text: &str, found: &mut Found) -> Result<(), String> {
    let all: Value = toml::from_str(text)
        .map_err(|why| format!("it cannot be read as TOML: {}", with_place(&why, text)))?;
    object(all).map(|all| codex::settings(found, &all))
}

/// What is wrong, and in which line.
fn with_place(why: &toml::de::Error, text: &str) -> String {
    let before = why.span().and_then(|span| text.get(..span.start));
    let line = before.map(|before| format!(" at line {}", before.matches('\n').count() + 1));
    format!("{}{}", why.message(), line.unwrap_or_default())
}

fn of_rules(text: &str, found: &mut Found) -> Result<(), String> {
    codex::rules(found, text);
    Ok(())
}

/// What is neither translated nor read where it is, and what to do.
const NOT_READ: &[(OtherTool, &str, &str)] = &[
    (OtherTool::Claude, ".claude/output-styles", "write instructions into AGENTS.md"),
    (OtherTool::Claude, ".claude/rules", "write instructions into AGENTS.md"),
    (OtherTool::Claude, ".claude/keybindings.json", "write [keys.PLACE] in your own configuration"),
    (OtherTool::Codex, ".codex/prompts", "copy its files into a folder of commands, as .agents/commands"),
    (OtherTool::Codex, ".codex/skills", "copy its folders into .agents/skills"),
    (OtherTool::Codex, ".codex/agents", "write a file of .countersign/agents or [agents.NAME] for each"),
    (OtherTool::Codex, ".codex/AGENTS.md", "copy it beside your configuration"),
    (OtherTool::Codex, ".codex/AGENTS.override.md", "copy it beside your configuration, as AGENTS.md"),
    (OtherTool::Codex, ".codex/hooks.json", "write [[hooks.POINT]]"),
    (OtherTool::Opencode, ".config/opencode/AGENTS.md", "copy it beside your configuration"),
    (OtherTool::Opencode, ".config/opencode/tui.json", "write theme and [keys.PLACE]"),
    (
        OtherTool::Opencode,
        ".opencode/plugins",
        "there are no plugins here: hooks and MCP servers cover some of this",
    ),
    (
        OtherTool::Opencode,
        ".config/opencode/plugins",
        "there are no plugins here: hooks and MCP servers cover some of this",
    ),
];

/// What of each tool lies beside its settings: what needs no translation, as it is read where it is, and what is not read.
fn as_they_are(tools: &[OtherTool], is_project: bool, root: &Path) -> Vec<String> {
    let places: &[(OtherTool, &str)] = &[
        (OtherTool::Claude, ".claude/commands"),
        (OtherTool::Claude, ".claude/skills"),
        (OtherTool::Claude, ".mcp.json"),
        (OtherTool::Claude, ".claude/agents"),
        (OtherTool::Opencode, ".opencode/commands"),
        (OtherTool::Opencode, ".opencode/command"),
        (OtherTool::Opencode, ".opencode/agents"),
        (OtherTool::Opencode, ".opencode/agent"),
        (OtherTool::Opencode, ".config/opencode/commands"),
        (OtherTool::Opencode, ".config/opencode/command"),
        (OtherTool::Opencode, ".config/opencode/agents"),
        (OtherTool::Opencode, ".config/opencode/agent"),
    ];
    let is_here = |tool: &OtherTool, place: &&str| tools.contains(tool) && root.join(place).exists();
    let here = places.iter().filter(|(tool, place)| is_here(tool, place));
    let others = NOT_READ.iter().filter(|(tool, place, _)| is_here(tool, place));
    let others = others.map(|(_, place, instead)| format!("{place} is not read: {instead}"));
    let once = if is_project { ", once the project is trusted" } else { "" };
    here.filter(|(_, place)| is_project || *place != ".mcp.json")
        .map(|(_, place)| format!("{place} is read as it is{once}"))
        .chain(others)
        .collect()
}

/// A path as people write it.
fn shown(file: &Path, home: Option<&Path>) -> String {
    let below = home.and_then(|home| file.strip_prefix(home).ok());
    one_line(&below.map_or_else(|| file.display().to_string(), |rest| format!("~/{}", rest.display())))
}
