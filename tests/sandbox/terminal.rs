//! The terminal that somebody looks at: no child paints over it, types into it or reads its keys.

use std::process::Stdio;
use std::time::Duration;

use countersign::ledger::Arguments;
use countersign::runtime::ToolPort as _;
use countersign::tool::{Shown, Typed};
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;

use crate::fixture::{Fixture, shell, there_is_one};

/// What a program prints in a terminal of its own, with its exit.
async fn in_a_terminal(arguments: &[&str], home: &std::path::Path) -> String {
    let (mut terminal, child) = pty_process::open().unwrap();
    let command = pty_process::Command::new(arguments[0])
        .args(&arguments[1..])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home)
        .env("TERM", "dumb")
        .current_dir(home)
        .stdin(Stdio::null());
    let mut child = command.spawn(child).unwrap();
    let mut said = Vec::new();
    // The end of a pseudo-terminal is an error on Linux.
    let end = terminal.read_to_end(&mut said).await;
    let status = child.wait().await.unwrap();
    format!("{}\n{end:?} {status}", String::from_utf8_lossy(&said))
}

#[tokio::test]
async fn no_child_has_the_terminal_in_any_mode() {
    let home = tempfile::TempDir::new().unwrap();
    let painted = in_a_terminal(&["sh", "-c", "printf pain''ted > /dev/tty"], home.path()).await;
    assert!(painted.contains("painted"), "the attack fails anyway: {painted}");
    let attack = "printf pain''ted > /dev/tty; echo went $?; cat < /dev/tty";
    let call = json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": attack } }] });
    let script = json!([call, "done"]).to_string();
    for mode in [
        &["--mode", "ask", "--allow", "shell"][..],
        &["--mode", "edit", "--allow", "shell"],
        &["--mode", "unrestricted"],
    ] {
        let program = env!("CARGO_BIN_EXE_countersign");
        let arguments = [&[program, "exec", "--json", "--script", &script], mode, &["go"]].concat();
        let said = in_a_terminal(&arguments, home.path()).await;
        assert!(said.contains("\"turn_ended\"") && said.contains("/dev/tty"), "{mode:?}: {said}");
        assert!(said.contains("went 2") || said.contains("went 1"), "{mode:?} was not refused: {said}");
        assert!(!said.contains("painted"), "{mode:?}: {said}");
    }
}

#[tokio::test]
async fn no_terminal_is_written_to_from_the_sandbox() {
    if !there_is_one().await {
        return;
    }
    let fixture = Fixture::new();
    for attack in [
        "printf x > /dev/tty",
        "for t in /dev/pts/[0-9]*; do printf '' > $t && exit 0; done; exit 1",
        ": > /dev/ptmx",
    ] {
        let report = fixture.run(attack, true).await;
        assert_eq!(report.outcome, countersign::ledger::Outcome::Failed, "{attack}: {}", report.content);
    }
}

/// Characters put into a terminal as if typed. No safe function asks for that, so Perl does, where there is one; the
/// filter itself is held to it without, in `src/runtime/sandbox/linux/calls.rs`.
#[tokio::test]
async fn nothing_is_typed_for_the_user() {
    if !there_is_one().await {
        return;
    }
    let fixture = Fixture::new();
    let attack = "perl -e 'my $c = \"x\"; open(T, \"<\", \"/dev/null\"); ioctl(T, 0x5412, $c); print \"errno \", $!+0, \"\\n\"'";
    let free = fixture.run(attack, false).await.content;
    if !free.contains("errno 25") {
        eprintln!("TIOCSTI was not tried by a program, there is no Perl: {free}");
        fixture.run("true", true).await;
        return;
    }
    let held = fixture.works(attack).await;
    assert!(
        held.contains("errno 1\n") || held.trim_end().ends_with("errno 1"),
        "not refused by the filter: {held}"
    );
}

/// A confined command may ask on its own terminal, with the echo off, and is answered.
#[tokio::test]
async fn a_person_types_into_a_confined_command_on_its_own_terminal() {
    if !there_is_one().await {
        return;
    }
    let fixture = Fixture::new();
    let tools = fixture.tools().clone().attended();
    let command = "stty -echo; printf 'password: '; read p; stty echo; echo; echo ${#p} letters";
    let mut call = shell(command, true);
    call.arguments = Arguments::from_value(json!({ "command": command, "pty": true }));
    let (output, mut listener) = mpsc::channel(8);
    let run = tokio::spawn(tools.run(call.clone(), output));
    let asked = async {
        while let Some(shown) = listener.recv().await {
            if matches!(&shown, Shown::Screen(screen) if screen.lines().eq(["password:"])) {
                break;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), asked).await.unwrap();
    tools.type_into(call.call, Typed(b"hunter2\r".to_vec()));
    assert_eq!(run.await.unwrap().content, "password: \n7 letters");
}
