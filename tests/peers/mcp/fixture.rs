//! A workspace, servers to start in it, and calls of their tools.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use countersign::ledger::{Arguments, CallId, Outcome};
use countersign::runtime::mcp::{McpFound, McpMeans, McpServer, McpTools, McpWay};
use countersign::runtime::sandbox::Sandbox;
use countersign::runtime::{Groups, Network, ToolPort};
use countersign::tool::{Invocation, ToolReport};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::inner::Inner;
use crate::stub_server;

/// Longer than anything takes that works.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
pub(crate) const PLENTY_MS: u64 = 60_000;

/// A folder that is removed with it, and what runs in it.
pub(crate) struct Fixture {
    folder: TempDir,
    pub(crate) groups: Groups,
    pub(crate) tools: McpTools,
    /// The calls of this machine's own tools that keys were meant for.
    pub(crate) typed: Arc<Mutex<Vec<CallId>>>,
}

impl Fixture {
    /// With these servers.
    pub(crate) fn new(servers: Vec<McpServer>) -> Self {
        Self::confined(servers, |_| None)
    }

    /// The same with a sandbox made for the folder.
    pub(crate) fn confined(servers: Vec<McpServer>, sandbox: impl FnOnce(&Path) -> Option<Sandbox>) -> Self {
        let folder = TempDir::new().unwrap();
        let workspace = folder.path().canonicalize().unwrap().join("work");
        std::fs::create_dir(&workspace).unwrap();
        let groups = Groups::default();
        let environment: Vec<(OsString, OsString)> =
            vec![("PATH".into(), std::env::var_os("PATH").unwrap()), ("GIVEN".into(), "to all".into())];
        let sandbox = sandbox(&workspace);
        let network = Network::default();
        let means = McpMeans { workspace, environment, groups: groups.clone(), sandbox, network };
        let inner = Inner::default();
        let typed = Arc::clone(&inner.typed);
        Self { folder, groups, tools: McpTools::new(Box::new(inner), servers, means), typed }
    }

    /// With one stub, called `stub`.
    pub(crate) fn with(words: &[&str]) -> Self {
        Self::new(vec![stub("stub", words)])
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("work")
    }

    /// Runs a tool of the server `stub` to its end.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolReport {
        let (output, _listener) = mpsc::channel(1);
        self.tools.run(invocation(tool, arguments), output).await
    }

    /// The same when it must go well.
    pub(crate) async fn done(&self, tool: &str, arguments: Value) -> String {
        let report = self.call(tool, arguments).await;
        assert_eq!(report.outcome, Outcome::Ok, "{}", report.content);
        report.content
    }

    pub(crate) async fn pid(&self) -> i64 {
        let who: Value = serde_json::from_str(&self.done("who", json!({})).await).unwrap();
        who["pid"].as_i64().unwrap()
    }

    /// Waits until the server has heard this method, and gives the whole message.
    pub(crate) async fn heard(&self, method: &str) -> Value {
        let patience = Instant::now() + PATIENCE;
        loop {
            let heard: Vec<Value> = serde_json::from_str(&self.done("heard", json!({})).await).unwrap();
            if let Some(message) = heard.iter().find(|message| message["method"] == method) {
                return message.clone();
            }
            assert!(Instant::now() < patience, "{method} is not heard: {heard:#?}");
        }
    }

    /// What the one server brings.
    pub(crate) async fn found(&self) -> McpFound {
        self.tools.survey().await.remove(0).found.unwrap()
    }

    /// Why there is no server.
    pub(crate) async fn missing(&self) -> String {
        self.tools.survey().await.remove(0).found.unwrap_err()
    }
}

/// The stub, told to be this bad.
pub(crate) fn stub(name: &str, words: &[&str]) -> McpServer {
    command(name, stub_server::program().to_str().unwrap(), words)
}

/// A server that is this program.
pub(crate) fn command(name: &str, program: &str, args: &[&str]) -> McpServer {
    McpServer {
        name: name.to_owned(),
        way: McpWay::Command {
            program: program.to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            env: [("STUB_KEY".to_owned(), "key-123456789".to_owned())].into(),
            sandboxed: false,
            network: false,
        },
        reads: Vec::new(),
        roots: false,
        secrets: Vec::new(),
        start_ms: PLENTY_MS,
        call_ms: None,
    }
}

/// A call of a tool of the server `stub`, with time enough.
pub(crate) fn invocation(tool: &str, arguments: Value) -> Invocation {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    Invocation {
        call: CallId(7),
        key: "session-c7".to_owned(),
        name: format!("mcp__stub__{tool}"),
        arguments: Arguments::Object(arguments),
        timeout_ms: PLENTY_MS,
        max_chars: 10_000,
        sandboxed: false,
        hosts: Vec::new(),
        is_shown: false,
        allowed_in: None,
    }
}

/// Waits until a process is gone.
pub(crate) async fn is_gone(pid: i64) {
    let stat = PathBuf::from(format!("/proc/{pid}/stat"));
    becomes_true(&format!("the end of process {pid}"), || {
        // One that has ended and was waited for by nobody runs no more.
        std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "))
    })
    .await;
}

/// Waits until something is so.
pub(crate) async fn becomes_true(what: &str, is_so: impl Fn() -> bool) {
    let patience = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < patience, "waited in vain for {what}");
        tokio::task::yield_now().await;
    }
}

/// A file in which the stub writes what it does.
pub(crate) struct Journal {
    _folder: TempDir,
    path: Arc<Path>,
}

impl Journal {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("journal").into();
        Self { _folder: folder, path }
    }

    /// The word that tells the stub where it is.
    pub(crate) fn word(&self) -> String {
        format!("journal={}", self.path.display())
    }

    /// How often this line was written.
    pub(crate) fn count(&self, line: &str) -> usize {
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        text.lines().filter(|one| *one == line).count()
    }
}
