//! How servers begin, and what is said of those that do not.

use countersign::ledger::{CallId, Preview};
use countersign::runtime::ToolPort as _;
use countersign::runtime::mcp::{McpServer, McpWay};
use countersign::tool::{SideEffect, Typed};
use countersign::wire::Secret;
use serde_json::{Value, json};

use crate::mcp::fixture::{Fixture, Journal, command, invocation, stub};
use crate::own_process::{is_alone, peak_memory};

#[tokio::test]
async fn tools_come_under_safe_names_and_count_as_sending_unless_a_person_says_otherwise() {
    let mut server = stub("stub", &["hostile"]);
    server.reads = vec!["a_b".to_owned()];
    server.call_ms = Some(4_321);
    let found = Fixture::new(vec![server]).tools.discover().await;
    let names: Vec<(&str, SideEffect)> =
        found.tools.iter().map(|tool| (tool.name.as_str(), tool.effect)).collect();
    let long = names[3].0;
    assert_eq!(
        names,
        [
            ("mcp__stub__read", SideEffect::Sends),
            ("mcp__stub__a_b", SideEffect::Reads),
            ("mcp__stub__steer", SideEffect::Sends),
            (long, SideEffect::Sends),
        ]
    );
    assert!(long.len() == 64 && long.starts_with("mcp__stub__longlong"), "{long}");
    assert!(found.tools.iter().all(|tool| tool.timeout_ms == Some(4_321) && tool.paths.is_empty()));
    assert_eq!(found.tools[2].description, "one]0;titletwo\nthree");
    assert_eq!(found.tools[3].description.chars().count(), 8_000);
    let missing: Vec<&str> = found.missing.iter().map(String::as_str).collect();
    assert_eq!(missing[0], "inner", "the tools of this machine are asked, too");
    let left_out = "of the MCP server `stub` is left out";
    for (said, (tool, why)) in missing[1..].iter().zip([
        ("a.b", "another tool of the server has the same name"),
        ("?", "its name cannot be used"),
        ("schemaless", "what the server says of it cannot be read"),
        ("swollen", "its schema expands to more than 4096 parts for one value"),
        ("listed", "its schema does not describe an object"),
        ("far", "its schema refers to something that is not in it"),
    ]) {
        assert!(said.starts_with(&format!("The tool `{tool}` {left_out}: {why}")), "{said}");
    }
    assert_eq!(missing.len(), 7, "{missing:#?}");
}

#[tokio::test]
async fn the_slow_and_the_broken_are_missing_and_the_others_are_there() {
    let mut slow = stub("slow", &["silent"]);
    slow.start_ms = 200;
    let absent = command("absent", "/nowhere/no-such-program", &[]);
    let fixture =
        Fixture::new(vec![slow, stub("one", &[]), absent, stub("two", &["pages"]), stub("three", &["dies"])]);
    let found = fixture.tools.discover().await;
    assert_eq!(found.tools[0].name, "mcp__one__say");
    let of_two: Vec<&str> =
        found.tools.iter().map(|tool| tool.name.as_str()).filter(|name| name.contains("two")).collect();
    assert_eq!(of_two[..2], ["mcp__two__first", "mcp__two__say"], "each page, in order");
    assert_eq!(
        found.missing[1..],
        [
            "The MCP server `slow` could not be started: it did not answer within 0.2 s; its tools are not available.",
            "The MCP server `absent` could not be started: program `/nowhere/no-such-program` not found; \
            its tools are \
             not available.",
            "The MCP server `three` could not be started: it ended (exit code 3) and said: first line no [2Jdatabase for \
             [hidden]; its tools are not available.",
        ]
    );
}

#[tokio::test]
async fn nothing_is_started_before_it_is_needed_and_then_once() {
    let journal = Journal::new();
    let fixture = Fixture::with(&[&journal.word()]);
    let output = tokio::sync::mpsc::channel(1).0;
    let own = countersign::tool::Invocation { name: "read".into(), ..invocation("say", json!({})) };
    assert_eq!(fixture.tools.run(own.clone(), output).await.content, "inner read");
    assert_eq!(fixture.tools.prepare(own).await.outside, ["inner read"]);
    fixture.tools.type_into(CallId(7), Typed(b"keys".to_vec()));
    assert_eq!(*fixture.typed.lock().unwrap(), [CallId(7)]);
    let look = fixture.tools.prepare(invocation("say", json!({}))).await;
    assert!(look.outside.is_empty());
    let Preview::Recipient(to) = look.preview else { panic!("{look:?}") };
    assert!(to.contains("mcp_stub") && to.contains(&journal.word()), "{to}");
    assert_eq!(fixture.groups.count(), 0);
    let (a, b, c) =
        tokio::join!(fixture.tools.survey(), fixture.tools.discover(), fixture.call("who", json!({})));
    assert!(a[0].found.is_ok() && b.tools.len() > 5, "{a:?}");
    assert_eq!(c.outcome, countersign::ledger::Outcome::Ok);
    assert_eq!(journal.count("started"), 1);
}

#[tokio::test]
async fn a_server_says_who_it_is() {
    let found = Fixture::with(&[]).found().await;
    assert_eq!((found.title.as_str(), found.version.as_str()), ("The Stub", "1.2.3"));
    assert_eq!((found.protocol.as_str(), found.left_out.len()), ("2025-06-18", 0));
    let newest = Fixture::with(&["modern"]);
    assert_eq!(newest.found().await.protocol, "2026-07-28");
    assert_eq!(
        newest.done("say", json!({ "result": { "content": [{ "type": "text", "text": "hi" }] } })).await,
        "hi"
    );
}

#[tokio::test]
async fn a_server_gets_its_own_environment_session_and_the_workspace() {
    let fixture = Fixture::with(&[]);
    let who: Value = serde_json::from_str(&fixture.done("who", json!({})).await).unwrap();
    let environment = who["environment"].as_object().unwrap();
    let mut names: Vec<&str> = environment.keys().map(String::as_str).collect();
    names.retain(|name| *name != "COUNTERSIGN_STARTED");
    assert_eq!(names, ["GIVEN", "PATH", "STUB_KEY"]);
    assert_eq!(who["cwd"], fixture.workspace().to_str().unwrap());
    assert_eq!(who["session"], who["pid"].to_string(), "a session of its own has no terminal");
}

#[tokio::test]
async fn what_is_no_answer_is_passed_over_or_said() {
    assert!(Fixture::with(&["garbage"]).found().await.tools.len() > 5);
    for (word, said) in [
        ("wrong-id", "it answered a request that was not sent"),
        ("refuses", "it refused: members only"),
        ("version=1999-01-01", "it uses protocol version 1999-01-01, which countersign does not support"),
    ] {
        let whole =
            format!("The MCP server `stub` could not be started: {said}; its tools are not available.");
        assert_eq!(Fixture::with(&[word]).missing().await, whole);
    }
}

#[tokio::test]
async fn a_list_without_end_is_cut() {
    let found = Fixture::with(&["endless-pages"]).found().await;
    assert_eq!(found.tools.len(), 1);
    assert!(
        found.left_out[0].contains(
            "another tool of the server has the same \
        name"
        ),
        "{:?}",
        found.left_out
    );
    assert_eq!(
        found.left_out.last().unwrap(),
        "55 more tools of the MCP server `stub` are left out for reasons like these."
    );
}

#[tokio::test]
async fn a_list_of_heavy_pages_is_cut() {
    let found = Fixture::with(&["heavy-pages"]).found().await;
    assert_eq!(found.tools.len(), 4, "as many pages of 7 MB as fit into 32 MB");
    let cut = "What the MCP server `stub` says of its tools is larger than 32 MB; the rest of its list is \
        left out.";
    assert_eq!(found.left_out, [cut]);
}

#[tokio::test]
async fn a_line_without_end_needs_bounded_memory() {
    if !is_alone("mcp::starting::a_line_without_end_needs_bounded_memory") {
        return;
    }
    let before = peak_memory();
    let why = Fixture::with(&["endless"]).missing().await;
    assert!(why.contains("it sent a line of more than 16 MB; its tools"), "{why}");
    let more = peak_memory() - before;
    assert!(more < 200 << 20, "{more} more bytes");
}

#[test]
fn what_is_configured_is_not_in_debug_output() {
    let headers = [("Authorization".to_owned(), "Bearer key-123456789".to_owned())].into();
    let way = McpWay::Http { url: "https://x.test/?key-123456789".to_owned(), headers };
    let server = McpServer { way, ..stub("stub", &[]) };
    let shown = format!("{server:?} {:?}", stub("stub", &[]));
    assert!(!shown.contains("key-123456789"), "{shown}");
}

#[tokio::test]
async fn a_look_says_whom_a_call_is_sent_to_and_no_keys() {
    let secret = "argument-0123456789";
    let mut confined = command("stub", "programs/server", &["--token", secret, "\u{1b}[2J--fast"]);
    confined.secrets = vec![Secret::new(secret)];
    let McpWay::Command { sandboxed, .. } = &mut confined.way else { panic!("a command") };
    *sandboxed = true;
    let url = "https://me:word@h.example/mcp?key=abc".to_owned();
    let reached = McpServer {
        name: "far".into(),
        way: McpWay::Http { url, headers: [].into() },
        ..command("far", "x", &[])
    };
    let fixture = Fixture::new(vec![confined, reached]);
    for (tool, to) in [
        ("mcp__stub__say", "programs/server --token [hidden] [2J--fast (in the sandbox)"),
        ("mcp__far__say", "https://h.example/mcp"),
    ] {
        let look = countersign::tool::Invocation { name: tool.into(), ..invocation("say", json!({})) };
        assert_eq!(fixture.tools.prepare(look).await.preview, Preview::Recipient(to.to_owned()));
    }
    assert_eq!(fixture.groups.count(), 0);
}
