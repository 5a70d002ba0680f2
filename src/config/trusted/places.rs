//! Where skills and custom commands lie: patterns of names below a folder, and what the user has there.

use std::io;
use std::path::{Path, PathBuf};

use crate::config::reading;
use crate::config::reading::Reading;

/// Files, each with its text, or with a sentence.
type NamedFiles = Vec<(PathBuf, String)>;

/// Skills, below the folder of a project or of the user: the standard's place, and Claude Code's.
pub(super) const SKILLS: [&str; 2] = [".agents/skills/*/SKILL.md", ".claude/skills/*/SKILL.md"];

/// Custom commands, below the folder of a project: the ending stands for files, a folder above them for nothing.
pub(super) const COMMANDS: [&str; 8] = [
    ".countersign/commands/*.md",
    ".countersign/commands/*/*.md",
    ".agents/commands/*.md",
    ".agents/commands/*/*.md",
    ".claude/commands/*.md",
    ".claude/commands/*/*.md",
    ".opencode/commands/*.md",
    ".opencode/command/*.md",
];
/// Below the user's home, and below our own folder of configuration.
const COMMANDS_OF_HOME: [&str; 6] = [
    ".agents/commands/*.md",
    ".agents/commands/*/*.md",
    ".claude/commands/*.md",
    ".claude/commands/*/*.md",
    ".config/opencode/commands/*.md",
    ".config/opencode/command/*.md",
];
const COMMANDS_OF_CONFIG: [&str; 2] = ["commands/*.md", "commands/*/*.md"];

/// Sub-agents, below the folder of a project.
pub(super) const AGENTS: [&str; 5] = [
    ".countersign/agents/*.md",
    ".agents/agents/*.md",
    ".claude/agents/*.md",
    ".opencode/agents/*.md",
    ".opencode/agent/*.md",
];
/// Below the user's home, and below our own folder of configuration.
const AGENTS_OF_HOME: [&str; 4] = [
    ".agents/agents/*.md",
    ".claude/agents/*.md",
    ".config/opencode/agents/*.md",
    ".config/opencode/agent/*.md",
];
const AGENTS_OF_CONFIG: [&str; 1] = ["agents/*.md"];

/// Most bytes of one file.
pub(super) const MOST_BYTES: u64 = 1024 * 1024;
/// Most names that stand for one `*`.
pub(super) const MOST_NAMES: usize = 256;

/// The name of the folder of a skill's file.
pub(super) fn skill_folder(name: &str) -> Option<&str> {
    SKILLS.iter().find_map(|pattern| {
        let (before, after) = pattern.split_once('*')?;
        name.strip_prefix(before)?.strip_suffix(after)
    })
}

/// The skills of the user, below their home: each with its file, the name of its folder, and its text; and a sentence about each
/// that cannot be read. They may lie behind links: the user has put them there.
pub(crate) fn skills_of_user(home: &Path) -> (Vec<(PathBuf, String, String)>, NamedFiles) {
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    let all: Vec<String> = SKILLS.iter().flat_map(|pattern| names(home, pattern, &mut refused)).collect();
    for name in all {
        let Some(folder) = skill_folder(&name) else { continue };
        match reading::bytes(&home.join(&name), MOST_BYTES) {
            Reading::Absent => {}
            Reading::Refused(why) => refused.push((name, why)),
            Reading::Text { cut: true, .. } => {
                refused.push((name, "it is larger than a megabyte".to_owned()))
            }
            Reading::Text { text, .. } => {
                let text = String::from_utf8_lossy(&text).into_owned();
                found.push((home.join(&name), folder.to_owned(), text));
            }
        }
    }
    let said = |(name, why): (String, String)| {
        let file = home.join(name);
        let said = format!("{} cannot be read: {why}; it is ignored", file.display());
        (file, said)
    };
    (found, refused.into_iter().map(said).collect())
}

/// The name of a custom command: that of its file without the ending.
pub(crate) fn command_name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// By which name the user calls what such a file says: a skill by that of its folder.
pub(crate) fn called_name(file: &Path) -> String {
    match file.file_name() {
        Some(name) if name == "SKILL.md" => {
            let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
            folder.to_string_lossy().into_owned()
        }
        _ => command_name(file),
    }
}

/// Whether a name is one of those that a pattern speaks of.
pub(super) fn speaks_of(pattern: &str, name: &str) -> bool {
    let (parts, names) = (pattern.split('/'), name.split('/'));
    parts.clone().count() == names.clone().count()
        && parts.zip(names).all(|(part, name)| match part.strip_prefix('*') {
            Some(ending) => name.ends_with(ending),
            None => part == name,
        })
}

/// The custom commands of the user, each file with its text; and those that cannot be read, each with a sentence. They may lie behind
/// links: the user has put them there.
pub(crate) fn commands_of_user(home: Option<&Path>, config: Option<&Path>) -> (NamedFiles, NamedFiles) {
    let ours = config.map(|folder| (folder, COMMANDS_OF_CONFIG.as_slice()));
    files_of_user(ours.into_iter().chain(home.map(|folder| (folder, COMMANDS_OF_HOME.as_slice()))))
}

/// The sub-agents of the user, in the same way.
pub(crate) fn agents_of_user(home: Option<&Path>, config: Option<&Path>) -> (NamedFiles, NamedFiles) {
    let ours = config.map(|folder| (folder, AGENTS_OF_CONFIG.as_slice()));
    files_of_user(ours.into_iter().chain(home.map(|folder| (folder, AGENTS_OF_HOME.as_slice()))))
}

fn files_of_user<'p>(places: impl Iterator<Item = (&'p Path, &'p [&'p str])>) -> (NamedFiles, NamedFiles) {
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    for (folder, patterns) in places {
        let mut refused = Vec::new();
        let all: Vec<String> =
            patterns.iter().flat_map(|pattern| names(folder, pattern, &mut refused)).collect();
        for name in all {
            match reading::bytes(&folder.join(&name), MOST_BYTES) {
                Reading::Absent => {}
                Reading::Refused(why) => refused.push((name, why)),
                Reading::Text { cut: true, .. } => {
                    refused.push((name, "it is larger than a megabyte".to_owned()))
                }
                Reading::Text { text, .. } => {
                    found.push((folder.join(&name), String::from_utf8_lossy(&text).into_owned()));
                }
            }
        }
        // What two patterns speak of is said once.
        refused.sort();
        refused.dedup();
        let said = |(name, why): (String, String)| {
            let file = folder.join(name);
            let said = format!("{} cannot be read: {why}; it is ignored", file.display());
            (file, said)
        };
        wrong.extend(refused.into_iter().map(said));
    }
    (found, wrong)
}

/// The names below a folder that a pattern speaks of, in their order; whether such a file is there is not known yet. What
/// cannot be looked through is added to `refused`.
pub(super) fn names(folder: &Path, pattern: &str, refused: &mut Vec<(String, String)>) -> Vec<String> {
    let mut names = vec![String::new()];
    for part in pattern.split('/') {
        let mut below = |name: &String| -> Vec<String> {
            let joined =
                |part: &str| if name.is_empty() { part.to_owned() } else { format!("{name}/{part}") };
            let Some(ending) = part.strip_prefix('*') else { return vec![joined(part)] };
            let mut parts = children(&folder.join(name)).unwrap_or_else(|why| {
                refused.push((name.clone(), why.to_string()));
                Vec::new()
            });
            parts.retain(|name| name.ends_with(ending));
            let beyond = parts.split_off(parts.len().min(MOST_NAMES));
            if let Some(first) = beyond.first() {
                let why = format!("only the first {MOST_NAMES} names of its folder count");
                refused.push((joined(first), why));
            }
            parts.iter().map(|part| joined(part)).collect()
        };
        names = names.iter().flat_map(&mut below).collect();
    }
    names
}

/// What lies in a folder, by names that are text, in their order; nothing where there is no such folder.
fn children(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match std::fs::read_dir(folder) {
        Err(why) if matches!(why.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry?.file_name().into_string().ok());
    }
    names.sort();
    Ok(names)
}
