//! The system prompt: our own words, the files of instructions of the user and of the project, and what skills there are.

pub(super) mod denied;
mod files;
mod import_scope;
pub(super) mod nested;

use std::path::{Path, PathBuf};

use crate::config::Invocation;
use crate::config::environment::Environment;
use crate::config::fault::one_line;
use crate::config::skills::Skill;
use crate::config::{project, skills};
use denied::DeniedFiles;
use files::InstructionFile;
use import_scope::ImportScope;

const OURS: &str = include_str!("../../../assets/prompts/system.md");

/// Most bytes of all files together.
const MOST_OF_ALL: usize = 96 * 1024;

/// The system prompt of a session that is started so.
pub(crate) fn of(invocation: &Invocation) -> String {
    let Invocation { cwd, environment, config, .. } = invocation;
    let denied = DeniedFiles::of_session(invocation);
    system_prompt(cwd, environment, &config.instructions, &config.skills, &denied)
}

/// The files of instructions that a session which begins now is told.
pub(crate) fn named(invocation: &Invocation) -> Vec<PathBuf> {
    let Invocation { cwd, environment, config, .. } = invocation;
    let denied = DeniedFiles::of_session(invocation);
    files(cwd, environment, &config.instructions, &denied).into_iter().map(|file| file.file).collect()
}

/// What is called like a file of instructions and cannot be read, and what one imports and does not bring: a sentence each.
pub(crate) fn unreadable(invocation: &Invocation) -> Vec<String> {
    let Invocation { cwd, environment, config, .. } = invocation;
    let denied = DeniedFiles::of_session(invocation);
    let top = project::path_down(cwd).first().and_then(|top| top.canonicalize().ok()).unwrap_or_default();
    let of_project =
        project::path_down(cwd).into_iter().map(|folder| (folder, ImportScope::Below(&top, &denied)));
    let folders = environment
        .config_dir()
        .into_iter()
        .map(|folder| (folder, ImportScope::Anywhere(None)))
        .chain(of_project);
    let found = folders.flat_map(|(folder, reach)| files::unreadable(&folder, &config.instructions, reach));
    let said = |(file, why): (PathBuf, String)| {
        format!(
            "{} cannot be read: {why}; the model is not told what it says",
            one_line(&file.display().to_string())
        )
    };
    let told = files(cwd, environment, &config.instructions, &denied);
    let lost = told.iter().flat_map(|InstructionFile { file, lost, .. }| {
        let file = one_line(&file.display().to_string());
        lost.iter().map(move |why| format!("{file}: {why}"))
    });
    found.map(said).chain(lost).collect()
}

/// The system prompt of a session that belongs to `cwd` (an absolute path), with files of instructions of these names.
/// Frozen once the session began.
fn system_prompt(
    cwd: &Path,
    environment: &Environment,
    names: &[String],
    skills: &[(Skill, PathBuf)],
    denied: &DeniedFiles,
) -> String {
    let mut prompt = OURS.trim_end().to_owned();
    let mut left = MOST_OF_ALL;
    for file in files(cwd, environment, names, denied) {
        prompt.push_str(&section(file, &mut left));
    }
    let skills = skills::section(skills, cwd);
    if !skills.is_empty() {
        prompt.push_str("\n\n");
        prompt.push_str(skills.trim_end());
    }
    prompt
}

/// What is said of one file, with as many bytes of it as are left; nothing of an empty one.
fn section(InstructionFile { file, mut text, cut, .. }: InstructionFile, left: &mut usize) -> String {
    if text.trim().is_empty() {
        return String::new();
    }
    let whole = text.len();
    truncate(&mut text, *left);
    *left -= text.len();
    let rest = if cut || text.len() < whole {
        "\n\n[The rest of this file was omitted: it is too long.]"
    } else {
        ""
    };
    format!("\n\n# Instructions of {}\n\n{}{rest}", one_line(&file.display().to_string()), text.trim())
}

/// The files there are: the user's first, then from the repository's root down, so that the nearest comes last.
fn files(
    cwd: &Path,
    environment: &Environment,
    names: &[String],
    denied: &DeniedFiles,
) -> Vec<InstructionFile> {
    let mut found = of_user(environment, names);
    let folders = project::path_down(cwd);
    // A link of the project may not carry a file from elsewhere to the model.
    if let Some(top) = folders.first().and_then(|top| top.canonicalize().ok()) {
        found.extend(
            folders
                .iter()
                .flat_map(|folder| files::of_folder(folder, names, ImportScope::Below(&top, denied))),
        );
    }
    found
}

/// The user's own: in our folder, or else the one that Claude Code reads.
fn of_user(environment: &Environment, names: &[String]) -> Vec<InstructionFile> {
    let home = environment.home();
    let reach = ImportScope::Anywhere(home.as_deref());
    let ours = environment.config_dir().map(|folder| files::of_folder(&folder, names, reach));
    let claude = home.iter().filter(|_| names.iter().any(|name| name == "CLAUDE.md"));
    let claude =
        || claude.flat_map(|home| files::of_folder(&home.join(".claude"), &["CLAUDE.md".to_owned()], reach));
    ours.filter(|found| !found.is_empty()).unwrap_or_else(|| claude().collect())
}

fn truncate(text: &mut String, most: usize) {
    if text.len() > most {
        let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::Config;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn names() -> Vec<String> {
        Config::default().instructions
    }

    #[test]
    fn the_users_words_come_first_and_the_nearest_last() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("repo");
        fs::create_dir_all(root.join(".git")).unwrap();
        write(&place.path().join("AGENTS.md"), "outside the repository");
        write(&root.join("AGENTS.md"), "root words");
        write(&root.join("a/b/AGENTS.md"), "near words");
        write(&place.path().join("config/countersign/AGENTS.md"), "my words");
        let environment = Environment::of([("XDG_CONFIG_HOME", place.path().join("config"))]);
        let prompt =
            system_prompt(&root.join("a/b"), &environment, &names(), &[], &DeniedFiles::none(place.path()));
        let at = |words: &str| prompt.find(words).unwrap();
        assert!(at("my words") < at("root words") && at("root words") < at("near words"));
        assert!(prompt.starts_with(OURS.trim_end()) && !prompt.contains("outside the repository"));
    }

    #[test]
    fn long_files_are_cut_and_say_so() {
        let place = tempfile::tempdir().unwrap();
        write(&place.path().join("AGENTS.md"), &"é".repeat(40_000));
        let prompt = system_prompt(
            place.path(),
            &Environment::default(),
            &names(),
            &[],
            &DeniedFiles::none(place.path()),
        );
        assert!(prompt.len() < OURS.len() + 34_000 && prompt.ends_with("it is too long.]"));
    }

    #[test]
    fn many_files_are_bounded_together() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join(".git")).unwrap();
        let mut folder = place.path().to_path_buf();
        for _ in 0..6 {
            write(&folder.join("AGENTS.md"), &"x".repeat(30_000));
            folder.push("d");
        }
        fs::create_dir_all(&folder).unwrap();
        let prompt =
            system_prompt(&folder, &Environment::default(), &names(), &[], &DeniedFiles::none(place.path()));
        assert!(prompt.len() < OURS.len() + MOST_OF_ALL + 2000);
    }

    #[test]
    fn the_users_claude_file_counts_where_there_is_none_of_ours() {
        let place = tempfile::tempdir().unwrap();
        let environment = Environment::of([("HOME", place.path())]);
        let prompt = |names: &[String]| {
            system_prompt(
                &place.path().join("work"),
                &environment,
                names,
                &[],
                &DeniedFiles::none(place.path()),
            )
        };
        write(&place.path().join(".claude/CLAUDE.md"), "claude words @~/more.md");
        write(&place.path().join("more.md"), "more words");
        assert!(prompt(&names()).contains("claude words") && prompt(&names()).contains("more words"));
        assert!(!prompt(&["AGENTS.md".to_owned()]).contains("claude words"));
        write(&place.path().join(".config/countersign/AGENTS.md"), "our words");
        assert!(prompt(&names()).contains("our words") && !prompt(&names()).contains("claude words"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_project_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("repo");
        fs::create_dir_all(root.join(".git")).unwrap();
        write(&place.path().join("secret"), "the secret");
        std::os::unix::fs::symlink(place.path().join("secret"), root.join("AGENTS.md")).unwrap();
        assert!(
            !system_prompt(&root, &Environment::default(), &names(), &[], &DeniedFiles::none(place.path()))
                .contains("the secret")
        );
    }
}
