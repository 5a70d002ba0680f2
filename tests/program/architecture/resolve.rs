//! Which file a path names: `use` and paths are followed, through whatever is handed on, to the file that has the name.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{SourceFile, parts};

/// Links of one name to another that are followed before it is taken for a circle of names.
const MOST_LINKS: usize = 20;

/// The roots of the crates: they hand on whole floors, and nothing imports them by name.
const ROOTS: &[&str] = &["src/lib.rs", "src/main.rs", "src/core/lib.rs"];

/// One file as a module.
struct Module {
    /// Whether it is the `mod.rs` of a folder.
    is_folder: bool,
    /// What each name means that is brought in, or handed on: a path as it is written.
    names: BTreeMap<String, String>,
    /// The paths that it uses: those that it brings in, and those that stand in its code. What a folder hands on is none.
    used: BTreeSet<String>,
}

/// All modules by their paths, `ledger::check`.
pub(crate) struct Modules(BTreeMap<String, Module>);

/// What a path names.
#[derive(Debug, PartialEq)]
enum Target {
    /// Nothing of ours.
    Nothing,
    /// A folder by itself: what is meant of it stands where its name is used.
    Folder,
    /// Something in this module.
    In(String),
}

/// `src/core/ledger/check.rs` is `ledger::check`, `src/ui/mod.rs` is `ui`.
fn module(name: &str) -> String {
    let path = name.trim_start_matches("src/").trim_start_matches("core/");
    let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
    path.replace('/', "::")
}

fn parent(module: &str) -> &str {
    module.rsplit_once("::").map_or("", |(parent, _)| parent)
}

fn joined(before: &str, after: &str) -> String {
    match (before, after) {
        (one, "") | ("", one) => one.to_owned(),
        (before, after) => format!("{before}::{after}"),
    }
}

impl Modules {
    /// Reads them, without those that are built for tests alone.
    pub(crate) fn of(files: &[SourceFile]) -> Self {
        let mut all = BTreeMap::new();
        let mut tests = Vec::new();
        for file in files.iter().filter(|f| !ROOTS.contains(&f.name.as_str())) {
            let here = module(&file.name);
            let for_tests = file.code.split("#[cfg(test)]\n").skip(1).filter_map(|rest| rest.lines().next());
            let for_tests = for_tests.filter_map(|line| line.strip_suffix(';')?.split_once("mod "));
            tests.extend(for_tests.map(|(_, name)| joined(&here, name)));
            all.insert(here, Module::read(&file.code, file.name.ends_with("/mod.rs")));
        }
        all.retain(|module, _| !tests.contains(module));
        Self(all)
    }

    /// The files that each file uses.
    pub(crate) fn imports(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let of = |here: &str, module: &Module| -> BTreeSet<&str> {
            let used = module.used.iter().filter_map(|path| match self.target(here, path, 0) {
                Target::In(there) if there != here => self.0.get_key_value(&there),
                Target::In(_) | Target::Folder | Target::Nothing => None,
            });
            used.map(|(there, _)| there.as_str()).collect()
        };
        self.0.iter().map(|(here, module)| (here.as_str(), of(here, module))).collect()
    }

    /// What a path means that is written in a module.
    fn target(&self, here: &str, path: &str, links: usize) -> Target {
        let (first, rest) = path.split_once("::").unwrap_or((path, ""));
        match first {
            "crate" => self.named("", rest, links),
            "self" => self.named(here, rest, links),
            "super" => {
                let mut above = parent(here);
                let mut rest = rest;
                while let Some(higher) = rest.strip_prefix("super::") {
                    (above, rest) = (parent(above), higher);
                }
                self.named(above, rest, links)
            }
            _ if self.0.contains_key(&joined(here, first)) => self.named(here, path, links),
            _ => match self.0.get(here).and_then(|module| module.names.get(first)) {
                // A name of a crate stands for itself.
                Some(meant) if meant.split("::").next() != Some(first) && links < MOST_LINKS => {
                    self.target(here, &joined(meant, rest), links + 1)
                }
                _ => Target::Nothing,
            },
        }
    }

    /// What a path means below a module.
    fn named(&self, from: &str, path: &str, links: usize) -> Target {
        let mut here = from.to_owned();
        let mut rest = path;
        while !rest.is_empty() {
            let (first, after) = rest.split_once("::").unwrap_or((rest, ""));
            let below = joined(&here, first);
            if !self.0.contains_key(&below) {
                let handed_on = self.0.get(&here).and_then(|module| module.names.get(first));
                return match handed_on {
                    Some(meant) if links < MOST_LINKS => self.target(&here, &joined(meant, after), links + 1),
                    _ if here.is_empty() => Target::Nothing,
                    _ => Target::In(here),
                };
            }
            (here, rest) = (below, after);
        }
        match self.0.get(&here) {
            Some(module) if module.is_folder => Target::Folder,
            Some(_) => Target::In(here),
            None => Target::Nothing,
        }
    }
}

impl Module {
    fn read(code: &str, is_folder: bool) -> Self {
        let (mut names, mut used) = (BTreeMap::new(), BTreeSet::new());
        let mut rest = String::new();
        let mut lines = code.lines();
        while let Some(line) = lines.next() {
            let Some((is_public, first)) = import(line) else {
                rest.push_str(line);
                rest.push('\n');
                continue;
            };
            let mut tree = first.to_owned();
            while !tree.contains(';')
                && let Some(more) = lines.next()
            {
                tree.push_str(more);
            }
            for path in expanded("", tree.split(';').next().unwrap_or("")) {
                let (path, name) = match path.split_once(" as ") {
                    Some((path, name)) => (path.to_owned(), name.to_owned()),
                    None => (path.clone(), path.rsplit("::").next().unwrap_or("").to_owned()),
                };
                if !(is_folder && is_public) {
                    used.insert(path.trim_end_matches("::*").to_owned());
                }
                names.insert(name, path);
            }
        }
        let paths = rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        let paths = paths.map(|path| path.trim_end_matches(':')).filter(|path| path.contains("::"));
        used.extend(paths.filter(|path| !path.starts_with(':')).map(str::to_owned));
        Self { is_folder, names, used }
    }
}

/// What a line brings in, up to its end, and whether it hands that on.
fn import(line: &str) -> Option<(bool, &str)> {
    let line = line.trim_start();
    let bare = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(')')?.1.trim_start(),
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let tree = bare.strip_prefix("use ")?;
    let is_tree = tree.chars().all(|c| c.is_alphanumeric() || "_:{},*; #".contains(c));
    is_tree.then_some((bare.len() < line.len(), tree))
}

/// The paths of a tree: `super::{a::B, c::{self, D as E}}` names `super::a::B`, `super::c` and `super::c::D as E`.
fn expanded(before: &str, tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((head, group)) = tree.split_once('{') else {
        let path = format!("{before}{tree}");
        return vec![path.strip_suffix("::self").unwrap_or(&path).to_owned()];
    };
    let before = format!("{before}{head}");
    parts(group)
        .into_iter()
        .filter(|part| !part.trim().is_empty())
        .flat_map(|p| expanded(&before, p))
        .collect()
}

fn file(name: &str, code: &str) -> SourceFile {
    SourceFile { name: name.to_owned(), text: code.to_owned(), code: code.to_owned() }
}

#[test]
fn a_path_is_followed_to_the_file_that_has_the_name() {
    let all = Modules::of(&[
        file("src/ui/mod.rs", "pub mod panes;\npub mod pages;\npub use panes::Screen;\n"),
        file("src/ui/panes/mod.rs", "mod screen;\npub use screen::Screen;\npub fn draw() {}\n"),
        file("src/ui/panes/screen.rs", "use crate::ui::pages::{\n    Open as Page,\n    Spoken,\n};\n"),
        file(
            "src/ui/pages/mod.rs",
            "use super::panes::{self, Screen};\nfn f() { panes::draw() }\nstruct Open;\n",
        ),
        file("src/ui/pages/help.rs", "use super::Open;\n#[cfg(test)]\nmod spoken_tests;\n"),
        file("src/ui/pages/help/spoken_tests.rs", "use crate::ui::Screen;\n"),
        file("src/ui/local.rs", "pub(in crate::ui) fn f(it: &super::Screen<'_>) { ::std::mem::drop(it) }\n"),
    ]);
    let imports = all.imports();
    let of = |module: &str| imports[module].iter().copied().collect::<Vec<_>>();
    assert_eq!(of("ui"), [""; 0], "what it hands on is not used in it");
    assert_eq!(of("ui::panes"), [""; 0]);
    assert_eq!(of("ui::panes::screen"), ["ui::pages"]);
    assert_eq!(of("ui::pages"), ["ui::panes", "ui::panes::screen"]);
    assert_eq!(of("ui::pages::help"), ["ui::pages"]);
    assert_eq!(of("ui::local"), ["ui::panes::screen"]);
    assert!(!imports.contains_key("ui::pages::help::spoken_tests"), "a test makes no circle");
}
