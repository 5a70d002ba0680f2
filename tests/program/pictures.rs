//! The README's pictures: each is there, names nothing of the machine that made it, and can be made again.

use std::collections::BTreeSet;
use std::path::Path;

use crate::app::Program;

const README: &str = include_str!("../../README.md");

#[test]
fn the_readme_names_every_picture_and_each_is_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/pictures");
    let there: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| format!("assets/pictures/{}", entry.unwrap().file_name().into_string().unwrap()))
        .collect();
    let named = README.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let named: BTreeSet<String> =
        named.filter(|name| name.starts_with("assets/pictures/")).map(str::to_owned).collect();
    assert_eq!(named, there);
    for name in there {
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&name)).unwrap();
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
    assert!(one.contains("waits for you") && one.contains("to decide"), "{one}");
    assert_eq!(one, two);
}
