//! What is wrong with a session stays visible: nothing that is added to it, or made of it, makes it look intact.

use std::fs;

use crate::forged::{forge, rechained};
use crate::sealed::{key, seal};
use crate::world::World;

fn spoken(world: &World) -> String {
    assert_eq!(world.json(&["--script", r#"["One."]"#, "first"]).code, 0);
    assert_eq!(world.json(&["--last", "--script", r#"["Two."]"#, "second"]).code, 0);
    world.session_text()
}

#[test]
fn what_contradicts_itself_is_neither_sealed_nor_tagged() {
    let world = World::new();
    let Some(key) = key(&world.place(), "key", "") else { return };
    let text = spoken(&world).replacen(r#""turn":1"#, r#""turn":7"#, 1);
    forge(&world.session_file(), &text);
    let forged = world.session_text();
    for ran in [seal(&world, &key), world.sessions_cli(&["tag", "--last", "+done"])] {
        assert!(ran.code == 1 && ran.err.contains("is not well-formed"), "{ran:?}");
    }
    assert_eq!(world.session_text(), forged);
    // Whoever goes on in it hears of it.
    let resumed = world.json(&["--last", "--script", r#"["Three."]"#, "third"]);
    assert!(resumed.code == 0 && resumed.err.contains("contradicts itself (e"), "{resumed:?}");
    let other = World::new();
    let text = spoken(&other);
    forge(&other.session_file(), &text.replacen(r#""completed":true"#, r#""completed":false"#, 1));
    let resumed = other.json(&["--last", "--script", r#"["Three."]"#, "third"]);
    assert!(resumed.code == 0 && resumed.err.contains("`completed` does not follow"), "{resumed:?}");
}

#[test]
fn sessions_and_copies_that_agree_are_resumed_without_a_word() {
    let world = World::new();
    spoken(&world);
    assert_eq!(world.sessions_cli(&["fork", "--last"]).code, 0);
    let exported = world.sessions_cli(&["export", "--last", "--format", "jsonl"]);
    let elsewhere = World::new();
    fs::write(elsewhere.work().join("whole.jsonl"), &exported.out).unwrap();
    assert_eq!(elsewhere.sessions_cli(&["import", "whole.jsonl"]).code, 0);
    let id = world.session_file().file_stem().unwrap().to_str().unwrap().to_owned();
    let folder = world.work().to_str().unwrap().to_owned();
    for world in [&world, &elsewhere] {
        let resumed = world.json(&["-C", &folder, "--resume", &id, "--script", r#"["Three."]"#, "third"]);
        assert!(resumed.code == 0 && !resumed.err.contains("contradicts"), "{resumed:?}");
    }
}

#[test]
fn a_tag_records_that_nobody_knew_the_end() {
    let world = World::new();
    let text = spoken(&world);
    let file = world.session_file();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::write(&file, lines[..lines.len() - 3].concat()).unwrap();
    fs::remove_file(file.with_extension("head")).unwrap();
    assert_eq!(world.sessions_cli(&["tag", "--last", "+done"]).code, 0);
    assert!(world.session_text().contains("so lines may be missing at its end"));
}

#[test]
fn a_file_that_was_made_anew_saves_nothing_and_one_that_was_cut_names_the_place() {
    let world = World::new();
    let text = spoken(&world);
    let file = world.session_file();
    fs::write(&file, rechained(&text.replace("One.", "Six."))).unwrap();
    let checked = world.sessions_cli(&["check", "--last"]);
    assert!(checked.code == 1 && checked.out.contains("nothing before that can be saved"), "{checked:?}");
    for words in [&["fork", "--last"][..], &["fork", "--last", "--at", "e4"]] {
        let fork = world.sessions_cli(words);
        assert!(fork.code == 1 && fork.err.contains("made anew"), "{fork:?}");
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::write(&file, lines[..lines.len() - 2].concat()).unwrap();
    let fork = world.sessions_cli(&["fork", "--last"]);
    assert!(fork.code == 1 && fork.err.contains("--at e"), "{fork:?}");
    let exported = world.sessions_cli(&["export", "--last", "--format", "jsonl"]);
    assert!(exported.code == 1 && exported.out.is_empty(), "{exported:?}");
    // A copy of lines whose end nobody knows does not know it either. Its own lines are counted.
    let elsewhere = World::new();
    fs::copy(&file, elsewhere.work().join("cut.jsonl")).unwrap();
    assert_eq!(elsewhere.sessions_cli(&["import", "cut.jsonl"]).code, 0);
    let id = file.file_stem().unwrap().to_str().unwrap().to_owned();
    let checked = elsewhere.sessions_cli(&["check", &id]);
    assert!(checked.out.contains("what was there may have had more lines after them"), "{checked:?}");
    let kept = elsewhere.session_text();
    let resumed = elsewhere.exec(&[
        "-C",
        world.work().to_str().unwrap(),
        "--resume",
        &id,
        "--script",
        r#"["Three."]"#,
        "third",
    ]);
    assert!(resumed.code == 0 && !resumed.err.contains("counts the lines"), "{resumed:?}");
    assert!(!elsewhere.session_text().contains("counts the lines"));
    let cut = kept.trim_end().rsplit_once('\n').unwrap().0.to_owned() + "\n";
    fs::write(elsewhere.session_file(), cut).unwrap();
    let checked = elsewhere.sessions_cli(&["check", &id]);
    assert!(checked.code == 1 && checked.out.contains("missing"), "{checked:?}");
}

#[test]
fn a_call_that_is_left_out_is_not_in_what_people_were_shown_of_it() {
    let world = World::new();
    let write =
        r#"[{"tool_calls":[{"name":"write","arguments":{"path":"u1.txt","content":"+alpha\n"}}]},"Ok."]"#;
    assert_eq!(world.json(&["--script", write, "write it"]).code, 4, "nobody allows it");
    let entry = |kind: &str| {
        let found = world.entries().into_iter().find(|entry| entry["type"] == kind).unwrap();
        found["entry"].as_str().unwrap().to_owned()
    };
    assert!(world.session_text().contains("alpha"));
    let ran = world.sessions_cli(&["export", "--last", "--format", "jsonl", "--redact", &entry("tool_call")]);
    assert!(ran.code == 0 && !ran.out.contains("alpha") && !ran.out.contains("write(u1.txt)"), "{}", ran.out);
    let none = world.sessions_cli(&["export", "--last", "--only", ""]);
    assert!(none.code == 2 && none.out.is_empty(), "{none:?}");
}

#[test]
fn a_session_with_hashes_is_of_no_version_without() {
    let world = World::new();
    let text = spoken(&world);
    forge(&world.session_file(), &text.replacen(r#""version":3"#, r#""version":2"#, 1));
    let checked = world.sessions_cli(&["check", "--last"]);
    assert!(checked.code == 1 && checked.out.contains("line 1 (e1): this line has a hash"), "{checked:?}");
}

#[test]
fn changes_that_are_not_on_record_are_named() {
    let world = World::new();
    let script =
        r#"[{"tool_calls":[{"name":"write","arguments":{"path":"a.txt","content":"one\n"}}]},"Done."]"#;
    assert_eq!(world.json(&["--mode", "edit", "--script", script, "write"]).code, 0);
    let checked = world.sessions_cli(&["check", "--last"]);
    assert!(checked.code == 0 && !checked.out.contains("not on record"), "{checked:?}");
    // A fork knows what its calls changed.
    let fork = world.sessions_cli(&["fork", "--last"]).out;
    let checked = world.sessions_cli(&["check", fork.split_whitespace().next().unwrap()]);
    assert!(checked.code == 0 && !checked.out.contains("not on record"), "{checked:?}");
    for file in world.sessions() {
        let record = file.with_extension("files").join("changes");
        let line = fs::read_to_string(&record).unwrap();
        fs::write(&record, line.repeat(2)).unwrap();
    }
    let checked = world.sessions_cli(&["check", "--last"]);
    assert!(checked.code == 1 && checked.out.contains("c1 is said to have changed"), "{checked:?}");
    world.sessions().iter().for_each(|file| fs::remove_dir_all(file.with_extension("files")).unwrap());
    let checked = world.sessions_cli(&["check", "--last"]);
    assert!(
        checked.code == 0 && checked.out.contains("changes: those of c1 are not on record"),
        "{checked:?}"
    );
}
