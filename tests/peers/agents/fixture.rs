//! Agents to hand tasks to, the calls that do it, and whoever hears late news.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use countersign::agent::Input;
use countersign::ledger::{Arguments, CallId, Outcome, RemoteTask, TaskState};
use countersign::runtime::a2a::{A2aAgent, A2aFound, A2aTools};
use countersign::runtime::{LateNews, Network, ToolPort};
use countersign::tool::{Invocation, Shown, ToolNews, ToolReport};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::a2a::agent::Agent;
pub(crate) use crate::a2a::agent::KEY;
use crate::a2a::way::Way;
use crate::inner::Inner;

/// Longer than anything takes that works.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
pub(crate) const PLENTY_MS: u64 = 60_000;
/// What names the action of every call here.
pub(crate) const ACTION: &str = "session-c7";

/// Agents, and what is told late.
pub(crate) struct Fixture {
    pub(crate) tools: A2aTools,
    late: mpsc::Receiver<Input>,
    /// The calls of this machine's own tools that keys were meant for.
    pub(crate) typed: Arc<Mutex<Vec<CallId>>>,
}

impl Fixture {
    pub(crate) fn new(agents: Vec<A2aAgent>) -> Self {
        let inner = Inner::default();
        let typed = Arc::clone(&inner.typed);
        let tools = A2aTools::new(Box::new(inner), agents, Network::default());
        let (to, late) = mpsc::channel(8);
        tools.tell_late(LateNews::new(to));
        Self { tools, late, typed }
    }

    /// Hands a task over and waits for its end.
    pub(crate) async fn hand(&self, task: &str) -> ToolReport {
        self.call(json!({ "task": task })).await.0
    }

    /// The same with these arguments, and what was shown meanwhile.
    pub(crate) async fn call(&self, arguments: Value) -> (ToolReport, Vec<Shown>) {
        let (output, mut shown) = mpsc::channel(64);
        let (report, all) = tokio::join!(self.tools.run(invocation(arguments), output), async {
            let mut all = Vec::new();
            while let Some(piece) = shown.recv().await {
                all.push(piece);
            }
            all
        });
        (report, all)
    }

    /// Begins to hand a task over.
    pub(crate) fn begin(&self, task: &str) -> Begun {
        self.begin_with(json!({ "task": task }))
    }

    pub(crate) fn begin_with(&self, arguments: Value) -> Begun {
        let (output, shown) = mpsc::channel(64);
        Begun { call: tokio::spawn(self.tools.run(invocation(arguments), output)), shown }
    }

    /// What is told after a call was cut short.
    pub(crate) async fn late(&mut self) -> (String, Option<RemoteTask>) {
        let news = timeout(PATIENCE, self.late.recv()).await.expect("somebody tells").unwrap();
        let Input::Tool(CallId(7), ToolNews::Done(report)) = news else {
            panic!("the end of a call: {news:?}")
        };
        let (line, answer) = match report.content.split_once('\n') {
            Some((line, answer)) => (line, format!("\n{answer}")),
            None => (report.content.as_str(), String::new()),
        };
        let words = line.strip_suffix('.').expect("a sentence");
        let (first, rest) = words.split_at(1);
        assert_eq!(first, first.to_uppercase(), "{words}");
        (format!("{}{rest}{answer}", first.to_lowercase()), report.remote)
    }

    /// Whether nothing was told late until now.
    pub(crate) fn nothing_is_late(&mut self) -> bool {
        self.late.try_recv().is_err()
    }

    /// What the only agent is.
    pub(crate) async fn found(&self) -> A2aFound {
        self.tools.survey().await.remove(0).found.unwrap()
    }

    /// Why it cannot be asked.
    pub(crate) async fn missing(&self) -> String {
        self.tools.survey().await.remove(0).found.unwrap_err()
    }
}

impl Agent {
    pub(crate) fn new(way: Way) -> Self {
        Self::of(way, None, Some(ACTION))
    }

    pub(crate) fn with_tenant(way: Way, tenant: Option<&'static str>) -> Self {
        Self::of(way, tenant, Some(ACTION))
    }

    pub(crate) fn configured(&self) -> A2aAgent {
        at(&self.site.url())
    }

    pub(crate) fn fixture(&self) -> Fixture {
        Fixture::new(vec![self.configured()])
    }
}

/// A call that runs.
pub(crate) struct Begun {
    call: JoinHandle<ToolReport>,
    shown: mpsc::Receiver<Shown>,
}

impl Begun {
    /// The next that is shown.
    pub(crate) async fn shown(&mut self) -> Shown {
        timeout(PATIENCE, self.shown.recv()).await.expect("something is shown").unwrap()
    }

    /// Esc.
    pub(crate) async fn cut(self) {
        self.call.abort();
        assert!(self.call.await.unwrap_err().is_cancelled());
    }

    pub(crate) async fn report(self) -> ToolReport {
        self.call.await.unwrap()
    }
}

/// The agent `writer` at this address.
pub(crate) fn at(url: &str) -> A2aAgent {
    A2aAgent {
        name: "writer".to_owned(),
        url: url.to_owned(),
        headers: [("X-Key".to_owned(), KEY.to_owned())].into(),
        secrets: Vec::new(),
        description: None,
        start_ms: PLENTY_MS,
        call_ms: PLENTY_MS,
    }
}

/// A call of the agent `writer`, with time enough.
pub(crate) fn invocation(arguments: Value) -> Invocation {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    Invocation {
        call: CallId(7),
        key: ACTION.to_owned(),
        name: "delegate_to_writer".to_owned(),
        arguments: Arguments::Object(arguments),
        timeout_ms: PLENTY_MS,
        max_chars: 10_000,
        sandboxed: false,
        hosts: Vec::new(),
        is_shown: false,
        allowed_in: None,
    }
}

/// What a report says, for comparing.
pub(crate) fn said(report: &ToolReport) -> (Outcome, &str) {
    (report.outcome.clone(), report.content.as_str())
}

/// A task as the books have it.
pub(crate) fn remote(id: Option<&str>, state: TaskState) -> Option<RemoteTask> {
    Some(RemoteTask { id: id.map(str::to_owned), state })
}

/// The text among what was shown, and the names of tasks.
pub(crate) fn sorted(shown: &[Shown]) -> (String, Vec<String>) {
    let (mut text, mut tasks) = (String::new(), Vec::new());
    for piece in shown {
        match piece {
            Shown::Text(more) => text.push_str(more),
            Shown::Task(id) => tasks.push(id.clone()),
            Shown::Screen(_) => panic!("an agent has no screen"),
        }
    }
    (text, tasks)
}

/// Waits until something is so.
pub(crate) async fn becomes_true(what: &str, is_so: impl Fn() -> bool) {
    let patience = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < patience, "waited in vain for {what}");
        tokio::task::yield_now().await;
    }
}
