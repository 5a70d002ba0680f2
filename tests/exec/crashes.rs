//! After a crash: whatever is left of a session file, it goes on, and says what was lost.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::books;
use crate::forged::{forge, rechained};
use crate::model_server::{ModelServer, Reply};
use crate::servers::{ALL, KEY};
use crate::world::{World, of_type, script, text};

#[test]
fn killed_while_a_command_runs() {
    let world = World::new();
    let (command, mut beacon) = world.beacon();
    let calls = json!([{ "tool_calls": [
        { "name": "read", "arguments": { "path": "one.txt" } },
        { "name": "shell", "arguments": { "command": format!("echo ran >> log.txt; {command}") } },
        { "name": "shell", "arguments": { "command": "echo ran >> log.txt" } },
    ] }]);
    let run = world.begin(&["--json", "--mode", "unrestricted", "--script", &script(calls), "go"]);
    beacon.lit();
    run.kill();
    beacon.put_out();
    assert_eq!(books::open_calls(&world.session_file()).len(), 2, "well-formed, with two calls open");

    let ran = world.json(&["--last", "--mode", "unrestricted", "--script", r#"["I see."]"#, "go on"]);
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["lost".to_owned(), "lost".into()]));
    let contents: Vec<String> = ran.all("tool_result").iter().map(|result| text(result, "content")).collect();
    assert!(
        contents[0].contains("effects may be partial") && contents[1].contains("was not started"),
        "{contents:?}"
    );
    assert!(
        ran.err.contains("2 calls were lost with the process; 1 of them had been started"),
        "{}",
        ran.err
    );
    assert_eq!(world.file("log.txt"), "ran\n", "no tool runs twice");
    assert!(books::open_calls(&world.session_file()).is_empty());
    let ends = of_type(&world.entries(), "turn_ended");
    assert_eq!(
        ends.iter().map(|end| text(end, "reason")).collect::<Vec<_>>(),
        ["aborted_tools", "completed"]
    );
}

#[test]
fn killed_while_the_model_speaks() {
    let world = World::new();
    let slow = r#"[{"text":"begun and lost","chunk":6,"pause_ms":60000}]"#;
    let mut run = world.begin(&["--json", "--script", slow, "go"]);
    run.until(|event| event["type"] == "text_delta");
    run.kill();
    let ran = world.json(&["--last", "--script", r#"["Again."]"#, "go on"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ends = of_type(&world.entries(), "turn_ended");
    assert_eq!(
        ends.iter().map(|end| text(end, "reason")).collect::<Vec<_>>(),
        ["aborted_streaming", "completed"]
    );
}

#[test]
fn killed_at_any_line() {
    let command = |number: u64| json!({ "name": "shell", "arguments": { "command": format!("echo {number} >> log.txt") } });
    let read = json!({ "name": "read", "arguments": { "path": "one.txt" } });
    let replies = script(json!([
        { "text": "I begin.", "tool_calls": [read, command(1), read, command(2)] },
        { "tool_calls": [command(3)] },
        "Done.",
    ]));
    let words = ["--json", "--mode", "unrestricted", "--script", &replies, "go"];
    let lines = World::new().exec(&words).out.lines().count();
    assert!(lines > 30);
    for heard in (1..lines).step_by(2) {
        let world = World::new();
        let mut run = world.begin(&words);
        let mut count = 0;
        run.until(|_| {
            count += 1;
            count == heard
        });
        let told: Vec<Value> = run.kill().into_iter().filter(|event| event.get("entry").is_some()).collect();
        books::open_calls(&world.session_file());
        assert_eq!(world.entries()[..told.len()], told, "what was told is kept");
        let ran = world.json(&["--last", "--mode", "unrestricted", "--script", r#"["I see."]"#, "go on"]);
        assert_eq!((ran.code, ran.reason().as_str()), (0, "completed"), "after line {heard}: {}", ran.err);
        let log = fs::read_to_string(world.work().join("log.txt")).unwrap_or_default();
        assert!("1\n2\n3\n".starts_with(&log), "in order, and none twice: {log:?}");
        for result in of_type(&world.entries(), "tool_result").iter().filter(|r| r["started"] == json!(false))
        {
            let calls = of_type(&world.entries(), "tool_call");
            let call = calls.iter().find(|call| call["id"] == result["id"]).unwrap();
            let number = call["arguments"]["command"].as_str().map(|command| &command[5..6]);
            assert!(
                number.is_none_or(|number| !log.contains(number)),
                "{call} ran and is called `not started`"
            );
        }
    }
}

/// A session with every kind of entry that a script can make.
fn eventful() -> World {
    let world = World::new();
    let replies = script(json!([
        { "text": "half", "error": { "status": 500, "message": "broke", "retry_after_ms": 1 } },
        { "thinking": "Hm.", "text": "Looking – schön.", "tool_calls": [
            { "name": "read", "arguments": { "path": "one.txt" } },
            { "name": "shell", "arguments": { "command": "echo yes" } },
            { "name": "write", "arguments": { "path": "no.txt", "content": "x" } },
            { "name": "read", "arguments": "{not json" },
            { "name": "dance", "arguments": {} },
        ] },
        "Seen.",
    ]));
    let first = world.json(&["--allow", "shell(echo *)", "--script", &replies, "look"]);
    assert_eq!(first.code, 4, "{}", first.err);
    let second = world.json(&[
        "--last",
        "--max-turns",
        "1",
        "--script",
        r#"[{"name":"list","arguments":{}}]"#,
        "more",
    ]);
    assert_eq!(second.code, 3);
    world
}

/// Cuts: after every line, and in some lines near their start, middle and end.
fn cuts(whole: &[u8]) -> Vec<usize> {
    let mut cuts = Vec::new();
    let mut start = 0;
    for (number, line) in whole.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if number > 0 {
            cuts.push(start);
            let inside = [start + 1, start + line.len() / 2, start + line.len() - 1];
            cuts.extend(inside.iter().skip(number % 3).step_by(2));
        }
        start += line.len();
    }
    cuts.push(whole.len());
    cuts
}

#[test]
fn a_session_goes_on_wherever_it_was_cut() {
    let world = eventful();
    let file = world.session_file();
    let whole = fs::read(&file).unwrap();
    for cut in cuts(&whole) {
        fs::write(&file, &whole[..cut]).unwrap();
        let ran = world.json(&["--last", "--script", r#"["Fine."]"#, "go on"]);
        assert_eq!((ran.code, ran.ended()["text"].clone()), (0, json!("Fine.")), "cut at {cut}: {}", ran.err);
        assert!(books::open_calls(&file).is_empty(), "cut at {cut}");
        let told = fs::read(&file).unwrap();
        let sound = whole[..cut].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        assert_eq!(told[..sound], whole[..sound], "what was acknowledged stays, byte for byte");
    }
}

#[test]
fn a_provider_takes_what_is_left_wherever_it_was_cut() {
    for speech in ALL {
        let world = eventful();
        let file = world.session_file();
        let whole = fs::read(&file).unwrap();
        let ends: Vec<usize> = cuts(&whole).into_iter().filter(|cut| whole[cut - 1] == b'\n').collect();
        let server = ModelServer::start(ends.iter().map(|_| Reply::text("Fine.")).collect());
        let world = world.with(speech.key, KEY).with(speech.url, &server.base_url());
        for cut in ends {
            fs::write(&file, &whole[..cut]).unwrap();
            let ran = world.json(&["-m", speech.model, "--last", "go on"]);
            assert_eq!(ran.code, 0, "{speech:?}, cut at {cut}: {}", ran.err);
        }
        crate::servers::accepted(&server);
    }
}

#[test]
fn a_file_without_a_first_line_is_refused() {
    let world = eventful();
    let file = world.session_file();
    let whole = fs::read(&file).unwrap();
    let id = file.file_stem().unwrap().to_str().unwrap();
    for cut in [0, 1, 40] {
        fs::write(&file, &whole[..cut]).unwrap();
        for which in [&["--last"][..], &["--resume", id]] {
            let ran = world.exec(&[which, &["--script", r#"["No."]"#, "go on"]].concat());
            assert!(matches!(ran.code, 1 | 2) && ran.out.is_empty(), "{cut}: {}", ran.out);
            assert!(ran.err.starts_with("error: ") && ran.err.lines().count() == 1, "{}", ran.err);
            assert_eq!(fs::read(&file).unwrap(), whole[..cut], "nothing was changed");
        }
    }
}

type Damage = fn(&mut Vec<String>);

#[test]
fn what_cannot_be_understood_is_refused_and_not_touched() {
    let damages: [(&str, Damage); 4] = [
        ("line 4", |lines| lines[3] = "{\"type\":\"user_mess".to_owned()),
        ("format version", |lines| lines[0] = lines[0].replace("\"version\":3", "\"version\":99")),
        ("twice", |lines| lines.insert(3, lines[2].clone())),
        ("is not open", |lines| lines.retain(|line| !line.contains("\"tool_calls\":[{"))),
    ];
    let original = eventful();
    for (words, damage) in damages {
        let world = &original;
        let file = world.session_file();
        let whole = fs::read_to_string(&file).unwrap();
        let mut lines: Vec<String> = whole.lines().map(str::to_owned).collect();
        damage(&mut lines);
        let damaged = rechained(&lines.join("\n"));
        forge(&file, &damaged);
        let ran = world.exec(&["--last", "--script", r#"["No."]"#, "go on"]);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{words}: {}", ran.err);
        assert!(ran.err.contains(words) && ran.err.lines().count() == 1, "{words}: {}", ran.err);
        assert_eq!(fs::read_to_string(&file).unwrap(), damaged);
        fs::write(&file, whole).unwrap();
    }
}

#[test]
fn an_entry_of_a_later_version_stays_where_it_is() {
    let world = eventful();
    let file = world.session_file();
    let strange =
        r#"{"type":"hologram","entry":"e999","at":"2026-11-20T09:30:00.000Z","id":"e999","depth":3}"#;
    let known = fs::read_to_string(&file).unwrap();
    let later = rechained(&format!("{known}{strange}\n"));
    forge(&file, &later);
    let ran = world.exec(&["--last", "--script", r#"["Fine."]"#, "go on"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "Fine.\n"));
    assert!(ran.err.contains("hologram"), "{}", ran.err);
    let kept = fs::read_to_string(&file).unwrap();
    assert!(kept.starts_with(&later) && later.contains("hologram"));
    let entries: Vec<Value> = world.entries();
    let ids: std::collections::BTreeSet<String> = entries.iter().map(|entry| text(entry, "entry")).collect();
    assert_eq!(ids.len(), entries.len(), "an id is never given twice");
}

#[test]
fn two_processes_never_write_one_session() {
    let world = World::new();
    let slow = r#"[{"text":"begun and not finished","chunk":6,"pause_ms":60000}]"#;
    let mut run = world.begin(&["--json", "--script", slow, "go"]);
    run.until(|event| event["type"] == "text_delta");
    let file: PathBuf = world.session_file();
    let before = fs::read(&file).unwrap();
    let id = file.file_stem().unwrap().to_str().unwrap();
    for which in [&["--last"][..], &["--resume", id]] {
        let second = world.exec(&[which, &["--script", r#"["Mine."]"#, "me too"]].concat());
        assert_eq!((second.code, second.out.as_str()), (1, ""));
        assert!(second.err.contains("another countersign") && second.err.contains(id), "{}", second.err);
        assert_eq!(second.err.lines().count(), 1);
    }
    assert_eq!(fs::read(&file).unwrap(), before);
    run.kill();
    let after = world.json(&["--last", "--script", r#"["Mine now."]"#, "and now"]);
    assert_eq!(after.code, 0, "a lock ends with its process");
}
