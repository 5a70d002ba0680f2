//! Hooks that nobody waits for, told of the end of a run: they may finish before the program ends, within bounds.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::world::World;

/// The points that are told of the end of a run; a script whose run is told there, and its exit code.
const TOLD: [(&str, &str, i32); 3] = [
    ("post_sampling", r#"["Good day."]"#, 0),
    ("notification", r#"["Good day."]"#, 0),
    ("stop_failure", "[]", 1),
];

fn with_hook(point: &str, command: &str) -> World {
    World::new().configured(&format!("[[hooks.{point}]]\ncommand = '{command}'\n"))
}

/// A pipe in the workspace that is open both ways: whoever reads from it waits for the test.
fn pipe(world: &World) -> File {
    let path = world.work().join("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    OpenOptions::new().read(true).write(true).open(path).unwrap()
}

#[test]
fn a_hook_that_is_told_of_the_end_finishes_what_it_does() {
    for (point, script, code) in TOLD {
        // It goes on for longer than the program needs to end, once the test lets it.
        let world = with_hook(point, "echo > begun; read line < pipe; sleep 1; echo finished > hooked");
        let mut pipe = pipe(&world);
        let words = ["exec", "--script", script, "hello"];
        let mut child =
            world.program().args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // The run is over in the books, the hook has begun, and the program is still there for it.
        let is_over = || !world.sessions().is_empty() && world.session_text().contains("\"turn_ended\"");
        while !(is_over() && world.work().join("begun").exists()) {
            std::thread::yield_now();
        }
        assert!(!world.work().join("hooked").exists());
        pipe.write_all(b"go\n").unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{point}");
        assert_eq!(world.file("hooked"), "finished\n", "{point}");
    }
}

#[test]
fn a_hook_that_does_not_end_does_not_hold_the_program_up() {
    for (point, script, code) in TOLD {
        let world = with_hook(point, "echo > begun; read line < pipe; echo finished > hooked");
        let held = pipe(&world);
        // Nothing is ever written into the pipe: the program ends while the hook still waits.
        let ran = world.exec(&["--script", script, "hello"]);
        assert_eq!(ran.code, code, "{point}: {}", ran.err);
        assert!(world.work().join("begun").exists(), "{point} was told");
        assert!(!world.work().join("hooked").exists(), "{point} was ended");
        drop(held);
    }
}

#[test]
fn a_signal_waits_for_no_hook() {
    let world = with_hook("post_sampling", "echo > begun; read line < pipe; echo > hooked");
    let held = pipe(&world);
    let mut child = world
        .program()
        .args(["exec", "--script", r#"["Good day."]"#, "hello"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !world.work().join("begun").exists() {
        std::thread::yield_now();
    }
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), Signal::TERM).unwrap();
    child.wait().unwrap();
    assert!(!world.work().join("hooked").exists());
    drop(held);
}
