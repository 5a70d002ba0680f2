//! Circles between files: each pair or group that uses itself, also by way of a `mod.rs`.

use std::collections::{BTreeMap, BTreeSet};

use super::resolve::Modules;
use super::source::source_files;

type Imports<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// Folders whose `mod.rs` and files still use each other: what such a `mod.rs` uses of its own folder is not
/// counted. None is to be added; one that is taken apart is taken out.
const CLOSED: &[&str] = &[];

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

/// What is in a circle, and what leads to one: whoever uses nothing that is left is taken away, until
/// nobody does.
fn knotted<'a>(imports: &Imports<'a>) -> Imports<'a> {
    let mut left = imports.clone();
    loop {
        let before = left.len();
        let names: BTreeSet<&str> = left.keys().copied().collect();
        left.values_mut().for_each(|used| used.retain(|name| names.contains(name)));
        left.retain(|_, used| !used.is_empty());
        if left.len() == before {
            return left;
        }
    }
}

/// Groups of files that all reach each other, as `a <-> b`.
fn circles(imports: &Imports<'_>) -> BTreeSet<String> {
    let imports = knotted(imports);
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|module| (*module, reach(module, &imports))).collect();
    let mut found = BTreeSet::new();
    for (module, reaches) in &reached {
        if reaches.contains(module) {
            let group = reaches.iter().filter(|m| reached.get(*m).is_some_and(|back| back.contains(module)));
            found.insert(group.copied().collect::<Vec<_>>().join(" <-> "));
        }
    }
    found
}

/// What is used, without what is known to close a circle.
fn without<'a>(imports: &Imports<'a>, closed: &[&str]) -> Imports<'a> {
    let counts = |user: &str, used: &str| {
        let is_within = || used.strip_prefix(user).is_some_and(|rest| rest.starts_with("::"));
        !(closed.contains(&user) && is_within())
    };
    let of = |(user, used): (&&'a str, &BTreeSet<&'a str>)| {
        (*user, used.iter().copied().filter(|used| counts(user, used)).collect())
    };
    imports.iter().map(of).collect()
}

#[test]
fn files_make_no_circles() {
    let modules = Modules::of(&source_files(&["src"]));
    let found = circles(&without(&modules.imports(), CLOSED));
    assert!(found.is_empty(), "{found:#?}");
}

/// A circle that is gone must not come back because its place is still listed.
#[test]
fn what_is_listed_as_a_circle_is_still_one() {
    let modules = Modules::of(&source_files(&["src"]));
    let imports = modules.imports();
    for folder in CLOSED {
        let others: Vec<&str> = CLOSED.iter().copied().filter(|it| it != folder).collect();
        let is_one = !knotted(&without(&imports, &others)).is_empty();
        assert!(is_one, "{folder} closes no circle any more: take it out of CLOSED");
    }
}

#[test]
fn what_is_listed_is_not_counted_and_all_else_is() {
    let imports: Imports<'_> = BTreeMap::from([
        ("ui::pages", BTreeSet::from(["ui::local", "ui::pages::help", "ui::pages_of"])),
        ("ui::pages::help", BTreeSet::from(["ui::pages"])),
    ]);
    let of = |closed: &[&str]| without(&imports, closed)["ui::pages"].len();
    assert_eq!((of(&[]), of(&["ui::pages"])), (3, 2), "its own files alone");
    assert!(!circles(&without(&imports, &["ui"])).is_empty());
    assert!(circles(&without(&imports, &["ui::pages"])).is_empty());
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
}
