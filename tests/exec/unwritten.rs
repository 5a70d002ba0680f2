//! A session whose process was killed before its first line: its file is empty, and holds nothing.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::world::{Ran, World};

/// A session that was kept, and beside it one that was left empty.
fn left(world: &World) -> (PathBuf, String) {
    let ran = world.json(&["--script", r#"["Done."]"#, "go"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let id = "01990001-0000-7000-8000-00000000000e";
    let path = world.session_file().with_file_name(format!("{id}.jsonl"));
    fs::write(&path, "").unwrap();
    (path, id.to_owned())
}

#[test]
fn nothing_is_said_of_it_where_many_are_told_of() {
    let world = World::new();
    let (path, _) = left(&world);
    let usage = world.program().arg("usage").output().unwrap();
    let usage = Ran::of(usage.status, usage.stdout, usage.stderr);
    assert_eq!(usage.code, 0);
    assert!(!usage.err.contains("not counted"), "{}", usage.err);
    for (words, told) in [(&["list"][..], 1), (&["search", "go"], 1), (&["search", "nowhere"], 0)] {
        let ran = world.sessions_cli(words);
        assert_eq!((ran.code, ran.out.lines().count() >= told), (0, true), "{words:?}: {}", ran.out);
        assert!(!ran.err.contains("session_started") && !ran.err.contains("could not"), "{}", ran.err);
    }
    // While a process has it open, it is about to be written.
    let held = fs::File::open(&path).unwrap();
    held.lock().unwrap();
    let listed = world.sessions_cli(&["list"]);
    assert!(listed.err.contains("omitted from the list"), "{}", listed.err);
    drop(held);
    // Lines that were there are missed.
    fs::write(path.with_extension("head"), "2 x\n").unwrap();
    let listed = world.sessions_cli(&["list"]);
    assert!(listed.err.contains("omitted from the list"), "{}", listed.err);
}

#[test]
fn a_check_says_what_it_is_and_it_can_be_removed() {
    let world = World::new();
    let (path, id) = left(&world);
    let checked = world.sessions_cli(&["check", &id]);
    assert_eq!(checked.code, 1, "nothing proves that there was nothing");
    let said =
        format!("{id}: empty: killed before its first line; `countersign sessions remove {id}` removes it\n");
    assert_eq!(checked.out, said);
    let removed = world.sessions_cli(&["remove", &id]);
    assert_eq!(removed.out, format!("removed {id} (empty: killed before its first line)\n"));
    assert!(!path.exists());
}

#[test]
fn an_old_one_goes_with_other_old_ones() {
    let world = World::new().configured("[sessions]\nkeep_days = 90\n");
    let (path, id) = left(&world);
    let aged = || {
        fs::write(&path, "").unwrap();
        let when = SystemTime::now() - Duration::from_secs(100 * 86_400 + 60);
        fs::File::options().append(true).open(&path).unwrap().set_modified(when).unwrap();
    };
    aged();
    let gone = world.sessions_cli(&["remove", "--older-than", "90d", "--yes"]);
    let said = format!("removed {id} (empty: killed before its first line, unchanged for 100 days)\n");
    assert_eq!(gone.out, said, "{}", gone.err);
    assert!(!path.exists());
    aged();
    let ran = world.exec(&["--script", r#"["Done."]"#, "go"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!path.exists(), "another session began");
}
