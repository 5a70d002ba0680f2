//! A race in a subfolder of a repository, and an adoption from elsewhere: what is taken, what stays, and where it goes.

use std::fs;

use serde_json::{Value, json};

use crate::races::{git, in_a_repository, repository};
use crate::world::{Ran, World, script};

/// A race in the folder `sub` whose lanes change two files outside of it, and with `own` one in it.
fn raced(own: bool) -> (World, Ran) {
    let world = World::new();
    fs::create_dir(world.work().join("sub")).unwrap();
    fs::write(world.work().join("sub/in.txt"), "before\n").unwrap();
    let world = in_a_repository(world);
    let own = if own { "echo after > in.txt; " } else { "" };
    let command = format!("{own}echo after > ../one.txt; echo new > ../made.txt");
    let call = json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": command } }] });
    let replies = script(Value::Array(vec![call; 40]));
    let words = [
        "--cd",
        "sub",
        "--lanes",
        "2",
        "--mode",
        "unrestricted",
        "--script",
        &replies,
        "--max-turns",
        "24",
        "--check",
        "test -e ../made.txt",
        "Change them",
    ];
    let ran = world.race(&words);
    assert_eq!(ran.code, 0, "{ran:?}");
    (world, ran)
}

#[test]
fn what_a_lane_changed_outside_of_the_folder_is_named_and_stays_in_its_branch() {
    let (world, ran) = raced(true);
    let said = "2 changed files are outside of this folder and stay in the branch: made.txt, one.txt";
    assert!(ran.out.contains(&format!("lane 1: {said}; passed refers to all its files")), "{ran:?}");
    let shown = world.race(&["show", "--cd", "sub"]);
    assert!(shown.out.contains(said), "{shown:?}");
    let shown = world.race(&["show", "--json", "--cd", "sub"]);
    let lane: Value = serde_json::from_str(shown.out.lines().next().unwrap()).unwrap();
    assert_eq!((&lane["files"], &lane["files_outside"]), (&json!(3), &json!(["made.txt", "one.txt"])));
    let adopted = world.race(&["adopt", "1", "--cd", "sub"]);
    assert!(adopted.out.contains("took 1 file:\nin.txt (+1 -1)"), "{adopted:?}");
    assert!(adopted.out.contains(said) && !adopted.out.contains("the race was in"), "{adopted:?}");
    assert_eq!(
        (world.file("sub/in.txt"), world.file("one.txt")),
        ("after\n".into(), "first line\nsecond line\n".into())
    );
}

#[test]
fn a_lane_that_changed_nothing_in_the_folder_is_not_said_to_have_changed_nothing() {
    let (world, _) = raced(false);
    let adopted = world.race(&["adopt", "1", "--cd", "sub"]);
    assert_eq!(adopted.code, 2, "{adopted:?}");
    assert!(adopted.err.contains("what it changed is outside it, in the branch race/"), "{adopted:?}");
}

#[test]
fn an_adoption_from_another_folder_names_the_folder_that_it_changes() {
    let (world, _) = raced(true);
    let shown = world.race(&["show", "--json", "--cd", "sub"]);
    let lane: Value = serde_json::from_str(shown.out.lines().next().unwrap()).unwrap();
    let session = lane["session"].as_str().unwrap().rsplit_once('-').unwrap().0.to_owned();
    let adopted = world.race(&["adopt", "1", &session]);
    let folder = world.work().join("sub").display().to_string();
    assert!(adopted.out.contains(&format!("the race was in {folder}: {folder} has them now")), "{adopted:?}");
    assert_eq!(world.file("sub/in.txt"), "after\n");
    assert_eq!(git(&world, &["status", "--short", "--", "one.txt"]), "");
}

#[test]
fn a_task_that_mentions_a_file_that_is_gone_is_refused() {
    let world = repository();
    let ran = world.race(&["--script", r#"["Done."]"#, "read @gone.pdf"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("there is no file at gone.pdf; next: correct the path"), "{ran:?}");
    assert!(world.sessions().is_empty());
    let ran = world.race(&["--script", r#"["Done.", "Done.", "Done."]"#, "read @two.txt"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}
