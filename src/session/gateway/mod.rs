//! Between a front end and the agent. What needs no waiting passes at once; each slow request is a task with a name, so that
//! an approval, a mode or Esc never waits for a key command, a slow disk or a model server.

mod answers;

use std::collections::BTreeMap;
use std::path::PathBuf;

use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinHandle};
use uuid::Uuid;

use super::attachments::Attach;
use super::branching::Rewinding;
use super::exporting::Exporter;
use super::instructions::nested::NestedInstructions;
use super::model_switch::Switch;
use super::other_sessions::EarlierSessions;
use super::racing::Racer;
use super::reports::Reporter;
use super::rule_keeper::RuleKeeper;
use super::spending::UsageReader;
use super::status_line::StatusCommand;
use super::undo::Undoing;
use super::whatif::Brancher;
use crate::agent::Intent;
use crate::config::Invocation;
use crate::config::models::Usable;
use crate::ledger::{CallId, UserMessage};
use crate::runtime::Groups;
use crate::ui::{RaceWish, Reply, Request};

/// Requests that may wait while the agent is busy.
const REQUESTS_WAITING: usize = 16;
/// Replies that may wait while a front end is busy.
const REPLIES_WAITING: usize = 16;

/// What a slow request is about. Of two with one name, the later one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    Model,
    UndoPlan,
    Sessions,
    Preview,
    Models,
    Files,
    Clipboard,
    RulePlan,
    Branch,
    Tree,
    Beside,
    Export,
    Report,
    Usage,
    StatusLine,
}

/// Does what a front end asks for.
#[derive(Clone)]
pub(crate) struct Gateway {
    /// Finds models by their names.
    pub switch: Switch,
    /// Reads what messages name.
    pub attach: Attach,
    /// Plans and does an undo.
    pub undo: Undoing,
    /// Goes back to before a message.
    pub rewinding: Rewinding,
    /// Branches that go otherwise, and the tree of all.
    pub brancher: Brancher,
    /// Races.
    pub racer: Racer,
    /// The other sessions of this folder.
    pub earlier: EarlierSessions,
    /// The models that can be chosen.
    pub usable: Usable,
    /// Writes rules into configurations.
    pub rules: RuleKeeper,
    /// Writes the transcript.
    pub exporter: Exporter,
    /// Answers what is asked about the session.
    pub reporter: Reporter,
    /// Adds up what sessions have spent.
    pub spending: UsageReader,
    /// The user's command that writes the status line.
    pub status: Option<StatusCommand>,
}

/// The front end's ends of its channels.
pub(crate) struct Ends {
    /// What it asks.
    pub requests: mpsc::Sender<Request>,
    /// What it is answered.
    pub replies: mpsc::Receiver<Reply>,
    /// For who else has something to tell it.
    pub tell: mpsc::Sender<Reply>,
}

impl Gateway {
    /// For the session of this id, whose file is in this state folder.
    pub(crate) fn new(
        invocation: &Invocation,
        (state, id): (PathBuf, &str),
        switch: Switch,
        groups: &Groups,
    ) -> Self {
        let undo = Undoing::new(state.clone(), id.to_owned(), invocation);
        Self {
            spending: UsageReader::new(state.clone(), invocation.environment.clone()),
            status: StatusCommand::of(invocation, (&state, id), groups),
            exporter: Exporter {
                state: state.clone(),
                id: id.to_owned(),
                cwd: invocation.cwd.clone(),
                environment: invocation.environment.clone(),
            },
            reporter: Reporter::new(invocation, state.clone(), id.to_owned(), undo.clone()),
            switch,
            attach: Attach::new(invocation, id, groups),
            undo,
            rewinding: Rewinding::new(state.clone(), id.to_owned()),
            brancher: Brancher::new(state.clone(), id.to_owned(), invocation.environment.home()),
            racer: Racer::new(state.clone(), id.to_owned(), invocation),
            earlier: EarlierSessions::new(state, invocation, id.to_owned()),
            usable: Usable::new(invocation.config.clone(), invocation.environment.clone()),
            rules: RuleKeeper::new(invocation),
        }
    }

    /// The same, whose messages bring these instructions of the folders of their files.
    pub(crate) fn telling(self, nested: NestedInstructions) -> Self {
        Self { attach: self.attach.telling(nested), ..self }
    }

    /// Begins to take requests. It ends when the front end or the agent is gone.
    pub(crate) fn begin(self, to_agent: mpsc::Sender<Intent>) -> Ends {
        let (tell, replies) = mpsc::channel(REPLIES_WAITING);
        let requests = open(self, to_agent, tell.clone());
        Ends { requests, replies, tell }
    }
}

/// What of a race takes a while to prepare.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RaceErrand {
    Start(RaceWish),
    Adopt(u64),
}

impl RaceErrand {
    /// What a person types for it.
    fn line(&self) -> String {
        match self {
            Self::Start(wish) => wish.line(),
            Self::Adopt(lane) => format!("/adopt {lane}"),
        }
    }
}

/// What is slow. A trait, so that a test has a model whose key command takes twelve seconds.
trait Slow: Clone + Send + Sync + 'static {
    /// The model of this name, as the intent that chooses it.
    fn model(&self, name: String) -> impl Future<Output = Result<Intent, String>> + Send;
    /// A message with what it names.
    fn message(&self, said: UserMessage) -> impl Future<Output = Result<UserMessage, String>> + Send;
    /// Puts files back.
    fn restore(
        &self,
        since: CallId,
        shown: Vec<(String, String)>,
    ) -> impl Future<Output = Result<Intent, String>> + Send;
    /// A race, or an adoption of what came of one.
    fn race(&self, wish: RaceErrand) -> impl Future<Output = Result<Intent, String>> + Send;
    /// What else can be asked for.
    fn answer(&self, request: Request) -> impl Future<Output = Option<Reply>> + Send;
}

fn open<S: Slow>(
    slow: S,
    to_agent: mpsc::Sender<Intent>,
    to_front: mpsc::Sender<Reply>,
) -> mpsc::Sender<Request> {
    let (sender, mut requests) = mpsc::channel(REQUESTS_WAITING);
    tokio::spawn(async move {
        let (stop_reading, _) = watch::channel(());
        let mut desk = PendingRequests {
            slow,
            to_agent,
            to_front,
            running: BTreeMap::new(),
            in_order: None,
            stop_reading,
        };
        while let Some(request) = requests.recv().await {
            if !desk.take(request).await {
                return;
            }
        }
    });
    sender
}

/// The requests under way.
struct PendingRequests<S> {
    slow: S,
    to_agent: mpsc::Sender<Intent>,
    to_front: mpsc::Sender<Reply>,
    running: BTreeMap<Task, AbortHandle>,
    /// The last message whose attachments are read, or undo that is done: later messages keep behind it.
    in_order: Option<JoinHandle<()>>,
    /// Gives up what is read for messages that were sent before.
    stop_reading: watch::Sender<()>,
}

impl<S: Slow> PendingRequests<S> {
    /// Takes a request; false when the agent is gone.
    async fn take(&mut self, request: Request) -> bool {
        let (line, request) = request.untyped();
        match request {
            Request::Typed { .. } => debug_assert!(false, "a line was typed once"),
            Request::Intent(intent) => return self.pass(intent).await,
            Request::ChooseModel(name) => {
                let (slow, agent, front) = (self.slow.clone(), self.to_agent.clone(), self.to_front.clone());
                self.run(Task::Model, async move {
                    match slow.model(name.clone()).await {
                        Ok(chosen) => tell(&agent, chosen).await,
                        Err(why) => tell(&front, Reply::NoModel { name, why }).await,
                    }
                });
            }
            Request::Restore { since, shown } => {
                let slow = self.slow.clone();
                self.queue(async move { slow.restore(since, shown).await.map_err(Reply::Refused) });
            }
            Request::StopReading => {
                self.stop_reading.send_replace(());
                if let Some(image) = self.running.remove(&Task::Clipboard) {
                    image.abort();
                }
            }
            Request::Race(wish) => self.race(RaceErrand::Start(wish), line),
            Request::Adopt(lane) => self.race(RaceErrand::Adopt(lane), line),
            Request::Rewind(message) => {
                let branch = Uuid::now_v7().to_string();
                return self.to_agent.send(Intent::Rewind { message, branch }).await.is_ok();
            }
            Request::Branch { .. } | Request::Fork | Request::WhatIf(_) => {
                self.answer(Task::Branch, (line, request))
            }
            Request::ListBranches => self.answer(Task::Tree, (line, request)),
            Request::Beside(_) => self.answer(Task::Beside, (line, request)),
            Request::Export(_) => self.answer(Task::Export, (line, request)),
            Request::Report(_) => self.answer(Task::Report, (line, request)),
            Request::PlanUndo(_) => self.answer(Task::UndoPlan, (line, request)),
            Request::ListSessions => self.answer(Task::Sessions, (line, request)),
            Request::Preview(_) => self.answer(Task::Preview, (line, request)),
            Request::ListModels(_) => self.answer(Task::Models, (line, request)),
            Request::ListFiles => self.answer(Task::Files, (line, request)),
            Request::PasteImage => self.answer(Task::Clipboard, (line, request)),
            Request::PlanRule(_) => self.answer(Task::RulePlan, (line, request)),
            Request::AddUp(_) => self.answer(Task::Usage, (line, request)),
            Request::StatusLine(_) => self.answer(Task::StatusLine, (line, request)),
            Request::KeepRule { .. } => self.keep(request),
        }
        true
    }

    fn race(&mut self, wish: RaceErrand, line: Option<String>) {
        let (slow, line) = (self.slow.clone(), line.unwrap_or_else(|| wish.line()));
        self.queue(async move {
            match slow.race(wish).await {
                Ok(prepared) => Ok(prepared.typed(line, 0)),
                Err(why) => Err(Reply::LineReturned { line, why }),
            }
        });
    }

    /// Passes an intent on. A message waits for what it names, and for messages and undos before it.
    async fn pass(&mut self, mut intent: Intent) -> bool {
        let waits = self.in_order.as_ref().is_some_and(|earlier| !earlier.is_finished());
        let names = |said: &UserMessage| said.content.contains('@');
        if !said_in(&mut intent).is_some_and(|said| waits || names(said)) {
            return self.to_agent.send(intent).await.is_ok();
        }
        let (slow, front, stopped) =
            (self.slow.clone(), self.to_front.clone(), self.stop_reading.subscribe());
        self.queue(async move { with_attachments(&slow, &front, intent, names, stopped).await });
        true
    }

    /// Does this as soon as all that was queued before it is done, and has its outcome delivered in the same order.
    fn queue(&mut self, work: impl Future<Output = Result<Intent, Reply>> + Send + 'static) {
        let (agent, front, earlier) = (self.to_agent.clone(), self.to_front.clone(), self.in_order.take());
        self.in_order = Some(tokio::spawn(async move {
            if let Some(earlier) = earlier
                && let Err(broken) = earlier.await
            {
                tracing::error!("an earlier request failed: {broken}");
            }
            match work.await {
                Ok(intent) => tell(&agent, intent).await,
                Err(reply) => tell(&front, reply).await,
            }
        }));
    }

    fn answer(&mut self, task: Task, (line, request): (Option<String>, Request)) {
        let (slow, front) = (self.slow.clone(), self.to_front.clone());
        self.run(task, async move {
            if let Some(reply) = slow.answer(request).await {
                tell(&front, reply.about(line)).await;
            }
        });
    }

    /// Keeps a rule. It was decided: nothing that comes later gives it up.
    fn keep(&self, request: Request) {
        let (slow, front) = (self.slow.clone(), self.to_front.clone());
        tokio::spawn(async move {
            if let Some(reply) = slow.answer(request).await {
                tell(&front, reply).await;
            }
        });
    }

    /// Runs a task. One of the same name that is still under way is given up.
    fn run(&mut self, name: Task, work: impl Future<Output = ()> + Send + 'static) {
        let task = tokio::spawn(work).abort_handle();
        if let Some(earlier) = self.running.insert(name, task) {
            earlier.abort();
        }
    }
}

/// Tells whoever is at the other end, if anybody is: an answer may come after the end.
async fn tell<T: Send>(to: &mpsc::Sender<T>, what: T) {
    if to.send(what).await.is_err() {
        tracing::debug!("a request was answered after the session had ended");
    }
}

/// The message of an intent that has one.
fn said_in(intent: &mut Intent) -> Option<&mut UserMessage> {
    match intent {
        Intent::Submit(said) | Intent::Queue(said) | Intent::ResumeGoal(said) | Intent::Pursue(_, said) => {
            Some(said)
        }
        // It is read before the command that runs first is asked about.
        Intent::Command(own) => own.then.as_deref_mut(),
        Intent::Typed { intent, .. } => said_in(intent),
        _ => None,
    }
}

/// A message with what it names.
async fn with_attachments<S: Slow>(
    slow: &S,
    front: &mpsc::Sender<Reply>,
    mut intent: Intent,
    names: impl Fn(&UserMessage) -> bool,
    mut stopped: watch::Receiver<()>,
) -> Result<Intent, Reply> {
    let Some(said) = said_in(&mut intent).filter(|said| names(said)) else { return Ok(intent) };
    tell(front, Reply::Reading(true)).await;
    let read = tokio::select! {
        biased;
        Ok(()) = stopped.changed() => Err("not sent: you stopped the reading of its files".to_owned()),
        read = slow.message(said.clone()) => read,
    };
    tell(front, Reply::Reading(false)).await;
    match read {
        Ok(read) => *said = read,
        Err(why) => {
            let said = std::mem::take(said);
            return Err(match intent {
                Intent::Typed { line, .. } => Reply::LineReturned { line, why },
                _ => Reply::Returned { said, why },
            });
        }
    }
    Ok(intent)
}

#[cfg(test)]
mod tests;
