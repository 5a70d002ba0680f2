//! Names of types: at most two modules share one, so that a name in a message or a search says which type is meant.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{SourceFile, source_files};

const MODULES_PER_NAME: usize = 2;

/// The type that a line declares, at the top of a module or of a module within it. An associated type of a trait or of an
/// implementation is none: its name belongs to the trait.
fn declared(line: &str) -> Option<&str> {
    let bare = line.trim_start();
    let (is_nested, bare) = (bare.len() < line.len(), bare);
    let bare = match bare.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(')')?.1.trim_start(),
        Some(rest) if rest.starts_with(' ') => rest.trim_start(),
        _ => bare,
    };
    let (keyword, rest) = bare.split_once(' ')?;
    let declares =
        matches!(keyword, "struct" | "enum" | "trait" | "union") || (keyword == "type" && !is_nested);
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (declares && name.starts_with(char::is_uppercase)).then_some(name)
}

/// The modules of each name.
fn shared(files: &[SourceFile]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut modules: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in files {
        for name in file.code.lines().filter_map(declared) {
            modules.entry(name).or_default().insert(&file.name);
        }
    }
    modules
}

#[test]
fn a_name_of_a_type_is_shared_by_at_most_two_modules() {
    let files = source_files(&["src"]);
    let shared = shared(&files);
    assert!(shared.len() > 500, "only {} types were found", shared.len());
    let too_many: Vec<String> = shared
        .iter()
        .filter(|(_, modules)| modules.len() > MODULES_PER_NAME)
        .map(|(name, modules)| format!("{name}: {modules:?}"))
        .collect();
    assert!(too_many.is_empty(), "\n{}", too_many.join("\n"));
}

#[test]
fn a_declaration_is_found_whatever_stands_before_it() {
    let found = [
        "pub struct Page {",
        "    pub(super) enum Page {",
        "trait Page<T>: Sized {",
        "pub(in crate::ui) type Page = u8;",
    ];
    assert_eq!(found.map(declared), [Some("Page"); 4]);
    let others =
        ["    type Error = Page;", "impl Page {", "let structure = Page;", "pub fn page() -> Page {", "}"];
    assert_eq!(others.map(declared), [None; 5]);
}
