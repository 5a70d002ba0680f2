//! Calls: what goes out, what comes back, and what a server may ask meanwhile.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use countersign::ledger::{Arguments, Outcome};
use countersign::runtime::ToolPort as _;
use countersign::runtime::mcp::McpServer;
use countersign::tool::Shown;
use countersign::tool::{Invocation, ToolReport};
use countersign::wire::base64;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::mcp::fixture::{Fixture, Journal, PATIENCE, invocation, stub};
use crate::pictures;

/// A call that gets exactly this result.
async fn given(result: Value) -> ToolReport {
    Fixture::with(&[]).call("say", json!({ "result": result })).await
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

#[tokio::test]
async fn a_call_carries_its_arguments_and_the_key_of_its_action() {
    let fixture = Fixture::with(&[]);
    fixture.done("say", json!({ "result": { "content": [] }, "n": [1.5, null] })).await;
    let sent = fixture.heard("tools/call").await;
    assert_eq!(sent["params"]["name"], "say");
    assert_eq!(sent["params"]["arguments"], json!({ "result": { "content": [] }, "n": [1.5, null] }));
    let meta = &sent["params"]["_meta"];
    assert_eq!(meta["countersign/idempotency-key"], "session-c7");
    assert!(!meta["progressToken"].is_null(), "{meta}");
}

/// The schema doubles with each level of the arguments: that is seen with the look, before anybody is asked, and ends.
#[tokio::test]
async fn arguments_are_checked_with_the_look_by_work_that_is_bounded() {
    let fixture = Fixture::with(&["deep"]);
    let look = async |arguments| fixture.tools.prepare(invocation("deep", arguments)).await.invalid;
    assert_eq!(look(json!({})).await.unwrap(), "the server's tools are not known yet");
    assert_eq!(fixture.found().await.tools.len(), 1);
    assert_eq!(look(json!({ "n": 1 })).await, None);
    assert_eq!(look(json!({ "n": "1" })).await.unwrap(), "/n: \"1\" is not of type \"integer\"");
    let nested = (0..60).fold(json!({}), |inner, _| json!({ "x": inner }));
    assert!(look(nested).await.unwrap().contains("takes more than 1000000 steps"));
}

#[tokio::test]
async fn every_kind_of_content_becomes_words() {
    let mut report = given(json!({ "content": [
        text("one\u{1b}[2J"),
        { "type": "resource", "resource": { "uri": "file:///x", "text": "two" } },
        { "type": "resource", "resource": { "uri": "file:///y\u{202e}", "blob": "AAAA", "mimeType": "a/b" } },
        { "type": "resource_link", "uri": "https://x.test/z", "name": "zed" },
        { "type": "audio", "data": "AAAA", "mimeType": "audio/wav" },
        text("three"),
    ], "structuredContent": { "left": "out" } }))
    .await;
    assert_eq!(
        report.content,
        "one\ntwo\n[resource file:///y (a/b, 4 characters of base64)]\n[link to the resource https://x.test/z \
         (zed)]\n[audio (audio/wav), which is not supported here]\nthree"
    );
    assert!(
        report.written.is_some_and(|written| written.starts_with("one\u{1b}[2J\ntwo")),
        "the books keep it"
    );
    report = given(json!({ "content": [text("known"), { "type": "hologram", "data": 3 }], "isError": true }))
        .await;
    assert_eq!(report.outcome, Outcome::Failed);
    assert_eq!(report.content, "known\n[content of kind hologram, which is not supported]");
    report = given(json!({ "content": [], "structuredContent": { "a": [1] } })).await;
    assert_eq!((report.outcome, report.content.as_str()), (Outcome::Ok, r#"{"a":[1]}"#));
    report = given(json!({ "content": [] })).await;
    assert_eq!((report.outcome, report.content.as_str()), (Outcome::Ok, "(nothing)"));
    report = given(json!({ "what": "is this" })).await;
    assert_eq!(report.outcome, Outcome::Lost { started: true }, "nobody knows what it did");
    assert!(report.content.contains("not a tool result"), "{}", report.content);
}

#[tokio::test]
async fn images_are_shown_when_they_are_whole() {
    let image = |bytes: &[u8]| json!({ "type": "image", "data": base64(bytes), "mimeType": "text/html" });
    let whole = pictures::quarters(3, 2, image::ImageFormat::Png);
    let content = json!([
        image(&whole),
        image(&pictures::png(3, 2)),
        image(b"<svg/>"),
        { "type": "image", "data": "no base64!", "mimeType": "image/png" },
    ]);
    let report = given(json!({ "content": content })).await;
    assert_eq!(report.images.len(), 1);
    let shown = &report.images[0];
    assert_eq!((shown.media_type.as_str(), shown.size), ("image/png", Some((3, 2))));
    assert_eq!((shown.name.as_str(), &*shown.data), ("mcp__stub__say image 1", &*base64(&whole)));
    let lines: Vec<&str> = report.content.lines().collect();
    assert!(lines[0].starts_with("(PNG image of 3×2, "), "{lines:?}");
    assert_eq!(lines[1], "[an image that cannot be decoded]");
    assert!(
        lines[2].starts_with("[an image that") && lines[3] == "[an image that is not valid base64]",
        "{lines:?}"
    );
    let many = vec![image(&whole); 10];
    let report = given(json!({ "content": many })).await;
    assert_eq!(report.images.len(), 8);
    assert!(report.content.ends_with("[an image beyond the limit of 8]"), "{}", report.content);
    let failed = given(json!({ "content": [image(&whole)], "isError": true })).await;
    assert!(failed.images.is_empty() && failed.outcome == Outcome::Failed);
}

#[tokio::test]
async fn a_refusal_is_a_failure_in_a_sentence() {
    let report = Fixture::with(&[]).call("refuse", json!({})).await;
    assert_eq!(report.outcome, Outcome::Failed);
    assert_eq!(report.content, "the server refused the call: no[2J such thing (error -32602)");
}

#[tokio::test]
async fn a_huge_result_is_bounded() {
    let report = Fixture::with(&[]).call("huge", json!({ "bytes": 3_000_000 })).await;
    assert_eq!(report.outcome, Outcome::Ok);
    assert_eq!(report.cut_chars, 3_000_000 - 10_000);
    assert!(report.content.chars().count() < 10_100);
}

#[tokio::test]
async fn progress_is_live_output_in_order() {
    let fixture = Fixture::with(&[]);
    let (output, mut shown) = mpsc::channel(16);
    let report = fixture.tools.run(invocation("progress", json!({})), output).await;
    assert_eq!(report.content, "done");
    let mut whole = String::new();
    while let Ok(Shown::Text(piece)) = shown.try_recv() {
        whole.push_str(&piece);
    }
    assert_eq!(whole, "half way\n2 of 2\n");
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_and_the_server_lives() {
    let (journal, before) = (Journal::new(), Instant::now());
    let fixture = Fixture::with(&[&journal.word()]);
    let pid = fixture.pid().await;
    let (output, _listener) = mpsc::channel(1);
    let hanging = tokio::spawn(fixture.tools.run(invocation("hang", json!({})), output));
    while journal.count("call hang") == 0 {
        assert!(before.elapsed() < PATIENCE);
        tokio::task::yield_now().await;
    }
    hanging.abort();
    assert!(hanging.await.unwrap_err().is_cancelled());
    let cancelled = fixture.heard("notifications/cancelled").await;
    let heard: Vec<Value> = serde_json::from_str(&fixture.done("heard", json!({})).await).unwrap();
    let call = heard.iter().find(|message| message["params"]["name"] == "hang").unwrap();
    assert_eq!(cancelled["params"]["requestId"], call["id"]);
    assert_eq!(fixture.pid().await, pid);
}

#[tokio::test]
async fn a_call_without_an_answer_times_out_and_is_cancelled() {
    for tool in ["hang", "wrong"] {
        let fixture = Fixture::with(&[]);
        let pid = fixture.pid().await;
        let hasty = Invocation { timeout_ms: 300, ..invocation(tool, json!({})) };
        let (output, _listener) = mpsc::channel(1);
        let report = fixture.tools.run(hasty, output).await;
        assert_eq!(report.outcome, Outcome::TimedOut);
        assert_eq!(report.content, "timed out after 0.3 s; ask for less at once, or check what was done");
        fixture.heard("notifications/cancelled").await;
        assert_eq!(fixture.pid().await, pid);
    }
}

#[tokio::test]
async fn a_server_may_ask_where_the_work_is_when_it_may_and_nothing_else() {
    for roots in [false, true] {
        let fixture = Fixture::new(vec![McpServer { roots, ..stub("stub", &[]) }]);
        let answers: Value = serde_json::from_str(&fixture.done("ask", json!({})).await).unwrap();
        let root = format!("file://{}", fixture.workspace().display());
        let (may, told) = match roots {
            true => (json!({ "roots": {} }), json!({ "roots": [{ "uri": root }] })),
            false => (json!({}), json!(-32601)),
        };
        assert_eq!(
            answers,
            json!({
                "ping": {}, "roots/list": told, "sampling/createMessage": -32601,
                "elicitation/create": -32601, "stub/whatever": -32601,
            })
        );
        let greeting = fixture.heard("initialize").await;
        assert_eq!(greeting["params"]["capabilities"], may);
        assert_eq!(greeting["params"]["clientInfo"]["name"], "countersign");
    }
}

#[tokio::test]
async fn a_tool_that_runs_only_as_a_task_is_left_out_by_name() {
    let found = Fixture::with(&["tasks"]).found().await;
    let names: Vec<&str> = found.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["mcp__stub__both", "mcp__stub__plain"]);
    assert_eq!(
        found.left_out,
        [
            "The tool `slow` of the MCP server `stub` is left out: it runs only as a task (`taskSupport: required`), which countersign does not support."
        ]
    );
}

#[tokio::test]
async fn tools_are_frozen() {
    let fixture = Fixture::with(&[]);
    let before = fixture.tools.discover().await;
    fixture.done("change", json!({})).await;
    assert_eq!(fixture.tools.discover().await, before);
    let report = fixture.call("new", json!({})).await;
    assert_eq!(report.content, "the MCP server `stub` has no such tool; nothing was done");
    assert_eq!(fixture.call("die", json!({})).await.outcome, Outcome::Lost { started: true });
    assert_eq!(fixture.tools.discover().await, before, "after a restart, too");
}

#[tokio::test]
async fn what_is_no_call_of_a_server_fails_and_starts_nothing() {
    let fixture = Fixture::with(&[]);
    let (output, _listener) = mpsc::channel(1);
    let other = Invocation { name: "mcp__other__say".into(), ..invocation("say", json!({})) };
    let report = fixture.tools.run(other, output.clone()).await;
    assert_eq!(report.content, "inner mcp__other__say", "whoever is not there is not asked");
    let unusable = Invocation { arguments: Arguments::Unusable("{".into()), ..invocation("say", json!({})) };
    assert_eq!(fixture.tools.run(unusable, output).await.outcome, Outcome::Failed);
    assert_eq!(fixture.groups.count(), 0);
}

/// What is logged on this thread, every level of every crate.
#[derive(Clone, Default)]
struct Logged(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Logged {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn what_a_server_logs_is_told_without_its_words() {
    let logged = Logged::default();
    let writer = logged.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    // The tasks of this test run on its own thread.
    let listening = tracing::subscriber::set_default(subscriber);
    assert_eq!(Fixture::with(&[]).done("log", json!({})).await, "logged");
    drop(listening);
    let text = String::from_utf8(logged.0.lock().unwrap().clone()).unwrap();
    assert!(text.contains("an MCP server logged something"), "{text}");
    assert!(!text.contains("spoken by the stub"), "{text}");
}
