//! Background commands of a run: heard and ended by later calls, and gone with the program however it ends.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::world::{World, of_type, script, text};

const ALLOWED: [&str; 4] = ["--allow", "shell", "--allow", "shell_kill"];
/// It tells its process id and stays, whatever it is asked.
const STAYS: &str = "trap '' TERM; echo I am $$.; while :; do sleep 1000; done";

fn call(name: &str, arguments: Value) -> Value {
    json!({ "tool_calls": [{ "name": name, "arguments": arguments }] })
}

fn begins(command: &str) -> Value {
    call("shell", json!({ "command": command, "background": true }))
}

/// The process of which a result tells.
fn told(content: &str) -> rustix::process::Pid {
    let number = content.split("I am ").nth(1).and_then(|rest| rest.split('.').next());
    rustix::process::Pid::from_raw(number.unwrap().parse().unwrap()).unwrap()
}

fn is_there(content: &str) -> bool {
    let process = told(content);
    // Whoever has it now may take a moment to bury it: a process that has ended is not there.
    let state = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()));
    let is_dead =
        state.is_ok_and(|stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['Z', 'X'])));
    !is_dead && rustix::process::test_kill_process(process).is_ok()
}

#[test]
fn a_server_is_started_heard_and_ended() {
    let world = World::new();
    let replies = script(json!([
        begins("while :; do echo tick; sleep 0.1; done"),
        call("shell_output", json!({ "id": "b1" })),
        call("shell_kill", json!({ "id": "b1" })),
        "Done.",
    ]));
    let ran = world.json(&[&ALLOWED[..], &["--script", &replies, "go"]].concat());
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["ok".to_owned(); 3]), "{}", ran.err);
    let results: Vec<String> = ran.all("tool_result").iter().map(|result| text(result, "content")).collect();
    assert!(results[0].contains("tick\n[b1: running for "), "{}", results[0]);
    assert!(results[1].contains("tick") && results[1].contains("[b1: running for "), "{}", results[1]);
    assert!(results[2].contains("[b1: ended by shell_kill after "), "{}", results[2]);
}

#[test]
fn nothing_is_left_when_the_program_ends_and_the_next_one_says_so() {
    let world = World::new();
    let ran =
        world.json(&[&ALLOWED[..], &["--script", &script(json!([begins(STAYS), "Done."])), "go"]].concat());
    let told = text(&ran.one("tool_result"), "content");
    assert!(ran.code == 0 && told.contains("[b1: running"), "{told}");
    assert!(!is_there(&told), "it lives on");

    let again = script(json!([call("shell_output", json!({ "id": "b1" })), begins("echo up"), "Done."]));
    let ran = world.json(&[&ALLOWED[..], &["--last", "--script", &again, "go on"]].concat());
    let noted: Vec<String> = ran.all("note").iter().map(|note| text(note, "text")).collect();
    assert_eq!(
        noted.iter().filter(|text| *text == "[b1: ended with the earlier process]").count(),
        1,
        "{noted:?}"
    );
    let said: Vec<String> = ran.all("injected").iter().map(|entry| text(entry, "text")).collect();
    let is_news = |text: &&String| text.starts_with("The background command b1 is gone");
    assert_eq!(said.iter().filter(is_news).count(), 1, "{said:?}");
    let results = ran.all("tool_result");
    let [.., gone, new] = results.as_slice() else { panic!("{results:?}") };
    assert!(text(gone, "content").contains("b1 was started by an earlier process"), "{gone}");
    assert!(text(new, "content").contains("[b2: exit code 0"), "{new}");
    // A third process has nothing new to say of it.
    let ran = world.json(&[&ALLOWED[..], &["--last", "--script", "[\"Done.\"]", "and on"]].concat());
    assert!(!ran.out.contains("not there any more") && !ran.out.contains("b1:"), "{}", ran.out);
}

#[test]
fn a_fork_has_no_hold_on_what_runs_on_where_it_was_forked() {
    let world = World::new();
    let silent = json!({ "text": "late", "delay_ms": 60_000 });
    let replies = script(json!([begins(STAYS), silent]));
    let mut run = world.begin(&[&ALLOWED[..], &["--json", "--script", &replies, "go"]].concat());
    let told = text(&run.until(|event| event["type"] == "tool_result"), "content");
    run.until(|event| event["type"] == "transition");
    let at = text(&of_type(&world.entries(), "tool_result")[0], "entry");
    assert_eq!(world.sessions_cli(&["fork", "--last", "--at", &at]).code, 0);

    let again = script(json!([call("shell_output", json!({ "id": "b1" })), begins("echo up"), "Done."]));
    let ran = world.json(&[&ALLOWED[..], &["--last", "--script", &again, "go on"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(is_there(&told), "it runs on");
    let noted: Vec<String> = ran.all("note").iter().map(|note| text(note, "text")).collect();
    assert_eq!(noted, ["[b1: belongs to the session that this one was forked from]"]);
    let said: Vec<String> = ran.all("injected").iter().map(|entry| text(entry, "text")).collect();
    let is_news =
        |text: &&String| text.contains("b1 is not this session's") && text.contains("may still run there");
    assert_eq!(said.iter().filter(is_news).count(), 1, "{said:?}");
    assert!(!said.iter().any(|text| text.contains("an earlier process")), "{said:?}");
    let results = ran.all("tool_result");
    let [.., gone, new] = results.as_slice() else { panic!("{results:?}") };
    assert!(text(gone, "content").contains("this session cannot control it"), "{gone}");
    let started = text(new, "content");
    assert!(started.contains("[b2: "), "{started}");
    // What the fork itself began is its own: the next process of it reports that it is gone.
    let third = script(json!([begins(STAYS), "Done."]));
    assert_eq!(world.json(&[&ALLOWED[..], &["--last", "--script", &third, "more"]].concat()).code, 0);
    let ran = world.json(&["--last", "--script", "[\"Done.\"]", "and on"]);
    let noted: Vec<String> = ran.all("note").iter().map(|note| text(note, "text")).collect();
    assert_eq!(noted.last().unwrap(), "[b3: ended with the earlier process]");
    assert!(is_there(&told), "it runs on");
    run.signal(Signal::INT);
    assert_eq!(run.finish().code, 130);
}

#[test]
fn nothing_is_left_after_a_signal() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let world = World::new();
        let silent = json!({ "text": "late", "delay_ms": 60_000 });
        let replies = script(json!([begins(STAYS), silent]));
        let words = [&ALLOWED[..], &["--json", "--script", &replies, "go"]].concat();
        let mut run = world.begin(&words);
        let result = run.until(|event| event["type"] == "tool_result");
        run.until(|event| event["type"] == "transition");
        let told = text(&result, "content");
        assert!(is_there(&told), "{told}");
        run.signal(signal);
        assert_eq!(run.finish().code, 130, "{signal:?}");
        assert!(!is_there(&told), "it lives on after {signal:?}");
    }
}

#[test]
fn one_that_ends_by_itself_is_noted_with_its_exit_code_and_told_to_the_model() {
    let world = World::new();
    let replies = script(json!([
        begins("sleep 1.5; exit 3"),
        call("shell", json!({ "command": "sleep 2" })),
        call("shell_output", json!({ "id": "b1" })),
        "Done.",
    ]));
    let ran = world.json(&[&ALLOWED[..], &["--script", &replies, "go"]].concat());
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["ok".to_owned(); 3]), "{}", ran.err);
    let noted = text(&ran.one("note"), "text");
    assert!(noted.starts_with("[b1: exit code 3 after "), "{noted}");
    let told: Vec<String> = ran.all("injected").iter().map(|entry| text(entry, "text")).collect();
    assert_eq!(told.iter().filter(|text| text.contains("b1 has ended: exit code 3")).count(), 1, "{told:?}");
}
