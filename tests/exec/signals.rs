//! What ends a run from outside: SIGINT as Esc, SIGTERM, SIGHUP, and a reader who has gone away.

use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::books;
use crate::running::Running;
use crate::world::{Ran, World, of_type, parse, script, text};

const SLOW: &str = r#"[{"text":"partly said and then nothing","chunk":7,"pause_ms":60000}]"#;

/// A read, a command that stays, and one more call.
fn stays(command: &str) -> String {
    script(json!([{ "tool_calls": [
        { "name": "read", "arguments": { "path": "one.txt" } },
        { "name": "shell", "arguments": { "command": command } },
        { "name": "shell", "arguments": { "command": "touch never" } },
    ] }]))
}

/// A run that was ended: 130, and its books are in order.
fn interrupted(world: &World, run: Running) -> Ran {
    let ran = run.finish();
    assert_eq!(ran.code, 130, "{}", ran.err);
    books::check_run(&ran, &world.session_text());
    assert!(books::open_calls(&world.session_file()).is_empty());
    ran
}

fn stopped_line(ran: &Ran, reason: &str) {
    let start = format!("stopped: {reason}; next: ");
    assert!(ran.err.starts_with(&start) && ran.err.lines().count() == 1, "{}", ran.err);
}

#[test]
fn in_a_stream() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let world = World::new();
        let mut run = world.begin(&["--json", "--script", SLOW, "go"]);
        let delta = run.until(|event| event["type"] == "text_delta");
        run.signal(signal);
        let ran = interrupted(&world, run);
        assert_eq!(ran.reason(), "aborted_streaming", "{signal:?}");
        let said = ran.one("agent_response");
        assert_eq!((&said["interrupted"], &said["text"]), (&json!(true), &delta["text"]));
        assert_eq!(said["entry"], delta["message"]);
        stopped_line(&ran, "aborted_streaming");
    }
}

#[test]
fn before_the_model_has_said_anything() {
    let world = World::new();
    let mut run = world.begin(&["--json", "--script", r#"[{"text":"late","delay_ms":60000}]"#, "go"]);
    run.until(|event| event["type"] == "transition");
    run.signal(Signal::INT);
    let ran = interrupted(&world, run);
    assert_eq!(ran.reason(), "aborted_streaming");
    // The prompt was sent, so an estimate of it counts: in the answer, in the end of the run and in the sum of all sessions.
    let unheard = ran.one("agent_response");
    assert_eq!((&unheard["text"], &unheard["usage"]["estimated"]), (&json!(""), &json!(true)));
    let input = unheard["usage"]["input"].as_u64().unwrap();
    assert!(input > 0 && ran.one("turn_ended")["usage"]["input"] == input);
    let all = world.program().args(["usage", "--json"]).output().unwrap();
    let all: serde_json::Value = serde_json::from_slice(&all.stdout).unwrap();
    assert_eq!(all["total"]["input"], input, "{all}");
}

#[test]
fn while_it_waits_to_try_again() {
    let world = World::new();
    let fails = r#"[{"text":"half","error":{"status":529,"message":"overloaded","retry_after_ms":60000}}]"#;
    let mut run = world.begin(&["--json", "--script", fails, "go"]);
    run.until(|event| event["type"] == "tombstone");
    run.signal(Signal::INT);
    let ran = interrupted(&world, run);
    assert_eq!(ran.reason(), "aborted_streaming");
}

#[test]
fn after_a_finished_call_that_nothing_started() {
    let world = World::new();
    let replies = r#"[{"text":"x","tool_calls":[{"name":"list","arguments":{}},{"name":"list","arguments":"{\"path\": \"never finished\"}"}],"chunk":10,"pause_ms":60000}]"#;
    let mut run = world.begin(&["--json", "--script", replies, "go"]);
    run.until(|event| event["type"] == "text_delta");
    run.signal(Signal::INT);
    assert_eq!(interrupted(&world, run).reason(), "aborted_streaming");
}

#[test]
fn while_a_command_runs() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let world = World::new();
        let (command, mut beacon) = world.beacon();
        let run = world.begin(&["--json", "--mode", "unrestricted", "--script", &stays(&command), "go"]);
        beacon.lit();
        run.signal(signal);
        let ran = interrupted(&world, run);
        beacon.gone();
        settled_on_path_c(&ran.all("tool_result"));
        assert_eq!(ran.reason(), "aborted_tools");
        let not_ok = ran.ended()["not_ok"].as_array().unwrap().len();
        assert_eq!(not_ok, 2);
        stopped_line(&ran, "aborted_tools");
        assert!(!world.work().join("never").exists());
    }
}

#[test]
fn what_a_command_had_printed_stays_in_its_result() {
    let world = World::new();
    let (command, mut beacon) = world.beacon();
    let call = json!({ "name": "shell", "arguments": { "command": format!("echo half of it; {command}") } });
    let replies = script(json!([{ "tool_calls": [call] }]));
    let mut run = world.begin(&["--json", "--mode", "unrestricted", "--script", &replies, "go"]);
    run.until(|event| event["type"] == "tool_output" && text(event, "chunk").contains("half of it"));
    beacon.lit();
    run.signal(Signal::INT);
    let ran = interrupted(&world, run);
    beacon.gone();
    let result = ran.one("tool_result");
    assert_eq!(result["abort"]["path"], "C");
    let content = text(&result, "content");
    assert!(content.ends_with("check before repeating\nIt had printed:\nhalf of it"), "{content}");
}

fn settled_on_path_c(results: &[Value]) {
    let contents: Vec<String> = results.iter().map(|result| text(result, "content")).collect();
    assert!(contents[0].contains("first line"), "a finished call keeps its real result: {contents:?}");
    let (began, rest) = contents[1].split_once(" mid-execution after ").expect(&contents[1]);
    let (seconds, rest) = rest.split_once(" s; ").expect(&contents[1]);
    assert!(began == "Interrupted" && seconds.parse::<f64>().is_ok(), "{}", contents[1]);
    assert!(rest.starts_with("effects may be partial; check before repeating"), "{rest}");
    assert_eq!(contents[2], "Interrupted by user; was not started");
    for result in &results[1..] {
        assert_eq!((&result["outcome"], &result["is_error"]), (&json!("aborted"), &json!(true)));
        assert_eq!(result["abort"]["path"], "C");
    }
}

/// A script whose first words are more than a pipe holds, so that the run cannot tell what comes after them.
fn wordy(world: &World, command: &str) -> String {
    let call = json!({ "name": "shell", "arguments": { "command": command } });
    let replies = script(json!([{ "text": "words ".repeat(40_000), "tool_calls": [call] }]));
    let file = world.place().join("replies.json");
    std::fs::write(&file, replies).unwrap();
    file.display().to_string()
}

#[test]
fn a_signal_that_comes_twice_counts_once() {
    let world = World::new();
    let (command, mut beacon) = world.beacon();
    let run = world.begin(&["--json", "--mode", "unrestricted", "--script", &wordy(&world, &command), "go"]);
    beacon.lit();
    for signal in [Signal::INT, Signal::INT, Signal::TERM] {
        run.signal(signal);
    }
    beacon.gone();
    let ran = interrupted(&world, run);
    assert_eq!((ran.reason().as_str(), ran.outcomes()), ("aborted_tools", vec!["aborted".to_owned()]));
    stopped_line(&ran, "aborted_tools");
}

#[test]
fn a_command_that_ignores_term_is_ended_too() {
    let world = World::new();
    let (command, mut beacon) = world.beacon();
    let command = format!("trap '' TERM INT HUP; {command}");
    let run = world.begin(&["--json", "--mode", "unrestricted", "--script", &stays(&command), "go"]);
    beacon.lit();
    run.signal(Signal::INT);
    interrupted(&world, run);
    beacon.gone();
}

#[test]
fn children_that_outlive_their_command_end_with_the_run() {
    let world = World::new();
    let (command, mut beacon) = world.beacon();
    let background = script(
        json!([{ "name": "shell", "arguments": { "command": format!("({command}) & echo begun") } }, "ok"]),
    );
    let run = world.begin(&["--json", "--mode", "unrestricted", "--script", &background, "go"]);
    beacon.lit();
    let ran = run.finish();
    beacon.gone();
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["ok".to_owned()]));
}

/// As `docker exec` and `nsenter` start programs: nobody in here has the number of their session.
#[test]
fn orphans_end_too_when_the_session_began_outside_of_what_can_be_seen() {
    const NAMESPACE: [&str; 5] = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];
    let may = Command::new("unshare").args(NAMESPACE).arg("true").output();
    if !may.is_ok_and(|ran| ran.status.success()) {
        eprintln!("not tried: this machine lets nobody make a namespace for processes");
        return;
    }
    let world = World::new();
    let (command, mut beacon) = world.beacon();
    let escapes = format!(
        "setsid sh -c \"{}\" & read line < begun",
        command.replace("; sleep", "; echo > begun; sleep")
    );
    let escapes = format!("mkfifo begun; {}; sleep 300", escapes.replace('$', "\\$"));
    let background = json!({ "command": escapes, "background": true });
    let replies = script(json!([{ "name": "shell", "arguments": background }, "Done."]));
    let program = world.program();
    let child = Command::new("unshare")
        .args(NAMESPACE)
        .args(["sh", "-c", "\"$0\" \"$@\"; exit $?"])
        .arg(program.get_program())
        .args(["exec", "--mode", "unrestricted", "--script", &replies, "go"])
        .envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .current_dir(world.work())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    beacon.lit();
    let ran = child.wait_with_output().unwrap();
    beacon.gone();
    assert_eq!((ran.status.code(), String::from_utf8(ran.stderr).unwrap().as_str()), (Some(0), ""));
}

#[test]
fn plain_output_says_what_was_said() {
    let world = World::new();
    let (command, mut beacon) = world.beacon();
    let replies = script(
        json!([{ "text": "I begin.", "tool_calls": [{ "name": "shell", "arguments": { "command": command } }] }]),
    );
    let run = world.begin(&["--mode", "unrestricted", "--script", &replies, "go"]);
    beacon.lit();
    run.signal(Signal::INT);
    let ran = run.finish();
    beacon.gone();
    assert_eq!((ran.code, ran.out.as_str()), (130, "I begin.\n"));
    stopped_line(&ran, "aborted_tools");
}

/// Closes stdout while a command runs; gives the session's entries after the end.
fn reader_leaves(words: &[&str], command: impl Fn(&str) -> String) -> (Ran, Vec<Value>) {
    let world = World::new();
    let (beacon_command, mut beacon) = world.beacon();
    let replies = stays(&command(&beacon_command));
    let mut run = world.begin(&[words, &["--mode", "unrestricted", "--script", &replies, "go"]].concat());
    beacon.lit();
    run.close_stdout();
    let ran = run.finish();
    beacon.gone();
    assert!(books::open_calls(&world.session_file()).is_empty());
    (ran, world.entries())
}

#[test]
fn a_reader_who_leaves_ends_the_run() {
    let talkative = |command: &str| command.replace("sleep 300", "while echo more; do sleep 0.01; done");
    let silent = str::to_owned;
    for (words, is_silent) in [(&["--json"][..], false), (&["--json"], true), (&[], true)] {
        let (ran, entries) = reader_leaves(words, |c| if is_silent { silent(c) } else { talkative(c) });
        assert_eq!(ran.code, 130, "{words:?} {is_silent}: {}", ran.err);
        settled_on_path_c(&of_type(&entries, "tool_result"));
        assert_eq!(entries.last().unwrap()["type"], "turn_ended");
        assert_eq!(entries.last().unwrap()["reason"], "aborted_tools");
    }
}

#[test]
fn a_reader_who_never_came() {
    let world = World::new();
    let mut run = world.begin(&["--json", "--script", SLOW, "go"]);
    run.close_stdout();
    assert_eq!(run.finish().code, 130);
    // It may have ended before there was anything to write.
    for file in world.sessions() {
        assert!(books::open_calls(&file).is_empty());
        assert_eq!(world.entries().last().unwrap()["type"], "turn_ended");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_stdout_is_said() {
    let world = World::new();
    for form in [&[][..], &["--json"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut program = world.program();
        program.arg("exec").args(form).args(["--script", r#"["Said."]"#, "go"]).stdout(full);
        let output = program.output().unwrap();
        let ran = Ran::of(output.status, output.stdout, output.stderr);
        assert_eq!(ran.code, 1, "{form:?}");
        assert!(ran.complaint().contains("cannot write to stdout"), "{}", ran.err);
    }
}

#[test]
fn a_reader_who_stays_and_does_not_read_holds_nothing_up() {
    let world = World::new();
    let (command, mut beacon) = world.beacon();
    let mut run =
        world.begin(&["--json", "--mode", "unrestricted", "--script", &wordy(&world, &command), "go"]);
    beacon.lit();
    run.signal(Signal::INT);
    beacon.gone();
    // The books are closed although nobody takes the words; a second signal ends the rest.
    let is_closed = |text: String| {
        // A line may be half written at the moment of the look: one look decides.
        text.ends_with('\n') && parse(&text).last().unwrap()["type"] == "turn_ended"
    };
    while !is_closed(world.session_text()) {
        std::thread::yield_now();
    }
    run.signal(Signal::INT);
    assert_eq!(run.exit_code(), 130);
    assert!(books::open_calls(&world.session_file()).is_empty());
}

#[test]
fn an_interrupted_session_goes_on() {
    let world = World::new();
    let (command, mut beacon) = world.beacon();
    let run = world.begin(&["--json", "--mode", "unrestricted", "--script", &stays(&command), "go"]);
    beacon.lit();
    run.signal(Signal::INT);
    interrupted(&world, run);
    let ran = world.json(&["--last", "--script", r#"["I see."]"#, "what happened?"]);
    assert_eq!((ran.code, ran.reason().as_str()), (0, "completed"));
}

/// A hook is asked about an attached file before the run begins: as a hook of the session that the file goes to, and it ends with the program.
#[test]
fn while_a_hook_is_asked_about_an_attached_file() {
    let asked = |command: &str| {
        let hook = format!("[[hooks.pre_tool]]\nmatcher = 'read'\ncommand = \"{command}\"\n");
        let world = World::new().configured(&hook);
        std::fs::write(world.work().join("a.txt"), "text\n").unwrap();
        world
    };
    let world = asked("cat > heard");
    let ran = world.exec(&["--json", "--script", r#"["Read."]"#, "see @a.txt"]);
    let heard = std::fs::read_to_string(world.work().join("heard")).unwrap();
    assert_eq!(text(&parse(&heard)[0], "session"), text(&world.entries()[0], "session"), "{}", ran.out);
    for signal in [Signal::INT, Signal::TERM] {
        let world = asked("");
        let (command, mut beacon) = world.beacon();
        let world =
            world.configured(&format!("[[hooks.pre_tool]]\nmatcher = 'read'\ncommand = \"{command}\"\n"));
        let run = world.begin(&["--json", "--script", r#"["Read."]"#, "see @a.txt"]);
        beacon.lit();
        run.signal(signal);
        let ran = run.finish();
        assert_eq!((ran.code, ran.out.as_str()), (130, ""), "{signal:?}: {}", ran.err);
        beacon.gone();
        assert!(world.sessions().is_empty(), "nothing was said yet");
    }
}
