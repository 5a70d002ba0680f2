//! Sub-agents whose sessions take long to make: what is wanted of them meanwhile is not lost.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc as std_mpsc};
use std::time::Duration;

use countersign::agent::{
    Agent, Event, Input, Intent, Live, Settings, SubagentNews, SubagentReport, SubagentStart,
};
use countersign::budget::Limits;
use countersign::ledger::{Arguments, Body, CutBy, Entry, ModelRef, Outcome, TaskState, UserMessage};
use countersign::model::{ModelEvent, ModelNews, ModelSpec, Request};
use countersign::policy::{Mode, Policy};
use countersign::runtime::{
    Driver, LocalSubagents, MadeSession, MakeRest, MakeSession, ModelPort, NoHooks, NoStore, NoSubagents,
    Ports, StoreError, StorePort, SubagentPort, ToolPort,
};
use countersign::tool::{Invocation, Preparation, Shown, ToolReport, Typed};
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, StreamExt as _, iter};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::fixture::call;

/// Answers at once, and counts how often it was asked.
struct Answers(Arc<AtomicUsize>);

impl ModelPort for Answers {
    fn stream(&self, _: Request) -> BoxStream<'static, ModelNews> {
        self.0.fetch_add(1, Ordering::SeqCst);
        iter([ModelNews::Event(ModelEvent::Text("Done.".into())), ModelNews::Finished]).boxed()
    }
}

/// Books whose file has the name of something else.
struct Taken;

impl StorePort for Taken {
    fn append(&mut self, _: &[Arc<Entry>]) -> Result<(), StoreError> {
        Err(StoreError::NameTaken("the file exists".to_owned()))
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}

struct NoTools;

impl ToolPort for NoTools {
    fn prepare(&self, _: Invocation) -> BoxFuture<'static, Preparation> {
        Box::pin(async { Preparation::default() })
    }

    fn run(&self, _: Invocation, _: mpsc::Sender<Shown>) -> BoxFuture<'static, ToolReport> {
        Box::pin(async { ToolReport::failed("there are none") })
    }

    fn type_into(&self, _: countersign::ledger::CallId, _: Typed) {}

    fn stop_background(&self, _: &str) {}
}

/// Makes a session when the test lets it.
struct Slow {
    may: Mutex<std_mpsc::Receiver<()>>,
    begins: mpsc::UnboundedSender<()>,
    asked: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
    books: fn() -> Box<dyn StorePort>,
}

impl MakeSession for Slow {
    fn make(&self, start: &SubagentStart) -> Result<MadeSession, String> {
        self.begins.send(()).unwrap();
        self.may.lock().unwrap().recv().unwrap();
        let settings = Settings::new(ModelSpec::unknown(ModelRef::parse("script")));
        let policy = Policy { mode: start.mode, ..settings.policy.clone() };
        let ports = Ports {
            model: Box::new(Answers(Arc::clone(&self.asked))),
            tools: Box::new(NoTools),
            hooks: Box::new(NoHooks),
            store: (self.books)(),
            subagents: Box::new(NoSubagents),
        };
        let agent = Agent::new(Settings { policy, session: start.session.clone(), ..settings });
        let first = agent.first_effects();
        let (driver, handles) = Driver::new(agent, ports);
        let ended = Arc::clone(&self.ended);
        let after: countersign::runtime::AfterEnd = Box::new(move || {
            ended.fetch_add(1, Ordering::SeqCst);
            None
        });
        let task = Intent::Submit(UserMessage::text("Do it."));
        Ok(MadeSession { driver, handles, first, task, after: Some(after) })
    }

    fn foresee(self: Arc<Self>, start: &SubagentStart) -> Option<MakeRest> {
        let start = start.clone();
        (!start.in_background).then(|| -> MakeRest { Box::new(move || self.make(&start)) })
    }
}

/// A sub-agent whose session is being made.
struct Starting {
    port: LocalSubagents,
    may: std_mpsc::Sender<()>,
    begun: mpsc::UnboundedReceiver<()>,
    news: mpsc::Receiver<Input>,
    asked: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
}

impl Starting {
    async fn new() -> Self {
        let (mut starting, start, to) = Self::nothing_yet();
        starting.port.start(start, to);
        starting.begun.recv().await.unwrap();
        starting
    }

    fn nothing_yet() -> (Self, SubagentStart, mpsc::Sender<Input>) {
        Self::kept_by(|| Box::new(NoStore))
    }

    fn kept_by(books: fn() -> Box<dyn StorePort>) -> (Self, SubagentStart, mpsc::Sender<Input>) {
        let (may, is_free) = std_mpsc::channel();
        let (begins, begun) = mpsc::unbounded_channel();
        let (asked, ended) = (Arc::default(), Arc::default());
        let (may_begin, asks, ends) = (Mutex::new(is_free), Arc::clone(&asked), Arc::clone(&ended));
        let slow = Slow { may: may_begin, begins, asked: asks, ended: ends, books };
        let port = LocalSubagents::new(Arc::new(slow));
        let (to, news) = mpsc::channel(64);
        let invocation = Invocation {
            call: call(1),
            key: "s-c1".into(),
            name: "delegate_to_general".into(),
            arguments: Arguments::parse(r#"{"task":"Do it."}"#),
            timeout_ms: 0,
            max_chars: 1_000,
            sandboxed: false,
            hosts: Vec::new(),
            is_shown: false,
            allowed_in: None,
        };
        let start = SubagentStart {
            invocation,
            agent: "general".into(),
            session: "s-c1".into(),
            limits: Limits::default(),
            mode: Mode::Unrestricted,
            model: Box::new(ModelSpec::unknown(ModelRef::parse("script"))),
            effort: None,
            in_background: false,
        };
        (Self { port, may, begun, news, asked, ended }, start, to)
    }

    /// What it told, to its report.
    async fn over(&mut self) -> (Vec<Event>, SubagentReport) {
        let mut told = Vec::new();
        loop {
            match self.news.recv().await.unwrap() {
                Input::Subagent(_, SubagentNews::Over(report)) => return (told, report),
                Input::Subagent(_, SubagentNews::Told(event)) => told.push(*event),
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn one_that_is_stopped_while_its_session_is_made_does_nothing() {
    for (by, says) in [
        (CutBy::User, "stopped before it began, by the user."),
        (CutBy::WallTime, "stopped before it began, because the time limit of its run was reached."),
    ] {
        let mut starting = Starting::new().await;
        starting.port.stop(call(1), by);
        starting.may.send(()).unwrap();
        let (told, report) = starting.over().await;
        assert_eq!((report.outcome, report.state), (Outcome::Failed, TaskState::Canceled));
        assert!(report.content.contains(says), "{}", report.content);
        assert_eq!((starting.asked.load(Ordering::SeqCst), told.len()), (0, 0));
        assert_eq!(starting.ended.load(Ordering::SeqCst), 1, "its worktree goes");
    }
}

#[tokio::test]
async fn a_stricter_mode_that_comes_while_its_session_is_made_holds_for_its_task() {
    let mut starting = Starting::new().await;
    starting.port.tell(call(1), Intent::SetMode(Mode::Plan));
    starting.may.send(()).unwrap();
    let (told, report) = starting.over().await;
    assert_eq!((report.outcome, starting.asked.load(Ordering::SeqCst)), (Outcome::Ok, 1));
    let at = |is_it: fn(&Event) -> bool| told.iter().position(is_it).unwrap();
    let changed = at(|event| matches!(event, Event::Live(Live::ModeChanged(Mode::Plan))));
    let begun = at(|event| matches!(event, Event::Appended(_)));
    assert!(changed < begun, "{told:?}");
}

#[tokio::test]
async fn what_is_said_to_it_while_its_session_is_made_comes_behind_its_task() {
    let mut starting = Starting::new().await;
    starting.port.tell(call(1), Intent::Submit("look there, too".into()));
    starting.may.send(()).unwrap();
    let (told, report) = starting.over().await;
    assert_ne!(report.state, TaskState::Rejected);
    let said = |event: &Event| match event {
        Event::Appended(entry) => match &entry.body {
            Body::User(said) => Some(said.content.clone()),
            _ => None,
        },
        Event::Live(_) => None,
    };
    assert_eq!(told.iter().find_map(said).as_deref(), Some("Do it."), "{told:?}");
    assert!(format!("{told:?}").contains("look there, too"), "it was heard, or came back: {told:?}");
}

#[tokio::test]
async fn what_was_said_to_one_that_never_began_comes_back() {
    let mut starting = Starting::new().await;
    starting.port.tell(call(1), Intent::Submit("look there, too".into()));
    starting.port.stop(call(1), CutBy::User);
    starting.may.send(()).unwrap();
    let (told, report) = starting.over().await;
    assert_eq!((report.state, starting.asked.load(Ordering::SeqCst)), (TaskState::Canceled, 0));
    let back = Event::Live(Live::Returned(vec!["look there, too".into()]));
    assert_eq!(told.first(), Some(&back), "{told:?}");
}

#[tokio::test]
async fn what_is_said_to_one_that_is_over_comes_back() {
    let mut starting = Starting::new().await;
    starting.may.send(()).unwrap();
    starting.over().await;
    // The session above has not heard that it is over.
    starting.port.tell(call(1), Intent::Submit("look there, too".into()));
    let back = Event::Live(Live::Returned(vec!["look there, too".into()]));
    let told = starting.news.recv().await;
    assert!(
        matches!(&told, Some(Input::Subagent(_, SubagentNews::Told(event))) if **event == back),
        "it is lost"
    );
}

#[tokio::test]
async fn one_that_was_foreseen_is_made_once_and_does_nothing_before_it_is_started() {
    let (mut starting, start, to) = Starting::nothing_yet();
    starting.port.foresee(&start);
    starting.begun.recv().await.unwrap();
    starting.may.send(()).unwrap();
    assert!(starting.news.try_recv().is_err() && starting.asked.load(Ordering::SeqCst) == 0);
    starting.port.start(start, to);
    let (_, report) = starting.over().await;
    assert_eq!((report.outcome, starting.asked.load(Ordering::SeqCst)), (Outcome::Ok, 1));
    assert!(starting.begun.try_recv().is_err(), "it is not made again");
}

#[tokio::test]
async fn one_that_starts_otherwise_than_it_was_foreseen_or_whose_making_is_seen_is_made_at_its_start() {
    for in_background in [false, true] {
        let (mut starting, start, to) = Starting::nothing_yet();
        // The maker says of those in the background that something stays of them.
        starting.port.foresee(&SubagentStart { in_background, ..start.clone() });
        if !in_background {
            starting.begun.recv().await.unwrap();
            starting.may.send(()).unwrap();
        }
        assert!(starting.begun.try_recv().is_err());
        starting.port.start(SubagentStart { mode: Mode::Plan, in_background, ..start }, to);
        starting.begun.recv().await.unwrap();
        starting.may.send(()).unwrap();
        assert_eq!(starting.over().await.1.outcome, Outcome::Ok);
    }
}

#[tokio::test]
async fn one_whose_file_has_the_name_of_something_else_is_over_at_once() {
    let (mut starting, start, to) = Starting::kept_by(|| Box::new(Taken));
    starting.port.start(start, to);
    starting.begun.recv().await.unwrap();
    starting.may.send(()).unwrap();
    let over = timeout(Duration::from_secs(10), starting.over()).await;
    let (_, report) = over.expect("nothing is waited for");
    assert_eq!((report.outcome, report.state), (Outcome::Failed, TaskState::Rejected));
    assert_eq!(report.content, "The sub-agent was not started: the file exists.");
    assert_eq!((starting.asked.load(Ordering::SeqCst), starting.ended.load(Ordering::SeqCst)), (0, 1));
}
