//! The reference server of the protocol, by its own authors: what is made up here could be wrong in the same way twice.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use countersign::ledger::Outcome;
use countersign::runtime::ToolPort as _;
use countersign::runtime::mcp::{McpServer, McpWay};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::mcp::fixture::{Fixture, PLENTY_MS, command, invocation};

/// Where `.ci/run` puts it.
fn everything() -> PathBuf {
    let package = "target/peers/node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(package);
    assert!(path.is_file(), "{} is not there; .ci/run installs it", path.display());
    path
}

/// The same server as an address of this machine; ended with it.
struct Site {
    child: Child,
    port: u16,
}

impl Site {
    fn new() -> Self {
        let loopback = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/peers/mcp/loopback.cjs");
        let mut node = Command::new("node");
        node.arg("--require").arg(loopback).arg(everything()).arg("streamableHttp");
        let mut child = node.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("node is there");
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let port =
            said.find_map(|line| line.strip_prefix("PORT ").map(|port| port.parse().unwrap())).unwrap();
        // What it says later is read, so that it never waits for a reader.
        std::thread::spawn(move || said.for_each(drop));
        Self { child, port }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// What is to be had of it, whichever way it is reached.
async fn has_everything(fixture: &Fixture) {
    let found = fixture.found().await;
    // What it runs as a task is left out.
    assert!(found.tools.len() >= 11, "{found:#?}");
    assert_eq!(fixture.done("echo", json!({ "message": "hällo" })).await, "Echo: hällo");
    assert!(fixture.done("get-sum", json!({ "a": 2, "b": 40 })).await.contains("42"));
    let report = fixture.call("get-tiny-image", json!({})).await;
    assert_eq!((report.images.len(), report.images[0].size), (1, Some((20, 20))), "{}", report.content);
    assert!(
        fixture
            .done("get-resource-links", json!({ "count": 2 }))
            .await
            .contains("[link to the resource demo://")
    );
    let structured = fixture.done("get-structured-content", json!({ "location": "Chicago" })).await;
    assert!(serde_json::from_str::<Value>(&structured).unwrap()["temperature"].is_number(), "{structured}");
    let refused = fixture.call("get-sum", json!({ "a": "two" })).await;
    assert_eq!(refused.outcome, Outcome::Failed);
    let (output, mut shown) = mpsc::channel(16);
    let slowly = invocation("trigger-long-running-operation", json!({ "duration": 0.4, "steps": 2 }));
    let report = fixture.tools.run(slowly, output).await;
    assert_eq!(report.outcome, Outcome::Ok, "{}", report.content);
    assert_eq!(shown.recv().await.unwrap(), "1 of 2\n".into());
}

#[tokio::test]
#[ignore = "needs the reference servers, which .ci/run installs"]
async fn the_reference_server_is_spoken_to_as_a_program() {
    let fixture = Fixture::new(vec![command("stub", "node", &[everything().to_str().unwrap(), "stdio"])]);
    has_everything(&fixture).await;
    let given: Value = serde_json::from_str(&fixture.done("get-env", json!({})).await).unwrap();
    assert_eq!((&given["GIVEN"], given.get("HOME")), (&json!("to all"), None));
}

#[tokio::test]
#[ignore = "needs the reference servers, which .ci/run installs"]
async fn the_reference_server_is_spoken_to_as_an_address() {
    let site = Site::new();
    let url = format!("http://127.0.0.1:{}/mcp", site.port);
    let way = McpWay::Http { url, headers: [].into() };
    let server = McpServer {
        name: "stub".to_owned(),
        way,
        reads: Vec::new(),
        roots: false,
        secrets: Vec::new(),
        start_ms: PLENTY_MS,
        call_ms: None,
    };
    has_everything(&Fixture::new(vec![server])).await;
}
