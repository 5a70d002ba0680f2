//! Reading the source: files, the floor a file belongs to, and what it imports.

use std::fs;
use std::path::{Path, PathBuf};

/// One file.
pub(crate) struct SourceFile {
    /// Path from the root of the repository.
    pub(crate) name: String,
    /// All of it.
    pub(crate) text: String,
    /// Without comments and without its unit tests.
    pub(crate) code: String,
}

impl SourceFile {
    /// The floor whose folder it is in.
    pub(crate) fn floor<'f>(&self, floors: &[&'f str]) -> Option<&'f str> {
        let inside = self.name.strip_prefix("src/")?;
        let inside = inside.strip_prefix("core/").unwrap_or(inside);
        let part = inside.split('/').next()?.trim_end_matches(".rs");
        floors.iter().copied().find(|f| *f == part)
    }
}

/// All Rust files below these folders, sorted by name.
pub(crate) fn source_files(folders: &[&str]) -> Vec<SourceFile> {
    let mut paths: Vec<PathBuf> = folders.iter().flat_map(|f| rust_files(Path::new(f))).collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let code = without_comments(text.split("#[cfg(test)]\nmod tests").next().unwrap());
            SourceFile { name: path.to_string_lossy().into_owned(), text, code }
        })
        .collect()
}

fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

fn without_comments(text: &str) -> String {
    text.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// First path segments after `crate::`, those inside `crate::{a, b::{c}}` included.
pub(crate) fn imports(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = code.get(at + "crate::".len()..).unwrap_or("");
        match rest.strip_prefix('{') {
            None => found.push(identifier(rest)),
            Some(group) => found.extend(heads(group)),
        }
    }
    found
}

/// The first identifiers of the members of a group, up to its closing brace.
fn heads(group: &str) -> Vec<&str> {
    parts(group).into_iter().map(identifier).collect()
}

/// The members of a group, up to its closing brace.
pub(crate) fn parts(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                found.push(group.get(start..at).unwrap_or(""));
                start = at + 1;
                if character == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

fn identifier(text: &str) -> &str {
    let text = text.trim_start();
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("")
}

#[test]
fn imports_are_read_from_groups_too() {
    let code = "use crate::{ledger::{self, Entry}, agent};\nlet x = crate::tool::bound(1);";
    assert_eq!(imports(code), ["ledger", "agent", "tool"]);
}
