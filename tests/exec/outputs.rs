//! Where a run leaves its answer: `-o`, and nowhere with `--ephemeral`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use serde_json::{Value, json};

use crate::world::{World, all_files, script};

const ANSWER: [&str; 2] = ["--script", r#"["The answer."]"#];

/// A reply that makes one call.
fn called(name: &str, arguments: &Value) -> Value {
    json!({ "tool_calls": [{ "name": name, "arguments": arguments }] })
}

#[test]
fn the_last_answer_is_written_and_replaces_the_file() {
    let world = World::new();
    let file = world.work().join("answer.md");
    let ran = world.exec(&[&ANSWER[..], &["-o", "answer.md", "ask"]].concat());
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "The answer.\n", ""));
    assert_eq!(world.file("answer.md"), "The answer.\n");
    fs::write(&file, "a longer text that was here before").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    // The path is meant from the folder of the shell, also with -C and --json.
    let ran = world.exec(&[&ANSWER[..], &["-C", "/", "--json", "-o", "answer.md", "ask"]].concat());
    assert_eq!((ran.code, ran.reason().as_str()), (0, "completed"));
    assert_eq!(world.file("answer.md"), "The answer.\n");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(
        !all_files(&world.work()).iter().any(|file| file.display().to_string().contains(".countersign-"))
    );
}

#[test]
fn a_run_that_does_not_complete_leaves_the_file_as_it_was() {
    let world = World::new();
    fs::write(world.work().join("answer.md"), "before").unwrap();
    let denied = script(json!([called("write", &json!({ "path": "a", "content": "b" })), "Done."]));
    let stopped = ["--max-turns", "1"];
    let output = ["--script", &denied, "-o", "answer.md", "ask"];
    let ran = world.exec(&[&stopped[..], &output[..]].concat());
    assert_ne!(ran.code, 0, "{}", ran.err);
    let says = "note: answer.md was not written: the run did not complete (turn limit)";
    assert!(ran.err.contains(says), "{}", ran.err);
    assert_eq!(world.file("answer.md"), "before");
    // Without this call the task may not be done, but the answer is the one that stdout has.
    let ran = world.exec(&[&["--mode", "plan"][..], &output[..]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (4, "Done.\n"), "{}", ran.err);
    assert!(!ran.err.contains("was not written"), "{}", ran.err);
    assert_eq!(world.file("answer.md"), "Done.\n");
}

#[test]
fn a_run_that_is_refused_before_it_begins_says_that_the_file_is_as_it_was() {
    let world = World::new().configured("deny = ['read(one.txt)']");
    fs::write(world.work().join("answer.md"), "before").unwrap();
    for words in [&["see @one.txt"][..], &["see", "--image", "gone.png"], &["--resume", "none", "see"]] {
        let ran = world.exec(&[&ANSWER[..], &["-o", "answer.md"], words].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words:?}: {}", ran.err);
        let says = "note: answer.md was not written: the run was refused\n";
        assert_eq!(ran.err.matches(says).count(), 1, "{words:?}: {}", ran.err);
        assert_eq!(world.file("answer.md"), "before");
    }
}

#[test]
fn a_place_that_is_no_plain_file_is_refused_before_anything_is_sent() {
    let world = World::new();
    let work = world.work();
    fs::create_dir(work.join("folder")).unwrap();
    symlink(work.join("one.txt"), work.join("link")).unwrap();
    assert!(Command::new("mkfifo").arg(work.join("pipe")).status().unwrap().success());
    let cases = [
        ("folder", "it is not a regular file"),
        ("pipe", "it is not a regular file"),
        ("/dev/null", "it is not a regular file"),
        ("link", "it is a link; name the file that it leads to"),
        ("missing/answer", "No such file"),
        ("..", "it has no file name"),
    ];
    for (place, why) in cases {
        let line = world.refused(&[&ANSWER[..], &["-o", place, "ask"]].concat());
        let says = format!("-o: the answer cannot be written to {place}: {why}");
        assert!(line.contains(&says), "{place}: {line}");
    }
    assert!(world.sessions().is_empty());
    assert_eq!(world.file("one.txt"), "first line\nsecond line\n");
}

#[test]
fn a_link_that_the_run_puts_in_its_place_is_not_followed() {
    let world = World::new();
    let call = called("shell", &json!({ "command": "ln -s one.txt answer.md" }));
    let script = script(json!([call, "The answer."]));
    let ran = world.exec(&["--mode", "unrestricted", "--script", &script, "-o", "answer.md", "ask"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, "The answer.\n"), "{}", ran.err);
    assert!(ran.complaint().contains("cannot write the answer to answer.md: it is a link"), "{}", ran.err);
    assert_eq!(world.file("one.txt"), "first line\nsecond line\n");
}

#[test]
fn an_ephemeral_run_leaves_no_session() {
    let world = World::new();
    let call = called("write", &json!({ "path": "new.txt", "content": "kept" }));
    let script = script(json!([call, "Done."]));
    let words = ["--mode", "edit", "--script", &script, "--ephemeral", "--json", "write it"];
    let ran = world.exec(&words);
    assert_eq!((ran.code, ran.reason().as_str(), world.file("new.txt").as_str()), (0, "completed", "kept"));
    assert_eq!(ran.outcomes(), ["ok"]);
    let kept = all_files(&world.place().join("state"));
    assert!(kept.iter().all(|file| file.display().to_string().contains("/logs/")), "{kept:?}");
    assert!(world.refused(&["--ephemeral", "--last", "x"]).contains("--ephemeral"));
    assert!(world.refused(&["--last", "x"]).contains("there is no session"));
}

#[test]
fn a_program_reads_why_a_run_with_a_wrong_value_was_refused() {
    let world = World::new();
    assert_eq!(world.exec(&["--script", "[\"Hello.\"]", "hi"]).code, 0);
    for (words, what, next) in [
        (["--output-schema", "gone.json"], "gone.json does not exist", "name a regular file"),
        (["-c", "budget.max_turns=many"], "budget.max_turns", ""),
        (["--mode", "odd"], "odd", ""),
        (["--resume", "nosuch"], "there is no session `nosuch`", "`countersign sessions list` shows"),
    ] {
        let ran = world.exec(&[&["--json", "--script", "[\"Hello.\"]"][..], &words, &["hi"]].concat());
        assert_eq!(ran.code, 2, "{words:?}: {}", ran.err);
        let error = ran.one("error");
        let has = |member: &str, text: &str| error[member].as_str().unwrap().contains(text);
        assert!(has("message", what) && has("next", next), "{words:?}: {error}");
        assert!(ran.err.contains(error["message"].as_str().unwrap()), "{words:?}: {}", ran.err);
    }
}
