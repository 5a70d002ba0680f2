//! The pictures of the README and the guide: each is there and shown, names nothing of the machine that made it, and can be
//! made again.

use std::collections::BTreeSet;
use std::path::Path;

use crate::app::Program;

const README: &str = include_str!("../../README.md");

/// The pictures that a page shows.
fn shown(page: &str) -> BTreeSet<String> {
    let links = page.split("![").skip(1).filter_map(|rest| rest.split_once("](")?.1.split(')').next());
    links.filter_map(|link| link.split_once("assets/pictures/")).map(|(_, name)| name.to_owned()).collect()
}

#[test]
fn every_picture_is_shown_and_each_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = |folder: &str| std::fs::read_dir(root.join(folder)).unwrap().map(|file| file.unwrap().path());
    let there: BTreeSet<String> =
        files("assets/pictures").map(|file| file.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    let on_first_sight = shown(README);
    assert!(on_first_sight.len() >= 3, "the README shows what it is: {on_first_sight:?}");
    let guide = files("docs/guide").flat_map(|page| shown(&std::fs::read_to_string(page).unwrap()));
    let all: BTreeSet<String> = on_first_sight.into_iter().chain(guide).collect();
    assert_eq!(all, there);
    for name in there {
        let text = std::fs::read_to_string(root.join("assets/pictures").join(&name)).unwrap();
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"), "{name}");
        for path in ["/tmp/", "/root/", "/var/", "/private/", ".tmp"] {
            assert!(!text.contains(path), "{name} names a folder of a machine: {path}");
        }
    }
}

/// The smallest picture, from two sessions played one after the other.
#[test]
fn a_picture_is_the_same_every_time() {
    let program = Program { path: env!("CARGO_BIN_EXE_countersign").into(), variable: None };
    let draw = || crate::demo::small(&program, &crate::demo::undecided(&program));
    let (one, two) = (draw(), draw());
    assert!(one.contains("1 of 2") && one.contains("to decide"), "{one}");
    assert_eq!(one, two);
}
