//! What trust is given to: the files of a folder that may start programs, permit things or send data, and their hash.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::places::{AGENTS, COMMANDS, MOST_BYTES, SKILLS, called_name, names, skill_folder, speaks_of};
use crate::config::fault::Fault;
use crate::config::reading;
use crate::config::reading::Reading;

/// The configuration of a project, below its folder.
pub(crate) const CONFIG: &str = ".countersign/config.toml";

/// The MCP servers of a project, in the file that it shares with other programs.
pub(crate) const SHARED_SERVERS: &str = ".mcp.json";

/// The files that count, in this order; `*` is any name. What joins them is hashed from then on, so that trust given before
/// has to be given again where such a file is.
const FILES: [&[&str]; 4] = [&[CONFIG, SHARED_SERVERS], &SKILLS, &COMMANDS, &AGENTS];

/// A folder and its files, read once: what is shown, hashed and obeyed is the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content {
    /// The folder, as it was named.
    folder: PathBuf,
    /// The folder with its symlinks resolved; `None` if that is no text, or cannot be done.
    real: Option<String>,
    /// Each file that is there: its name below the folder, and what it holds.
    files: Vec<(String, Vec<u8>)>,
    /// Each that is there and counts for nothing, and why.
    refused: Vec<(String, String)>,
}

impl Content {
    /// Reads the files; `None` where there are none.
    ///
    /// # Errors
    /// A configuration that is there and cannot be read, or is too large; exit 2. Other files are not countersign's alone:
    /// such a one is left out, and [`Content::left_out`] says so.
    pub(crate) fn of(folder: &Path) -> Result<Option<Self>, Fault> {
        let (mut files, mut refused) = (Vec::<(String, Vec<u8>)>::new(), Vec::new());
        let mut all = Vec::new();
        for pattern in FILES.into_iter().flatten() {
            all.extend(names(folder, pattern, &mut refused));
        }
        for name in all {
            match read(folder, &name) {
                Reading::Absent => {}
                Reading::Refused(why) if name == CONFIG => return Err(unreadable(&folder.join(name), &why)),
                // Often one place of skills is a link to the other: nothing is missing then.
                Reading::Refused(_) if files.iter().any(|(known, _)| is_same(folder, known, &name)) => {}
                Reading::Refused(why) => refused.push((name, why)),
                Reading::Text { text, .. } => files.push((name, text)),
            }
        }
        let real = folder.canonicalize().ok().and_then(|real| Some(real.to_str()?.to_owned()));
        let is_empty = files.is_empty() && refused.is_empty();
        Ok((!is_empty).then(|| Self { folder: folder.to_owned(), real, files, refused }))
    }

    /// The folder as it was named.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder's real path, under which trust is kept.
    pub(crate) fn real(&self) -> Option<&str> {
        self.real.as_deref()
    }

    /// The path of one of the files.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// What one of the files holds, if it is there.
    pub(crate) fn bytes(&self, name: &str) -> Option<&[u8]> {
        let file = self.files.iter().find(|(known, _)| *known == name);
        file.map(|(_, bytes)| bytes.as_slice())
    }

    /// The same as text; bytes that are not UTF-8 are replaced.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.bytes(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// The texts of the skills, each with the name of its file and of its folder.
    pub(crate) fn skills(&self) -> impl Iterator<Item = (&str, &str, String)> {
        self.files.iter().filter_map(|(name, bytes)| {
            Some((name.as_str(), skill_folder(name)?, String::from_utf8_lossy(bytes).into_owned()))
        })
    }

    /// The texts of the custom commands, each with the name of its file.
    pub(crate) fn commands(&self) -> impl Iterator<Item = (&str, String)> {
        self.texts(&COMMANDS)
    }

    /// The texts of the sub-agents, each with the name of its file.
    pub(crate) fn agents(&self) -> impl Iterator<Item = (&str, String)> {
        self.texts(&AGENTS)
    }

    fn texts(&self, patterns: &'static [&'static str]) -> impl Iterator<Item = (&str, String)> {
        let is_one = |name: &str| patterns.iter().any(|pattern| speaks_of(pattern, name));
        self.files
            .iter()
            .filter(move |(name, _)| is_one(name))
            .map(|(name, bytes)| (name.as_str(), String::from_utf8_lossy(bytes).into_owned()))
    }

    /// The files that are there and count for nothing: the name of each, and a sentence.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = (&str, String)> {
        self.refused.iter().map(|refused| (refused.0.as_str(), self.said(refused)))
    }

    /// Those of them that a user would call by a name.
    pub(crate) fn left_out_by_name(&self) -> impl Iterator<Item = (String, String)> {
        let is_called = |name: &str| COMMANDS.iter().chain(&SKILLS).any(|pattern| speaks_of(pattern, name));
        let called = self.refused.iter().filter(move |(name, _)| is_called(name));
        called.map(|refused| (called_name(Path::new(&refused.0)), self.said(refused)))
    }

    fn said(&self, (name, why): &(String, String)) -> String {
        format!("{} cannot be read: {why}; it is ignored", self.path(name).display())
    }

    /// SHA-256 over names and contents, each with its length before it, so that no two sets of files share one.
    pub(crate) fn hash(&self) -> String {
        hash(self.files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())))
    }

    /// The hash of these files with this configuration in the place of theirs; without files, of it alone.
    pub(crate) fn hash_with_config(others: Option<&Self>, config: &[u8]) -> String {
        let others = others.iter().flat_map(|content| &content.files).filter(|(name, _)| name != CONFIG);
        let others = others.map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        // The configuration is the first of the files that count.
        hash(std::iter::once((CONFIG, config)).chain(others))
    }
}

/// Whether two names below a folder lead to one file.
fn is_same(folder: &Path, one: &str, other: &str) -> bool {
    let real = |name: &str| folder.join(name).canonicalize().ok();
    real(one).is_some_and(|file| real(other) == Some(file))
}

fn hash<'f>(files: impl Iterator<Item = (&'f str, &'f [u8])>) -> String {
    let mut hasher = Sha256::new();
    for (name, bytes) in files {
        for part in [name.as_bytes(), bytes] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// One file. But for the configuration none is reached by a link: what a name leads to could be somebody else's.
fn read(folder: &Path, name: &str) -> Reading<Vec<u8>> {
    let path = folder.join(name);
    let below = path.ancestors().take_while(|part| *part != folder);
    if name != CONFIG && below.into_iter().any(Path::is_symlink) {
        return Reading::Refused("it is reached by a symbolic link".to_owned());
    }
    match reading::bytes(&path, MOST_BYTES) {
        Reading::Text { cut: true, .. } => Reading::Refused("it is larger than a megabyte".to_owned()),
        read => read,
    }
}

fn unreadable(path: &Path, why: &str) -> Fault {
    Fault::usage(
        format!("cannot read the configuration {}: {why}", path.display()),
        "this file belongs to the project, not to you: make it a readable file, or move it away to start without it",
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::places::MOST_NAMES;
    use super::*;

    #[test]
    fn every_byte_counts_and_no_file_is_no_content() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(Content::of(place.path()).unwrap(), None);
        fs::create_dir(place.path().join(".countersign")).unwrap();
        let hash = |text: &[u8]| {
            fs::write(place.path().join(CONFIG), text).unwrap();
            Content::of(place.path()).unwrap().unwrap().hash()
        };
        let texts: [&[u8]; 5] = [b"", b"a", b"a\n", b"\xff", b"\xfe"];
        let hashes: std::collections::BTreeSet<String> = texts.iter().map(|text| hash(text)).collect();
        assert_eq!(hashes.len(), texts.len());
        assert!(hashes.iter().all(|hash| hash.len() == 64));
        assert_eq!(hash(b"a"), hash(b"a"));
    }

    #[test]
    fn a_file_that_is_moved_between_names_is_another_content() {
        let of = |files: &[(&str, &str)]| {
            let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
            let (folder, files) = (PathBuf::new(), files.collect());
            Content { folder, real: None, files, refused: Vec::new() }.hash()
        };
        assert_ne!(of(&[("a", "bc")]), of(&[("ab", "c")]));
        assert_ne!(of(&[("a", "b"), ("c", "d")]), of(&[("a", "bc"), ("", "d")]));
    }

    #[test]
    fn a_shared_file_counts_and_a_hostile_one_is_left_out() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join(SHARED_SERVERS);
        let content = || Content::of(place.path()).unwrap().unwrap();
        fs::write(&file, "{}").unwrap();
        let (small, text) = (content().hash(), content().text(SHARED_SERVERS));
        assert_eq!(text.as_deref(), Some("{}"));
        fs::write(&file, vec![b' '; 2 * 1024 * 1024]).unwrap();
        let told = |why: &str| {
            let content = content();
            assert_eq!(content.text(SHARED_SERVERS), None);
            assert_ne!(content.hash(), small);
            let left_out: Vec<String> = content.left_out().map(|(_, said)| said).collect();
            assert!(left_out.len() == 1 && left_out[0].contains(why), "{left_out:?}");
        };
        told("larger than a megabyte");
        fs::remove_file(&file).unwrap();
        fs::write(place.path().join("elsewhere"), "{}").unwrap();
        std::os::unix::fs::symlink("elsewhere", &file).unwrap();
        told("symbolic link");
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        told("not a regular file");
    }

    #[test]
    fn a_pattern_names_what_is_there_in_its_order() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        for name in ["skills/b", "skills/a", "skills/c/deep"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        let names = |pattern: &str| {
            let mut refused = Vec::new();
            let names = names(root, pattern, &mut refused);
            assert_eq!(refused, []);
            names
        };
        assert_eq!(names(CONFIG), [CONFIG]);
        assert_eq!(names("skills/*/S.md"), ["skills/a/S.md", "skills/b/S.md", "skills/c/S.md"]);
        assert_eq!(names("none/*/S.md"), Vec::<String>::new());
        fs::write(root.join("skills/a/S.md"), "x").unwrap();
        std::os::unix::fs::symlink("a", root.join("skills/linked")).unwrap();
        assert!(matches!(read(root, "skills/a/S.md"), Reading::Text { .. }));
        assert_eq!(read(root, "skills/b/S.md"), Reading::Absent);
        assert!(matches!(read(root, "skills/linked/S.md"), Reading::Refused(_)));
    }

    #[test]
    fn a_folder_of_skills_that_cannot_be_read_or_holds_too_many_is_said() {
        let place = tempfile::tempdir().unwrap();
        let skills = place.path().join(".agents/skills");
        fs::create_dir(place.path().join(".agents")).unwrap();
        let left_out = || -> Vec<String> {
            let content = Content::of(place.path()).unwrap().unwrap();
            content.left_out().map(|(_, said)| said).collect()
        };
        // It leads to itself.
        std::os::unix::fs::symlink("skills", &skills).unwrap();
        let said = left_out();
        assert!(said.len() == 1 && said[0].contains(".agents/skills cannot be read"), "{said:?}");
        fs::remove_file(&skills).unwrap();
        for number in 0..=MOST_NAMES {
            fs::create_dir_all(skills.join(format!("{number:03}"))).unwrap();
        }
        let said = left_out();
        assert!(
            said.len() == 1 && said[0].contains("skills/256 cannot be read: only the first 256"),
            "{said:?}"
        );
    }
}
