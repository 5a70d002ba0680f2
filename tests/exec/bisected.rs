//! `sessions bisect`: the call that broke a command, found in a copy of the folder.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::{Ran, World, all_files, script};

fn write(path: &str, content: &str) -> Value {
    json!({ "tool_calls": [{ "name": "write", "arguments": { "path": path, "content": content } }] })
}

/// A world whose temporary files are its own.
fn world() -> World {
    let world = World::new();
    let tmp = world.place().join("tmp");
    fs::create_dir(&tmp).unwrap();
    world.with("TMPDIR", tmp.to_str().unwrap())
}

/// A session of these writes.
fn session(world: &World, writes: &[(&str, &str)]) {
    let mut replies: Vec<Value> = writes.iter().map(|(path, content)| write(path, content)).collect();
    replies.push(json!("Done."));
    let ran = world.json(&["--mode", "unrestricted", "--script", &script(json!(replies)), "break it"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

/// The third of its five calls writes `broken`.
fn broken() -> World {
    let world = world();
    session(
        &world,
        &[
            ("a.txt", "fine\n"),
            ("b/c.txt", "1\n"),
            ("a.txt", "fine\nbroken\n"),
            ("b/c.txt", "2\n"),
            ("new.txt", "3\n"),
        ],
    );
    world
}

impl World {
    fn bisect(&self, words: &[&str]) -> Ran {
        let ran = self.sessions_cli(&[&["bisect", "--last"], words].concat());
        if !words.contains(&"--keep") {
            assert!(self.copies().is_empty(), "{:?}", self.copies());
        }
        ran
    }

    /// What is left in the folder for temporary files.
    fn copies(&self) -> Vec<std::path::PathBuf> {
        fs::read_dir(self.place().join("tmp")).unwrap().map(|child| child.unwrap().path()).collect()
    }
}

/// Fails when `a.txt` says so, or when a file that the session never touched is not there.
const CHECK: [&str; 4] = ["--", "sh", "-c", "test -f two.txt && ! grep -q broken a.txt"];

#[test]
fn the_call_that_broke_a_command_is_named() {
    let world = broken();
    let before: Vec<(std::path::PathBuf, Vec<u8>)> =
        all_files(&world.work()).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    let ran = world.bisect(&CHECK);
    assert_eq!(ran.code, 0, "{ran:?}");
    for part in [
        "this call broke it:\n",
        "  c3\n",
        "write a.txt",
        "allowed by unrestricted mode",
        "asked for in e3: break it",
        "a.txt: +1 -0 lines",
        "    +broken\n",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let tried: Vec<&str> = ran.err.lines().filter(|line| line.contains("the command")).collect();
    assert!(
        tried.len() <= 5 && tried[0].contains("after 0 of 5 changes, the command succeeds"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("after 5 of 5 changes, the command fails with exit code 1"), "{}", ran.err);
    assert!(ran.err.contains("changes made by commands are not tracked"), "{}", ran.err);
    for (path, content) in before {
        assert_eq!(fs::read(&path).unwrap(), content, "{}", path.display());
    }
    // What stands there now does not matter to files that the session changed.
    fs::remove_file(world.work().join("a.txt")).unwrap();
    assert!(world.bisect(&CHECK).out.contains("  c3\n"));
    // A command that hangs has failed.
    let hangs =
        world.bisect(&["--timeout", "1", "--", "sh", "-c", "! grep -q broken a.txt || exec sleep 600"]);
    assert!(
        hangs.code == 0 && hangs.out.contains("  c3\n") && hangs.err.contains("does not end in time"),
        "{hangs:?}"
    );
}

#[test]
fn a_command_that_was_never_broken_or_always_was_is_said() {
    let world = broken();
    let always = world.bisect(&["--", "false"]);
    assert!(
        always.code == 1
            && always.out.contains(
                "before the first change of the session, the command fails with exit code 1 already"
            ),
        "{always:?}"
    );
    let never = world.bisect(&["--", "true"]);
    assert!(
        never.code == 1 && never.out.contains("after the last change of the session, the command succeeds"),
        "{never:?}"
    );
    let missing = world.bisect(&["--", "no-such-program-here"]);
    assert!(
        missing.code == 1 && missing.err.contains("`no-such-program-here` cannot be started"),
        "{missing:?}"
    );
    assert_eq!(world.bisect(&[]).code, 2);
    // Contents from elsewhere are not run.
    let copy = world.place().join("copy.jsonl");
    fs::copy(world.session_file(), &copy).unwrap();
    let elsewhere = world.sessions_cli(&[&["bisect", copy.to_str().unwrap()], &CHECK[..]].concat());
    assert!(
        elsewhere.code == 2 && elsewhere.err.contains("not one of the sessions that are kept here"),
        "{elsewhere:?}"
    );
}

#[test]
fn the_copy_has_what_git_lists_and_can_be_kept() {
    let world = broken();
    fs::remove_dir_all(world.work().join(".git")).unwrap();
    let git = Command::new("git").args(["init", "-q"]).current_dir(world.work()).status();
    if !git.is_ok_and(|status| status.success()) {
        return;
    }
    fs::write(world.work().join(".gitignore"), "ignored\n").unwrap();
    fs::write(world.work().join("ignored"), "x").unwrap();
    let ran = world.bisect(
        &[
            &["--keep", "--verbose"],
            &CHECK[..3],
            &["echo heard; test ! -e ignored && ! grep -q broken a.txt"],
        ]
        .concat(),
    );
    assert!(ran.code == 0 && ran.out.contains("  c3\n") && ran.err.contains("heard\n"), "{ran:?}");
    assert!(!ran.out.contains("heard"), "{}", ran.out);
    let copies = world.copies();
    assert!(ran.err.contains(&format!("the copy is in {}", copies[0].display())), "{}", ran.err);
    assert!(copies[0].join("two.txt").exists() && !copies[0].join("ignored").exists());
}

#[test]
fn the_copy_is_removed_when_the_user_interrupts() {
    let world = broken();
    let mut program = world.program();
    program.args([
        "sessions",
        "bisect",
        "--last",
        "--verbose",
        "--",
        "sh",
        "-c",
        "echo begun >&2; exec sleep 600",
    ]);
    let mut child = program.spawn().unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while line.trim() != "begun" {
        line.clear();
        assert!(err.read_line(&mut line).unwrap() > 0, "it never began");
    }
    assert_eq!(world.copies().len(), 1);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(world.copies().is_empty(), "{:?}", world.copies());
}

#[test]
fn nothing_is_written_outside_of_the_copy() {
    let world = world();
    let out = world.place().join("out");
    fs::create_dir(&out).unwrap();
    session(&world, &[("sub/x", "1\n"), ("../out/y", "1\n"), ("a.txt", "broken\n")]);
    fs::write(out.join("y"), "mine\n").unwrap();
    let ran = world.bisect(&CHECK);
    assert!(ran.code == 0 && ran.out.contains("  c3\n"), "{ran:?}");
    assert!(ran.err.contains("out/y stays as it is now: it is not in the folder"), "{}", ran.err);
    // A folder that is a link by now.
    fs::remove_dir_all(world.work().join("sub")).unwrap();
    symlink(&out, world.work().join("sub")).unwrap();
    let linked = world.bisect(&CHECK);
    assert_eq!(linked.code, 1, "{linked:?}");
    assert_eq!(fs::read(out.join("y")).unwrap(), b"mine\n");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
}

#[test]
fn a_link_into_the_folder_leads_into_the_copy() {
    let world = world();
    session(&world, &[("sub/x", "1\n"), ("a.txt", "fine\n"), ("a.txt", "broken\n")]);
    let (real, out) = (world.work().join("real"), world.place().join("out"));
    for folder in [&real, &out] {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("f"), "mine\n").unwrap();
    }
    symlink(&real, world.work().join("link")).unwrap();
    let check = "echo changed > link/f; test -f two.txt && ! grep -q broken a.txt";
    let ran = world.bisect(&["--", "sh", "-c", check]);
    assert!(ran.code == 0 && ran.out.contains("  c3\n"), "{ran:?}");
    assert!(!ran.err.contains("out of the copy"), "{}", ran.err);
    assert_eq!(fs::read(real.join("f")).unwrap(), b"mine\n");
    // What leads elsewhere is named: it is no copy.
    symlink(&out, world.work().join("shared")).unwrap();
    let ran = world.bisect(&["--", "sh", "-c", check]);
    assert!(ran.err.contains("shared leads out of the copy: changes there are permanent"), "{}", ran.err);
}

#[test]
fn what_is_not_kept_any_more_is_said() {
    let world = broken();
    let kept = all_files(&world.place().join("state"));
    let is_kept =
        |path: &&std::path::PathBuf| path.parent().unwrap().extension().is_some_and(|end| end == "files");
    let (records, blobs): (Vec<_>, Vec<_>) =
        kept.iter().filter(is_kept).partition(|path| path.ends_with("changes"));
    for blob in blobs {
        fs::write(blob, "damaged").unwrap();
    }
    // All of these files were made by the session, so each content can be worked out again.
    let ran = world.bisect(&CHECK);
    assert!(ran.code == 0 && ran.out.contains("  c3\n"), "{ran:?}");
    fs::write(records[0], "no record\n").unwrap();
    let damaged = world.bisect(&CHECK);
    assert!(damaged.code == 1 && damaged.err.contains("is damaged"), "{damaged:?}");
    fs::remove_file(records[0]).unwrap();
    let none = world.bisect(&CHECK);
    assert!(none.code == 1 && none.err.contains("has recorded no change of a file"), "{none:?}");
}

#[test]
fn a_session_that_was_changed_says_so_first() {
    let world = broken();
    let text = world.session_text();
    fs::write(world.session_file(), text.replace("break it", "brake it")).unwrap();
    let ran = world.bisect(&CHECK);
    assert!(ran.out.contains("  c3\n") && ran.err.contains("is not well-formed"), "{ran:?}");
}
