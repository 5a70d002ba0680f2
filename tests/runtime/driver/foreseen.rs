//! What is made for an effect before it may happen, and what waits for a request to be on its way.

use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

use countersign::agent::{Agent, Input, Intent, Settings, SubagentSpec, SubagentStart, Subagents};
use countersign::ledger::{CallId, CutBy, Entry, ModelRef};
use countersign::model::{ModelEvent, ModelNews, ModelSpec, Request};
use countersign::runtime::{
    Driver, ModelPort, NoHooks, NoStore, NoSubagents, Ports, StoreError, StorePort, SubagentPort, ToolPort,
};
use countersign::tool::{Invocation, Preparation, Shown, SideEffect, ToolKind, ToolReport, ToolSpec, Typed};
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, StreamExt as _, iter};
use tokio::sync::mpsc;

/// What was done, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<&'static str>>>);

impl Log {
    fn push(&self, what: &'static str) {
        self.0.lock().unwrap().push(what);
    }

    async fn until(&self, wanted: &str) -> Vec<&'static str> {
        loop {
            let done = self.0.lock().unwrap().clone();
            if done.contains(&wanted) {
                return done;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

/// Hands a task over.
struct HandsOver;

impl ModelPort for HandsOver {
    fn stream(&self, _: Request) -> BoxStream<'static, ModelNews> {
        let (index, name) = (0, "delegate_to_general".to_owned());
        iter([
            ModelNews::Event(ModelEvent::CallStarted { index, wire_id: "w0".into(), name }),
            ModelNews::Event(ModelEvent::CallArguments { index, text: r#"{"task":"Do it."}"#.into() }),
            ModelNews::Event(ModelEvent::CallDone { index }),
            ModelNews::Finished,
        ])
        .boxed()
    }
}

struct Tools(Log);

impl ToolPort for Tools {
    fn prepare(&self, _: Invocation) -> BoxFuture<'static, Preparation> {
        Box::pin(async { Preparation::default() })
    }

    fn run(&self, _: Invocation, _: mpsc::Sender<Shown>) -> BoxFuture<'static, ToolReport> {
        Box::pin(async { ToolReport::failed("there are none") })
    }

    fn warm_up(&self) {
        self.0.push("warmed up");
    }

    fn type_into(&self, _: CallId, _: Typed) {}

    fn stop_background(&self, _: &str) {}
}

struct Books(Log);

impl StorePort for Books {
    fn append(&mut self, _: &[Arc<Entry>]) -> Result<(), StoreError> {
        self.0.push("written");
        Ok(())
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        self.0.push("synced");
        Ok(())
    }
}

struct Port(Log);

impl SubagentPort for Port {
    fn foresee(&self, _: &SubagentStart) {
        self.0.push("foreseen");
    }

    fn start(&self, _: SubagentStart, _: mpsc::Sender<Input>) {
        self.0.push("started");
    }

    fn tell(&self, _: CallId, _: Intent) {}

    fn stop(&self, _: CallId, _: CutBy) {}
}

fn settings() -> Settings {
    let general = ToolSpec {
        name: "delegate_to_general".into(),
        description: String::new(),
        schema: serde_json::json!({ "type": "object" }),
        effect: SideEffect::Reads,
        paths: vec![],
        timeout_ms: None,
        kind: ToolKind::Subagent,
        retrieves: false,
    };
    let known = SubagentSpec { name: "general".into(), asks: [].into(), mode: None, in_background: false };
    Settings {
        session: "s".into(),
        tools: vec![general],
        subagents: Subagents { known: vec![known], ..Subagents::default() },
        ..Settings::new(ModelSpec::unknown(ModelRef::parse("script")))
    }
}

#[tokio::test]
async fn a_sub_agent_is_made_while_its_start_is_written_and_starts_when_it_is() {
    let log = Log::default();
    let ports = Ports {
        model: Box::new(HandsOver),
        tools: Box::new(Tools(Log::default())),
        hooks: Box::new(NoHooks),
        store: Box::new(Books(log.clone())),
        subagents: Box::new(Port(log.clone())),
    };
    let (driver, handles) = Driver::new(Agent::new(settings()), ports);
    let driver = tokio::spawn(driver.run(Vec::new()));
    handles.intents.send(Intent::Submit("go".into())).await.unwrap();
    let done = log.until("started").await;
    assert!(done.ends_with(&["written", "foreseen", "synced", "started"]), "{done:?}");
    driver.abort();
}

#[tokio::test]
async fn a_request_does_not_wait_for_what_the_tools_need() {
    /// Slow to ask.
    struct Slow(Log);
    impl ModelPort for Slow {
        fn stream(&self, _: Request) -> BoxStream<'static, ModelNews> {
            sleep(Duration::from_millis(50));
            self.0.push("asked");
            iter([ModelNews::Finished]).boxed()
        }
    }
    let log = Log::default();
    let ports = Ports {
        model: Box::new(Slow(log.clone())),
        tools: Box::new(Tools(log.clone())),
        hooks: Box::new(NoHooks),
        store: Box::new(NoStore),
        subagents: Box::new(NoSubagents),
    };
    let (driver, handles) = Driver::new(Agent::new(settings()), ports);
    let driver = tokio::spawn(driver.run(Vec::new()));
    handles.intents.send(Intent::Submit("go".into())).await.unwrap();
    assert_eq!(log.until("warmed up").await.first(), Some(&"asked"));
    driver.abort();
}
