//! The system prompt: our own words, the AGENTS.md files of the user and of the project, and what skills there are.

use std::path::{Path, PathBuf};

use crate::config::environment::Environment;
use crate::config::fault::one_line;
use crate::config::reading::Reading;
use crate::config::skills::Skill;
use crate::config::{project, reading, skills};

const OURS: &str = include_str!("../../assets/prompts/system.md");

/// Most bytes of one file; four pages are a lot of instructions, sixteen are a mistake.
const MOST_OF_ONE: u64 = 32 * 1024;

/// Most bytes of all files together.
const MOST_OF_ALL: usize = 96 * 1024;

/// The system prompt of a session that belongs to `cwd` (an absolute path). Frozen once the session began.
pub(crate) fn system_prompt(cwd: &Path, environment: &Environment, skills: &[(Skill, PathBuf)]) -> String {
    let mut prompt = OURS.trim_end().to_owned();
    let mut left = MOST_OF_ALL;
    for file in files(cwd, environment) {
        let Reading::Text { mut text, cut } = reading::read(&file, MOST_OF_ONE) else { continue };
        if text.trim().is_empty() {
            continue;
        }
        let whole = text.len();
        truncate(&mut text, left);
        left -= text.len();
        prompt.push_str(&format!("\n\n# Instructions of {}\n\n", one_line(&file.display().to_string())));
        prompt.push_str(text.trim());
        if cut || text.len() < whole {
            prompt.push_str("\n\n[The rest of this file was omitted: it is too long.]");
        }
    }
    let skills = skills::section(skills, cwd);
    if !skills.is_empty() {
        prompt.push_str("\n\n");
        prompt.push_str(skills.trim_end());
    }
    prompt
}

/// The files there are: the user's first, then from the repository's root down, so that the nearest comes last.
fn files(cwd: &Path, environment: &Environment) -> Vec<PathBuf> {
    let mine = environment.config_dir().map(|folder| folder.join("AGENTS.md"));
    let folders = project::path_down(cwd);
    let top = folders.first().and_then(|top| top.canonicalize().ok());
    let theirs = folders.iter().map(|folder| folder.join("AGENTS.md")).filter(|file| {
        // A link of the project may not carry a file from elsewhere to the model.
        match (file.canonicalize(), &top) {
            (Ok(real), Some(top)) => real.starts_with(top),
            (Err(_), _) | (_, None) => false,
        }
    });
    mine.into_iter().chain(theirs).collect()
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

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
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
        let prompt = system_prompt(&root.join("a/b"), &environment, &[]);
        let at = |words: &str| prompt.find(words).unwrap();
        assert!(at("my words") < at("root words") && at("root words") < at("near words"));
        assert!(prompt.starts_with(OURS.trim_end()) && !prompt.contains("outside the repository"));
    }

    #[test]
    fn long_files_are_cut_and_say_so() {
        let place = tempfile::tempdir().unwrap();
        write(&place.path().join("AGENTS.md"), &"é".repeat(40_000));
        let prompt = system_prompt(place.path(), &Environment::default(), &[]);
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
        let prompt = system_prompt(&folder, &Environment::default(), &[]);
        assert!(prompt.len() < OURS.len() + MOST_OF_ALL + 2000);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_project_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("repo");
        fs::create_dir_all(root.join(".git")).unwrap();
        write(&place.path().join("secret"), "the secret");
        std::os::unix::fs::symlink(place.path().join("secret"), root.join("AGENTS.md")).unwrap();
        assert!(!system_prompt(&root, &Environment::default(), &[]).contains("the secret"));
    }
}
