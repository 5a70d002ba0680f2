//! A run whose session cannot be written: it ends with the reason, says what was not recorded, and has done nothing.

use std::process::Command;

use crate::foreign::claude;
use crate::world::{Ran, World};

/// The program where no file may grow beyond so many blocks of 512 bytes: to it that is a full disk. The signal that
/// comes with it, which a disk does not send, is ignored.
fn limited(world: &World, blocks: u32, words: &[&str]) -> Ran {
    let program = world.program();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"")]);
    shell.arg(program.get_program()).args(words);
    shell.env_clear().envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.current_dir(world.work()).stdin(std::process::Stdio::null());
    let output = shell.output().unwrap();
    Ran::of(output.status, output.stdout, output.stderr)
}

#[test]
fn a_session_that_cannot_begin_asks_no_model_and_leaves_no_file() {
    let world = World::new();
    let ran = limited(&world, 1, &["exec", "--script", r#"["never said"]"#, "hello there"]);
    let said = ran.complaint();
    assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{said}");
    assert!(said.contains("cannot write the session: File too large"), "{said}");
    assert!(said.contains("not recorded: the beginning of the session; "), "{said}");
    assert!(said.contains("; your message (hello there); "), "{said}");
    assert!(world.sessions().is_empty());
}

#[test]
fn a_command_whose_call_cannot_be_recorded_is_not_run() {
    let world = World::new();
    let begun = world.exec(&["--script", r#"["ready"]"#, "hello"]);
    assert_eq!(begun.code, 0, "{}", begun.err);
    let before = world.session_text();
    // Room for the message and what goes with it, and not for the call: its arguments are long.
    let blocks = u32::try_from(before.len().div_ceil(512)).unwrap() + 4;
    let command = format!("touch made; : {}", "x".repeat(8_000));
    let script =
        serde_json::json!([{ "tool_calls": [{ "name": "shell", "arguments": { "command": command } }] }]);
    let ran = limited(
        &world,
        blocks,
        &["exec", "--last", "--mode", "unrestricted", "--script", &script.to_string(), "go on"],
    );
    let said = ran.complaint();
    assert_eq!(ran.code, 1, "{said}");
    assert!(said.contains("File too large") && said.contains("not recorded: "), "{said}");
    assert!(!world.work().join("made").exists());
    let after = world.session_text();
    assert!(after.starts_with(&before) && after.ends_with('\n'));
    assert_eq!(world.sessions_cli(&["check", "--last"]).code, 0);
}

#[test]
fn an_import_that_cannot_be_written_is_not_said_to_be_broken() {
    let other = World::new();
    let lines: String = claude(&other).iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(other.work().join("theirs.jsonl"), lines).unwrap();
    let ran = limited(&other, 1, &["sessions", "import", "theirs.jsonl"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{ran:?}");
    assert!(ran.err.contains("File too large") && ran.err.contains("free disk space"), "{ran:?}");
    assert!(!ran.err.contains("name a session file that is whole"), "{ran:?}");
    assert!(other.sessions().is_empty());
}
