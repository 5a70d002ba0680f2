//! Hooks that nobody waits for, told of the end of a run: they may finish before the program ends, within bounds.

use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::stage::World;

fn with_hook(point: &str, command: &str) -> World {
    World::new().configured(&format!("[[hooks.{point}]]\ncommand = '{command}'\n"))
}

#[test]
fn a_hook_that_is_told_of_the_end_finishes_what_it_does() {
    let world = with_hook("post_sampling", "sleep 1; echo finished > hooked");
    let ran = world.exec(&["--script", r#"["Good day."]"#, "hello"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "Good day.\n"), "{}", ran.err);
    assert_eq!(world.file("hooked"), "finished\n");
}

#[test]
fn a_hook_that_does_not_end_is_ended_and_a_signal_waits_for_none() {
    let world = with_hook("post_sampling", "echo > begun; sleep 1000; echo > hooked");
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
    let ran = world.exec(&["--script", r#"["Good day."]"#, "hello"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!world.work().join("hooked").exists());
}
