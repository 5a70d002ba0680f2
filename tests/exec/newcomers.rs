//! What people meet in their first hour: refusals, remarks and reports that say what they need.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use countersign::runtime::sandbox::support;
use serde_json::{Value, json};

use crate::world::{Ran, World, script};

fn called(name: &str, arguments: &Value) -> Value {
    json!({ "tool_calls": [{ "name": name, "arguments": arguments }] })
}

#[test]
fn a_denied_call_says_why() {
    let world = World::new();
    let replies = script(json!([called("shell", &json!({ "command": "touch made" })), "Done."]));
    let ran = world.exec(&["--script", &replies, "go"]);
    let says =
        "denied by policy: shell $ touch made (no rule covers it; no user is available to approve it)\n";
    assert_eq!((ran.code, ran.err.as_str()), (4, says));
    let ran = world.exec(&["--mode", "plan", "--script", &replies, "go"]);
    assert!(ran.err.contains("touch made (plan mode only reads;"), "{}", ran.err);
    if let Some(why) = support().refuses(false) {
        eprintln!("mode auto was not tried on this machine: {why}");
        return;
    }
    fs::write(world.work().join(".env"), "TOKEN=x\n").unwrap();
    let ran = world.exec(&["--mode", "auto", "--script", &replies, "go"]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("the sandbox cannot hide: .env (/"), "{}", ran.err);
}

/// A session that runs until its stdin ends.
fn running(world: &World, program: &Path) -> Child {
    let ours = world.program();
    let mut command = Command::new(program);
    let variables = ours.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.env_clear().envs(variables).current_dir(world.work());
    command.args(["exec", "--json", "--input", "jsonl", "--script", r#"["One."]"#]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_of_a_program_with_another_name_is_no_stranger() {
    let world = World::new();
    let ours = env!("CARGO_BIN_EXE_countersign");
    let renamed = Path::new(ours).with_file_name(format!("cs-{}", std::process::id()));
    fs::hard_link(ours, &renamed).unwrap();
    let mut child = running(&world, &renamed);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"type\":\"user_message\",\"content\":\"hi\"}\n").unwrap();
    let mut events = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(events.any(|line| line.unwrap().contains("turn_ended")));
    let output = world.program().args(["doctor", "--json"]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    drop(stdin);
    child.wait().unwrap();
    fs::remove_file(renamed).unwrap();
    let id = child.id();
    assert!(said.contains(&format!("is being written by process {id}")), "{said}");
    assert!(!said.contains("kill "), "{said}");
}

#[test]
fn answers_without_a_price_are_not_free() {
    let world = World::new();
    let folder = world.place().join("state/countersign/sessions/2026/11");
    fs::create_dir_all(&folder).unwrap();
    let answer = |entry: &str, cost: Value| {
        json!({ "type": "agent_response", "entry": entry, "at": "2026-11-20T09:30:02.000Z", "model": "a/b",
            "text": "x", "usage": { "input": 1, "output": 1, "cost_usd": cost } })
    };
    let session = |id: &str, cwd: &str, lines: &[Value]| {
        let start = json!({ "type": "session_started", "entry": "e1", "at": "2026-11-20T09:30:00.000Z", "id": "e1",
            "session": id, "cwd": cwd, "model": "a/b" });
        let lines: Vec<String> = [&[start], lines].concat().iter().map(Value::to_string).collect();
        fs::write(folder.join(format!("{id}.jsonl")), lines.join("\n") + "\n").unwrap();
    };
    session("one", "/free", &[answer("e2", json!(0.0))]);
    session("two", "/none", &[answer("e2", Value::Null)]);
    session("three", "/some", &[answer("e2", json!(0.5)), answer("e3", Value::Null)]);
    let output = world.program().args(["usage", "--by", "project"]).output().unwrap();
    let ran = Ran::of(output.status, output.stdout, output.stderr);
    let row = |name: &str| ran.out.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(row("/free").contains("$0.00") && !row("/free").contains("price"), "{}", ran.out);
    assert!(row("/none").contains("unknown") && !row("/none").contains('$'), "{}", ran.out);
    assert!(row("/some").contains("$0.50 + 1 without price"), "{}", ran.out);
    assert!(row("total").contains("$0.50 + 2 without price"), "{}", ran.out);
}

#[test]
fn a_transcript_names_what_was_attached() {
    let world = World::new();
    let ran = world.exec(&["--script", r#"["Read."]"#, "What is in @one.txt?"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let shown = world.sessions_cli(&["show", "--last"]).out;
    assert!(shown.contains("[file: one.txt \u{b7} lines 1-2]"), "{shown}");
}

#[test]
fn a_dash_is_not_the_name_of_a_file() {
    let world = World::new();
    let line = world.refused(&["--script", r#"["Hi."]"#, "-o", "-", "hi"]);
    assert!(line.contains("-o -: the answer is written to stdout in any case; next: leave -o out"), "{line}");
    assert!(!world.work().join("-").exists());
}

#[test]
fn rejected_lines_are_counted_as_an_editor_counts_them() {
    let world = World::new();
    let lines = b"\n\n  \nnot JSON\n{\"type\":\"user_message\",\"content\":\"hi\"}\n";
    let ran = world.exec_fed(&["--json", "--input", "jsonl", "--script", r#"["One."]"#], lines);
    assert_eq!((ran.code, &ran.one("input_rejected")["line"]), (0, &json!(4)));
}

#[test]
fn flags_of_other_tools_are_answered_with_ours() {
    let world = World::new();
    let refused = |words: &[&str]| {
        let output = world.program().args(words).output().unwrap();
        let ran = Ran::of(output.status, output.stdout, output.stderr);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words:?}");
        ran.complaint()
    };
    for (words, ours) in [
        (&["-p", "hello"][..], "countersign exec \"PROMPT\""),
        (&["--print", "hello"], "countersign exec \"PROMPT\""),
        (&["--continue"], "countersign resume --last"),
        (&["--resume", "x"], "countersign resume SESSION"),
        (&["--resume=x"], "countersign resume SESSION"),
        (&["exec", "--output-format", "json", "hi"], "countersign exec --json"),
        (&["--dangerously-skip-permissions"], "--mode auto"),
        (&["exec", "--full-auto", "hi"], "--mode auto"),
        (&["--allowedTools", "Bash"], "--allow RULE"),
    ] {
        let line = refused(words);
        assert!(line.contains("is not a flag here; next: ") && line.contains(ours), "{words:?}: {line}");
    }
    assert!(refused(&["--frobnicate"]).contains("--frobnicate"));
}
