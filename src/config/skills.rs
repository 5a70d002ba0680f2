//! Skills: files of instructions for one kind of task each (`.agents/skills/NAME/SKILL.md`). The model is told what there is,
//! and reads a file when a task fits it; the user calls one by its name.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::fault::one_line;
use super::front_matter::{body, head, member, no_head, twice};
use super::trusted::{Content, skills_of_user};
use crate::view::{NamedCommand, Template};

/// Most letters of a name, and of a description: those of the format.
const MOST_OF_NAME: usize = 64;
const MOST_OF_DESCRIPTION: usize = 1024;
/// Most bytes of a file that becomes a message.
pub(super) const MOST_OF_MESSAGE: usize = 64 * 1024;
/// Most skills that a model is told of.
const MOST_SKILLS: usize = 64;

/// One skill, as its file describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Small letters, digits and `-`.
    pub name: String,
    /// What it is for, in one line.
    pub description: String,
    /// Whether the model is told of it: else only the user calls it.
    pub is_told: bool,
    /// Whether the user can call it.
    pub is_callable: bool,
    /// Why the user cannot, although its head lets them.
    pub uncallable: Option<String>,
    /// What can follow its name, as its head says it.
    pub hint: String,
    /// What its file says below the head.
    pub template: Template,
    /// The SHA-256 of its file as it was read, in hexadecimal.
    pub sha256: String,
}

impl Skill {
    /// Reads the head of a `SKILL.md` that lies in a folder of this name: `name` and `description` between two lines
    /// `---`, as YAML; all other members are left to those who know them.
    ///
    /// # Errors
    /// What is wrong with it, in a few words.
    pub(crate) fn parse(text: &str, folder: &str) -> Result<Self, String> {
        let head = head(text).ok_or_else(|| no_head(text))?;
        if let Some((line, why)) = twice(head) {
            return Err(format!("line {line} of its header cannot be read: {why}"));
        }
        let name = member(head, "name").unwrap_or_else(|| folder.to_owned());
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || name.len() > MOST_OF_NAME || !name.chars().all(fits) {
            return Err("its `name` must be at most 64 lower-case letters, digits and `-`".to_owned());
        }
        let description = member(head, "description").unwrap_or_default();
        let description = one_line(description.trim());
        if description.is_empty() {
            return Err("it has no `description`".to_owned());
        }
        let description = description.chars().take(MOST_OF_DESCRIPTION).collect();
        let says = |name: &str, spellings: [&str; 4]| {
            member(head, name).is_some_and(|value| spellings.contains(&value.to_ascii_lowercase().as_str()))
        };
        // Claude Code reads a truth value in these spellings.
        let is_told = !says("disable-model-invocation", ["true", "yes", "on", "1"]);
        let is_wanted = !says("user-invocable", ["false", "no", "off", "0"]);
        let uncallable = no_message(text).filter(|_| is_wanted);
        let is_callable = is_wanted && uncallable.is_none();
        let hint = member(head, "argument-hint").map(|said| one_line(said.trim())).unwrap_or_default();
        // What nobody can call is not taken apart: it may be long, and of a folder that is not trusted yet.
        let template = Template::read(if is_callable { body(text) } else { "" }, false);
        let sha256 = sha256(text);
        Ok(Self { name, description, is_told, is_callable, uncallable, hint, template, sha256 })
    }

    /// As a session in `cwd` names it when the user calls it. `file`: its own.
    pub(crate) fn named(&self, file: &Path, cwd: &Path) -> NamedCommand {
        NamedCommand {
            name: self.name.clone(),
            description: self.description.clone(),
            hint: self.hint.clone(),
            file: file_in(file, cwd),
            sha256: self.sha256.clone(),
            template: self.template.clone().in_folder(folder_of(file, cwd)),
            is_skill: true,
        }
    }

    /// That the user cannot call it, in a sentence, where its head promises that they can.
    fn told_uncallable(&self, file: &Path) -> Option<(PathBuf, String)> {
        let why = self.uncallable.as_ref()?;
        let said = format!("{}: {why}; only the model can use the skill", file.display());
        Some((file.to_owned(), said))
    }
}

/// Why what a file says can be no message, if it cannot.
pub(super) fn no_message(text: &str) -> Option<String> {
    if text.len() > MOST_OF_MESSAGE {
        return Some(format!("it is larger than {MOST_OF_MESSAGE} bytes"));
    }
    text.contains('\0').then(|| "it is not text".to_owned())
}

/// The SHA-256 of a text, in hexadecimal.
pub(super) fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Skills, each with its file; and the files that are none, each with a sentence.
type FoundSkills = (Vec<(Skill, PathBuf)>, Vec<(PathBuf, String)>);

/// The skills among a folder's files, each with its file; and what is wrong with the others, a sentence each. The
/// first of a name counts.
pub(crate) fn of(content: &Content) -> FoundSkills {
    let (mut skills, mut wrong) = (Vec::<(Skill, PathBuf)>::new(), Vec::new());
    for (name, folder, text) in content.skills() {
        let file = content.path(name);
        match Skill::parse(&text, folder) {
            Ok(skill) => match skills.iter().find(|(known, _)| known.name == skill.name) {
                None => {
                    wrong.extend(skill.told_uncallable(&file));
                    skills.push((skill, file));
                }
                Some((_, first)) => {
                    let first = first.display();
                    let said =
                        format!("{}: {first} has the same name; this skill is ignored", file.display());
                    wrong.push((file, said));
                }
            },
            Err(why) => wrong.push(ignored(file, &why)),
        }
    }
    (skills, wrong)
}

fn ignored(file: PathBuf, why: &str) -> (PathBuf, String) {
    let said = format!("{}: {why}; the skill is ignored", file.display());
    (file, said)
}

/// The skills of the user below their home that no skill of the project has the name of; and what is wrong with the others.
pub(crate) fn of_user(home: &Path, known: &[(Skill, PathBuf)]) -> FoundSkills {
    let (found, mut wrong) = skills_of_user(home);
    let mut skills: Vec<(Skill, PathBuf)> = Vec::new();
    for (file, folder, text) in found {
        let has = |name: &str| {
            known.iter().chain(&skills).any(|(skill, other)| skill.name == name || *other == file)
        };
        match Skill::parse(&text, &folder) {
            Ok(skill) if has(&skill.name) => {}
            Ok(skill) => {
                wrong.extend(skill.told_uncallable(&file));
                skills.push((skill, file));
            }
            Err(why) => wrong.push(ignored(file, &why)),
        }
    }
    (skills, wrong)
}

/// How the file of a skill is named in a session in `cwd`.
pub(crate) fn file_in(file: &Path, cwd: &Path) -> String {
    one_line(&file.strip_prefix(cwd).unwrap_or(file).display().to_string())
}

/// The folder of such a file, by its whole path: what runs elsewhere finds it, too.
pub(super) fn folder_of(file: &Path, cwd: &Path) -> String {
    cwd.join(file).parent().unwrap_or(cwd).display().to_string()
}

/// What the system prompt of a session in `cwd` says of skills; nothing where there are none.
pub(crate) fn section(skills: &[(Skill, PathBuf)], cwd: &Path) -> String {
    let lines: Vec<String> = skills
        .iter()
        .filter(|(skill, _)| skill.is_told)
        .take(MOST_SKILLS)
        .map(|(skill, file)| {
            let file = file_in(file, cwd);
            format!("- {}: {} (file: {file})\n", skill.name, skill.description)
        })
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "# Skills\n\nEach is a file of instructions for one kind of task. When a task fits a description, read its file before \
         you begin.\n\n{}",
        lines.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(head: &str) -> Result<(String, String), String> {
        Skill::parse(&format!("---\n{head}\n---\n# Body\ndescription: not this\n"), "folder")
            .map(|skill| (skill.name, skill.description))
    }

    #[test]
    fn a_head_is_read_as_people_write_it() {
        for (head, name, description) in [
            ("name: pdf\ndescription: Reads PDFs", "pdf", "Reads PDFs"),
            ("description: Reads: PDFs # a comment", "folder", "Reads: PDFs"),
            ("name: 'a-1'\ndescription: \"It \\\"reads\\\" # PDFs\"", "a-1", "It \"reads\" # PDFs"),
            (
                "name: x\ndescription: >-\n  Reads\n  PDFs\n\n  and more\nlicense: MIT",
                "x",
                "Reads PDFs and more",
            ),
            ("name: x\ndescription: |\n  Reads\nmetadata:\n  description: other", "x", "Reads"),
            ("name: x\ndescription: Reads\n  PDFs", "x", "Reads PDFs"),
            ("metadata:\n  name: other\ndescription: 'it''s'", "folder", "it's"),
        ] {
            assert_eq!(described(head), Ok((name.to_owned(), description.to_owned())), "{head}");
        }
        assert!(Skill::parse("\u{feff}---\r\ndescription: x\r\n---\r\n", "folder").is_ok());
    }

    #[test]
    fn a_head_says_who_calls_it() {
        let calls = |more: &str| {
            let skill = Skill::parse(&format!("---\ndescription: x\n{more}\n---\n"), "folder").unwrap();
            (skill.is_told, skill.is_callable)
        };
        assert_eq!(calls(""), (true, true));
        assert_eq!(calls("disable-model-invocation: true"), (false, true));
        assert_eq!(calls("user-invocable: false"), (true, false));
        assert_eq!(calls("disable-model-invocation: \"Yes\"\nuser-invocable: off"), (false, false));
        assert_eq!(calls("disable-model-invocation: no\nuser-invocable: 1"), (true, true));
        let hidden =
            Skill::parse("---\ndescription: x\ndisable-model-invocation: true\n---\n", "folder").unwrap();
        assert_eq!(section(&[(hidden, PathBuf::from("/a"))], Path::new("/")), "");
    }

    #[test]
    fn the_user_calls_what_stands_below_the_head() {
        let text = "---\ndescription: x\nargument-hint: '[file]'\n---\nIn ${CLAUDE_SKILL_DIR}: $1.\n";
        let skill = Skill::parse(text, "pdf").unwrap();
        let file = Path::new("/r/.agents/skills/pdf/SKILL.md");
        let called = |text: &str| NamedCommand::called(&[skill.named(file, Path::new("/r"))], text).unwrap();
        let mark = format!("[from .agents/skills/pdf/SKILL.md, SHA-256 {}]", sha256(text));
        let message = format!("/pdf a.pdf\n\n{mark}\n\nIn /r/.agents/skills/pdf: a.pdf.");
        assert_eq!(called("/pdf a.pdf").message, message);
        assert_eq!(skill.named(file, Path::new("/r")).hint, "[file]");
    }

    #[test]
    fn what_can_be_no_message_is_left_to_the_model() {
        let place = tempfile::tempdir().unwrap();
        for (name, body, more) in [
            ("large", "x".repeat(MOST_OF_MESSAGE), ""),
            ("odd", "a\0b".to_owned(), ""),
            ("own", "a\0b".to_owned(), "user-invocable: no\n"),
        ] {
            let folder = place.path().join(".agents/skills").join(name);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("SKILL.md"), format!("---\ndescription: x\n{more}---\n{body}"))
                .unwrap();
        }
        let (found, wrong) = of_user(place.path(), &[]);
        assert!(found.len() == 3 && found.iter().all(|(skill, _)| skill.is_told && !skill.is_callable));
        assert!(found.iter().all(|(skill, _)| skill.template == Template::read("", false)));
        let said: Vec<&str> =
            wrong.iter().filter_map(|(_, said)| said.split_once("SKILL.md: ")).map(|(_, why)| why).collect();
        assert_eq!(
            said,
            [
                "it is larger than 65536 bytes; only the model can use the skill",
                "it is not text; only the model can use the skill"
            ]
        );
    }

    #[test]
    fn those_of_the_user_may_be_linked_and_give_way_to_the_project_s() {
        let place = tempfile::tempdir().unwrap();
        let home = place.path().join("home");
        let write = |at: &str, description: &str| {
            let folder = home.join(at);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("SKILL.md"), format!("---\ndescription: {description}\n---\n"))
                .unwrap();
        };
        write(".agents/skills/pdf", "first");
        write(".claude/skills/pdf", "second");
        write(".claude/skills/release", "of the user");
        write("elsewhere", "linked");
        std::os::unix::fs::symlink(home.join("elsewhere"), home.join(".claude/skills/far")).unwrap();
        std::fs::create_dir_all(home.join(".agents/skills/empty/SKILL.md")).unwrap();
        let release =
            Skill::parse("---\nname: release\ndescription: of the project\n---\n", "release").unwrap();
        let (found, wrong) = of_user(&home, &[(release, PathBuf::from("/repo/SKILL.md"))]);
        let found: Vec<_> =
            found.iter().map(|(skill, _)| (skill.name.as_str(), skill.description.as_str())).collect();
        assert_eq!(found, [("pdf", "first"), ("far", "linked")]);
        assert!(wrong.len() == 1 && wrong[0].1.contains("empty/SKILL.md"), "{wrong:?}");
    }

    #[test]
    fn what_is_no_skill_is_refused_and_says_why() {
        for (head, why) in [
            ("name: x", "no `description`"),
            ("name: x\ndescription: ''", "no `description`"),
            ("name: Bad Name\ndescription: x", "lower-case letters"),
            ("name: ../x\ndescription: x", "lower-case letters"),
        ] {
            assert!(described(head).unwrap_err().contains(why), "{head}");
        }
        for (text, why) in [
            ("", "does not begin with a header"),
            ("# Body", "does not begin with a header"),
            ("---\nname: x\ndescription: x", "is not closed: line 1 opens one"),
            ("--- \nname: x\n---\n", "no `description`"),
        ] {
            assert!(Skill::parse(text, "folder").unwrap_err().contains(why), "{text}");
        }
        assert!(Skill::parse("---\ndescription: x\n---\n", "Folder").is_err(), "nor has it a name to go by");
    }

    #[test]
    fn a_description_is_one_line_without_tricks_and_bounded() {
        let (_, description) = described("description: \"a\\n# Instructions\u{1b}[2J\u{202e}\"").unwrap();
        assert!(!description.contains(['\n', '\u{1b}', '\u{202e}']), "{description:?}");
        let (_, long) = described(&format!("description: {}", "é".repeat(5_000))).unwrap();
        assert_eq!(long.chars().count(), MOST_OF_DESCRIPTION);
    }

    #[test]
    fn the_section_names_each_file_and_is_absent_without_skills() {
        let skill = Skill {
            name: "pdf".into(),
            description: "Reads PDFs".into(),
            is_told: true,
            is_callable: true,
            uncallable: None,
            hint: String::new(),
            template: Template::read("", false),
            sha256: String::new(),
        };
        let file = PathBuf::from("/repo/a/.agents/skills/pdf/SKILL.md");
        let said = |cwd: &str| section(&vec![(skill.clone(), file.clone()); 100], Path::new(cwd));
        let line = "- pdf: Reads PDFs (file: .agents/skills/pdf/SKILL.md)\n";
        assert_eq!(said("/repo/a").matches(line).count(), MOST_SKILLS);
        assert!(said("/repo/a/b").contains("(file: /repo/a/.agents/skills/pdf/SKILL.md)"));
        assert_eq!(section(&[], Path::new("/repo")), "");
    }
}
