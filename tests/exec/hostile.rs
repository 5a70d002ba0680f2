//! Names, messages and values from outside that would steer a terminal or hide: every subcommand shows them and obeys none.
//! What is meant for programs (`--json`, the answer of `exec`) goes to a pipe byte by byte as it is, and to a terminal shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;
use tokio::io::AsyncReadExt as _;

use crate::world::{Ran, World};

/// A title, an erased screen, a colour by C1, an override, an invisible character.
const HOSTILE: &str = "x\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}cod\u{200b}e";

fn steers(text: &str) -> String {
    let bad = |c: &char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    text.chars().filter(bad).collect()
}

/// A world in which everything has a hostile name, and one session in it.
fn world() -> (World, PathBuf) {
    let config = format!(
        "theme = 'dark'\nallow = [{0}]\n[providers.{0}]\nbase_url = 'http://127.0.0.1:9'\n[providers.{0}.models.{0}]\nwindow = 9\n\
         [[hooks.stop]]\ncommand = {1}\n",
        json!("shell(HOSTILE)").to_string().replace("HOSTILE", &toml_text(HOSTILE)),
        json!("true # HOSTILE").to_string().replace("HOSTILE", &toml_text(HOSTILE)),
    );
    let world = World::new().configured(&config);
    let folder = world.place().join(HOSTILE);
    fs::create_dir_all(folder.join(".countersign")).unwrap();
    fs::create_dir(folder.join(".git")).unwrap();
    let project = format!(
        "mode = 'unrestricted'\nmodel = \"{0}\"\nproviders.\"{0}\".base_url = 'http://h'\n",
        toml_text(HOSTILE)
    );
    fs::write(folder.join(".countersign/config.toml"), project).unwrap();
    fs::write(folder.join(HOSTILE), "a file").unwrap();
    (world, folder)
}

/// Without raw control characters, which TOML takes nowhere.
fn toml_text(text: &str) -> String {
    text.chars().map(|c| format!("\\U{:08X}", u32::from(c))).collect()
}

fn program(world: &World, folder: &Path, words: &[&str]) -> Command {
    let mut program = world.program();
    program.current_dir(folder).args(words);
    program
}

fn run(world: &World, folder: &Path, words: &[&str]) -> Ran {
    let output = program(world, folder, words).output().unwrap();
    Ran::of(output.status, output.stdout, output.stderr)
}

/// One session: a hostile message, a tool of a hostile name, a file of one, a hostile answer.
fn session(world: &World, folder: &Path) -> Ran {
    let calls = json!({ "tool_calls": [
        { "id": "a", "name": HOSTILE, "arguments": { HOSTILE: HOSTILE } },
        { "id": "b", "name": "read", "arguments": { "path": HOSTILE } },
    ] });
    let script = json!([calls.to_string(), HOSTILE]).to_string();
    run(world, folder, &["exec", "--script", &script, "-m", "script", &format!("find {HOSTILE}")])
}

/// Words whose stdout and stderr are for people, wherever they lead.
const FOR_PEOPLE: &[&[&str]] = &[
    &["sessions", "list"],
    &["sessions", "search", "find"],
    &["sessions", "show", "--last"],
    &["sessions", "export", "--last"],
    &["sessions", "check", "--last"],
    &["sessions", "fork", "--last"],
    &["sessions", "show", HOSTILE],
    &["sessions", "check", "./x\u{1b}]0;owned\u{7}\u{202e}"],
    &["sessions", "import", HOSTILE],
    &["sessions", "remove", HOSTILE],
    &["models"],
    &["models", HOSTILE],
    &["doctor"],
    &["config", "show"],
    &["config", "show", "-c", "theme=\u{1b}[2J\u{202e}"],
    &["config", HOSTILE],
    &["trust"],
    &["trust", "--yes"],
    &["trust", "--list"],
    &["trust", "-C", HOSTILE],
    &["config", "show", "-m", HOSTILE],
    &["exec", "-m", HOSTILE, "hi"],
    &["exec", "--theme", HOSTILE, "--mode", HOSTILE, "hi"],
    &["exec", "--script", HOSTILE, "hi"],
    &["exec", "--allow", HOSTILE, "hi"],
    &["exec", "-c", HOSTILE, "hi"],
    &["exec", "--resume", HOSTILE, "hi"],
    &["exec", "--goal", HOSTILE, "hi"],
    &["resume", HOSTILE],
    &["inspect", HOSTILE],
    &[HOSTILE, "doctor"],
    &["exec", "hi", HOSTILE],
    &["sessions", "remove", "--last"],
];

#[test]
fn what_is_for_people_steers_nothing_through_a_pipe_either() {
    let (world, folder) = world();
    let told = session(&world, &folder);
    assert_eq!(told.code, 0, "{}", told.err);
    assert_eq!(told.out, format!("{HOSTILE}\n"), "an answer in a pipe is what the model said");
    assert_eq!(steers(&told.err), "", "{:?}", told.err);
    for words in FOR_PEOPLE {
        let ran = run(&world, &folder, words);
        assert!(!ran.out.is_empty() || !ran.err.is_empty(), "{words:?} says nothing");
        for text in [&ran.out, &ran.err] {
            assert_eq!(steers(text), "", "{words:?}: {text:?}");
        }
    }
    let logs = crate::world::all_files(&world.place().join("state/countersign/logs"));
    for log in logs {
        let text = fs::read_to_string(&log).unwrap();
        assert_eq!(steers(&text), "", "{text:?}");
    }
}

#[tokio::test]
async fn a_terminal_is_steered_by_nothing_that_is_meant_for_programs() {
    let (world, folder) = world();
    assert_eq!(session(&world, &folder).code, 0);
    let script = json!([HOSTILE]).to_string();
    for words in [
        &["sessions", "list", "--json"][..],
        &["sessions", "search", "find", "--json"],
        &["sessions", "show", "--last", "--json"],
        &["sessions", "show", "--last", "--events"],
        &["sessions", "export", "--last", "--json"],
        &["models", "--json"],
        &["doctor", "--json"],
        &["config", "path"],
        &["exec", "-m", "script", "--script", &script, "hi"],
        &["exec", "-m", "script", "--json", "--script", &script, "hi"],
    ] {
        let (mut terminal, child) = pty_process::open().unwrap();
        let plain = program(&world, &folder, words);
        let mut command = pty_process::Command::new(plain.get_program()).args(words).env_clear();
        for (name, value) in plain.get_envs() {
            command = command.env(name, value.unwrap());
        }
        let command =
            command.env("TERM", "xterm").env("NO_COLOR", "1").current_dir(&folder).stdin(Stdio::null());
        let mut child = command.spawn(child).unwrap();
        let mut said = Vec::new();
        // The end of a pseudo-terminal is an error on Linux.
        terminal.read_to_end(&mut said).await.ok();
        child.wait().await.unwrap();
        let said = String::from_utf8(said).unwrap().replace("\r\n", "\n");
        assert!(!said.is_empty(), "{words:?}");
        assert_eq!(steers(&said), "", "{words:?}: {said:?}");
    }
}
