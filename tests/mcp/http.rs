//! Servers that are addresses, on this machine alone.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use countersign::ledger::Outcome;
use countersign::runtime::ToolPort as _;
use countersign::runtime::mcp::{McpServer, McpWay};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::bench::{Bench, PLENTY_MS, becomes_true, invocation};

const KEY: &str = "key-123456789";

/// A request, as it came.
#[derive(Debug, Clone)]
struct Asked {
    method: String,
    head: String,
    body: Value,
}

impl Asked {
    fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }
}

/// A status and more lines of the head, and the body.
type Answer = (String, String);
type Answering = dyn Fn(&Asked) -> Option<Answer> + Send + Sync;

/// A server that answers as a good one does, but where it is told otherwise. It keeps no connection.
struct Site {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Site {
    fn new(otherwise: impl Fn(&Asked) -> Option<Answer> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (all, otherwise) = (asked.clone(), Arc::new(otherwise) as Arc<Answering>);
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let (all, otherwise) = (all.clone(), otherwise.clone());
                std::thread::spawn(move || serve(connection, &all, &*otherwise));
            }
        });
        Self { address, asked }
    }

    fn good() -> Self {
        Self::new(|_| None)
    }

    fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// How often this was asked.
    fn count(&self, rpc: &str) -> usize {
        self.asked().iter().filter(|asked| asked.rpc() == rpc).count()
    }

    fn server(&self) -> McpServer {
        let url = format!("http://{}/mcp?token=in-the-address", self.address);
        let headers = [("X-Key".to_owned(), KEY.to_owned())].into();
        McpServer {
            name: "stub".to_owned(),
            way: McpWay::Http { url, headers },
            reads: Vec::new(),
            secrets: Vec::new(),
            start_ms: PLENTY_MS,
            call_ms: None,
        }
    }

    fn bench(&self) -> Bench {
        Bench::new(vec![self.server()])
    }
}

fn serve(connection: TcpStream, all: &Mutex<Vec<Asked>>, otherwise: &Answering) -> Option<()> {
    let mut reader = BufReader::new(connection.try_clone().ok()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
    let mut body = vec![0; length.trim().parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    let method = head.split(' ').next()?.to_owned();
    let asked = Asked { method, head, body: serde_json::from_slice(&body).unwrap_or_default() };
    all.lock().ok()?.push(asked.clone());
    let (head, body) = otherwise(&asked).unwrap_or_else(|| well(&asked));
    let mut connection = connection;
    write!(connection, "HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
        .ok()
}

fn result(asked: &Asked, result: &Value) -> Answer {
    let body = json!({ "jsonrpc": "2.0", "id": asked.body["id"], "result": result }).to_string();
    ("200 OK\r\ncontent-type: application/json\r\nmcp-session-id: s1".to_owned(), body)
}

fn well(asked: &Asked) -> Answer {
    match (asked.method.as_str(), asked.rpc()) {
        ("post", "initialize") => {
            let greeting = json!({
                "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
                "serverInfo": { "name": "site", "version": "1" },
            });
            result(asked, &greeting)
        }
        ("post", "tools/list") => {
            let tool = json!({ "name": "get", "inputSchema": { "type": "object" } });
            result(asked, &json!({ "tools": [tool] }))
        }
        ("post", "tools/call") => result(asked, &json!({ "content": [{ "type": "text", "text": "got" }] })),
        ("post", _) => ("202 Accepted".to_owned(), String::new()),
        ("delete", _) => ("200 OK".to_owned(), String::new()),
        _ => ("405 Method Not Allowed".to_owned(), String::new()),
    }
}

#[tokio::test]
async fn an_address_is_asked_with_its_headers_each_time() {
    let site = Site::good();
    let bench = site.bench();
    assert_eq!(bench.found().await.title, "site");
    assert_eq!(bench.done("get", json!({ "a": 1 })).await, "got");
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
    let bench = site.bench();
    let (output, mut shown) = mpsc::channel(4);
    let report = bench.tools.run(invocation("get", json!({})), output).await;
    assert_eq!((report.outcome, report.content.as_str()), (Outcome::Ok, "(nothing)"));
    assert_eq!(shown.recv().await.unwrap(), "going\n".into());
}

#[tokio::test]
async fn a_redirect_leads_to_no_other_host() {
    let elsewhere = Site::good();
    let target = format!("http://{}/mcp", elsewhere.address);
    let site =
        Site::new(move |_| Some((format!("307 Temporary Redirect\r\nlocation: {target}"), String::new())));
    let why = site.bench().missing().await;
    assert!(
        why.starts_with(
            "The MCP server `stub` could not be reached: it redirects to where nobody sent us (HTTP 307"
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
        let why = site.bench().missing().await;
        assert!(why.contains("could not be reached: HTTP"), "{why}");
        assert!(!why.contains(KEY) && !why.contains("in-the-address") && !why.contains('\u{1b}'), "{why}");
    }
    let challenge = format!("401 Unauthorized\r\nwww-authenticate: Bearer realm=\"{KEY}\"");
    let why = Site::new(move |_| Some((challenge.clone(), String::new()))).bench().missing().await;
    assert!(
        why.contains("could not be reached: it asks for a login (HTTP 401)") && !why.contains(KEY),
        "{why}"
    );
    let mut server = Site::good().server();
    let McpWay::Http { headers, .. } = &mut server.way else { panic!("it is an address") };
    headers.insert("X-Other".to_owned(), format!("{KEY}\n"));
    let why = Bench::new(vec![server]).missing().await;
    assert!(why.contains("the value of the header `X-Other` cannot be sent") && !why.contains(KEY), "{why}");
}

#[tokio::test]
async fn an_address_where_nobody_is_says_so() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = Site { address, asked: Arc::default() }.server();
    let why = Bench::new(vec![server]).missing().await;
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
    let bench = site.bench();
    let report = bench.call("get", json!({})).await;
    assert_eq!(report.outcome, Outcome::Lost { started: true });
    assert!(
        report.content.contains("the end of the call: Session expired (HTTP 404); effects may be partial"),
        "{}",
        report.content
    );
    assert_eq!((site.count("initialize"), site.count("tools/call")), (1, 1));
    assert_eq!(bench.done("get", json!({})).await, "got");
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
    let bench = site.bench();
    let (output, _listener) = mpsc::channel(1);
    let hanging = tokio::spawn(bench.tools.run(invocation("get", json!({ "hang": true })), output));
    becomes_true("the call", || site.count("tools/call") == 1).await;
    hanging.abort();
    assert!(hanging.await.unwrap_err().is_cancelled());
    becomes_true("its end", || site.count("notifications/cancelled") == 1).await;
    let asked = site.asked();
    let id_of = |rpc: &str| asked.iter().find(|one| one.rpc() == rpc).unwrap().body.clone();
    assert_eq!(id_of("notifications/cancelled")["params"]["requestId"], id_of("tools/call")["id"]);
    assert_eq!(bench.done("get", json!({})).await, "got");
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
        let report = site.bench().call("get", json!({})).await;
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
            let report = site.bench().call("get", json!({})).await;
            assert_eq!(report.outcome, Outcome::Lost { started: true });
            assert!(
                streams || report.content.contains("its answer holds more than 100000 values"),
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
    let found = site.bench().tools.survey().await.remove(0).found;
    let why = found.unwrap_err();
    assert!(why.contains("it speaks the older HTTP+SSE transport (of 2024-11-05)"), "{why}");
}
