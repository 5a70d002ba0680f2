//! Custom commands: Markdown files of the project and of the user, in the places where other programs keep theirs.

use std::path::{Path, PathBuf};

use super::environment::Environment;
use super::fault::one_line;
use super::front_matter::{NOT_CLOSED, fault, is_open, is_rule, member, optional};
use super::skills::{file_in, folder_of, no_message, sha256};
use super::trusted::{Content, command_name, commands_of_user};
use crate::view::{NamedCommand, Template};

/// Most letters of a name, and of a description.
const MOST_OF_NAME: usize = 64;
const MOST_OF_DESCRIPTION: usize = 200;

/// A custom command, and its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomCommand {
    /// What it is called, and what it says.
    pub command: NamedCommand,
    /// Its file.
    pub file: PathBuf,
}

/// The custom commands that are there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CustomCommands {
    /// Those that can be called.
    pub usable: Vec<CustomCommand>,
    /// The names of the others, each with what is wrong with it, or that its folder is not trusted, in a sentence.
    pub ignored: Vec<(String, String)>,
    /// What is wrong with files of commands and skills, a sentence each.
    pub broken: Vec<String>,
}

impl CustomCommand {
    /// Reads a file of this name (without its ending).
    ///
    /// # Errors
    /// What is wrong with it, in a few words.
    fn parse(name: &str, file: PathBuf, text: &str) -> Result<Self, String> {
        let fits = |c: char| c.is_alphanumeric() || "-_.:".contains(c);
        if name.is_empty() || name.chars().count() > MOST_OF_NAME || !name.chars().all(fits) {
            return Err("its name must be at most 64 letters, digits, `-`, `_`, `.` and `:`".to_owned());
        }
        if let Some(why) = no_message(text) {
            return Err(why);
        }
        let (head, body) = optional(text);
        if let Some((line, why)) = head.and_then(fault) {
            return Err(format!("line {line} of its header cannot be read: {why}"));
        }
        if is_open(text) {
            return Err(NOT_CLOSED.to_owned());
        }
        let member = |name: &str| head.and_then(|head| member(head, name)).map(|said| one_line(said.trim()));
        // A rule above a text says nothing of it.
        let first_line =
            body.lines().map(str::trim).find(|line| !line.is_empty() && !is_rule(line)).map(one_line);
        let has_text = first_line.is_some();
        let description = member("description").filter(|said| !said.is_empty()).or(first_line);
        let is_empty = if body.trim().is_empty() { "it is empty" } else { "it has no text, only rules" };
        let description = description.ok_or(is_empty)?;
        if !has_text {
            return Err("it has no text below its header".to_owned());
        }
        // Of the places that opencode knows, the highest takes the rest.
        let takes_rest =
            file.components().any(|part| part.as_os_str() == ".opencode" || part.as_os_str() == "opencode");
        let command = NamedCommand {
            name: name.to_owned(),
            description: description
                .trim_start_matches('#')
                .trim()
                .chars()
                .take(MOST_OF_DESCRIPTION)
                .collect(),
            hint: member("argument-hint").unwrap_or_default(),
            file: String::new(),
            sha256: sha256(text),
            template: Template::read(body, takes_rest),
            is_skill: false,
        };
        Ok(Self { command, file })
    }

    /// As a session in `cwd` names it.
    pub(crate) fn named(&self, cwd: &Path) -> NamedCommand {
        let template = self.command.template.clone().in_folder(folder_of(&self.file, cwd));
        NamedCommand { file: file_in(&self.file, cwd), template, ..self.command.clone() }
    }
}

/// What a command of this name would say below its header, were this its file.
///
/// # Errors
/// It would be none; why.
pub(crate) fn body_of<'t>(name: &str, text: &'t str) -> Result<&'t str, String> {
    CustomCommand::parse(name, PathBuf::from(format!("{name}.md")), text).map(|_| optional(text).1)
}

/// Files that are no commands, and why, in a sentence.
pub(crate) type Ignored = Vec<(PathBuf, String)>;

/// The commands among a folder's files, and what is wrong with the others. The first of a name counts.
pub(crate) fn of(content: &Content) -> (Vec<CustomCommand>, Ignored) {
    let files = content.commands().map(|(name, text)| (content.path(name), text));
    read(files.collect(), &[])
}

/// The commands of the user that none of the project has the name of; and what is wrong with the others.
pub(crate) fn of_user(environment: &Environment, known: &[CustomCommand]) -> (Vec<CustomCommand>, Ignored) {
    let (files, mut wrong) =
        commands_of_user(environment.home().as_deref(), environment.config_dir().as_deref());
    let (commands, more) = read(files, known);
    wrong.extend(more);
    (commands, wrong)
}

fn read(files: Vec<(PathBuf, String)>, known: &[CustomCommand]) -> (Vec<CustomCommand>, Ignored) {
    let (mut commands, mut wrong) = (Vec::<CustomCommand>::new(), Vec::new());
    for (file, text) in files {
        let name = command_name(&file);
        let has = |name: &str| known.iter().chain(&commands).any(|other| other.command.name == name);
        match CustomCommand::parse(&name, file.clone(), &text) {
            Ok(_) if has(&name) => {}
            Ok(command) => commands.push(command),
            Err(why) => {
                let said = format!("{}: {why}; the command is ignored", file.display());
                wrong.push((file, said));
            }
        }
    }
    (commands, wrong)
}

#[cfg(test)]
mod tests {
    use super::super::skills::MOST_OF_MESSAGE;
    use super::*;

    fn parsed(name: &str, text: &str) -> Result<NamedCommand, String> {
        CustomCommand::parse(name, PathBuf::from("/r/.claude/commands/x.md"), text).map(|read| read.command)
    }

    #[test]
    fn a_file_is_read_as_other_programs_read_it() {
        let command = parsed(
            "fix-issue",
            "\u{feff}---\ndescription: Fix an issue\nargument-hint: '[number]'\nallowed-tools: Bash(git:*)\nunknown: 1\n---\nFix $1.\n",
        )
        .unwrap();
        assert_eq!((command.description.as_str(), command.hint.as_str()), ("Fix an issue", "[number]"));
        assert_eq!(command.sha256.len(), 64);
        let plain = parsed("x", "\n# Tidy up\nAll of it.").unwrap();
        assert_eq!(plain.description, "Tidy up");
        let ruled = parsed("x", "---\nTidy up: all of it.").unwrap();
        assert_eq!(ruled.description, "Tidy up: all of it.", "a rule above a text is text");
        let framed = parsed("x", "---\n\nTidy up.\n\n---\n\nAll of it.").unwrap();
        assert_eq!(framed.description, "Tidy up.");
        assert!(format!("{:?}", framed.template).contains("---"), "all of it is sent: {:?}", framed.template);
    }

    #[test]
    fn what_is_no_command_says_why() {
        for (name, text, why) in [
            ("x", "", "is empty"),
            ("x", "---\ndescription: never closed\nbody", "is not closed: line 1 opens one"),
            ("x", "--- \n\n# mine\ndescription: never closed\nbody", "is not closed: line 1 opens one"),
            ("x", "---\ndescription: a\n---\n", "below its header"),
            ("a b", "x", "its name"),
            ("x", "---\ndescription: \"broken\n---\nDo it.", "line 2 of its header cannot be read: a quote"),
            ("x", "---\na: b\ntools: [x\n---\nDo it.", "line 3 of its header cannot be read: a bracket"),
            ("x", "---\nno member\na: b\n---\nDo it.", "line 2 of its header"),
            ("x", "---", "only rules"),
            ("x", "---\n\n***\n", "only rules"),
            ("x", "---\ndescription: a\n---\n---\n", "below its header"),
            ("x", "a\0b", "not text"),
        ] {
            assert!(parsed(name, text).unwrap_err().contains(why), "{name} {text}");
        }
        assert!(parsed("x", &"y".repeat(MOST_OF_MESSAGE + 1)).unwrap_err().contains("larger than"));
    }

    #[test]
    fn the_first_place_of_a_name_counts_and_the_project_comes_before_the_user() {
        let place = tempfile::tempdir().unwrap();
        let write = |at: &str, text: &str| {
            let file = place.path().join(at);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        write("repo/.claude/commands/ci/build.md", "claude");
        write("repo/.countersign/commands/build.md", "ours");
        write("repo/.opencode/commands/run.md", "$1 $2");
        write("repo/.claude/commands/notes.txt", "no command");
        write("home/.claude/commands/build.md", "the user's");
        write("home/.agents/commands/mine.md", "the user's");
        // opencode reads both names of the folder.
        write("repo/.opencode/command/one.md", "$1 $2");
        write("home/.config/opencode/command/two.md", "$1 $2");
        let content = Content::of(&place.path().join("repo")).unwrap().unwrap();
        let (found, wrong) = of(&content);
        let names =
            |found: &[CustomCommand]| found.iter().map(|one| one.command.name.clone()).collect::<Vec<_>>();
        assert_eq!((names(&found), wrong), (["build", "run", "one"].map(str::to_owned).to_vec(), vec![]));
        assert_eq!(found[0].command.description, "ours");
        let environment = Environment::of([("HOME", place.path().join("home"))]);
        let (users, _) = of_user(&environment, &found);
        assert_eq!(names(&users), ["mine", "two"]);
    }
}
