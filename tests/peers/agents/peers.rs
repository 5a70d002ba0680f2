//! An agent on the official SDK, by the protocol's own authors, and one on the runtime of KAOS: what is made up here could be
//! wrong in the same way twice.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use countersign::ledger::{Outcome, TaskState};
use countersign::runtime::ToolPort as _;
use countersign::tool::Shown;
use serde_json::json;

use crate::agents::fixture::{ACTION, Fixture, at, becomes_true, remote, said, sorted};

/// The agent; ended with it.
struct Peer {
    child: Child,
    port: u16,
}

impl Peer {
    /// Speaks this version, and streams or not. The SDK is where `.ci/run` puts it.
    fn new(version: &str, way: &str) -> Self {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let packages = root.join("target/peers/a2a");
        assert!(packages.is_dir(), "{} is not there; .ci/run installs it", packages.display());
        let own = packages.join("bin/python");
        let mut python = if own.is_file() { Command::new(own) } else { Command::new("python3") };
        python.env("PYTHONPATH", &packages).arg(root.join("tests/peers/agents/peer.py")).args([version, way]);
        let mut child = python.stdout(Stdio::piped()).spawn().expect("python3 is there");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port =
            lines.find_map(|line| line.strip_prefix("PORT ").map(|port| port.parse().unwrap())).unwrap();
        // What it says later is read, so that it never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, port }
    }

    fn fixture(&self) -> Fixture {
        Fixture::new(vec![at(&format!("http://127.0.0.1:{}", self.port))])
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

async fn does_what_it_is_asked(version: &str, way: &str) {
    let peer = Peer::new(version, way);
    let mut fixture = peer.fixture();
    let found = fixture.found().await;
    assert_eq!((found.title.as_str(), found.protocol.as_str()), ("Peer", version));
    assert_eq!((found.streams, found.skills), (way == "stream", vec!["Echo".to_owned()]));

    let (report, shown) = fixture.call(json!({ "task": "echo hällo" })).await;
    assert_eq!(said(&report), (Outcome::Ok, format!("hällo as {ACTION}").as_str()));
    let (text, tasks) = sorted(&shown);
    let id = report.remote.clone().unwrap().id.unwrap();
    assert_eq!((report.remote.unwrap().state, tasks), (TaskState::Completed, vec![id]));
    assert!(text.contains(ACTION), "{text}");

    let report = fixture.hand("answer at once").await;
    assert_eq!(said(&report), (Outcome::Ok, "at once"));
    assert_eq!(report.remote, remote(None, TaskState::Completed));
    let report = fixture.hand("fail no ink").await;
    assert_eq!(said(&report), (Outcome::Failed, "the agent writer failed the task and says: no ink"));
    let report = fixture.hand("crash oh").await;
    assert_eq!((report.outcome, report.remote.unwrap().state), (Outcome::Failed, TaskState::Failed));

    let report = fixture.hand("ask").await;
    let id = report.remote.clone().unwrap().id.unwrap();
    let asks = format!(
        "Which colour?\n[the agent writer waits for an answer: call delegate_to_writer with task_id \"{id}\"]"
    );
    assert_eq!(said(&report), (Outcome::Ok, asks.as_str()));
    let (report, _) = fixture.call(json!({ "task": "echo blue", "task_id": id })).await;
    assert_eq!(said(&report), (Outcome::Ok, format!("blue as {ACTION}").as_str()));
    assert_eq!(report.remote, remote(Some(&id), TaskState::Completed));
    let (report, _) = fixture.call(json!({ "task": "echo blue", "task_id": "nobody's" })).await;
    assert_eq!(report.outcome, Outcome::Failed);
    assert!(report.content.starts_with("the agent writer refused the task: "), "{}", report.content);

    let mut begun = fixture.begin("slow");
    let Shown::Task(id) = begun.shown().await else { panic!("the name comes first") };
    begun.cut().await;
    fixture.tools.close().await;
    let words = format!("canceled, as the agent writer confirms (its task {id})");
    assert_eq!(fixture.late().await, (words, remote(Some(&id), TaskState::Canceled)));
}

#[tokio::test]
#[ignore = "needs the official SDK of A2A, which .ci/run installs"]
async fn the_official_sdk_is_handed_tasks_in_a_stream() {
    does_what_it_is_asked("1.0", "stream").await;
}

#[tokio::test]
#[ignore = "needs the official SDK of A2A, which .ci/run installs"]
async fn the_official_sdk_is_handed_tasks_and_asked_about_them() {
    does_what_it_is_asked("1.0", "ask").await;
}

#[tokio::test]
#[ignore = "needs the official SDK of A2A, which .ci/run installs"]
async fn the_official_sdk_is_spoken_to_in_the_older_version() {
    does_what_it_is_asked("0.3", "stream").await;
    does_what_it_is_asked("0.3", "ask").await;
}

/// An agent of KAOS with a mock for a model; ended with it.
struct Kaos {
    child: Child,
    port: u16,
}

impl Kaos {
    /// Answers with these, in order. The runtime is where `.ci/run` puts it; `None` where there is no Python for it.
    fn new(answers: &[&str]) -> Option<Self> {
        let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/peers/kaos/bin/python");
        if !own.is_file() {
            eprintln!("not tried: .ci/run installs the runtime of KAOS where there is Python 3.12");
            return None;
        }
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut python = Command::new(own);
        python.args(["-m", "uvicorn", "pais.server:get_app", "--factory", "--host", "127.0.0.1", "--port"]);
        python.arg(free.to_string()).envs([
            ("AGENT_NAME", "worker"),
            ("AGENT_DESCRIPTION", "mocked"),
            ("AGENT_PORT", "8000"),
            ("OTEL_SDK_DISABLED", "true"),
            ("DEBUG_MOCK_RESPONSES", &json!(answers).to_string()),
        ]);
        let child = python.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        Some(Self { child, port: free })
    }

    fn at(&self, path: &str) -> Fixture {
        Fixture::new(vec![at(&format!("http://127.0.0.1:{}{path}", self.port))])
    }
}

impl Drop for Kaos {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[tokio::test]
#[ignore = "needs the runtime of KAOS, which .ci/run installs where there is Python 3.12"]
async fn the_runtime_of_kaos_is_handed_tasks() {
    let Some(kaos) = Kaos::new(&["The worker did it."]) else { return };
    becomes_true("the agent", || std::net::TcpStream::connect(("127.0.0.1", kaos.port)).is_ok()).await;
    for path in ["", "/.well-known/agent.json"] {
        let fixture = kaos.at(path);
        let found = fixture.found().await;
        assert_eq!((found.title.as_str(), found.protocol.as_str(), found.streams), ("worker", "kaos", false));
        assert_eq!(found.named.as_deref(), Some("http://localhost:8000/"));
        let (report, shown) = fixture.call(json!({ "task": "do it" })).await;
        assert_eq!(said(&report), (Outcome::Ok, "The worker did it."));
        let id = report.remote.clone().unwrap().id.unwrap();
        assert_eq!((report.remote.unwrap().state, sorted(&shown).1), (TaskState::Completed, vec![id]));
    }
}
