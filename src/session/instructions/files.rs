//! Files of instructions: which of them counts in a folder, and what it imports. They are other people's, so they are
//! bounded, and a project's never brings a file from outside the project.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::import_scope::{ImportScope, is_importable};
use crate::config::fault::one_line;
use crate::config::reading::{self, Reading};

/// How deep imports may lead, and how many files one file may bring.
const MOST_DEEP: usize = 5;
const MOST_IMPORTS: usize = 16;
/// Words of one file that are looked at as imports.
const MOST_WORDS: usize = 100;
/// The file whose `@paths` are imports.
const IMPORTING: &str = "CLAUDE.md";

/// One file of instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InstructionFile {
    /// Where it is.
    pub(super) file: PathBuf,
    /// What it says, as far as one file may.
    pub(super) text: String,
    /// Whether more was there.
    pub(super) cut: bool,
    /// What it imports and does not bring, and why: a sentence each.
    pub(super) lost: Vec<String>,
}

/// The file that counts in a folder, which is the first of these names that is a file, and behind it what it imports;
/// nothing where there is none.
pub(super) fn of_folder(folder: &Path, names: &[String], reach: ImportScope<'_>) -> Vec<InstructionFile> {
    let mut files = names.iter().map(|name| folder.join(name));
    files
        .find(|file| file.is_file() && reach.allows(file) && !reach.denies(file) && reach.is_fit(file))
        .map_or_else(Vec::new, |file| with_imports(file, reach))
}

/// What has one of these names before the file that counts, and cannot be read: each with why.
pub(super) fn unreadable(folder: &Path, names: &[String], reach: ImportScope<'_>) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for file in names.iter().map(|name| folder.join(name)) {
        match reading::read(&file, 0) {
            Reading::Text { .. } if reach.allows(&file) && !reach.is_fit(&file) => {
                found.push((file, "it leads to a file that is not an instruction file".to_owned()));
            }
            Reading::Text { .. } => break,
            Reading::Absent => {}
            Reading::Refused(why) => found.push((file, why)),
        }
    }
    found
}

/// The file, and behind it what it imports.
pub(super) fn with_imports(file: PathBuf, reach: ImportScope<'_>) -> Vec<InstructionFile> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut next = vec![(file, 0)];
    let mut named = 0;
    while let Some((file, depth)) = next.pop() {
        if !seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
            continue;
        }
        let Reading::Text { mut text, cut } = reach.read(&file) else { continue };
        if text.contains('\0') {
            text = "[This file was not added: it is not text.]".to_owned();
        }
        let mut lost = Vec::new();
        if depth > 0 || file.file_name().is_some_and(|name| name == IMPORTING) {
            let mut below = Vec::new();
            for path in imports(&text) {
                match import(&file, &path, depth, reach) {
                    Ok(Some(_)) if named == MOST_IMPORTS => {
                        below_text(
                            (&mut text, &mut lost),
                            &path,
                            "one file can import at most sixteen others",
                        );
                    }
                    Ok(Some(other)) => {
                        named += 1;
                        below.push((other, depth + 1));
                    }
                    // `@` also begins names that are no files.
                    Ok(None) if path.ends_with(".md") || path.ends_with(".txt") => {
                        below_text((&mut text, &mut lost), &path, "there is no such file");
                    }
                    Ok(None) => {}
                    Err(why) => below_text((&mut text, &mut lost), &path, why),
                }
            }
            next.extend(below.into_iter().rev());
        }
        found.push(InstructionFile { file, text, cut, lost });
    }
    found
}

/// For the model, and for the person who wrote the import.
fn below_text((text, lost): (&mut String, &mut Vec<String>), path: &str, why: &str) {
    let said = format!("@{} was not imported: {why}", one_line(path));
    text.push_str(&format!("\n[{said}.]"));
    lost.push(said);
}

/// The file that an import names; `None` when it names none, so that it is a word like any other.
fn import(
    file: &Path,
    path: &str,
    depth: usize,
    reach: ImportScope<'_>,
) -> Result<Option<PathBuf>, &'static str> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let other = match (path.strip_prefix("~/"), reach) {
        (Some(below), ImportScope::Anywhere(Some(home))) => home.join(below),
        (Some(_), _) => return Err("it is outside the project"),
        (None, _) => folder.join(path),
    };
    // A word that names nothing is a word.
    let Ok(found) = other.metadata() else { return Ok(None) };
    if found.is_dir() {
        return Ok(None);
    }
    if !reach.allows(&other) {
        return Err("it is outside the project");
    }
    if !found.is_file() {
        return Err("it is not a regular file");
    }
    if reach.denies(&other) {
        return Err("a rule denies reading it");
    }
    // What a link leads to counts: a name that looks harmless may lead to a file that holds keys.
    if !is_importable(&other.canonicalize().unwrap_or_else(|_| other.clone())) {
        return Err("only .md, .mdc, .mdx and .txt files are");
    }
    if depth >= MOST_DEEP {
        return Err("imports can be nested at most five files deep");
    }
    Ok(Some(other))
}

/// The `@paths` of a text, outside of code.
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fence = None;
    for line in text.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {}
            (None, None) => {
                let plain = line.split('`').step_by(2);
                let words = plain.flat_map(str::split_whitespace).filter_map(|word| word.strip_prefix('@'));
                let paths = words.map(|word| word.trim_end_matches(['.', ',', ';', ':', ')', '!', '?']));
                found.extend(paths.filter(|path| !path.is_empty()).map(str::to_owned));
            }
        }
    }
    found.truncate(MOST_WORDS);
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::policy::{Rule, RuleKind};
    use crate::session::instructions::denied::DeniedFiles;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn names() -> Vec<String> {
        ["AGENTS.md", "CLAUDE.md"].map(str::to_owned).to_vec()
    }

    /// The names of what was found below a folder, and all that they say.
    fn found(root: &Path) -> (Vec<String>, String) {
        let top = root.canonicalize().unwrap();
        let found = of_folder(root, &names(), ImportScope::Below(&top, &DeniedFiles::none(&top)));
        let name = |one: &InstructionFile| one.file.strip_prefix(root).unwrap().display().to_string();
        (found.iter().map(name).collect(), found.iter().map(|one| one.text.as_str()).collect())
    }

    #[test]
    fn the_first_name_counts_and_the_next_where_it_is_absent() {
        let place = tempfile::tempdir().unwrap();
        write(&place.path().join("CLAUDE.md"), "claude words @other.md");
        write(&place.path().join("other.md"), "other words");
        assert_eq!(found(place.path()).0, ["CLAUDE.md", "other.md"]);
        write(&place.path().join("sub/CLAUDE.md"), "@gone.md @../other.md");
        let all =
            of_folder(&place.path().join("sub"), &["CLAUDE.md".to_owned()], ImportScope::Anywhere(None));
        let lost: Vec<&String> = all.iter().flat_map(|file| &file.lost).collect();
        assert_eq!(lost, ["@gone.md was not imported: there is no such file"]);
        write(&place.path().join("AGENTS.md"), "agent words @other.md");
        assert_eq!(found(place.path()).0, ["AGENTS.md"], "its @words are not imports");
    }

    #[test]
    fn imports_are_found_outside_of_code_and_each_once() {
        let text = "See @a.md, (and) @b/c.md. `@no.md` mail@no.md\n```sh\n@no.md\n```\n@@ @~/d.md";
        assert_eq!(imports(text), ["a.md", "b/c.md", "@", "~/d.md"]);
        let place = tempfile::tempdir().unwrap();
        write(&place.path().join("CLAUDE.md"), "@a.md @b/c.md @a.md @nobody");
        write(&place.path().join("a.md"), "@CLAUDE.md @b/c.md");
        write(&place.path().join("b/c.md"), "@../a.md @d.txt");
        write(&place.path().join("b/d.txt"), "deep");
        let (names, text) = found(place.path());
        assert_eq!(names, ["CLAUDE.md", "a.md", "b/c.md", "b/d.txt"]);
        assert!(!text.contains("not imported"), "{text}");
    }

    #[test]
    fn an_import_leads_nowhere_else_and_to_no_other_kind() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("repo");
        write(&place.path().join("secret.md"), "the secret");
        write(&root.join(".env"), "the key");
        fs::create_dir_all(root.join("sub")).unwrap();
        std::os::unix::fs::symlink(place.path().join("secret.md"), root.join("link.md")).unwrap();
        std::os::unix::fs::symlink(root.join(".env"), root.join("env.md")).unwrap();
        let absolute = place.path().join("secret.md");
        for import in ["../secret.md", "~/secret.md", "link.md", ".env", "env.md", absolute.to_str().unwrap()]
        {
            write(&root.join("CLAUDE.md"), &format!("@{import}"));
            let (names, text) = found(&root);
            assert_eq!(names, ["CLAUDE.md"], "{import}");
            assert!(text.contains("was not imported: "), "{import}: {text}");
            assert!(!text.contains("the secret") && !text.contains("the key"), "{import}: {text}");
        }
        let own = with_imports(root.join("CLAUDE.md"), ImportScope::Anywhere(Some(place.path())));
        assert_eq!(own.len(), 2, "the user's own file may");
    }

    #[test]
    fn a_link_that_is_called_like_instructions_brings_no_keys() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        write(&top.join(".env"), "the key");
        write(&top.join("notes.rs"), "the code");
        write(&top.join("docs/rules.md"), "the rules");
        write(&top.join("hidden/rules.md"), "the hidden rules");
        write(&top.join(".cursorrules"), "the rules");
        write(&top.join(".github/copilot-instructions.md"), "the rules");
        for (leads_to, expected) in [
            (".env", ""),
            ("notes.rs", ""),
            ("docs/rules.md", "the rules"),
            (".cursorrules", "the rules"),
            (".github/copilot-instructions.md", "the rules"),
            ("hidden/rules.md", ""),
        ] {
            let (link, denied) = (top.join("AGENTS.md"), DeniedFiles::none(&top).hiding(top.join("hidden")));
            std::os::unix::fs::symlink(top.join(leads_to), &link).unwrap();
            let reach = ImportScope::Below(&top, &denied);
            let found = of_folder(&top, &names(), reach);
            let text: String = found.iter().map(|one| one.text.as_str()).collect();
            assert_eq!(text, expected, "{leads_to}");
            let is_named = unreadable(&top, &names(), reach).iter().any(|(file, _)| *file == link);
            assert_eq!(is_named, [".env", "notes.rs"].contains(&leads_to), "{leads_to}");
            fs::remove_file(link).unwrap();
        }
    }

    #[test]
    fn imports_are_bounded_in_depth_and_number() {
        let place = tempfile::tempdir().unwrap();
        write(&place.path().join("CLAUDE.md"), "@0.md");
        for at in 0..9 {
            write(&place.path().join(format!("{at}.md")), &format!("@{}.md", at + 1));
        }
        let (names, text) = found(place.path());
        assert_eq!(names.len(), 1 + MOST_DEEP);
        assert!(text.contains("five files deep"), "{text}");
        let many: String = (0..100).map(|at| format!("@{at}.md ")).collect();
        write(&place.path().join("CLAUDE.md"), &many);
        (0..100).for_each(|at| write(&place.path().join(format!("{at}.md")), &many));
        let (names, text) = found(place.path());
        assert!(names.len() <= 1 + MOST_IMPORTS);
        assert!(
            text.contains("@16.md was not imported: one file can import at most sixteen others"),
            "{text}"
        );
    }

    #[test]
    fn what_is_no_file_or_no_text_is_named_and_hides_nothing() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        write(&root.join("CLAUDE.md"), "claude words @pipe.md @binary.md @UPPER.MD");
        fs::create_dir(root.join("AGENTS.md")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(root.join("pipe.md")).status().unwrap().success());
        write(&root.join("binary.md"), "\0ELF");
        write(&root.join("UPPER.MD"), "loud words");
        let (names, text) = found(root);
        assert_eq!(names, ["CLAUDE.md", "binary.md", "UPPER.MD"], "a folder called AGENTS.md hides nothing");
        assert!(text.contains("@pipe.md was not imported: it is not a regular file"), "{text}");
        assert!(text.contains("it is not text") && !text.contains("ELF"), "{text}");
    }

    #[test]
    fn what_a_rule_denies_is_not_imported() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        write(&top.join("CLAUDE.md"), "claude words @docs/plan.md");
        write(&top.join("docs/plan.md"), "the plan");
        let found = |rule: &str| {
            let denied = DeniedFiles::of(&top, &[Rule::parse(RuleKind::Deny, rule).unwrap()]);
            let found = of_folder(&top, &names(), ImportScope::Below(&top, &denied));
            found.iter().map(|one| one.text.as_str()).collect::<String>()
        };
        assert!(found("read(other)").contains("the plan"));
        let text = found("read(docs/plan.md)");
        assert!(text.contains("@docs/plan.md was not imported: a rule denies reading it"), "{text}");
        assert!(!text.contains("the plan"));
        assert_eq!(found("read(CLAUDE.md)"), "");
        assert_eq!(found("read"), "");
    }
}
