//! Whoever watches leaves when a run has ended, and hooks that were told of it go on for a while.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign::agent::{Agent, Intent, Settings};
use countersign::hooks::{HookAnswer, HookCall, HookPoint, HookSpec};
use countersign::ledger::{Body, CallId, Entry, ModelRef};
use countersign::model::{ModelEvent, ModelNews, ModelSpec, Request};
use countersign::policy::Mode;
use countersign::runtime::{Driver, HookPort, ModelPort, Ports, StoreError, StorePort, ToolPort};
use countersign::tool::{Invocation, Preparation, Shown, ToolReport, Typed};
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, StreamExt as _, iter};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

struct OneAnswer;

impl ModelPort for OneAnswer {
    fn stream(&self, _: Request) -> BoxStream<'static, ModelNews> {
        iter([ModelNews::Event(ModelEvent::Text("Good day.".into())), ModelNews::Finished]).boxed()
    }
}

struct NoTools;

impl ToolPort for NoTools {
    fn prepare(&self, _: Invocation) -> BoxFuture<'static, Preparation> {
        Box::pin(async { Preparation::default() })
    }
    fn run(&self, _: Invocation, _: mpsc::Sender<Shown>) -> BoxFuture<'static, ToolReport> {
        Box::pin(std::future::pending())
    }
    fn type_into(&self, _: CallId, _: Typed) {}
    fn stop_background(&self, _: &str) {}
    fn over(&self, _: CallId) {}
}

struct AllKept;

impl StorePort for AllKept {
    fn append(&mut self, _: &[Arc<Entry>]) -> Result<(), StoreError> {
        Ok(())
    }
    fn sync(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// A hook that ends when the test says so; it says that it began, and that it was not cut short.
struct OneHook {
    began: mpsc::UnboundedSender<()>,
    may_end: Mutex<Option<oneshot::Receiver<()>>>,
    ended: mpsc::UnboundedSender<()>,
}

impl HookPort for OneHook {
    fn run(&self, _: HookCall) -> BoxFuture<'static, Vec<HookAnswer>> {
        let (began, ended) = (self.began.clone(), self.ended.clone());
        let may_end = self.may_end.lock().unwrap().take();
        Box::pin(async move {
            began.send(()).unwrap();
            if let Some(may_end) = may_end {
                may_end.await.unwrap();
            }
            ended.send(()).unwrap();
            Vec::new()
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_hook_goes_on_when_the_watcher_is_missed_before_the_wishes_are() {
    let (began, mut has_begun) = mpsc::unbounded_channel();
    let (ended, mut has_ended) = mpsc::unbounded_channel();
    let (let_it_end, may_end) = oneshot::channel();
    let hook = HookSpec {
        point: HookPoint::Notification,
        command: "hear".into(),
        timeout_ms: 60_000,
        matcher: vec![],
    };
    let settings = Settings {
        session: "left".into(),
        cwd: "/w".into(),
        hooks: vec![hook],
        ..Settings::new(ModelSpec::unknown(ModelRef::parse("script")))
    };
    let ports = Ports {
        model: Box::new(OneAnswer),
        tools: Box::new(NoTools),
        hooks: Box::new(OneHook { began, may_end: Mutex::new(Some(may_end)), ended }),
        store: Box::new(AllKept),
        subagents: Box::new(countersign::runtime::NoSubagents),
    };
    let (driver, mut handles) = Driver::new(Agent::new(settings), ports);
    let mut driver = tokio::spawn(driver.run(Vec::new()));
    handles.intents.send(Intent::Submit("hello".into())).await.unwrap();
    has_begun.recv().await.unwrap();
    loop {
        let event = handles.events.recv().await.unwrap();
        let countersign::agent::Event::Appended(entry) = event else { continue };
        if matches!(entry.body, Body::TurnEnded(_)) {
            break;
        }
    }
    // Nobody hears the next event, and whoever could wish something is still there.
    drop(handles.events);
    handles.intents.send(Intent::SetMode(Mode::Plan)).await.unwrap();
    let early = timeout(Duration::from_secs(1), &mut driver).await;
    assert!(early.is_err(), "the driver waits for the hook: {early:?}");
    let_it_end.send(()).unwrap();
    assert_eq!(driver.await.unwrap(), Ok(()));
    assert!(has_ended.try_recv().is_ok(), "it was not cut short");
}
