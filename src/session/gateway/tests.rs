//! Slow requests beside quick ones, on a clock that is paused.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::*;
use crate::agent::OwnCommand;
use crate::ledger::{CallId, EntryId};
use crate::policy::Mode;

/// A model takes as many seconds as its name says; everything else as many as its words say.
#[derive(Clone)]
struct Slowly;

async fn takes(seconds: &str) {
    sleep(Duration::from_secs(seconds.trim_start_matches('@').parse().unwrap())).await;
}

impl Slow for Slowly {
    async fn model(&self, name: String) -> Result<Intent, String> {
        takes(&name).await;
        if name == "7" { Err("there is none".into()) } else { Ok(Intent::Submit(name.into())) }
    }

    async fn message(&self, UserMessage { content, .. }: UserMessage) -> Result<UserMessage, String> {
        takes(&content).await;
        if content == "@7" { Err("there is none".into()) } else { Ok(format!("read {content}").into()) }
    }

    async fn restore(&self, _: CallId, shown: Vec<(String, String)>) -> Result<Intent, String> {
        takes(&shown[0].0).await;
        Ok(Intent::Compact)
    }

    async fn race(&self, wish: RaceErrand) -> Result<Intent, String> {
        Err(format!("{wish:?}"))
    }

    async fn answer(&self, request: Request) -> Option<Reply> {
        takes("5").await;
        Some(Reply::Refused(format!("{request:?}")))
    }
}

struct World {
    requests: mpsc::Sender<Request>,
    agent: mpsc::Receiver<Intent>,
    front: mpsc::Receiver<Reply>,
    began: Instant,
}

impl World {
    fn new() -> Self {
        let (to_agent, agent) = mpsc::channel(16);
        let (to_front, front) = mpsc::channel(16);
        Self { requests: open(Slowly, to_agent, to_front), agent, front, began: Instant::now() }
    }

    async fn asks(&self, request: Request) {
        self.requests.send(request).await.unwrap();
    }

    /// The next intent, and after how many seconds.
    async fn intent(&mut self) -> (Intent, u64) {
        let intent = self.agent.recv().await.unwrap();
        (intent, self.began.elapsed().as_secs())
    }
}

fn model(name: &str) -> Request {
    Request::ChooseModel(name.to_owned())
}

fn says(words: &str) -> Request {
    Request::Intent(Intent::Submit(words.into()))
}

fn restore(seconds: &str) -> Request {
    Request::Restore { since: CallId(1), shown: vec![(seconds.to_owned(), String::new())] }
}

#[tokio::test(start_paused = true)]
async fn nothing_waits_for_a_slow_request() {
    let mut world = World::new();
    let decide =
        Intent::Decide { request: EntryId(1), call: CallId(1), answer: crate::agent::Answer::AllowOnce };
    let slow = [model("12"), says("@12"), restore("12"), Request::PlanUndo(None), Request::ListSessions];
    for request in slow {
        world.asks(request).await;
    }
    let at_once = [decide, Intent::SetMode(Mode::Plan), Intent::Abort];
    for intent in at_once.clone() {
        world.asks(Request::Intent(intent)).await;
    }
    for intent in at_once {
        assert_eq!(world.intent().await, (intent, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn of_two_models_the_later_one_counts() {
    let mut world = World::new();
    for name in ["12", "3"] {
        world.asks(model(name)).await;
    }
    assert_eq!(world.intent().await, (Intent::Submit("3".into()), 3));
    world.asks(model("20")).await;
    assert_eq!(world.intent().await, (Intent::Submit("20".into()), 23), "the first was given up");
}

#[tokio::test(start_paused = true)]
async fn messages_keep_their_order_behind_what_is_read_and_undone() {
    let mut world = World::new();
    for request in [says("@5"), says("then"), restore("4"), says("last")] {
        world.asks(request).await;
    }
    assert_eq!(world.intent().await, (Intent::Submit("read @5".into()), 5));
    assert_eq!(world.intent().await, (Intent::Submit("then".into()), 5));
    assert_eq!(world.intent().await, (Intent::Compact, 9), "an undo does not overtake a message");
    assert_eq!(world.intent().await, (Intent::Submit("last".into()), 9));
    world.asks(says("at once")).await;
    assert_eq!(world.intent().await, (Intent::Submit("at once".into()), 9));
}

#[tokio::test(start_paused = true)]
async fn what_fails_goes_back_to_who_asked() {
    let mut world = World::new();
    world.asks(says("@7")).await;
    world.asks(model("7")).await;
    let (said, why, name) = ("@7".into(), "there is none".to_owned(), "7".to_owned());
    let mut told = Vec::new();
    while told.len() < 2 {
        let reply = world.front.recv().await.unwrap();
        told.extend(Some(reply).filter(|reply| !matches!(reply, Reply::Reading(_))));
    }
    told.sort_by_key(|reply| matches!(reply, Reply::NoModel { .. }));
    assert_eq!(told, [Reply::Returned { said, why: why.clone() }, Reply::NoModel { name, why }]);
    world.asks(says("and on")).await;
    assert_eq!(world.intent().await.0, Intent::Submit("and on".into()));
}

#[tokio::test(start_paused = true)]
async fn nothing_runs_before_a_message_until_that_was_read() {
    let mut world = World::new();
    let status = OwnCommand::read("!git status").unwrap();
    let before =
        |said: &str| Intent::Command(OwnCommand { then: Some(Box::new(said.into())), ..status.clone() });
    for said in ["@3", "@7"] {
        world.asks(Request::Intent(before(said))).await;
    }
    world.asks(says("last")).await;
    assert_eq!(world.intent().await, (before("read @3"), 3));
    assert_eq!(world.intent().await, (Intent::Submit("last".into()), 10), "the other command has not left");
    let returned = loop {
        match world.front.recv().await.unwrap() {
            Reply::Reading(_) => {}
            Reply::Returned { said, .. } => break said.content,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(returned, "@7");
    let review = Request::Intent(before("@7")).typed("/review".to_owned(), 0);
    world.asks(review).await;
    let line = loop {
        match world.front.recv().await.unwrap() {
            Reply::Reading(_) => {}
            Reply::LineReturned { line, .. } => break line,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(line, "/review");
    world.asks(Request::Intent(Intent::Command(status.clone()))).await;
    assert_eq!(world.intent().await.0, Intent::Command(status));
}

#[tokio::test(start_paused = true)]
async fn a_race_or_an_adoption_that_cannot_be_returns_what_was_typed() {
    let mut world = World::new();
    let wish = RaceWish { prompts: vec!["Fix it".to_owned()], lanes: Some(99), ..RaceWish::default() };
    for (request, line) in
        [(Request::Race(wish), "/race Fix it | lanes: 99"), (Request::Adopt(3), "/adopt 3")]
    {
        world.asks(request).await;
        let Some(Reply::LineReturned { line: returned, .. }) = world.front.recv().await else {
            panic!("{line}")
        };
        assert_eq!(returned, line);
    }
}

#[tokio::test(start_paused = true)]
async fn every_line_that_is_refused_goes_back_as_it_was_typed() {
    let mut world = World::new();
    let wish = RaceWish { prompts: vec!["Fix it".to_owned()], ..RaceWish::default() };
    let goal = Intent::ResumeGoal("@7".into());
    for (request, line) in [
        (Request::Export(Some("a.md".to_owned())), "/export  a.md"),
        (Request::Beside("0199".to_owned()), "/compare 0199"),
        (Request::Fork, "/fork"),
        (Request::Adopt(3), "/race adopt 3"),
        (Request::Race(wish), "/race  Fix it"),
        (Request::Intent(goal), "/goal resume @7"),
    ] {
        world.asks(request.typed(line.to_owned(), 0)).await;
        let returned = loop {
            match world.front.recv().await.unwrap() {
                Reply::Reading(_) => {}
                Reply::LineReturned { line, .. } => break line,
                other => panic!("{line}: {other:?}"),
            }
        };
        assert_eq!(returned, line);
    }
    // The loop answers for what it is told.
    let rename = Request::Intent(Intent::Rename("x".to_owned()));
    world.asks(rename.typed("/rename x".to_owned(), 0)).await;
    let typed =
        Intent::Typed { line: "/rename x".to_owned(), intent: Box::new(Intent::Rename("x".to_owned())) };
    assert_eq!(world.intent().await.0, typed);
}

#[tokio::test(start_paused = true)]
async fn the_reading_of_files_is_told_and_can_be_stopped() {
    let mut world = World::new();
    for request in [says("@3"), says("@600"), says("then")] {
        world.asks(request).await;
    }
    assert_eq!(world.intent().await, (Intent::Submit("read @3".into()), 3));
    for begins in [true, false, true] {
        assert_eq!(world.front.recv().await, Some(Reply::Reading(begins)));
    }
    world.asks(Request::StopReading).await;
    assert_eq!(world.front.recv().await, Some(Reply::Reading(false)));
    let returned = world.front.recv().await.unwrap();
    assert!(matches!(&returned, Reply::Returned { said, .. } if said.content == "@600"), "{returned:?}");
    assert_eq!(world.intent().await, (Intent::Submit("then".into()), 3), "no file is read for it");
    world.asks(says("@5")).await;
    assert_eq!(world.intent().await, (Intent::Submit("read @5".into()), 8), "only what was sent before");
}

#[tokio::test(start_paused = true)]
async fn an_image_of_the_clipboard_that_is_given_up_never_comes() {
    let mut world = World::new();
    for request in [Request::PasteImage, Request::StopReading, Request::ListSessions] {
        world.asks(request).await;
    }
    let Some(Reply::Refused(said)) = world.front.recv().await else { panic!("no answer") };
    assert!(said.contains("ListSessions"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn of_two_previews_the_later_one_is_answered() {
    let mut world = World::new();
    for id in ["one", "two"] {
        world.asks(Request::Preview(id.to_owned())).await;
    }
    let Some(Reply::Refused(said)) = world.front.recv().await else { panic!("no answer") };
    assert!(said.contains("two"), "{said}");
    assert_eq!(world.began.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn it_ends_with_the_agent() {
    let World { requests, agent, .. } = World::new();
    drop(agent);
    requests.send(says("anybody?")).await.unwrap();
    requests.closed().await;
}
