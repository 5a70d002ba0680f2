//! Circles between the files of one floor: each pair or group that imports itself, by way of whatever is re-exported.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{SourceFile, heads, source_files};

type Imports<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// `src/core/ledger/check.rs` is `ledger::check`, `src/ui/mod.rs` is `ui`.
fn module(name: &str) -> String {
    let path = name.trim_start_matches("src/").trim_start_matches("core/");
    let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
    path.replace('/', "::")
}

fn parent(module: &str) -> &str {
    module.rsplit_once("::").map_or("", |(parent, _)| parent)
}

/// What is written after this prefix, groups taken apart: `super::{a::B, c}` names `a::B` and `c`.
fn named_after<'c>(code: &'c str, prefix: &str) -> Vec<&'c str> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        let before = code.get(..at).and_then(|code| code.chars().next_back());
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let rest = code.get(at + prefix.len()..).unwrap_or("");
        match rest.strip_prefix('{') {
            Some(group) => found.extend(heads(group)),
            None => found.push(rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("")),
        }
    }
    found
}

/// For each module, what its `mod.rs` hands on from its children: the name, and the child that has it.
fn handed_on(files: &[SourceFile]) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    for file in files.iter().filter(|f| f.name.ends_with("/mod.rs")) {
        let here = module(&file.name);
        let mut names = BTreeMap::new();
        for child in files.iter().map(|f| module(&f.name)).filter(|m| parent(m) == here) {
            let short = child.rsplit("::").next().unwrap_or_default().to_owned();
            for name in named_after(&file.code, &format!("{short}::")) {
                names.insert(name.to_owned(), child.clone());
            }
            names.insert(short, child.clone());
        }
        all.insert(here, names);
    }
    all
}

/// The files of its own floor that a file imports; what is in the floor's `mod.rs` itself belongs to all of them.
fn imported(file: &SourceFile, handed: &BTreeMap<String, BTreeMap<String, String>>) -> BTreeSet<String> {
    let here = module(&file.name);
    let floor = here.split("::").next().unwrap_or_default().to_owned();
    let children = |of: &str, names: Vec<&str>| -> Vec<String> {
        names.into_iter().filter_map(|name| handed.get(of)?.get(name).cloned()).collect()
    };
    let home = if file.name.ends_with("/mod.rs") { here.as_str() } else { parent(&here) };
    let mut found = children(&floor, named_after(&file.code, &format!("crate::{floor}::")));
    found.extend(children(home, named_after(&file.code, "super::")));
    // A folder stands for its files: whoever imports one of them by name is resolved no deeper than that.
    found.into_iter().filter(|m| *m != here && !here.starts_with(&format!("{m}::"))).collect()
}

/// All that can be reached from a file.
fn reach<'a>(from: &str, imports: &Imports<'a>) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut next: Vec<&str> = imports.get(from).into_iter().flatten().copied().collect();
    while let Some(module) = next.pop() {
        if seen.insert(module) {
            next.extend(imports.get(module).into_iter().flatten());
        }
    }
    seen
}

/// Groups of files that all reach each other, as `a <-> b`.
fn circles(imports: &Imports<'_>) -> BTreeSet<String> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|module| (*module, reach(module, imports))).collect();
    let mut found = BTreeSet::new();
    for (module, reaches) in &reached {
        if reaches.contains(module) {
            let group = reaches.iter().filter(|m| reached.get(*m).is_some_and(|back| back.contains(module)));
            found.insert(group.copied().collect::<Vec<_>>().join(" <-> "));
        }
    }
    found
}

#[test]
fn files_of_one_floor_make_no_circles() {
    let files = source_files(&["src"]);
    let handed = handed_on(&files);
    // What `mod.rs` imports of its children is how a folder is put together, not a dependency.
    let inner = files.iter().filter(|f| !f.name.ends_with("/mod.rs"));
    let imports: BTreeMap<String, BTreeSet<String>> =
        inner.map(|file| (module(&file.name), imported(file, &handed))).collect();
    let borrowed: Imports<'_> = imports
        .iter()
        .map(|(module, targets)| (module.as_str(), targets.iter().map(String::as_str).collect()))
        .collect();
    let found = circles(&borrowed);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn circles_are_found_through_others() {
    let imports: Imports<'_> = BTreeMap::from([
        ("a", BTreeSet::from(["b"])),
        ("b", BTreeSet::from(["c"])),
        ("c", BTreeSet::from(["a", "d"])),
        ("d", BTreeSet::new()),
    ]);
    assert_eq!(circles(&imports), BTreeSet::from(["a <-> b <-> c".to_owned()]));
    let named = named_after("use super::{a::B, c};\nuse super::d::E; let x = a::super_::f();", "super::");
    assert_eq!(named, ["a", "c", "d"]);
}
