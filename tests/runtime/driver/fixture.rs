//! A fixture for the driver: the test plays the models, the tools and the books.

use crate::legacy_facts;
use countersign::agent::{Agent, Answer, Event, Intent, Live, Settings};
use countersign::budget::{Limit, Limits};
use countersign::ledger::{BackgroundStatus, Body, CallId, Entry, EntryId, ModelRef, Outcome};
use countersign::model::{ModelEvent, ModelNews, ModelSpec, Request};
use countersign::policy::Policy;
use countersign::runtime::{
    Driver, DriverError, Handles, LateNews, ModelPort, NoHooks, Ports, StoreError, StorePort, ToolPort,
};
use countersign::tool::{Invocation, Preparation, Shown, SideEffect, ToolKind, ToolReport, ToolSpec, Typed};
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, StreamExt, unfold};
use std::sync::mpsc as store_channel;
use std::sync::{Arc, Mutex, OnceLock};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

pub fn call(number: u64) -> CallId {
    CallId(number)
}

/// A model call that the test answers.
pub struct ModelCall {
    news: mpsc::Sender<ModelNews>,
}

impl ModelCall {
    pub async fn send(&self, news: ModelNews) {
        self.news.send(news).await.unwrap();
    }
    pub async fn say(&self, text: &str) {
        self.send(ModelNews::Event(ModelEvent::Text(text.into()))).await;
    }
    pub async fn call(&self, index: u32, name: &str, arguments: &str) {
        let started = ModelEvent::CallStarted { index, wire_id: format!("w{index}"), name: name.into() };
        self.send(ModelNews::Event(started)).await;
        self.send(ModelNews::Event(ModelEvent::CallArguments { index, text: arguments.into() })).await;
        self.send(ModelNews::Event(ModelEvent::CallDone { index })).await;
    }
    pub async fn finish(&self) {
        self.send(ModelNews::Finished).await;
    }
    pub async fn until_dropped(&self) {
        self.news.closed().await;
    }
}

/// A tool run that the test ends.
pub struct ToolRun {
    pub call: CallId,
    end: oneshot::Sender<ToolReport>,
}

impl ToolRun {
    pub fn done(self, outcome: Outcome, content: &str) {
        self.end
            .send(ToolReport {
                facts: legacy_facts::facts("shell", &outcome, content),
                outcome,
                ..ToolReport::failed(content)
            })
            .unwrap();
    }
    pub async fn until_dropped(mut self) {
        self.end.closed().await;
    }
}

/// What the driver had done, in order: `write`, `sync`, `look`, `model`, `tool`.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<&'static str>>>);

impl Log {
    fn push(&self, what: &'static str) {
        self.0.lock().unwrap().push(what);
    }
}

struct FakeModel(mpsc::UnboundedSender<ModelCall>, Log);

impl ModelPort for FakeModel {
    fn stream(&self, _: Request) -> BoxStream<'static, ModelNews> {
        self.1.push("model");
        let (news, heard) = mpsc::channel(8);
        self.0.send(ModelCall { news }).unwrap();
        unfold(heard, |mut heard| async move { heard.recv().await.map(|n| (n, heard)) }).boxed()
    }
}

/// Calls of which the tools heard that they are over.
type Over = Arc<Mutex<Vec<CallId>>>;

struct FakeTools(mpsc::UnboundedSender<ToolRun>, Log, Arc<OnceLock<LateNews>>, Over);

impl ToolPort for FakeTools {
    fn tell_late(&self, to: LateNews) {
        self.2.set(to).unwrap();
    }
    fn prepare(&self, invocation: Invocation) -> BoxFuture<'static, Preparation> {
        self.1.push("look");
        if invocation.arguments.to_value()["hangs"].as_bool().unwrap_or(false) {
            return Box::pin(std::future::pending());
        }
        Box::pin(async { Preparation::default() })
    }
    fn run(&self, invocation: Invocation, _: mpsc::Sender<Shown>) -> BoxFuture<'static, ToolReport> {
        self.1.push("tool");
        let (end, ended) = oneshot::channel();
        let crashes = invocation.arguments.to_value()["panic"].as_bool().unwrap_or(false);
        if !crashes {
            self.0.send(ToolRun { call: invocation.call, end }).unwrap();
        }
        Box::pin(async move {
            assert!(!crashes, "this tool crashes");
            ended.await.unwrap()
        })
    }
    fn type_into(&self, _: CallId, _: Typed) {
        self.1.push("keys");
    }

    fn stop_background(&self, _: &str) {}
    fn over(&self, call: CallId) {
        self.3.lock().unwrap().push(call);
    }
}

/// How the disk takes what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Disk {
    #[default]
    Sound,
    /// Nothing can be written.
    Full,
    /// Something else has the name of the file.
    Taken,
    /// What is written there is not kept.
    Failing,
    /// The n-th write or sync from now on fails, and no other.
    FailingAt(usize),
}

/// Books whose disk can be changed while they are kept. They hold what is durable, and nothing else.
struct FakeStore {
    kept: store_channel::Sender<Body>,
    unsynced: Vec<Body>,
    disk: Arc<Mutex<Disk>>,
    log: Log,
}

impl FakeStore {
    fn fails(&self, always: Disk) -> bool {
        let mut disk = self.disk.lock().unwrap();
        match &mut *disk {
            Disk::FailingAt(0) => {
                *disk = Disk::Sound;
                true
            }
            Disk::FailingAt(left) => {
                *left -= 1;
                false
            }
            other => *other == always,
        }
    }
}

impl StorePort for FakeStore {
    fn append(&mut self, entries: &[Arc<Entry>]) -> Result<(), StoreError> {
        self.log.push("write");
        if *self.disk.lock().unwrap() == Disk::Taken {
            return Err(StoreError::NameTaken("the file exists".to_owned()));
        }
        if self.fails(Disk::Full) {
            self.log.push("failed");
            self.unsynced.clear();
            return Err("no space left on device".to_owned().into());
        }
        self.unsynced.extend(entries.iter().map(|e| e.body.clone()));
        Ok(())
    }
    fn sync(&mut self) -> Result<(), StoreError> {
        self.log.push("sync");
        if self.fails(Disk::Failing) {
            self.log.push("failed");
            self.unsynced.clear();
            return Err("the disk is broken".to_owned().into());
        }
        let all_heard = self.unsynced.drain(..).all(|body| self.kept.send(body).is_ok());
        if all_heard { Ok(()) } else { Err("nobody reads the books".to_owned().into()) }
    }
}

pub struct DriverFixture {
    handles: Option<Handles>,
    models: mpsc::UnboundedReceiver<ModelCall>,
    tools: mpsc::UnboundedReceiver<ToolRun>,
    books: store_channel::Receiver<Body>,
    driver: Option<JoinHandle<Result<(), DriverError>>>,
    seen: Vec<Body>,
    told: Vec<Arc<Entry>>,
    log: Log,
    disk: Arc<Mutex<Disk>>,
    late: Arc<OnceLock<LateNews>>,
    over: Over,
}

impl DriverFixture {
    pub fn open() -> Self {
        Self::with(None, Disk::Sound)
    }
    pub fn with_a_full_disk() -> Self {
        Self::with(None, Disk::Full)
    }
    pub fn with_a_failing_disk() -> Self {
        Self::with(None, Disk::Failing)
    }
    pub fn with_wall_time(seconds: u64) -> Self {
        Self::with(Some(seconds), Disk::Sound)
    }

    pub fn with_disk(disk: Disk) -> Self {
        Self::with(None, disk)
    }

    fn with(wall: Option<u64>, disk: Disk) -> Self {
        let disk = Arc::new(Mutex::new(disk));
        let (log, over, late) = (Log::default(), Over::default(), Arc::new(OnceLock::new()));
        let (model, models) = mpsc::unbounded_channel();
        let (tool, tools) = mpsc::unbounded_channel();
        let (written, books) = store_channel::channel();
        let ports = Ports {
            model: Box::new(FakeModel(model, log.clone())),
            tools: Box::new(FakeTools(tool, log.clone(), Arc::clone(&late), over.clone())),
            hooks: Box::new(NoHooks),
            store: Box::new(FakeStore {
                kept: written,
                unsynced: Vec::new(),
                disk: Arc::clone(&disk),
                log: log.clone(),
            }),
            subagents: Box::new(countersign::runtime::NoSubagents),
        };
        let (driver, handles) = Driver::new(Agent::new(settings(wall)), ports);
        let driver = Some(tokio::spawn(driver.run(Vec::new())));
        Self {
            handles: Some(handles),
            models,
            tools,
            books,
            driver,
            seen: Vec::new(),
            told: Vec::new(),
            log,
            disk,
            late,
            over,
        }
    }

    /// A background command ends, which that call began.
    pub async fn background_ended(&self, began: CallId, standing: BackgroundStatus) {
        self.late.get().unwrap().ended(began, standing).await;
    }
    fn take(&mut self, entry: &Arc<Entry>) {
        self.seen.push(entry.body.clone());
        self.told.push(Arc::clone(entry));
    }
    /// The entries that were told.
    pub fn told(&self) -> &[Arc<Entry>] {
        &self.told
    }
    /// The disk becomes another.
    pub fn disk(&self, disk: Disk) {
        *self.disk.lock().unwrap() = disk;
    }
    /// What is durable since this was last asked.
    pub fn kept(&self) -> Vec<Body> {
        self.books.try_iter().collect()
    }
    /// Takes note of an entry that was told.
    pub fn heard(&mut self, body: &Body) {
        self.seen.push(body.clone());
    }
    /// All entries that were told.
    pub fn all_heard(&self) -> Vec<Body> {
        self.seen.clone()
    }
    /// The next event, whatever it is.
    pub async fn next_event(&mut self) -> Event {
        self.handles().events.recv().await.unwrap()
    }

    pub fn handles(&mut self) -> &mut Handles {
        self.handles.as_mut().unwrap()
    }
    pub async fn submit(&mut self, text: &str) {
        self.handles().intents.send(Intent::Submit(text.into())).await.unwrap();
    }
    pub async fn escape(&mut self) {
        self.handles().abort.send(()).await.unwrap();
    }
    pub async fn decide(&mut self, request: EntryId, call: CallId, answer: Answer) {
        self.handles().intents.send(Intent::Decide { request, call, answer }).await.unwrap();
    }
    pub async fn next_model_call(&mut self) -> ModelCall {
        self.models.recv().await.unwrap()
    }
    pub async fn next_tool_run(&mut self) -> ToolRun {
        self.tools.recv().await.unwrap()
    }
    /// What the driver had done since this was last asked.
    pub fn done(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.log.0.lock().unwrap())
    }
    /// Calls of which the tools heard that they are over.
    pub fn over(&self) -> Vec<CallId> {
        self.over.lock().unwrap().clone()
    }
    pub fn a_model_was_called(&mut self) -> bool {
        self.models.try_recv().is_ok()
    }

    pub async fn until_live(&mut self, wanted: impl Fn(&Live) -> bool) {
        loop {
            match self.handles().events.recv().await.unwrap() {
                Event::Live(live) if wanted(&live) => return,
                Event::Live(_) => {}
                Event::Appended(entry) => self.take(&entry),
            }
        }
    }
    pub async fn until_entry(&mut self, wanted: impl Fn(&Body) -> bool) -> EntryId {
        loop {
            if let Event::Appended(entry) = self.handles().events.recv().await.unwrap() {
                self.take(&entry);
                if wanted(&entry.body) {
                    return entry.id;
                }
            }
        }
    }
    pub async fn until_request(&mut self) -> EntryId {
        self.until_entry(|b| matches!(b, Body::ApprovalRequested(_))).await
    }
    /// Everything that was appended, up to the end of the turn.
    pub async fn until_turn_ended(&mut self) -> Vec<Body> {
        self.until_entry(|b| matches!(b, Body::TurnEnded(_))).await;
        self.seen.clone()
    }
    /// Drops the events; returns what was written after that.
    pub async fn leave(&mut self) -> Vec<Body> {
        drop(self.handles.take());
        self.driver.take().unwrap().await.unwrap().unwrap();
        self.books.try_iter().collect()
    }
    pub async fn close(&mut self) -> Result<(), DriverError> {
        let driver = self.driver.take().unwrap();
        if !driver.is_finished() {
            let handles = self.handles.take().unwrap();
            drop(handles.intents);
            let mut events = handles.events;
            while events.recv().await.is_some() {}
        }
        driver.await.unwrap()
    }
}

fn effect_of(tool: &str) -> SideEffect {
    match tool {
        "read" => SideEffect::Reads,
        "shell" => SideEffect::Runs,
        _ => SideEffect::Writes,
    }
}

fn settings(wall: Option<u64>) -> Settings {
    let tool = |name: &str, effect| ToolSpec {
        name: name.into(),
        description: String::new(),
        schema: serde_json::json!({ "type": "object" }),
        effect,
        paths: vec![],
        timeout_ms: None,
        kind: ToolKind::Plain,
        retrieves: false,
    };
    Settings {
        session: "staged".into(),
        cwd: "/w".into(),
        tools: ["read", "write", "shell"].map(|name| tool(name, effect_of(name))).to_vec(),
        policy: Policy::default(),
        limits: Limits::default().with(Limit::WallTime, wall),
        seed: 7,
        ..Settings::new(ModelSpec::unknown(ModelRef::parse("script")))
    }
}
