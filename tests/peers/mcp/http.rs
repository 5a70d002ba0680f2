//! Servers that are addresses, on this machine alone.

use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use countersign::ledger::Outcome;
use countersign::runtime::ToolPort as _;
use countersign::runtime::mcp::{McpServer, McpWay};
use countersign::tool::Invocation;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::mcp::fixture::{Fixture, PLENTY_MS, becomes_true, invocation};
use crate::mcp_site::{Asked, Site, result};

const KEY: &str = "key-123456789";

pub(super) fn server(site: &Site) -> McpServer {
    let headers = [("X-Key".to_owned(), KEY.to_owned())].into();
    McpServer {
        name: "stub".to_owned(),
        way: McpWay::Http { url: site.url(), headers },
        reads: Vec::new(),
        roots: false,
        secrets: Vec::new(),
        start_ms: PLENTY_MS,
        call_ms: None,
    }
}

fn fixture(site: &Site) -> Fixture {
    Fixture::new(vec![server(site)])
}

#[tokio::test]
async fn an_address_is_asked_with_its_headers_each_time() {
    let site = Site::good();
    let fixture = fixture(&site);
    assert_eq!(fixture.found().await.title, "site");
    assert_eq!(fixture.done("get", json!({ "a": 1 })).await, "got");
    let asked = site.asked();
    assert!(
        asked.len() >= 4 && asked.iter().all(|one| one.head.contains(&format!("x-key: {KEY}"))),
        "{asked:#?}"
    );
    let call = asked.iter().find(|one| one.rpc() == "tools/call").unwrap();
    assert!(
        call.head.contains("mcp-session-id: s1") && call.head.contains("user-agent: countersign/"),
        "{}",
        call.head
    );
    assert_eq!(call.body["params"]["_meta"]["countersign/idempotency-key"], "session-c7");
}

#[tokio::test]
async fn a_stream_of_events_brings_progress_and_the_result() {
    let site = Site::new(|asked| {
        (asked.rpc() == "tools/call").then(|| {
            let token = &asked.body["params"]["_meta"]["progressToken"];
            let progress = json!({
                "jsonrpc": "2.0", "method": "notifications/progress",
                "params": { "progressToken": token, "progress": 1, "message": "going" },
            });
            let body =
                format!("data: {progress}\n\ndata: {}\n\n", result(asked, &json!({ "content": [] })).1);
            ("200 OK\r\ncontent-type: text/event-stream".to_owned(), body)
        })
    });
    let fixture = fixture(&site);
    let (output, mut shown) = mpsc::channel(4);
    let report = fixture.tools.run(invocation("get", json!({})), output).await;
    assert_eq!((report.outcome, report.content.as_str()), (Outcome::Ok, "(nothing)"));
    assert_eq!(shown.recv().await.unwrap(), "going\n".into());
}

#[tokio::test]
async fn a_redirect_leads_to_no_other_host() {
    let elsewhere = Site::good();
    let target = format!("http://{}/mcp", elsewhere.address);
    let site =
        Site::new(move |_| Some((format!("307 Temporary Redirect\r\nlocation: {target}"), String::new())));
    let why = fixture(&site).missing().await;
    assert!(
        why.starts_with(
            "The MCP server `stub` could not be reached: it redirects to an address that is not configured (HTTP 307"
        ),
        "{why}"
    );
    assert_eq!(site.count("initialize"), 1);
    assert!(elsewhere.asked().is_empty(), "{:?}", elsewhere.asked());
}

#[tokio::test]
async fn no_key_is_in_what_is_said() {
    for head in ["401 Unauthorized", "500 Internal Server Error", "400 Bad Request"] {
        let head = format!("{head}\r\ncontent-type: text/plain");
        let site = Site::new(move |asked| {
            let all = format!("no {}\u{1b}[2J", asked.head);
            Some((head.clone(), all))
        });
        let why = fixture(&site).missing().await;
        assert!(why.contains("could not be reached: HTTP"), "{why}");
        assert!(!why.contains(KEY) && !why.contains("in-the-address") && !why.contains('\u{1b}'), "{why}");
    }
    let challenge = format!("401 Unauthorized\r\nwww-authenticate: Bearer realm=\"{KEY}\"");
    let why = fixture(&Site::new(move |_| Some((challenge.clone(), String::new())))).missing().await;
    assert!(
        why.contains("could not be reached: it asks for a login (HTTP 401)") && !why.contains(KEY),
        "{why}"
    );
    let mut server = server(&Site::good());
    let McpWay::Http { headers, .. } = &mut server.way else { panic!("it is an address") };
    headers.insert("X-Other".to_owned(), format!("{KEY}\n"));
    let why = Fixture::new(vec![server]).missing().await;
    assert!(why.contains("the value of the header `X-Other` cannot be sent") && !why.contains(KEY), "{why}");
}

#[tokio::test]
async fn an_address_where_nobody_is_says_so() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = server(&Site { address, asked: Arc::default() });
    let why = Fixture::new(vec![server]).missing().await;
    assert!(why.contains("could not be reached: Connection refused"), "{why}");
}

#[tokio::test]
async fn a_session_that_is_over_fails_one_call_and_is_begun_anew_for_the_next() {
    let calls = Arc::new(Mutex::new(0));
    let site = Site::new(move |asked| {
        let mut calls = calls.lock().unwrap();
        *calls += usize::from(asked.rpc() == "tools/call");
        (asked.rpc() == "tools/call" && *calls == 1).then(|| ("404 Not Found".to_owned(), String::new()))
    });
    let fixture = fixture(&site);
    let report = fixture.call("get", json!({})).await;
    assert_eq!(report.outcome, Outcome::Lost { started: true });
    assert!(
        report.content.contains("the end of the call: Session expired (HTTP 404); effects may be partial"),
        "{}",
        report.content
    );
    assert_eq!((site.count("initialize"), site.count("tools/call")), (1, 1));
    assert_eq!(fixture.done("get", json!({})).await, "got");
    assert_eq!((site.count("initialize"), site.count("tools/call"), site.count("tools/list")), (2, 2, 1));
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_at_the_address() {
    let (let_go, held) = std::sync::mpsc::channel::<()>();
    let held = Mutex::new(held);
    let site = Site::new(move |asked| {
        if asked.rpc() == "tools/call" && asked.body["params"]["arguments"]["hang"] == true {
            held.lock().unwrap().recv().unwrap_err();
        }
        None
    });
    let fixture = fixture(&site);
    let (output, _listener) = mpsc::channel(1);
    let hanging = tokio::spawn(fixture.tools.run(invocation("get", json!({ "hang": true })), output));
    becomes_true("the call", || site.count("tools/call") == 1).await;
    hanging.abort();
    assert!(hanging.await.unwrap_err().is_cancelled());
    becomes_true("its end", || site.count("notifications/cancelled") == 1).await;
    let asked = site.asked();
    let id_of = |rpc: &str| asked.iter().find(|one| one.rpc() == rpc).unwrap().body.clone();
    assert_eq!(id_of("notifications/cancelled")["params"]["requestId"], id_of("tools/call")["id"]);
    assert_eq!(fixture.done("get", json!({})).await, "got");
    assert_eq!(site.count("initialize"), 1);
    drop(let_go);
}

#[tokio::test]
async fn an_answer_without_end_fails_the_call() {
    let endless = |kind: &'static str, before: &'static str| {
        Site::new(move |asked| {
            let body = || format!("{before}{}", "x".repeat(17 << 20));
            (asked.rpc() == "tools/call").then(|| (format!("200 OK\r\ncontent-type: {kind}"), body()))
        })
    };
    for site in [endless("application/json", "\""), endless("text/event-stream", "data: ")] {
        let report = fixture(&site).call("get", json!({})).await;
        assert_eq!(report.outcome, Outcome::Lost { started: true });
        assert!(report.content.contains("effects may be partial"), "{}", report.content);
        assert_eq!(site.count("tools/call"), 1);
    }
}

#[tokio::test]
async fn what_would_take_gigabytes_is_not_read() {
    let many = |value: &str| format!("[{}]", vec![value; 12_000_000 / (value.len() + 1)].join(","));
    for result in [
        format!(r#"{{"content":{}}}"#, many(r#"{"type":"text","text":""}"#)),
        format!(r#"{{"content":[],"_meta":{{"a":{}}}}}"#, many("[]")),
        format!(r#"{{"content":[],"structuredContent":{{"a":{}}}}}"#, many("{}")),
    ] {
        for streams in [true, false] {
            let result = result.clone();
            let site = Site::new(move |asked| {
                let body = || format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, asked.body["id"]);
                (asked.rpc() == "tools/call").then(|| match streams {
                    true => (
                        "200 OK\r\ncontent-type: text/event-stream".to_owned(),
                        format!("data: {}\n\n", body()),
                    ),
                    false => ("200 OK\r\ncontent-type: application/json".to_owned(), body()),
                })
            });
            let report = fixture(&site).call("get", json!({})).await;
            assert_eq!(report.outcome, Outcome::Lost { started: true });
            assert!(
                streams || report.content.contains("its answer contains more than 100000 values"),
                "{}",
                report.content
            );
            assert_eq!(site.count("tools/call"), 1);
        }
    }
}

#[tokio::test]
async fn the_older_transport_is_called_by_its_name() {
    let site = Site::new(|asked| {
        Some(match asked.method.as_str() {
            "get" => (
                "200 OK\r\ncontent-type: text/event-stream".to_owned(),
                "event: endpoint\ndata: /messages?session_id=1\n\n".to_owned(),
            ),
            _ => ("405 Method Not Allowed".to_owned(), String::new()),
        })
    });
    let found = fixture(&site).tools.survey().await.remove(0).found;
    let why = found.unwrap_err();
    assert!(why.contains("it uses the older HTTP+SSE transport (2024-11-05)"), "{why}");
}

/// Whether a site has heard this, and when in the order of all that it heard.
fn place_of(site: &Site, is_it: impl Fn(&Asked) -> bool) -> Option<usize> {
    site.asked().iter().position(is_it)
}

fn is_delete(asked: &Asked) -> bool {
    asked.method == "delete"
}

#[tokio::test]
async fn a_session_is_ended_where_it_was_begun() {
    let site = Site::good();
    let fixture = fixture(&site);
    fixture.tools.close().await;
    assert!(site.asked().is_empty(), "where nobody was asked nothing ends");
    assert_eq!(fixture.done("get", json!({})).await, "got");
    fixture.tools.close().await;
    fixture.tools.close().await;
    let asked = site.asked();
    let ends: Vec<&Asked> = asked.iter().filter(|one| is_delete(one)).collect();
    assert_eq!(ends.len(), 1, "{asked:#?}");
    for line in ["mcp-session-id: s1", "mcp-protocol-version: 2025-11-25", &format!("x-key: {KEY}")] {
        assert!(ends[0].head.contains(line), "{line} in {}", ends[0].head);
    }
}

#[tokio::test]
async fn an_end_that_is_never_answered_is_not_waited_for() {
    let (let_go, held) = std::sync::mpsc::channel::<()>();
    let held = Mutex::new(held);
    let site = Site::new(move |asked| {
        if is_delete(asked) {
            held.lock().unwrap().recv().unwrap_err();
        }
        None
    });
    let fixture = fixture(&site);
    fixture.found().await;
    fixture.tools.close().await;
    assert!(place_of(&site, is_delete).is_some());
    drop(let_go);
}

#[tokio::test]
async fn a_call_that_is_cut_short_is_taken_back_before_the_session_ends() {
    for is_timeout in [true, false] {
        let (let_go, held) = std::sync::mpsc::channel::<()>();
        let held = Mutex::new(held);
        let site = Site::new(move |asked| {
            if asked.rpc() == "tools/call" {
                held.lock().unwrap().recv().unwrap_err();
            }
            None
        });
        let fixture = fixture(&site);
        fixture.found().await;
        let timeout_ms = if is_timeout { 200 } else { PLENTY_MS };
        let call = Invocation { timeout_ms, ..invocation("get", json!({})) };
        let (output, _listener) = mpsc::channel(1);
        let hanging = tokio::spawn(fixture.tools.run(call, output));
        if is_timeout {
            assert_eq!(hanging.await.unwrap().outcome, Outcome::TimedOut);
        } else {
            becomes_true("the call", || site.count("tools/call") == 1).await;
            hanging.abort();
            assert!(hanging.await.unwrap_err().is_cancelled());
        }
        fixture.tools.close().await;
        let back = place_of(&site, |one| one.rpc() == "notifications/cancelled");
        assert!(back.is_some() && back < place_of(&site, is_delete), "{:#?}", site.asked());
        let asked = site.asked();
        let call = asked.iter().find(|one| one.rpc() == "tools/call").unwrap();
        assert_eq!(asked[back.unwrap()].body["params"]["requestId"], call.body["id"]);
        drop(let_go);
    }
}

#[tokio::test]
async fn a_tool_that_runs_only_as_a_task_is_left_out_at_an_address() {
    for streams in [true, false] {
        let site = Site::new(move |asked| {
            let tool = |name: &str, support: &str| json!({ "name": name, "inputSchema": { "type": "object" }, "execution": { "taskSupport": support } });
            (asked.rpc() == "tools/list").then(|| {
                let (head, body) =
                    result(asked, &json!({ "tools": [tool("slow", "required"), tool("get", "optional")] }));
                match streams {
                    true => {
                        ("200 OK\r\ncontent-type: text/event-stream".to_owned(), format!("data: {body}\n\n"))
                    }
                    false => (head, body),
                }
            })
        });
        let found = fixture(&site).found().await;
        assert_eq!(found.tools.len(), 1, "{:?}", found.tools);
        assert!(
            found.left_out[0].contains("The tool `slow` of the MCP server `stub` is left out: it runs only")
        );
    }
}

/// A server of the newest version alone, which hears nothing without the headers of that version.
fn newest() -> Site {
    Site::new(|asked| {
        let rpc = asked.rpc();
        let needed = [
            "mcp-protocol-version: 2026-07-28\r\n".to_owned(),
            format!("mcp-method: {rpc}\r\n"),
            if rpc == "tools/call" { "mcp-name: get\r\n".to_owned() } else { String::new() },
        ];
        if asked.method != "post" || !needed.iter().all(|line| asked.head.contains(line)) {
            return Some(("400 Bad Request\r\ncontent-type: text/plain".to_owned(), "no".to_owned()));
        }
        let complete = |mut more: Value| {
            more["resultType"] = json!("complete");
            Some(result(asked, &more))
        };
        match rpc {
            "server/discover" => complete(json!({
                "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private",
                "capabilities": { "tools": {} },
            })),
            "tools/list" => {
                complete(json!({ "tools": [{ "name": "get", "inputSchema": { "type": "object" } }] }))
            }
            "tools/call" => complete(json!({ "content": [{ "type": "text", "text": "got" }] })),
            _ => None,
        }
    })
}

#[tokio::test]
async fn a_server_of_the_newest_version_alone_gets_its_headers_from_the_first_request_on() {
    let site = newest();
    let fixture = fixture(&site);
    assert_eq!(fixture.found().await.protocol, "2026-07-28");
    assert_eq!(fixture.done("get", json!({})).await, "got");
    let asked = site.asked();
    // What came before was the greeting of those before it, and the look whether it is of the oldest kind.
    let first = place_of(&site, |one| one.rpc() == "server/discover").unwrap();
    assert_eq!(site.count("initialize"), 1);
    for one in &asked[first..] {
        let has = |line: &str| one.head.contains(line);
        assert!(
            has("mcp-protocol-version: 2026-07-28") && has(&format!("mcp-method: {}", one.rpc())),
            "{}",
            one.head
        );
    }
    let call = asked.iter().find(|one| one.rpc() == "tools/call").unwrap();
    assert!(call.head.contains("mcp-name: get"), "{}", call.head);
}
